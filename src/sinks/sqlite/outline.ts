import { nested } from '../options';
import type { SinkOutline } from '../../language/parts/sink';

/** The manual entry of the sink. */
export const outline = {
  kind: 'sink',
  name: 'sqlite',
  summary:
    'Tables of an SQLite database in one file: one a dataType, and one for the lists at each place in its items.',
  use: 'Choose it for applications that read one file, and where DuckDB cannot be installed.',
  schemes: ['sqlite'],
  address: ['sqlite:FILE'],
  example: 'sqlite:headwater.sqlite',
  rules: [
    'A commit is one transaction with all rows and a receipt in the table _headwater.',
    'Objects become columns and lists become linked tables; with `nested: json` each is one column of JSON.',
    'Tables are STRICT: INTEGER, REAL and TEXT. Decimals are TEXT with all digits, booleans are 0 and 1, dates and times are TEXT as the API wrote them, JSON is TEXT.',
    'Later runs widen types and add columns; the table _headwater says which columns hold booleans, decimals, times and JSON.',
    'Until the commit, pages wait in the folder `FILE.headwater`, and others may read and write the database.',
    'Node.js has SQLite from 22.13 on; for older ones the package better-sqlite3 has to be installed.',
  ],
  makes: 'tables',
  options: { nested },
} as const satisfies SinkOutline;
