import type { Item } from '../model';
import type { Filling } from './placeholders';

/** What a job is called with: a top-level job has no lineage and no filling. */
export interface CallOf {
  /** The items above it, the direct parent's first; `null` in place of the many of a batch. */
  readonly lineage: readonly Item[];
  readonly filling: Filling;
}

/** One run of a job. */
export interface Call extends CallOf {
  /** As `Checkpoint.call`. */
  readonly key: readonly number[];
}

export const topLevelCall = (run: number, job: number): Call => ({ key: [run, job], lineage: [], filling: new Map() });

export const isTopLevel = ({ key }: Call): boolean => key.length === 2;
