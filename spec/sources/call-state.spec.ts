import type { Checkpoint, Json } from '../../src/core/model';
import type { Step } from '../../src/language/parts/pagination/paginator';
import type { JobPlan } from '../../src/plan/plan';
import { topLevelCall } from '../../src/sources/call';
import {
  firstState,
  following,
  isLost,
  needsAllPages,
  pagesLeft,
  restarted,
  resumedState,
  withoutProgress,
} from '../../src/sources/call-state';
import type { CallState, JobCounts } from '../../src/sources/call-state';
import type { JobRun } from '../../src/sources/job-run';
import type { Submitted } from '../../src/sources/submitted';
import { aResponse, recorder } from '../support/requests';

const progress = (changes: Partial<JobCounts> & { readonly data?: Json } = {}): JobCounts => {
  const { data, ...rest } = changes;
  const reply = data === undefined ? {} : { reply: { response: aResponse(), data } };
  return { pages: 0, items: 0, pageSize: 10, ...reply, ...rest };
};

describe('pagesLeft', () => {
  it('is unlimited without stops, and with those that only a page can tell', () => {
    expect(pagesLeft({ stops: [] }, progress())).toBe(Infinity);
    expect(pagesLeft({ stops: [{ nextPageFlag: { field: 'more', stopOn: false, ifNotSet: true } }] }, progress())).toBe(
      Infinity,
    );
    expect(pagesLeft({ stops: [{ forceStop: { seconds: 5, volume: 100 } }] }, progress())).toBe(Infinity);
  });

  it.each([
    [0, 0, 3],
    [1, 10, 2],
    [2, 20, 1],
    [5, 50, 1],
  ])('forceStop.pages 3 after %i pages', (pages, items, left) => {
    expect(pagesLeft({ stops: [{ forceStop: { pages: 3 } }] }, progress({ pages, items }))).toBe(left);
  });

  it.each([
    [0, 3],
    [10, 2],
    [20, 1],
    [25, 1],
    [5, 2],
  ])('limitStop.count 25 after %i items', (items, left) => {
    expect(pagesLeft({ stops: [{ limitStop: { count: 25 } }] }, progress({ items }))).toBe(left);
  });

  it('limitStop.field: as many as the last response tells, and the first page alone', () => {
    const stops = [{ limitStop: { path: 'pager.total' } }];
    expect(pagesLeft({ stops }, progress())).toBe(1);
    expect(pagesLeft({ stops }, progress({ data: { pager: { total: 95 } }, items: 10, pages: 1 }))).toBe(9);
    expect(pagesLeft({ stops }, progress({ data: { pager: { total: '41' } }, items: 20, pages: 2 }))).toBe(3);
    expect(pagesLeft({ stops }, progress({ data: { pager: {} }, items: 20, pages: 2 }))).toBe(1);
  });

  it('limitStop.header, and a total at either place: as many as the last response tells', () => {
    const reply = {
      response: aResponse({ headers: { 'content-range': 'items 0-9/95' } }),
      data: { pager: { total: 95 } },
    };
    const header = { header: 'content-range' };
    for (const job of [
      { stops: [{ limitStop: header }] },
      { stops: [], total: header },
      { stops: [], total: { path: 'pager.total' } },
    ]) {
      expect(pagesLeft(job, progress())).toBe(1);
      expect(pagesLeft(job, progress({ reply, items: 10, pages: 1 }))).toBe(9);
      expect(pagesLeft(job, progress({ reply, items: 95, pages: 10 }))).toBe(1);
    }
  });

  it('knows nothing of items without the size of a page', () => {
    expect(pagesLeft({ stops: [{ limitStop: { count: 25 } }] }, progress({ pageSize: undefined }))).toBe(1);
    expect(pagesLeft({ stops: [{ forceStop: { pages: 3 } }] }, progress({ pageSize: undefined }))).toBe(3);
  });

  it('of several stops, the nearest counts', () => {
    const stops = [{ forceStop: { pages: 7 }, limitStop: { count: 45 } }, { forceStop: { pages: 6 } }];
    expect(pagesLeft({ stops }, progress())).toBe(5);
  });
});

/** Steps with the number of a page as their position. */
const page = (position: Json): Step => ({ change: { params: {} }, position });
const aRun = (plan: Partial<JobPlan>, changes: Partial<JobRun> = {}): JobRun =>
  ({
    plan: { stops: [], requestLimit: 100, ...plan },
    call: topLevelCall(0, 0),
    context: {},
    paginator: { first: page(1), at: page, after: ({ position }: Step) => page(Number(position) + 1), pageSize: 10 },
    ...changes,
  }) as unknown as JobRun;
const aSubmission = (isOld: boolean): Submitted => ({
  kept: { 'submit.id': 'x' },
  bindings: new Map(),
  isOld,
  again: () => {
    throw new Error('not here');
  },
});
/** What a run knew when it was interrupted after three pages. */
const known: Checkpoint = { call: [0, 0], job: 'items', pages: 3, items: 30, volume: 7, position: 4 };
const ahead = (running: JobRun, state: CallState): readonly Json[] =>
  [...following(running, state)].map(({ position }) => position);

describe('the pages that are requested ahead', () => {
  const fivePages = { stops: [{ forceStop: { pages: 5 } }] };

  it('are no more than the stops and the limit of requests leave', () => {
    const running = aRun(fivePages);
    expect(ahead(running, firstState(running))).toEqual([2, 3, 4, 5]);
    const few = aRun({ ...fivePages, requestLimit: 3 });
    expect(ahead(few, firstState(few))).toEqual([2, 3]);
  });

  it('ends where other processes request the rest of a call', () => {
    const pagesHere = jest.fn(() => 2);
    const running = aRun(fivePages, { context: { pagesHere } as unknown as JobRun['context'] });
    expect(ahead(running, firstState(running))).toEqual([2]);
    expect(ahead(running, resumedState(running, { ...known, pages: 1 }))).toEqual([5]);
    expect(pagesHere.mock.calls).toEqual([
      [[0, 0], { pages: 0, items: 0 }],
      [[0, 0], { pages: 1, items: 30, position: 4 }],
    ]);
  });

  it('of a call that goes on: those that it had count', () => {
    const running = aRun(fivePages);
    const state = resumedState(running, known);
    expect(state).toMatchObject({ step: page(4), pages: 3, items: 30, volume: 7, resumed: known });
    expect(ahead(running, state)).toEqual([5]);
    const few = aRun({ requestLimit: 6 });
    expect(ahead(few, resumedState(few, known))).toEqual([5, 6]);
    const items = aRun({ stops: [{ limitStop: { count: 55 } }] });
    expect(ahead(items, resumedState(items, known))).toEqual([5, 6]);
  });

  it('of an asynchronous job that goes on: the submission is no page of them, and its position is within', () => {
    const running = aRun(fivePages, { submitted: aSubmission(true) });
    const position = { submitted: { 'submit.id': 'x' }, next: 3 };
    const state = resumedState(running, { ...known, position });
    expect(state).toMatchObject({ step: page(3), pages: 2 });
    expect(ahead(running, state)).toEqual([4, 5]);
  });

  it('are none of a child, which mostly has one page, nor where only a page tells the next', () => {
    const child = aRun(fivePages, { call: { ...topLevelCall(0, 0), key: [0, 0, 0, 0], lineage: [{ id: 1 }] } });
    expect(ahead(child, firstState(child))).toEqual([]);
    const token = aRun(fivePages, { paginator: { by: 'token', first: page(1), at: page, next: () => never() } });
    expect(ahead(token, firstState(token))).toEqual([]);
  });
});

const never = (): never => {
  throw new Error('no page is read');
};

describe('isLost', () => {
  const byToken = { paginator: { by: 'token' as const, first: page(1), at: page, next: () => never() } };
  const stale = aResponse({ status: 400 });
  const gone = aResponse({ status: 404 });
  const lost = (running: JobRun, state: CallState, response = stale): boolean => isLost(running, state, response);

  it('is a token that the API no longer takes from a call that goes on', () => {
    const running = aRun({}, byToken);
    const state = resumedState(running, known);
    expect(lost(running, state)).toBe(true);
    expect(lost(running, state, aResponse({ status: 500 }))).toBe(false);
    expect(lost(running, firstState(running))).toBe(false);
    const counting = aRun({});
    expect(lost(counting, resumedState(counting, known))).toBe(false);
  });

  it('is none of a streamed response, which has no position, unless it can be submitted again', () => {
    const stream = {} as NonNullable<JobPlan['stream']>;
    const running = aRun({ stream }, byToken);
    expect(lost(running, resumedState(running, known))).toBe(false);
    const again = aRun({ stream }, { ...byToken, submitted: aSubmission(false) });
    expect(lost(again, resumedState(again, known))).toBe(true);
  });

  it('is the result of an earlier submission that is gone before its first page', () => {
    const running = aRun({}, { submitted: aSubmission(true) });
    expect(lost(running, firstState(running), gone)).toBe(true);
    expect(lost(running, firstState(running), stale)).toBe(false);
    expect(lost(running, { ...firstState(running), pages: 1 }, gone)).toBe(false);
    const fresh = aRun({}, { submitted: aSubmission(false) });
    expect(lost(fresh, firstState(fresh), gone)).toBe(false);
  });
});

describe('needsAllPages', () => {
  it('is what `unique` asks for, whose keys are not kept', () => {
    const shaping = (unique: readonly string[]) => ({ shaping: { unique } }) as unknown as Partial<JobPlan>;
    expect(needsAllPages(aRun({}))).toBe(false);
    expect(needsAllPages(aRun(shaping([])))).toBe(false);
    expect(needsAllPages(aRun(shaping(['id'])))).toBe(true);
  });
});

describe('a call that begins again', () => {
  it('has its first page next, knows nothing of those that it had, and says so', () => {
    const { events, report } = recorder();
    const ref = { id: 'items', path: 'config.jobs[0]', endpoint: 'items', dataType: 'items' };
    const context = { report, progress: new Map([['0,0', known]]), baseUrl: 'https://api.example' };
    const running = aRun({ name: 'Items' }, { ref, context: context as unknown as JobRun['context'] });
    expect(restarted(running, 'its token is old')).toEqual(firstState(running));
    const message = expect.stringContaining("'Items' begins again: its token is old") as string;
    expect(events).toEqual([{ type: 'warning', code: 'JOB_RESTARTED', job: ref, message }]);
    const anew = withoutProgress(running);
    expect(anew).toEqual({ ...running, context: { ...context, progress: new Map() } });
    expect(running.context.progress.size).toBe(1);
  });
});
