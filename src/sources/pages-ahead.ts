import type { ReadAheadOptions } from '../operators';
import type { Response } from '../core/model';
import type { JobRun } from './job-run';
import type { Step } from '../language/parts/pagination/paginator';
import { following } from './call-state';
import type { Turn } from './call-state';

/** How the pages of a call are requested ahead. */
export interface PagesAhead extends ReadAheadOptions<Step, Response> {
  /** The steps that are probably next. */
  readonly following: (turn: Turn) => Iterable<Step>;
}

/**
 * Which pages are requested before the page loop asks for them (docs/extensions/flow.md#parallel-pages). Where cookies are kept,
 * they are part of a request: a page that was requested before another response changed them is requested again, and from
 * then on the pages of the call are requested one after another. The first page comes alone, since it may begin a session.
 */
export function pagesAhead(running: JobRun, fetch: PagesAhead['fetch']): PagesAhead {
  const { plan, context } = running;
  const { cookieChanges, concurrency } = context;
  // That of a method which cannot run ahead is fixed: such a job pays nothing for what others may be tuned to.
  const parallel = plan.pagination.runsAhead === true ? () => concurrency.parallelOf(plan) : plan.pagination.parallel;
  const isSame = (a: Step, b: Step): boolean => a.position === b.position;
  if (cookieChanges === undefined || parallel === 1)
    return { fetch, same: isSame, parallel, following: (turn) => following(running, turn) };
  const changesAt = new WeakMap<Step, number>();
  let isOneByOne = false;
  return {
    parallel,
    fetch: (step) => {
      changesAt.set(step, cookieChanges());
      return fetch(step);
    },
    same: (begun, wanted) => {
      const isStale = changesAt.get(begun) !== cookieChanges();
      isOneByOne ||= isStale;
      return !isStale && isSame(begun, wanted);
    },
    following: (turn) => (isOneByOne || turn.pages === 0 || turn.resumed !== undefined ? [] : following(running, turn)),
  };
}
