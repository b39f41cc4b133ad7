import type { Doubt } from '../../core/evidence';
import type { Reply } from '../../core/model';
import type { FoundItems } from '../items';
import type { Next, Step } from '../../language/parts/pagination/paginator';
import type { Known } from './known';

/** Why a page is not taken: it ends the call quietly, or the run is incomplete. */
export type Refusal =
  { readonly kind: 'quiet'; readonly because: string } | { readonly kind: 'doubt'; readonly doubt: Doubt };

/** A page that has arrived, before it is accepted. */
export interface Arrived {
  readonly reply: Reply;
  readonly found: FoundItems;
  readonly next: Next;
}

/** Where a call stands before a page. */
export interface Before {
  readonly pages: number;
  readonly items: number;
  readonly step: Step;
  readonly known: Known;
  /** The response before; absent for the first one, and for the first one of a call that goes on. */
  readonly previous?: Reply;
}

export const doubted = (doubt: Doubt): Refusal => ({ kind: 'doubt', doubt });

export const LAST_AGAIN: Refusal = { kind: 'quiet', because: 'The last page came again, stopping pagination.' };
