import type { Item } from '../core/model';
import type { SliceContexts } from '../plan/slices';
import type { PlaceholderBindings } from './placeholders';

/** What a job is called with: a top-level job has no lineage, and no bindings unless it is divided into slices. */
export interface CallInput {
  /** The items above it, the direct parent's first; `null` in place of the many of a batch. */
  readonly lineage: readonly Item[];
  readonly bindings: PlaceholderBindings;
  /** The slice of the job, and of those above it; absent: none of them is divided. */
  readonly slice?: SliceContexts;
}

/** One call of a job. */
export interface Call extends CallInput {
  /** The key of the call, as in `Checkpoint.call`. */
  readonly key: readonly number[];
}

export const topLevelCall = (run: number, job: number): Call => ({ key: [run, job], lineage: [], bindings: new Map() });

/** Whether a call is for no item of another job. */
export const isTopLevel = ({ lineage }: Call): boolean => lineage.length === 0;
