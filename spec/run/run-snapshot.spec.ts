import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { map } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import type { JobOutcome, RequestFields, RunEvent } from '../../src/core/events';
import type { Evidence } from '../../src/core/evidence';
import type { JobRef } from '../../src/core/model';
import { NO_RUN, progressOf, snapshotAfter } from '../../src/run/run-snapshot';
import type { RunSnapshot } from '../../src/run/run-snapshot';
import { aPage } from '../support/pages';

const rivers: JobRef = { id: 'a'.repeat(40), path: 'config.jobs[0]', endpoint: 'v1/rivers', dataType: 'rivers' };
const levels: JobRef = {
  ...{ id: 'levels', path: 'config.jobs[0].children[0]', endpoint: 'rivers/{id}/levels', dataType: 'levels' },
  placeholders: { id: '1' },
};
const requestOf = (path?: string): RequestFields => ({
  purpose: path === undefined ? { kind: 'login' } : { kind: 'page', job: 'j', path },
  method: 'GET',
  url: 'u',
});
const page = (job: JobRef, items: number, index = 0, evidence?: Evidence): RunEvent => ({
  type: 'page.extracted',
  page: {
    ...aPage(
      Array.from({ length: items }, () => ({})),
      { job, index },
    ),
    evidence,
  },
});
const STARTED: RunEvent = { type: 'run.started', run: 'r', jobs: 2, startedAt: 0 };

/** A second passes with each event. */
const after = (...events: readonly RunEvent[]): RunSnapshot =>
  events.reduce((snapshot, event, at) => snapshotAfter(snapshot, event, at * 1000), NO_RUN);

describe('snapshotAfter', () => {
  it('calls a job by its name before it is told of, since requests of concurrent jobs are sent earlier', () => {
    const names = { [rivers.path]: 'the rivers' };
    const { jobs } = after({ ...STARTED, names }, { type: 'request.sent', ...requestOf(rivers.path) });
    expect(jobs).toEqual([expect.objectContaining({ path: rivers.path, name: 'the rivers', requests: 1 })]);
  });

  it('counts pages, items, requests, retries and bytes, of the run and by job', () => {
    const request = requestOf(rivers.path);
    const snapshot = after(
      STARTED,
      { type: 'job.started', job: rivers },
      { type: 'request.sent', ...request },
      { type: 'retry.scheduled', ...request, retry: 1, delayMilliseconds: 10, because: 'status 503' },
      { type: 'request.sent', ...request },
      { type: 'response.received', ...request, status: 200, bytes: 70, milliseconds: 1 },
      page(rivers, 3),
      { type: 'job.finished', job: rivers, pages: 1, items: 3 },
    );
    const counts = { pages: 1, items: 3, requests: 2, retries: 1, bytes: 70, warnings: 0 };
    expect(snapshot).toMatchObject({ ...counts, state: 'running', run: 'r', jobsInAll: 2, startedAt: 0 });
    const job = {
      ...counts,
      path: 'config.jobs[0]',
      name: 'rivers',
      state: 'finished',
      startedAt: 1000,
      endedAt: 7000,
    };
    expect(snapshot.jobs).toEqual([{ ...job, calls: 1, ended: 1, emptyCalls: 0, arrived: 3 }]);
  });

  it('knows since when a run retries, and why, until a page comes', () => {
    const retry = (delayMilliseconds: number, because: string): RunEvent => ({
      ...{ type: 'retry.scheduled', retry: 1, delayMilliseconds, because },
      ...requestOf(rivers.path),
    });
    const first = after(STARTED, retry(10, 'status 503'), retry(20, 'status 502'));
    expect(first.retrying).toEqual({ since: 1000, until: 2020, because: 'status 502' });
    expect(after(STARTED, retry(10, 'status 503'), page(rivers, 1)).retrying).toBeUndefined();
  });

  it('counts logins and their requests for the run alone, and knows until when the last one lasts', () => {
    const expiresAt = '2024-06-01T12:00:00.000Z';
    const snapshot = after(
      { type: 'request.sent', ...requestOf() },
      { type: 'credentials.renewed', expiresAt },
      { type: 'credentials.renewed', expiresAt },
    );
    expect(snapshot).toMatchObject({ requests: 1, logins: 2, credentialsExpireAt: expiresAt, jobs: [] });
    expect(snapshotAfter(snapshot, { type: 'credentials.renewed' }, 0)).not.toHaveProperty('credentialsExpireAt');
  });

  it('adds the calls of a child up, and names its parent', () => {
    const call: readonly RunEvent[] = [
      { type: 'job.started', job: levels },
      { type: 'warning', code: 'EMPTY_BODY', message: 'm', job: levels },
      page(levels, 2),
      { type: 'job.finished', job: levels, pages: 1, items: 2 },
    ];
    const { jobs } = after(STARTED, { type: 'job.started', job: rivers }, ...call, ...call);
    expect(jobs.map(({ name, parent, calls, ended, state }) => ({ name, parent, calls, ended, state }))).toEqual([
      { name: 'rivers', calls: 1, ended: 0, state: 'running' },
      { name: 'levels', parent: 'config.jobs[0]', calls: 2, ended: 2, state: 'finished' },
    ]);
    expect(jobs[1]).toMatchObject({ items: 4, pages: 2, warnings: 2 });
  });

  it('has the total that the API says, which counts items as it gave them', () => {
    const shaped = { arrived: 5, delivered: 3, dropped: { unnest: 0, filter: 2, exclude: 0, unique: 0 } };
    const [job] = after(
      { type: 'job.started', job: rivers },
      page(rivers, 3, 0, { total: 50, shaped }),
      page(rivers, 5, 1),
    ).jobs;
    expect(job).toMatchObject({ items: 8, arrived: 10, total: 50 });
  });

  it.each<[string, readonly RunEvent[]]>([
    ['a child, whose calls have one each', [{ type: 'job.started', job: levels }, page(levels, 1, 0, { total: 9 })]],
    [
      'a job that is called several times',
      [
        { type: 'job.started', job: rivers },
        page(rivers, 1, 0, { total: 9 }),
        { type: 'job.started', job: rivers },
        page(rivers, 1, 0, { total: 9 }),
      ],
    ],
    [
      'a job that goes on behind pages of before',
      [{ type: 'job.started', job: rivers }, page(rivers, 1, 7, { total: 9 })],
    ],
  ])('has no total of %s', (_, events) => {
    expect(after(...events).jobs[0]).not.toHaveProperty('total');
  });

  it('takes nothing of a page for a name but the endpoint, which is masked', () => {
    expect(after(page(rivers, 1)).jobs).toMatchObject([{ name: 'v1/rivers', items: 1 }]);
  });

  it('does not count the page that only says that something was submitted', () => {
    expect(after(page(rivers, 0, 0, { place: 'before' }))).toMatchObject({ pages: 0 });
  });

  it.each<[RunEvent, Partial<RunSnapshot>]>([
    [
      { type: 'run.finished', pages: 0, items: 0, outcome: 'stopped', jobs: [] },
      { state: 'finished', outcome: 'stopped' },
    ],
    [{ type: 'run.failed', pages: 0, items: 0, error: { name: 'E', message: 'm' } }, { state: 'failed' }],
    [{ type: 'run.cancelled', pages: 0, items: 0 }, { state: 'cancelled' }],
    [
      { type: 'run.skipped', runId: 'r' },
      { state: 'skipped', run: 'r' },
    ],
    [{ type: 'requests.paused', until: 'u', because: 'b' }, { paused: { until: 'u', because: 'b' } }],
    [{ type: 'request.held', ...requestOf('p'), waitedMilliseconds: 9 }, { heldMilliseconds: 9 }],
    [
      { type: 'response.cached', ...requestOf('p'), status: 200, bytes: 9 },
      { cached: 1, bytes: 0 },
    ],
    [
      { type: 'warning', code: 'CONFIGURATION', message: 'm' },
      { warnings: 1, jobs: [] },
    ],
  ])('%j', (event, expected) => {
    expect(after(event)).toMatchObject(expected);
  });

  it('says at the end which jobs failed while others went on', () => {
    const failed: JobOutcome = {
      ...{ iteration: 0, id: 'i', path: rivers.path, endpoint: 'e', dataType: 'd', outcome: 'failed' },
      ...{ pages: 0, items: 0, isFound: false },
    };
    const end: RunEvent = { type: 'run.finished', pages: 0, items: 0, outcome: 'failed', jobs: [failed] };
    expect(after({ type: 'job.started', job: rivers }, end).jobs).toMatchObject([{ state: 'failed' }]);
  });

  it('is the same snapshot after an event that changes nothing', () => {
    const before = after(STARTED);
    expect(snapshotAfter(before, { type: 'items.invalid', job: rivers, items: 1 }, 0)).toBe(before);
  });
});

describe('progressOf', () => {
  const scheduler = (): TestScheduler => new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
  const events: Record<string, RunEvent> = {
    s: STARTED,
    q: { type: 'request.sent', ...requestOf() },
    n: { type: 'items.invalid', job: rivers, items: 1 },
  };

  it.each([
    ['never', '-', '^', '-'],
    ['an empty run', '|', '(^!)', '|'],
    ['one event', 's--|', '^--!', 's--|'],
    ['many events, but for those that change nothing', 's-q-n-q|', '^------!', '1-2---3|'],
    ['an error', 's-#', '^-!', 's-#'],
  ])('%s', (_, source, subscription, expected) => {
    scheduler().run(({ hot, expectObservable, expectSubscriptions }) => {
      const source$ = hot(source, events);
      const values = { s: [0, 0], 1: [0, 0], 2: [1, 0], 3: [2, 0] };
      expectObservable(progressOf(source$).pipe(map((it) => [it.requests, it.startedAt]))).toBe(expected, values);
      expectSubscriptions(source$.subscriptions).toBe(subscription);
    });
  });

  it('keeps nothing from one subscription to the next, and lets go of an endless run', () => {
    scheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold('q-q-q-', events);
      const requests$ = progressOf(source$).pipe(map(({ requests }) => requests));
      expectObservable(requests$, '^--!').toBe('1-2', { 1: 1, 2: 2 });
      expectObservable(requests$, '---^--!').toBe('---1-2', { 1: 1, 2: 2 });
      expectSubscriptions(source$.subscriptions).toBe(['^--!', '---^--!']);
    });
  });

  it('imports nothing that a browser lacks', () => {
    const source = readFileSync(join(__dirname, '../../src/run/run-snapshot.ts'), 'utf8');
    const imported = [...source.matchAll(/^import (?:type )?\{.*\} from '(.*)';$/gm)].map(([, name]) => name);
    expect(new Set(imported)).toEqual(new Set(['rxjs', '../core/events', '../core/model', '../core/text']));
  });
});
