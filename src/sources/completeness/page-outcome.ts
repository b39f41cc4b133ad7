import type { Reply } from '../../model';
import type { Verdict } from '../stops';
import type { Arrived } from './repeated-page';

/** A page that was accepted, and what the stops decide after it. */
export interface PageOutcome extends Arrived {
  readonly verdict: Verdict;
  /** The pages and items of the call before this page. */
  readonly pages: number;
  readonly items: number;
  /** Where the first page said that there is another one, in words; known at the second. */
  readonly promise?: string | undefined;
  /** The response before, where this run has it. */
  readonly previous?: Reply | undefined;
}
