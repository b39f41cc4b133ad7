import { nestedOrStruct } from '../options';
import type { SinkOutline } from '../../language/parts/sink';

/** The manual entry of the sink. */
export const outline = {
  kind: 'sink',
  name: 'duckdb',
  summary: 'Tables in a DuckDB file.',
  use: 'Use it for SQL on one machine, without a server.',
  schemes: ['duckdb'],
  address: ['duckdb:FILE'],
  example: 'duckdb:headwater.duckdb',
  rules: [
    'A commit is one transaction with all rows and a receipt in the schema `_headwater`.',
    'Each column gets the narrowest type for all of its values; later runs widen types and add columns.',
    'Pages wait in the folder `FILE.headwater` until the commit. Meanwhile others may read the database.',
    'Install @duckdb/node-api.',
  ],
  makes: 'tables',
  options: { nested: nestedOrStruct },
} as const satisfies SinkOutline;
