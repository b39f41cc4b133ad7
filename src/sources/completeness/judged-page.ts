import type { Reply } from '../../core/model';
import type { AcceptedPage } from '../checkpoint';
import type { Next } from '../../language/parts/pagination/paginator';
import { goOn } from '../../language/parts/pagination/paginator';
import type { Step } from '../../language/parts/pagination/paginator';
import { secondsNow } from '../job-run';
import type { JobRun } from '../job-run';
import { verdictOf } from '../stops';
import type { Known, KnownTotal } from './known';
import { isCapped } from './capped-page';
import { namedPage } from './named-page';
import { areOthers, columnsIn } from './other-columns';
import { evidenceOf } from './page-evidence';
import type { Arrived } from './refusal';
import { totalAfter } from './total-so-far';

/** Where a call stands before a page. */
interface Before {
  readonly step: Step;
  readonly pages: number;
  readonly items: number;
  readonly volume: number;
  readonly known: Known;
  readonly previous?: Reply;
}

/**
 * A page with its evidence about the completeness of its call, and what is known after it. Where the API counts more items
 * than have come, says that it has capped the page, or names another one behind it, and a page that is not full would end the pagination,
 * it goes on after that page.
 */
export function judgedPage(
  running: JobRun,
  before: Before,
  arrived: Arrived,
): { readonly taken: AcceptedPage; readonly known: Known } {
  const { found, reply } = arrived;
  const { pages, items, known, previous } = before;
  const total = totalAfter(running, known, pages, arrived);
  const { next, named } = beyond(running, before, arrived, total);
  const verdict = verdictOf(running.plan.stops, before.volume, () => ({
    reply,
    items: items + found.count,
    count: found.count,
    pages: pages + 1,
    startedAt: running.startedAt,
    now: secondsNow(running.context),
  }));
  const last = previous === undefined || known.last === undefined ? undefined : { reply: previous, found: known.last };
  const columns = columnsIn(running.plan, reply);
  const columnsBefore = known.columns;
  const overlapsBefore = known.overlaps;
  const outcome = { ...arrived, next, verdict, pages, items, before: last, columns, columnsBefore, overlapsBefore };
  const evidence = evidenceOf(running, outcome, total);
  const overlaps = overlapsBefore === true || evidence?.doubts?.some(({ code }) => code === 'PAGES_OVERLAP') === true;
  return {
    taken: { reply, found, next, evidence },
    known: {
      last: found,
      position: before.step.position,
      hasLists: known.hasLists || (found.place.kind === 'list' && found.count > 0),
      isBeyond: next !== arrived.next,
      ...(named === undefined ? {} : { named }),
      ...(overlaps ? { overlaps } : {}),
      ...(total === undefined ? {} : { total }),
      ...columnsAfter(columns, columnsBefore),
    },
  };
}

/** The columns of the rows so far. A call of which some have others is told of once: then there is nothing to compare any more. */
function columnsAfter(columns: Columns, before: Columns): Pick<Known, 'columns'> {
  if (columns === undefined || before?.length === 0) return before === undefined ? {} : { columns: before };
  return { columns: before !== undefined && areOthers(columns, before) ? [] : columns };
}

type Columns = readonly string[] | undefined;

/** What follows a page, and where the API names it, if that is the only reason to ask for it. */
function beyond(
  { paginator }: JobRun,
  { step, pages, items, previous }: Before,
  { reply, found, next }: Arrived,
  total: KnownTotal | undefined,
): { readonly next: Next; readonly named?: string } {
  if (next.kind === 'step' || paginator.beyond === undefined) return { next };
  if (found.place.kind !== 'list' || found.count === 0) return { next };
  const behind = goOn(paginator.beyond(step, found.count, found));
  const isCounted = total?.isSteady === true && items + found.count < total.value;
  if (isCounted || isCapped(reply, found, paginator)) return { next: behind };
  const isWhole = total?.isSteady === true && total.isAtLeast !== true && items + found.count === total.value;
  const named = pages === 0 || isWhole ? undefined : namedPage(reply, found.place.path, pages, previous);
  return named === undefined ? { next } : { next: behind, named };
}
