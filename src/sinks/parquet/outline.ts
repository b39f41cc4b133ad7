import { oneOrList, text } from '../../language/codec/primitives';
import { optional } from '../../language/codec/record';
import { journal, nestedOrStruct } from '../options';
import type { SinkOutline } from '../../language/parts/sink';

/** The manual entry of the sink. */
export const outline = {
  kind: 'sink',
  name: 'parquet',
  summary: 'Parquet files in a folder, compressed with zstd.',
  use: 'Use it for analysis and data lakes.',
  schemes: ['parquet'],
  address: ['parquet:FOLDER', 'parquet:s3://BUCKET/PREFIX'],
  example: 'parquet:out',
  rules: [
    'Each column gets the narrowest type for all of its values.',
    'A commit replaces whole files. An incremental run makes files of the old rows and its own; with `partitionBy`, only those of the values that it touches.',
    'Install @duckdb/node-api.',
    'In a bucket, a commit replaces one object at a time. Install @aws-sdk/client-s3 and @aws-sdk/lib-storage.',
  ],
  makes: 'tables',
  options: {
    nested: nestedOrStruct,
    partitionBy: optional(oneOrList(text), {
      about:
        'The columns whose values become folders, as in Hive: `orders/country=CH/data_0.parquet`. Tables of lists stay one file each.',
      example: 'country',
    }),
    journal,
  },
} as const satisfies SinkOutline;
