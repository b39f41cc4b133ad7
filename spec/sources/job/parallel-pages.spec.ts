/** Parallel pages in virtual time: whatever the latencies, the same pages in the same order as one after another. */
import fc from 'fast-check';
import { defer, finalize, map, mergeMap, tap, throwError, timer, VirtualTimeScheduler } from 'rxjs';
import type { Observable } from 'rxjs';
import { answers } from '../../../src/http/rules';
import { openBody } from '../../../src/http/body/stream-body';
import type { RunEvent } from '../../../src/core/events';
import { decode } from '../../../src/http/body/decode';
import { stringifyJson } from '../../../src/core/json/stringify';
import type { Headers, Json, Page, Request, Response } from '../../../src/core/model';
import { boundedWindow } from '../../../src/operators';
import type { WindowGate } from '../../../src/operators';
import type { JobPlan, StopsPlan } from '../../../src/plan/plan';
import { createConcurrency } from '../../../src/sources/concurrency';
import type { ChosenPagination } from '../../../src/language/parts/pagination/pagination';
import { runJob } from '../../../src/sources/job';
import type { JobContext } from '../../../src/sources/job-run';
import { chosenPagination } from '../../support/pagination';
import { aRequest, aResponse, recorder, secretsOf } from '../../support/requests';
import { runsOf } from '../../support/cases';

/** An API, and how it is asked. */
interface World {
  readonly items: number;
  /** Items a page. */
  readonly limit: number;
  readonly method: 'offset' | 'pagenum';
  /** Of each request, by its number; used again from the start when there are more. */
  readonly latencies: readonly number[];
  /** Where the responses tell how many items there are. */
  readonly total: 'body' | 'header' | 'nowhere';
  /** Whether the job says so as its `total`, and not in a stop. */
  readonly declared?: boolean;
  /** What lies beyond the last page: an empty page, the last page again, or an error. */
  readonly beyond: 'empty' | 'same' | 'error';
  readonly stops: readonly StopsPlan[];
  /** Milliseconds that the consumer takes for a page. */
  readonly work: number;
  readonly prefetch: number;
}

interface Seen {
  readonly pages: readonly { readonly index: number; readonly items: Json; readonly position: Json | undefined }[];
  readonly requested: readonly number[];
  readonly mostInFlight: number;
  /** Pages that had arrived and were not worked off, at most. */
  readonly mostWaiting: number;
  readonly error?: unknown;
  readonly end: number;
}

const jobPagination = ({ method, limit }: World, parallel: number): ChosenPagination =>
  chosenPagination(
    method === 'offset'
      ? { method, limit, limitParam: 'l', offsetParam: 'at', parallel }
      : { method, limit, limitParam: 'l', pageParam: 'at', firstPage: 0, parallel },
  );

const planOf = (world: World, parallel: number): JobPlan => ({
  id: 'job',
  name: 'job',
  path: 'config.jobs[0]',
  endpoint: 'users',
  dataType: 'user',
  table: 'user',
  bind: () => ({
    url: 'https://api.example/users',
    params: {},
    secrets: [],
    request: ({ params }) => aRequest({ url: `https://api.example/users?at=${stringifyJson(params['at'] ?? 0)}` }),
  }),
  responseFilter: { paths: [], delimiter: '.', keepScalars: false },
  equalPages: 'stop',
  userData: () => [],
  children: [],
  items: { path: 'items', delimiter: '.' },
  pagination: jobPagination(world, parallel),
  stops: world.stops,
  ...(world.declared === true ? { total: { header: 'content-range' } } : {}),
  concurrency: 1,
  requestLimit: 1000,
});

/** Runs the job and a consumer that works on one page after another. */
function run(world: World, parallel: number): Seen {
  const scheduler = new VirtualTimeScheduler();
  const requested: number[] = [];
  const pages: Seen['pages'][number][] = [];
  let inFlight = 0;
  let mostInFlight = 0;
  let arrived = 0;
  let mostWaiting = 0;
  let failure: { readonly error: unknown } | undefined;

  const send = (request: Request): Observable<Response> =>
    defer(() => {
      const at = Number(new URL(request.url).searchParams.get('at'));
      const offset = world.method === 'offset' ? at : at * world.limit;
      const latency = world.latencies[requested.length % world.latencies.length] ?? 1;
      requested.push(offset);
      inFlight += 1;
      mostInFlight = Math.max(mostInFlight, inFlight);
      return timer(latency, scheduler).pipe(
        mergeMap(() => answerTo(world, offset)),
        map((text) => aResponse({ request, text, headers: rangeOf(world) })),
        finalize(() => (inFlight -= 1)),
      );
    });

  const { gate, drain } = boundedWindow({ ahead: world.prefetch });
  const plan = planOf(world, parallel);
  runJob(plan, contextOf(send, gate, world.prefetch))
    .pipe(
      pagesOnly,
      tap(({ index, items, checkpoint: { position } }) => {
        pages.push({ index, items, position });
        arrived += 1;
        mostWaiting = Math.max(mostWaiting, arrived);
      }),
      drain(() => timer(world.work, scheduler).pipe(tap(() => (arrived -= 1)))),
    )
    .subscribe({ error: (error: unknown) => (failure = { error }) });
  scheduler.flush();
  expect(inFlight).toBe(0);
  return { pages, requested, mostInFlight, mostWaiting, end: scheduler.now(), ...failure };
}

const pagesOnly = (events: Observable<RunEvent>): Observable<Page> =>
  events.pipe(mergeMap((event) => (event.type === 'page.extracted' ? [event.page] : [])));

const contextOf = (send: JobContext['send'], gate: WindowGate, prefetch: number): JobContext => {
  const { report } = recorder();
  const secrets = secretsOf();
  return {
    iteration: 0,
    send,
    decode: decode({ ignoreErrors: [], contentTypes: [], report, secrets }),
    report,
    secrets,
    answers: answers(secrets, 'retry-after'),
    times: { previousStart: 0, currentStart: 1 },
    baseUrl: 'https://api.example/',
    gate,
    prefetch,
    ordered: true,
    concurrency: createConcurrency([]),
    progress: new Map(),
    cursors: new Map(),
    listPlaces: new Map(),
    redirects: new Map(),
    completeness: 'off',
    lenient: false,
    streams: { open: openBody, maxRetries: 0 },
  };
};

const rangeOf = ({ total, items }: World): Headers =>
  total === 'header' ? { 'content-range': `items 0-1/${items}` } : {};

function answerTo({ items, limit, total, beyond }: World, offset: number): Observable<string> | string[] {
  if (offset >= items && offset > 0 && beyond === 'error') return throwError(() => new Error(`nothing at ${offset}`));
  const from = beyond === 'same' && offset >= items ? Math.max(0, items - limit) : offset;
  const page = Array.from({ length: Math.max(0, Math.min(limit, items - from)) }, (_, at) => ({ id: from + at }));
  return [JSON.stringify({ ...(total === 'body' ? { total: items } : {}), items: page })];
}

const world: fc.Arbitrary<World> = fc
  .record({
    items: fc.nat({ max: 60 }),
    limit: fc.integer({ min: 1, max: 9 }),
    method: fc.constantFrom('offset' as const, 'pagenum' as const),
    latencies: fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 }),
    total: fc.constantFrom('body' as const, 'header' as const, 'nowhere' as const),
    beyond: fc.constantFrom('empty' as const, 'same' as const, 'error' as const),
    work: fc.nat({ max: 40 }),
    prefetch: fc.integer({ min: 0, max: 4 }),
    pages: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
    count: fc.option(fc.integer({ min: 1, max: 80 }), { nil: undefined }),
  })
  .map(({ pages, count, ...rest }) => ({
    ...rest,
    stops: [
      {
        ...limitOf(rest.total, count),
        ...(pages === undefined ? {} : { forceStop: { pages } }),
      },
    ],
  }));

function limitOf(total: World['total'], count: number | undefined): StopsPlan {
  if (total === 'body') return { limitStop: { path: 'total' } };
  if (total === 'header') return { limitStop: { header: 'content-range' } };
  return count === undefined ? {} : { limitStop: { count } };
}

describe('parallel pages', () => {
  it('give the same pages, checkpoints and end as one after another, for any latencies, pages, limits and parallelism', () => {
    fc.assert(
      fc.property(world, fc.integer({ min: 2, max: 12 }), (api, parallel) => {
        const one = run(api, 1);
        const many = run(api, parallel);
        expect(many.pages).toEqual(one.pages);
        expect(many.error).toEqual(one.error);
        // What one after another requests, this requests too: once.
        expect([...new Set(many.requested)].filter((at) => one.requested.includes(at))).toEqual(one.requested);
        expect(new Set(many.requested).size).toBe(many.requested.length);
        expect(many.mostInFlight).toBeLessThanOrEqual(parallel);
      }),
      { numRuns: runsOf(400) },
    );
  });

  it('request nothing beyond what a total, a count or a number of pages allows', () => {
    fc.assert(
      fc.property(
        world.filter(({ stops, items }) => items > 0 && stops[0]?.limitStop !== undefined),
        fc.integer({ min: 2, max: 12 }),
        (api, parallel) => {
          const beyondTheEnd = run(api, parallel).requested.filter((at) => at >= api.items);
          const allowed = run(api, 1).requested.filter((at) => at >= api.items);
          const counts = api.stops.some(({ limitStop = {} }) => 'count' in limitStop && limitStop.count > api.items);
          if (!counts) expect(beyondTheEnd).toEqual(allowed);
        },
      ),
      { numRuns: runsOf(500) },
    );
  });

  it('request nothing beyond a total that no stop names, unless it is too low', () => {
    const api: World = {
      items: 23,
      limit: 5,
      method: 'offset',
      latencies: [3, 9, 1],
      total: 'header',
      declared: true,
      beyond: 'error',
      stops: [],
      work: 1,
      prefetch: 2,
    };
    expect([...run(api, 8).requested].sort((a, b) => a - b)).toEqual([0, 5, 10, 15, 20]);
    expect(run(api, 8).pages).toHaveLength(5);
  });

  it('wait for their consumer: no more of them are there than may wait, the one in work, and those under way', () => {
    fc.assert(
      fc.property(world, fc.integer({ min: 1, max: 12 }), (api, parallel) => {
        // The page in work, those that may wait; and with `prefetch` 0, the one that was asked for.
        expect(run(api, parallel).mostWaiting).toBeLessThanOrEqual(api.prefetch + 1);
      }),
      { numRuns: runsOf(500) },
    );
  });

  it('take the time that the API needs, divided: 200 pages of 50 ms, 8 at once, in 25 turns', () => {
    const api: World = {
      items: 1000,
      limit: 5,
      method: 'offset',
      latencies: [50],
      total: 'body',
      beyond: 'empty',
      stops: [{ forceStop: { pages: 200 } }],
      work: 0,
      prefetch: 1,
    };
    expect(run(api, 1).end).toBe(200 * 50);
    expect(run(api, 8).end).toBe((200 * 50) / 8);
  });

  it('are requested one after another by a consumer that takes no page', () => {
    const idle: World = {
      items: 100,
      limit: 5,
      method: 'pagenum',
      latencies: [1],
      total: 'nowhere',
      beyond: 'empty',
      stops: [],
      work: 1e9,
      prefetch: 1,
    };
    const scheduler = new VirtualTimeScheduler(undefined, 1000);
    const requests: string[] = [];
    const send: JobContext['send'] = (request) =>
      defer(() => {
        requests.push(request.url);
        return timer(1, scheduler).pipe(map(() => aResponse({ request, text: '{"items":[1,2,3,4,5]}' })));
      });
    let asked = 0;
    const gate: WindowGate = () => timer((asked += 1) > 1 ? Infinity : 0, scheduler);
    const subscription = runJob(planOf(idle, 4), contextOf(send, gate, 1)).subscribe();
    scheduler.flush();
    // The first page and the three after it; the second is never taken, so nothing more is sent.
    expect(requests).toHaveLength(4);
    subscription.unsubscribe();
  });
});
