/** Settings that several sinks have. */
import { accept, codec, expected, type Codec } from '../language/codec/codec';
import { oneOf, text } from '../language/codec/primitives';
import { optional } from '../language/codec/record';

/** A boolean, or its word, since parameters of addresses are strings. */
export const yesOrNo: Codec<boolean> = codec('YesOrNo', { type: 'boolean' }, (input, context) => {
  if (input === true || input === 'true') return accept(true);
  if (input === false || input === 'false') return accept(false);
  return expected('true or false', input, context);
});

const tablesOrJson = oneOf('Nesting', ['tables', 'json']);

const withoutStruct = codec<'tables' | 'json'>('Nesting', tablesOrJson.schema(), (input, context) =>
  input === 'struct'
    ? expected('tables or json', input, context, ': only duckdb: and parquet: have columns of STRUCT and LIST')
    : tablesOrJson.validate(input, context),
);

export const nested = optional(withoutStruct, {
  about:
    'What becomes of objects and lists in items, where the job does not say it: columns and linked tables, or one column of JSON each. Default: `tables`.',
  example: 'json',
});

/** When readers see the rows of a run: at its commit, or as its pages come. */
export type Visibility = 'run' | 'page';

export const visibility = optional(oneOf('Visibility', ['run', 'page']), {
  about:
    'When readers see the rows of a run: all at its commit, or, where rows are added (`load` is `append`), with the pages that bring them. Default: `run`.',
  example: 'page',
});

/** The same, for lines of JSON. */
export const nestedInLines = optional(withoutStruct, {
  about:
    'What becomes of objects and lists in items of files in a folder, where the job does not say it: linked tables, or nothing, so that lines are items as they came. Default: `json`.',
  example: 'tables',
});

/** The same, for destinations with columns of STRUCT and LIST. */
export const nestedOrStruct = optional(oneOf('Nesting', ['tables', 'json', 'struct']), {
  about:
    'What becomes of objects and lists in items, where the job does not say it: columns and linked tables, one column of JSON each, or one column of STRUCT or LIST each. Default: `tables`.',
  example: 'struct',
});

export const compress = optional(oneOf('Compression', ['gzip']), {
  about:
    'How the files in a folder are compressed: `gzip` adds `.gz` to their names, such as `items.csv.gz`. Default: they are not.',
  example: 'gzip',
});

export const journal = optional(text, {
  about:
    'Of an address in a bucket (`…:s3://BUCKET/PREFIX`): the folder of this machine where pages wait until the commit, and new files are made. Default: `.headwater` in the current folder.',
  example: '/var/lib/headwater',
});
