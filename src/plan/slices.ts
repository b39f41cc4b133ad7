import type { Contexts } from '../language/expressions/expression';

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
  /** Absent: the API gives all of it, however much that is. */
  readonly cap?: Cap;
}

/** How many items of a slice an API gives at most, and what is requested in its place where it has as many. */
export interface Cap {
  readonly items: number;
  /** The place of the cap in the configuration. */
  readonly path: string;
  /** The slice, as messages have it. */
  readonly shown: string;
  /** None where it cannot be divided further. */
  readonly halves: () => readonly Slice[];
}

/** What expressions of a job, and of those below it, know of the slice that is requested. */
export type SliceContexts = Pick<Contexts, 'partition' | 'window'>;
