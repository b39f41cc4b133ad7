import { isFailure } from '../core/errors/response-facts';
import type { Doubt } from '../core/evidence';
import type { Checkpoint, Page, Response } from '../core/model';
import type { CallState } from './call-state';
import { checkpointAfter } from './checkpoint';
import type { AcceptedPage, Made } from './checkpoint';
import { withItems } from './completeness/judge';
import { NOTHING_FOUND, itemsOf } from './items';
import { cursorOf, cursorSource, secondsNow } from './job-run';
import type { JobRun, Ruled } from './job-run';
import { pagesBefore } from './submitted';

/**
 * Returns a page with the delivered items and its evidence. For an asynchronous job the page of the submission decides which page is the
 * first.
 */
export function madeOf(running: JobRun, { pages }: CallState, { reply, found, next, evidence }: AcceptedPage): Made {
  const { plan, shape, sought, submitted } = running;
  const delivered = shape(found);
  if (plan.children.some(({ filter }) => filter !== undefined))
    for (const item of delivered.items) {
      sought.look('children', item);
      sought.look('passes', item);
    }
  if (plan.incremental !== undefined) {
    const source = cursorSource(plan, { found, delivered });
    if (source.values?.() === undefined) for (const item of source.items) sought.look('incremental', item);
    else sought.met('incremental');
  }
  const ofItems = withItems(evidence, delivered.shaped, sought.found());
  const isPlaced = submitted !== undefined && pages === 0;
  const parents = plan.children.length === 0 ? {} : { parents: Buffer.from(delivered.lines()).toString() };
  return { reply, found, next, delivered, ...parents, evidence: isPlaced ? { ...ofItems, place: 'first' } : ofItems };
}

/**
 * Returns the page event. Its items are parsed and its checkpoint is made when they are first read, once, so that a caller that does not
 * read them does not pay for them.
 */
export function pageOf(running: JobRun, callState: CallState, made: Made): Page {
  const { delivered } = made;
  const page = {
    iteration: running.context.iteration,
    job: running.ref,
    table: running.plan.table,
    index: callState.pages + pagesBefore(running),
    count: delivered.count,
    lines: (before, after, scratch) => delivered.lines(before, after, scratch),
    extra: running.extra,
    reply: made.reply,
    evidence: made.evidence,
  } satisfies Omit<Page, keyof typeof GETTERS>;
  Object.defineProperty(page, ORIGIN, { value: { running, callState, made, checkpoint: undefined, known: undefined } });
  for (const name of LAZY) Object.defineProperty(page, name, GETTERS[name]);
  return page as Page & typeof page;
}

/** What the getters of a page read. */
const ORIGIN = Symbol('origin');
interface Origin {
  readonly running: JobRun;
  readonly callState: CallState;
  readonly made: Made;
  checkpoint: Checkpoint | undefined;
  /** The cursor, once it has been asked for: the field of each item is read for it. */
  known: Pick<Page, 'cursor'> | undefined;
}
interface HasOrigin {
  readonly [ORIGIN]: Origin;
}

/** Getters of pages: the same functions for all of them, see docs/decisions/responses-and-pages.md. */
const GETTERS = {
  items: {
    enumerable: true,
    configurable: true,
    get(this: HasOrigin): Page['items'] {
      return this[ORIGIN].made.delivered.items;
    },
  },
  cursor: {
    enumerable: true,
    configurable: true,
    get(this: HasOrigin): Page['cursor'] {
      const { running, made } = this[ORIGIN];
      return (this[ORIGIN].known ??= { cursor: cursorOf(running, made) }).cursor;
    },
  },
  checkpoint: {
    enumerable: true,
    configurable: true,
    get(this: HasOrigin & Pick<Page, 'cursor'>): Checkpoint {
      const { running, callState, made } = this[ORIGIN];
      const origin = this[ORIGIN];
      origin.checkpoint ??= checkpointAfter(running, callState, made, this.cursor, secondsNow(running.context));
      return origin.checkpoint;
    },
  },
};
const LAZY = ['items', 'cursor', 'checkpoint'] as const;

/**
 * Returns the empty page that ends a call in place of a response that a rule counts as one without items
 * (docs/language/responses.md#rules); its checkpoint says to a resumed run that the call has ended.
 *
 * @param pages the number of pages of the call before
 * @param doubts about the response: see {@link itemsLeft}
 */
export function ruledPage(
  response: Response,
  { kind, because, isByStatus }: Ruled,
  pages: number,
  doubts: readonly Doubt[] = [],
): AcceptedPage {
  // Behind the first page, what is skipped may not be the end.
  const isWanted = kind === 'stop' || (kind === 'skip' && pages > 0);
  const isSkipped = pages === 0 && (kind !== 'end' || (isByStatus && isFailure(response.status)));
  return {
    reply: { response, data: undefined },
    found: NOTHING_FOUND,
    next: { kind: 'stop', because, isWanted },
    // An empty page says nothing about its items or their place.
    evidence: {
      unmet: [],
      ...(isWanted && pages > 0 ? { stopped: true } : {}),
      ...(isSkipped ? { skipped: because } : {}),
      ...(doubts.length === 0 ? {} : { doubts }),
    },
  };
}

const REDIRECTION = 300;

/** Returns the doubt about a response whose items a rule leaves unread. */
export function itemsLeft(running: JobRun, response: Response, { kind }: Ruled): readonly Doubt[] {
  const { plan, completeness } = running;
  if (completeness === 'off') return [];
  const count = response.status < REDIRECTION ? countIn(running, response) : 0;
  if (count === 0) return [];
  const message =
    `A response of ${plan.endpoint} has ${count === 1 ? 'an item' : `${count} items`}, and a rule with "do": "${kind}" leaves it unread. ` +
    `If the items should come, write "do": "last" in the rule, which ends the pagination behind them.`;
  return [{ code: 'ITEMS_NOT_READ', level: 'warning', message }];
}

/** A response that cannot be decoded has no items. */
function countIn({ plan, context }: JobRun, response: Response): number {
  try {
    const reply = context.decode(response, plan, () => undefined);
    return itemsOf(plan.items, reply, plan.endpoint, undefined, { inCall: false }).count;
  } catch {
    return 0;
  }
}
