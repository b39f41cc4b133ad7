import { oneOrList, text } from '../../language/codec/primitives';
import { optional } from '../../language/codec/record';
import { journal, nestedOrStruct } from '../options';
import type { SinkOutline } from '../../language/parts/sink';

/** The manual entry of the sink. */
export const outline = {
  kind: 'sink',
  name: 'parquet',
  summary:
    'Parquet files in a folder, compressed with zstd: one a dataType, and one for the lists at each place in its items.',
  use: 'Choose it for analysis with tools that read columns, and for data lakes.',
  schemes: ['parquet'],
  address: ['parquet:FOLDER', 'parquet:s3://BUCKET/PREFIX'],
  example: 'parquet:out',
  rules: [
    'Objects become columns and lists become linked tables; with `nested: json` each is one column of JSON, with `nested: struct` one of STRUCT or LIST.',
    'Each column gets the narrowest type that holds all of its values.',
    'A commit replaces files that are complete; an incremental run makes files of the old rows and its own.',
    'With `partitionBy`, a table is a folder of files by the values of columns, as hive has them; only the files of values that a run touches are made again.',
    'The package @duckdb/node-api has to be installed.',
    'In a bucket of an S3-compatible store, an object is replaced at a time; the packages @aws-sdk/client-s3 and @aws-sdk/lib-storage have to be installed.',
  ],
  makes: 'tables',
  options: {
    nested: nestedOrStruct,
    partitionBy: optional(oneOrList(text), {
      about:
        'The column, or columns, by whose values the rows of each table are put into folders: `orders/country=CH/data_0.parquet`. Tables of lists stay one file each.',
      example: 'country',
    }),
    journal,
  },
} as const satisfies SinkOutline;
