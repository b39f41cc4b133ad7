import type { Item } from '../model';
import type { PlaceholderBindings } from './placeholders';

/** What a job is called with: a top-level job has no lineage and no bindings. */
export interface CallInput {
  /** The items above it, the direct parent's first; `null` in place of the many of a batch. */
  readonly lineage: readonly Item[];
  readonly bindings: PlaceholderBindings;
}

/** One call of a job. */
export interface Call extends CallInput {
  /** The key of the call, as in `Checkpoint.call`. */
  readonly key: readonly number[];
}

export const topLevelCall = (run: number, job: number): Call => ({ key: [run, job], lineage: [], bindings: new Map() });

export const isTopLevel = ({ key }: Call): boolean => key.length === 2;
