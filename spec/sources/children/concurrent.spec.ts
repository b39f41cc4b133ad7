/** Children several at once, in virtual time: whatever the latencies, the same pages in the same order. */
import fc from 'fast-check';
import { defer, filter, finalize, map, mergeMap, timer, VirtualTimeScheduler } from 'rxjs';
import { answers } from '../../../src/http/rules';
import { openBody } from '../../../src/http/body/stream-body';
import type { RunEvent } from '../../../src/core/events';
import { decode } from '../../../src/http/body/decode';
import { stringifyJson } from '../../../src/core/json/stringify';
import type { JobPlan } from '../../../src/plan/plan';
import { createConcurrency } from '../../../src/sources/concurrency';
import { runJob } from '../../../src/sources/job';
import type { JobContext } from '../../../src/sources/job-run';
import { chosenPagination } from '../../support/pagination';
import { aRequest, aResponse, recorder, secretsOf } from '../../support/requests';
import { runsOf } from '../../support/cases';

interface World {
  /** How many items the pages of the parent have. */
  readonly parents: readonly number[];
  /** Of each request, by its number, again from the start. */
  readonly latencies: readonly number[];
  /** Pages of each child call, by its number, again from the start. */
  readonly childPages: readonly number[];
}

const HOST = 'https://api.example';
const common = {
  responseFilter: { paths: [], delimiter: '.', keepScalars: false },
  equalPages: 'stop',
  userData: () => [],
  items: { delimiter: '.' },
  stops: [],
  requestLimit: 1000,
} as const;
const pagination = chosenPagination({
  method: 'response.param',
  responseParam: 'next',
  queryParam: 'at',
  includeParams: true,
});

const child: JobPlan = {
  ...common,
  id: 'child',
  name: 'child',
  path: 'config.jobs[0].children[0]',
  endpoint: 'users/{id}',
  dataType: 'detail',
  table: 'detail',
  bind: ({ bindings }) => ({
    url: HOST,
    params: {},
    secrets: [],
    request: ({ params }) =>
      aRequest({ url: `${HOST}/child/${bindings.get('id')?.text}/${stringifyJson(params['at'] ?? 0)}` }),
  }),
  pagination,
  concurrency: 1,
  children: [],
};
const parentOf = (concurrency: number): JobPlan => ({
  ...common,
  id: 'parent',
  name: 'parent',
  path: 'config.jobs[0]',
  endpoint: 'users',
  dataType: 'user',
  table: 'user',
  bind: () => ({
    url: HOST,
    params: {},
    secrets: [],
    request: ({ params }) => aRequest({ url: `${HOST}/parent/${stringifyJson(params['at'] ?? 0)}` }),
  }),
  pagination,
  concurrency,
  children: [{ job: child, placeholders: [{ name: 'id', level: 1, path: 'id' }] }],
});

interface Seen {
  readonly pages: readonly string[];
  readonly most: number;
  readonly end: number;
  readonly requests: readonly string[];
}

function run({ parents, latencies, childPages }: World, concurrency: number, ordered = true): Seen {
  const scheduler = new VirtualTimeScheduler();
  const requests: string[] = [];
  const pages: string[] = [];
  let inFlight = 0;
  let most = 0;

  const bodyOf = (url: string): string => {
    const [kind, id, page] = new URL(url).pathname.split('/').slice(1);
    if (kind === 'parent') {
      const at = Number(id);
      const items = Array.from({ length: parents[at] ?? 0 }, (_, item) => ({ id: `${at}-${item}` }));
      return JSON.stringify({ items, ...(at + 1 < parents.length ? { next: at + 1 } : {}) });
    }
    const pagesOfCall = childPages[Number(id?.split('-')[1]) % childPages.length] ?? 1;
    return JSON.stringify({
      items: [`${id}:${page}`],
      ...(Number(page) + 1 < pagesOfCall ? { next: Number(page) + 1 } : {}),
    });
  };
  const send: JobContext['send'] = (request) =>
    defer(() => {
      const latency = latencies[requests.length % latencies.length] ?? 1;
      requests.push(request.url);
      most = Math.max(most, (inFlight += 1));
      return timer(latency, scheduler).pipe(
        map(() => aResponse({ request, text: bodyOf(request.url) })),
        finalize(() => (inFlight -= 1)),
      );
    });

  const { report } = recorder();
  const secrets = secretsOf();
  const context: JobContext = {
    iteration: 0,
    send,
    decode: decode({ ignoreErrors: [], contentTypes: [], report, secrets }),
    report,
    secrets,
    answers: answers(secrets, 'retry-after'),
    times: { previousStart: 0, currentStart: 1 },
    baseUrl: `${HOST}/`,
    gate: () => timer(0, scheduler),
    prefetch: 1,
    ordered,
    concurrency: createConcurrency([]),
    progress: new Map(),
    cursors: new Map(),
    listPlaces: new Map(),
    redirects: new Map(),
    completeness: 'off',
    lenient: false,
    streams: { open: openBody, maxRetries: 0 },
  };
  runJob(parentOf(concurrency), context)
    .pipe(
      filter((event): event is Extract<RunEvent, { type: 'page.extracted' }> => event.type === 'page.extracted'),
      mergeMap(({ page }) => page.items),
    )
    .subscribe((item) => pages.push(JSON.stringify(item)));
  scheduler.flush();
  expect(inFlight).toBe(0);
  return { pages, most, end: scheduler.now(), requests };
}

const world: fc.Arbitrary<World> = fc.record({
  parents: fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 3 }),
  latencies: fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 }),
  childPages: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 }),
});

describe('children, several at once', () => {
  it('come in the order of the items, with the same requests, and never more at once than they may', () => {
    fc.assert(
      fc.property(world, fc.integer({ min: 2, max: 9 }), (api, concurrency) => {
        const one = run(api, 1);
        const many = run(api, concurrency);
        expect(many.pages).toEqual(one.pages);
        expect([...many.requests].sort()).toEqual([...one.requests].sort());
        expect(many.most).toBeLessThanOrEqual(concurrency);
        expect(one.most).toBe(1);
      }),
      { numRuns: runsOf(60) },
    );
  });

  it('unordered: the same pages', () => {
    fc.assert(
      fc.property(world, fc.integer({ min: 1, max: 9 }), (api, concurrency) => {
        expect([...run(api, concurrency, false).pages].sort()).toEqual([...run(api, 1).pages].sort());
      }),
      { numRuns: runsOf(40) },
    );
  });

  it('take the time that the API needs, divided', () => {
    const api: World = { parents: [1000], latencies: [20], childPages: [1] };
    expect(run(api, 1).end).toBe(20 + 1000 * 20);
    expect(run(api, 50).end).toBe(20 + (1000 * 20) / 50);
  });
});
