import type { Verdict } from '../stops';
import type { Arrived } from './repeated-page';

/** A page that is taken, and what the stops say after it. */
export interface PageOutcome extends Arrived {
  readonly verdict: Verdict;
  /** Pages and items of the call before this one. */
  readonly pages: number;
  readonly items: number;
}
