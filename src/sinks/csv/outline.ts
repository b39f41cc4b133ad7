import { optional } from '../../language/codec/record';
import { compress, journal, yesOrNo } from '../options';
import type { SinkOutline } from '../../language/parts/sink';

/** The manual entry of the sink. */
export const outline = {
  kind: 'sink',
  name: 'csv',
  summary: 'Linked tables as CSV files in a folder.',
  use: 'Use it for mappings, spreadsheets and loaders of CSV.',
  schemes: ['csv'],
  address: ['csv:FOLDER', 'csv:s3://BUCKET/PREFIX'],
  example: 'csv:out',
  rules: [
    'Files are UTF-8. Every field is quoted, and the first line has the names of the columns.',
    'A commit replaces whole files: a reader never sees half a table in one file.',
    'With `incrementalOutput`, rows are added; with a primary key, a row replaces older ones with the same key.',
    'Pages wait in `FOLDER/.headwater` until the commit.',
    'In a bucket, a commit replaces one object at a time. Install @aws-sdk/client-s3 and @aws-sdk/lib-storage.',
  ],
  makes: 'linked-tables',
  options: {
    compress,
    uniqueIds: optional(yesOrNo, {
      about:
        'Whether ids of rows contain the place in their list, and the run: no two are equal, and each element joins one row. Default: `false`, equal rows have equal ids.',
      example: true,
    }),
    journal,
  },
} as const satisfies SinkOutline;
