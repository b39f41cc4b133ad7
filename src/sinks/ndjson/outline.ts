import { optional } from '../../language/codec/record';
import { compress, journal, nestedInLines, yesOrNo } from '../options';
import type { SinkOutline } from '../../language/parts/sink';

/** The manual entry of the sink. */
export const outline = {
  kind: 'sink',
  name: 'ndjson',
  summary: 'Items as lines of JSON, on standard output or in a folder.',
  use: 'Use it for pipes, for programs that read JSON, and to keep each digit as the API wrote it.',
  schemes: ['ndjson'],
  address: ['ndjson:-', 'ndjson:FOLDER', 'ndjson:s3://BUCKET/PREFIX'],
  example: 'ndjson:out',
  rules: [
    'On standard output, lines come with their pages, and a run cannot be resumed.',
    'In a folder, a commit replaces whole files. If tables of several buckets meet, a file is named `BUCKET.TABLE.ndjson`.',
    'With `nested: tables`, lines have no objects and lists; the lists at each place get a file.',
    'With `incrementalOutput`, lines are added; with a primary key, a line replaces older ones with the same key.',
    'In a bucket, a commit replaces one object at a time. Install @aws-sdk/client-s3 and @aws-sdk/lib-storage.',
  ],
  makes: 'tables',
  options: {
    nested: nestedInLines,
    compress,
    tag: optional(yesOrNo, {
      about: 'Whether each line on standard output is `{"dataType":…,"item":…}`. Default: `false`.',
      example: true,
    }),
    tagExtra: optional(yesOrNo, {
      about:
        'As `tag`, with `"extra":{…}`: the columns that tables add to items, such as `parent_id`. Default: `false`.',
      example: true,
    }),
    journal,
  },
} as const satisfies SinkOutline;
