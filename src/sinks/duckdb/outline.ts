import { nestedOrStruct } from '../options';
import type { SinkOutline } from '../../language/parts/sink';

/** The manual entry of the sink. */
export const outline = {
  kind: 'sink',
  name: 'duckdb',
  summary: 'Tables of a DuckDB database in one file: one a dataType, and one for the lists at each place in its items.',
  use: 'Choose it to ask questions in SQL on one machine, without a server.',
  schemes: ['duckdb'],
  address: ['duckdb:FILE'],
  example: 'duckdb:headwater.duckdb',
  rules: [
    'A commit is one transaction with all rows and a receipt in the schema _headwater.',
    'Objects become columns and lists become linked tables; with `nested: json` each is one column of JSON, with `nested: struct` one of STRUCT or LIST.',
    'Each column gets the narrowest type that holds all of its values; later runs widen types and add columns.',
    'Until the commit, pages wait in the folder `FILE.headwater`, and others may read the database.',
    'The package @duckdb/node-api has to be installed.',
  ],
  makes: 'tables',
  options: { nested: nestedOrStruct },
} as const satisfies SinkOutline;
