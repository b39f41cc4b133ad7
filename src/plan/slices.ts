import type { Contexts } from '../expressions/expression';

/** The calls that a job is divided into. */
export interface Sliced {
  readonly slices: readonly Slice[];
  /** Values that must not be printed. */
  readonly secrets: readonly string[];
}

/** One of the calls that a job is divided into. */
export interface Slice {
  readonly contexts: SliceContexts;
  /** What stands in its placeholders, by their names. */
  readonly texts: ReadonlyMap<string, string>;
}

/** What expressions of a job, and of those below it, know of the slice that is requested. */
export type SliceContexts = Pick<Contexts, 'partition' | 'window'>;
