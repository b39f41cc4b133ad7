import { nested } from '../options';
import type { SinkOutline } from '../../language/parts/sink';

/** The manual entry of the sink. */
export const outline = {
  kind: 'sink',
  name: 'sqlite',
  summary: 'Tables in an SQLite file.',
  use: 'Use it for applications that read one file, and where DuckDB cannot be installed.',
  schemes: ['sqlite'],
  address: ['sqlite:FILE'],
  example: 'sqlite:headwater.sqlite',
  rules: [
    'A commit is one transaction with all rows and a receipt in the table `_headwater`.',
    'Tables are STRICT: INTEGER, REAL and TEXT. Booleans are 0 and 1. Decimals (all digits), dates and times (as the API wrote them) and JSON are TEXT. `_headwater` says which columns hold these.',
    'Later runs widen types and add columns.',
    'Pages wait in the folder `FILE.headwater` until the commit. Meanwhile others may read and write the database.',
    'Node.js has SQLite from 22.13 on; for older versions install better-sqlite3.',
  ],
  makes: 'tables',
  options: { nested },
} as const satisfies SinkOutline;
