import type { Verdict } from '../stops';
import type { Arrived } from './refusal';

/** A page that was accepted, and what the stops decide after it. */
export interface PageOutcome extends Arrived {
  readonly verdict: Verdict;
  /** The pages and items of the call before this page. */
  readonly pages: number;
  readonly items: number;
  /** The page before; absent for the first one, and for the first one of a call that goes on. */
  readonly before?: Pick<Arrived, 'reply' | 'found'> | undefined;
  /** The names of the columns of this page, and of the rows before it, of a format that has columns. */
  readonly columns?: readonly string[] | undefined;
  readonly columnsBefore?: readonly string[] | undefined;
  /** This tells whether it was told that a page before began with items of the page before that. */
  readonly overlapsBefore?: boolean | undefined;
}
