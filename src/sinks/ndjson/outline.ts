import { optional } from '../../language/codec/record';
import { compress, journal, nestedInLines, yesOrNo } from '../options';
import type { SinkOutline } from '../../language/parts/sink';

/** The manual entry of the sink. */
export const outline = {
  kind: 'sink',
  name: 'ndjson',
  summary:
    'Items as lines of JSON in the spelling of the API, on standard output or in a folder with one file a dataType.',
  use: 'Choose it for pipes, for programs that read JSON, and where each digit has to stay as the API wrote it.',
  schemes: ['ndjson'],
  address: ['ndjson:-', 'ndjson:FOLDER', 'ndjson:s3://BUCKET/PREFIX'],
  example: 'ndjson:out',
  rules: [
    'On standard output, lines are written as pages arrive, and no run goes on.',
    'In a folder, a commit replaces files that are complete; where tables of several buckets meet, a file is named `BUCKET.TABLE.ndjson`.',
    'With `nested: tables`, files in a folder are linked tables: a line for each item without its objects and lists, and a file for the lists at each place.',
    'With incrementalOutput, lines are added; with a primary key, a line takes the place of older ones with the same key.',
    'In a bucket of an S3-compatible store, an object is replaced at a time; the packages @aws-sdk/client-s3 and @aws-sdk/lib-storage have to be installed.',
  ],
  makes: 'tables',
  options: {
    nested: nestedInLines,
    compress,
    tag: optional(yesOrNo, {
      about:
        'Whether each line on standard output is `{"dataType":…,"item":…}` in place of the item alone. Default: `false`.',
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
