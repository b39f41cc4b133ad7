import { defineSink } from '../define-sink';
import type { NestingOptions } from '../linked/nesting';
import { parquetFolder } from './folder';

export const parquet = defineSink({
  kind: 'sink',
  name: 'parquet',
  summary:
    'Parquet files in a folder, compressed with zstd: one a dataType, and one for the lists at each place in its items.',
  use: 'Choose it for analysis with tools that read columns, and for data lakes.',
  schemes: ['parquet'],
  address: ['parquet:FOLDER'],
  example: 'parquet:out',
  rules: [
    'Objects become columns and lists become linked tables; with `nested: json` each is one column of JSON.',
    'Each column gets the narrowest type that holds all of its values.',
    'A commit replaces files that are complete; an incremental run makes files of the old rows and its own.',
    'The package @duckdb/node-api has to be installed.',
  ],
  makes: 'tables',
  create: ({ rest: folder }, { outputs }, options: NestingOptions) => parquetFolder(folder, outputs, options),
});
