/** Settings that several sinks share. */
import { accept, codec, expected } from '../language/codec/codec';
import type { Codec } from '../language/codec/codec';
import { oneOf, text } from '../language/codec/primitives';
import { optional } from '../language/codec/record';
import type { Nesting } from '../language/configuration/jobs/table';
import type { Warn } from '../language/parts/sink';
import type { OutputPlan } from '../plan/plan';

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
    'Objects and lists in items, unless the job says it: columns and linked tables (`tables`), or a column of JSON each (`json`). Default: `tables`.',
  example: 'json',
});

/** When readers see the rows of a run: at its commit, or as its pages come. */
export type Visibility = 'run' | 'page';

export const visibility = optional(oneOf('Visibility', ['run', 'page']), {
  about:
    'When readers see rows: all at the commit (`run`), or, if rows are added (`load` is `append`), with their page (`page`). Default: `run`.',
  example: 'page',
});

/** The setting `nested` for lines of JSON. */
export const nestedInLines = optional(withoutStruct, {
  about:
    'Objects and lists in files of a folder, unless the job says it: linked tables (`tables`), or lines as the items came (`json`). Default: `json`.',
  example: 'tables',
});

/** The setting `nested` for destinations with STRUCT and LIST columns. */
export const nestedOrStruct = optional(oneOf('Nesting', ['tables', 'json', 'struct']), {
  about:
    'Objects and lists in items, unless the job says it: columns and linked tables (`tables`), or a column of JSON (`json`), STRUCT or LIST (`struct`) each. Default: `tables`.',
  example: 'struct',
});

export const compress = optional(oneOf('Compression', ['gzip']), {
  about: 'The compression of files in a folder; `gzip` makes `items.csv.gz`. Default: none.',
  example: 'gzip',
});

export const journal = optional(text, {
  about:
    'For a bucket: the local folder where pages wait until the commit. Default: `.headwater` in the current folder.',
  example: '/var/lib/headwater',
});

/** How a destination stores objects and lists in items, unless the job says it. */
export interface NestingOptions {
  /** Default: `tables`. */
  readonly nested?: Exclude<Nesting, 'struct'> | undefined;
}

/** The same for a destination with STRUCT and LIST columns. */
export interface StructOptions {
  /** Default: `tables`. */
  readonly nested?: Nesting | undefined;
}

/** The options of a sink of typed tables. */
export interface TableOptions<N extends StructOptions = NestingOptions> {
  readonly nested?: N['nested'];
  /** Is called with warnings about values that mappings do not find; absent: there are no warnings. */
  readonly warn?: Warn | undefined;
}

/**
 * Returns a function that checks whether the objects and lists of a dataType are stored in this way.
 *
 * @param nested the default of the destination if the job does not say it
 */
const nestedAs =
  (wanted: Nesting, outputs: readonly OutputPlan[], { nested = 'tables' }: StructOptions = {}) =>
  (dataType: string): boolean =>
    (outputs.find((output) => output.nested?.has(dataType))?.nested?.get(dataType) ?? nested) === wanted;

/**
 * Returns whether the objects and lists of a dataType become columns and tables.
 *
 * @example linkedIn([{ incremental: false, compatLevel: 3 }])('orders') // true
 */
export const linkedIn = (outputs: readonly OutputPlan[], options?: StructOptions): ReturnType<typeof nestedAs> =>
  nestedAs('tables', outputs, options);

/**
 * Returns a function that checks whether they become STRUCT and LIST columns.
 *
 * @example structsIn([{ incremental: false, compatLevel: 3 }], { nested: 'struct' })('orders') // true
 */
export const structsIn = (outputs: readonly OutputPlan[], options?: StructOptions): ReturnType<typeof nestedAs> =>
  nestedAs('struct', outputs, options);
