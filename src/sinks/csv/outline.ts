import { optional } from '../../language/codec/record';
import { compress, journal, yesOrNo } from '../options';
import type { SinkOutline } from '../../language/parts/sink';

/** The manual entry of the sink. */
export const outline = {
  kind: 'sink',
  name: 'csv',
  summary: 'Linked tables as CSV files in a folder, one file a table.',
  use: 'Choose it for tables by mappings or by the automatic conversion, for spreadsheets and for loaders of CSV.',
  schemes: ['csv'],
  address: ['csv:FOLDER', 'csv:s3://BUCKET/PREFIX'],
  example: 'csv:out',
  rules: [
    'Files are UTF-8, every field is quoted, and the first line has the names of the columns.',
    'A commit replaces files that are complete; a reader never meets half a table in one file.',
    'With incrementalOutput, rows are added to those of the old file; with a primary key, a row takes the place of older ones with the same key.',
    'Pages wait in the folder `.headwater` inside the folder until the commit.',
    'In a bucket of an S3-compatible store, an object is replaced at a time; the packages @aws-sdk/client-s3 and @aws-sdk/lib-storage have to be installed.',
  ],
  makes: 'linked-tables',
  options: {
    compress,
    uniqueIds: optional(yesOrNo, {
      about:
        'Whether the ids of rows tell the place in their list, and the run, so that no two rows have the same one: each element of a list then joins to one row. Default: `false`, equal rows have equal ids, as the language has it.',
      example: true,
    }),
    journal,
  },
} as const satisfies SinkOutline;
