import type { Item } from '../model';
import type { Filling } from './placeholders';

/** One run of a job: a top-level job has no lineage and no filling. */
export interface Call {
  /** The items above it, the direct parent's first; `null` in place of the many of a batch. */
  readonly lineage: readonly Item[];
  readonly filling: Filling;
}

export const TOP_LEVEL: Call = { lineage: [], filling: new Map() };
