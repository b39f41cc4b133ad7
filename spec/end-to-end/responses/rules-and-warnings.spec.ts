/** Rules about responses, over whole runs (docs/language/responses.md#rules). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catchError, lastValueFrom, of, toArray } from 'rxjs';
import { extract } from '../../../src';
import type { HeadwaterError, Log, Page, RunEvent } from '../../../src';
import { createProgressTracker } from '../../../src/run/state/progress';
import { createEvidenceTracker } from '../../../src/sources/completeness/judgement';
import { outcomesOf, rows } from '../../support/completeness';
import type { Played } from '../../support/completeness';

type Answerer = (url: URL, headers: Headers, asked: number) => Response | object;

/** The API in this process; it keeps what was asked. */
function anApi(answer: Answerer) {
  const asked: string[] = [];
  const fetch = (input: string | URL | globalThis.Request, init?: RequestInit): Promise<globalThis.Response> => {
    const url = new URL(String(input instanceof Request ? input.url : input));
    asked.push(`${url.pathname}${url.search}`);
    const body = answer(url, new Headers(init?.headers), asked.length);
    return Promise.resolve(body instanceof Response ? body : Response.json(body));
  };
  return { asked, fetch };
}

interface Outcome {
  readonly events: readonly RunEvent[];
  readonly pages: readonly Page[];
  readonly items: readonly unknown[];
  readonly error: HeadwaterError | undefined;
}

async function run(config: object, fetch: typeof globalThis.fetch, options: object = {}): Promise<Outcome> {
  let error: HeadwaterError | undefined;
  const events: RunEvent[] = [];
  const kept$ = extract(config, { fetch, ...options }).events$.pipe(
    catchError((failure: unknown) => {
      error = failure as HeadwaterError;
      return of();
    }),
    toArray(),
  );
  events.push(...(await lastValueFrom(kept$)));
  const pages = events.flatMap((event) => (event.type === 'page.extracted' ? [event.page] : []));
  return { events, pages, items: pages.flatMap(({ items }) => items), error };
}

const BASE = 'https://api.example';
const aConfig = (rules: readonly object[], job: object = {}, api: object = {}): object => ({
  api: {
    baseUrl: BASE,
    retryConfig: { maxRetries: 1, maxDelay: 0.001 },
    pagination: { method: 'offset', limit: 2 },
    http: { rules },
    ...api,
  },
  config: { jobs: [{ id: 'items', endpoint: 'items', ...job }] },
});
const page = (url: URL): object[] => {
  const from = Number(url.searchParams.get('offset'));
  return [{ id: from + 1 }, { id: from + 2 }];
};
const outcomeOf = ({ events }: Outcome): unknown =>
  events.flatMap((event) => (event.type === 'run.finished' ? [event.outcome] : []))[0];
const stopsOf = ({ events }: Outcome) =>
  events.flatMap((event) =>
    event.type === 'pagination.stopped' ? [{ because: event.because, isWanted: event.isWanted }] : [],
  );
const gone: Answerer = (url) =>
  url.searchParams.get('offset') === '4' ? Response.json({ error: 'GONE' }, { status: 404 }) : page(url);

describe('rules', () => {
  it.each(['stop', 'skip'])('%s after pages ends the pagination, and the run says so', async (action) => {
    const { fetch, asked } = anApi(gone);
    const outcome = await run(aConfig([{ when: { status: 404, field: 'error', is: 'GONE' }, do: action }]), fetch);
    expect(outcome.error).toBeUndefined();
    expect(outcome.items).toEqual([1, 2, 3, 4].map((id) => ({ id })));
    expect(asked).toHaveLength(3);
    expect(outcomeOf(outcome)).toBe('stopped');
    expect(stopsOf(outcome)).toEqual([
      { because: expect.stringMatching(/^api\.http\.rules\[0\] .*\[404\] GET .*offset=4/) as unknown, isWanted: true },
    ]);
  });

  it('pages that are requested ahead end as well, and none is lost', async () => {
    const { fetch } = anApi((url, headers, at) =>
      Number(url.searchParams.get('offset')) >= 8 ? new Response('gone', { status: 410 }) : gone(url, headers, at),
    );
    const config = aConfig(
      [{ when: { status: '4xx' }, do: 'stop' }],
      {},
      {
        pagination: { method: 'offset', limit: 2, parallel: 4 },
      },
    );
    const outcome = await run(config, fetch);
    expect(outcome.items).toEqual([1, 2, 3, 4].map((id) => ({ id })));
    expect(outcomeOf(outcome)).toBe('stopped');
  });

  it('a dataField that leads nowhere is told all the same, where other calls are skipped', async () => {
    const { fetch } = anApi((url) => {
      if (url.pathname === '/items') return [{ id: 1 }, { id: 2 }];
      return url.pathname.endsWith('1') ? new Response('', { status: 404 }) : { levels: [{ n: 1 }] };
    });
    const child = { endpoint: 'items/{id}', placeholders: { id: 'id' }, dataField: 'level' };
    const rules = [{ when: { status: 404 }, do: 'skip' }];
    const { error } = await run(aConfig(rules, { children: [child] }, { pagination: {} }), fetch);
    expect(error).toMatchObject({
      code: 'INCOMPLETE',
      message: expect.stringContaining('dataField "level"') as unknown,
    });
  });

  it.each([1, 2, 3])(
    'a run that was broken off after %d pages goes on, and knows that it was stopped',
    async (count) => {
      const config = aConfig([{ when: { status: 404 }, do: 'stop' }]);
      const first = anApi(gone);
      const { pages } = await run(config, first.fetch);
      const tracker = createProgressTracker();
      const evidence = createEvidenceTracker();
      for (const { checkpoint } of pages.slice(0, count)) {
        tracker.add(checkpoint);
        evidence.addCheckpoint(checkpoint);
      }
      const second = anApi(gone);
      const outcome = await run(config, second.fetch, {
        resume: { startedAt: 1, progress: tracker.progress(), evidence },
      });
      expect(outcome.items).toEqual([1, 2, 3, 4].slice(count * 2).map((id) => ({ id })));
      expect(second.asked).toHaveLength(3 - count);
      expect(outcomeOf(outcome)).toBe('stopped');
    },
  );

  it('retry tries a response of status 200 again, as often as others; then it is an error', async () => {
    const busy = (times: number) => anApi((_, __, at) => (at <= times ? { error: { code: 'BUSY' } } : [{ id: 1 }]));
    const config = aConfig([{ when: { field: 'error.code', is: 'BUSY' }, do: 'retry' }]);
    const once = await run(config, busy(1).fetch);
    expect(once.items).toEqual([{ id: 1 }]);
    expect(once.events).toContainEqual(
      expect.objectContaining({
        type: 'retry.scheduled',
        because: 'the API answered with status 200, and api.http.rules[0] says to try again',
      }),
    );
    const { error, items } = await run(config, busy(2).fetch);
    expect(items).toEqual([]);
    expect(error).toMatchObject({ code: 'API_STATUS', recovery: 'retry', status: 200, attempt: 2 });
  });

  it('fail fails at once, although the status would be tried again', async () => {
    const { fetch, asked } = anApi(() => new Response('maintenance until June', { status: 503 }));
    const rules = [{ when: { matches: 'maintenance' }, do: 'fail', message: 'The API is closed.' }];
    const { error } = await run(aConfig(rules), fetch);
    expect(asked).toHaveLength(1);
    expect(error).toMatchObject({ code: 'API_ERROR', status: 503, job: { id: 'items' } });
    expect(error?.message).toMatch(/^The API is closed\. .*maintenance until June/);
  });

  it('skip comes after the retries of a status', async () => {
    const { fetch, asked } = anApi((_, __, at) => (at === 1 ? new Response('', { status: 503 }) : [{ id: 1 }]));
    const { items } = await run(aConfig([{ when: { status: '5xx' }, do: 'skip' }]), fetch);
    expect(asked).toHaveLength(2);
    expect(items).toEqual([{ id: 1 }]);
  });

  const login = {
    authentication: {
      type: 'login',
      loginRequest: { endpoint: 'session' },
      apiRequest: { headers: { 'X-Token': { response: 'token' } } },
    },
  };
  const loggedIn = (isGood: (token: string | null) => boolean, refusal: () => Response | object) => {
    let logins = 0;
    return anApi((url, headers) => {
      if (url.pathname === '/session') return { token: `token-${(logins += 1)}` };
      return isGood(headers.get('x-token')) ? [{ id: 1 }] : refusal();
    });
  };
  const renewing = [{ when: { field: 'error', matches: '(?i)token' }, do: 'renew' }];
  const expired = () => ({ error: 'Token expired' });

  it('renew logs in once more, after a status 200 as well', async () => {
    const { fetch, asked } = loggedIn((token) => token === 'token-2', expired);
    const { items } = await run(aConfig(renewing, {}, login), fetch);
    expect(items).toEqual([{ id: 1 }]);
    expect(asked.filter((path) => path === '/session')).toHaveLength(2);
  });

  it('what is refused with new credentials is an error', async () => {
    const { fetch, asked } = loggedIn(() => false, expired);
    const { error } = await run(aConfig(renewing, {}, login), fetch);
    expect(asked.filter((path) => path === '/session')).toHaveLength(2);
    expect(error).toMatchObject({
      code: 'API_ERROR',
      message: expect.stringContaining('refuses the credentials') as unknown,
    });
  });

  it('a token that ended makes no child empty: a 401 is first renewed, and then skipped', async () => {
    const { fetch } = loggedIn(
      (token) => token === 'token-2',
      () => new Response('', { status: 401 }),
    );
    const { items } = await run(aConfig([{ when: { status: 401 }, do: 'skip' }], {}, login), fetch);
    expect(items).toEqual([{ id: 1 }]);
  });

  it('are those of one job, though a job of another array has the same id', async () => {
    const { fetch } = anApi((url) =>
      url.pathname.startsWith('/gone') ? new Response('', { status: 404 }) : [{ id: 1 }],
    );
    const child = { id: 'same', endpoint: 'gone/{id}', placeholders: { id: 'id' } };
    const parents = [
      { id: 'a', endpoint: 'a', children: [{ ...child, rules: [{ when: { status: 404 }, do: 'skip' }] }] },
      { id: 'b', endpoint: 'b', children: [child] },
    ];
    const config = { api: { baseUrl: BASE }, config: { jobs: parents } };
    const { error, pages } = await run(config, fetch);
    expect(error).toMatchObject({ code: 'API_STATUS', status: 404, job: { path: 'config.jobs[1].children[0]' } });
    expect(pages.map(({ job }) => job.path)).toEqual([
      'config.jobs[0]',
      'config.jobs[0].children[0]',
      'config.jobs[1]',
    ]);
  });

  it('what a rule is for is not kept for later runs', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'headwater-rules-'));
    const config = { ...aConfig([{ when: { field: 'error' }, do: 'skip' }]), cache: { ttl: 60 } };
    const first = anApi(() => ({ error: 'none today' }));
    await run(config, first.fetch, { cacheFolder: folder });
    const second = anApi(() => [{ id: 1 }]);
    const { items } = await run(config, second.fetch, { cacheFolder: folder });
    expect(items).toEqual([{ id: 1 }]);
    rmSync(folder, { recursive: true });
  });
});

describe('a job that delivers nothing', () => {
  const warningsOf = (events: readonly RunEvent[]): readonly string[] =>
    events.flatMap((event) => (event.type === 'warning' ? [`${event.code} ${event.message}`] : []));
  const notFound = (): Response => Response.json({ detail: 'no' }, { status: 404 });
  const SKIP = [{ when: { status: 404 }, do: 'skip' }];

  it('is told of where a rule skips its only call', async () => {
    const { events, error } = await run(aConfig(SKIP), anApi(notFound).fetch);
    expect(error).toBeUndefined();
    expect(warningsOf(events)).toEqual([
      expect.stringMatching(
        /^ALL_SKIPPED config\.jobs\[0\]: Rules skipped the only call of items\. .*\[404\].*check the endpoint/,
      ),
    ]);
  });

  it.each<[string, object, string, readonly string[]]>([
    ['a status alone ends its first page, as a wrong address does', { status: 404 }, 'doubtful', ['ALL_SKIPPED']],
    ['a status and a text end it', { status: 404, matches: 'no' }, 'complete', []],
  ])('is doubtful by what its rule looks at: %s', async (_, when, expected, codes) => {
    const outcome = await run(aConfig([{ when, do: 'end' }]), anApi(notFound).fetch);
    expect(outcomeOf(outcome)).toBe(expected);
    expect(warningsOf(outcome.events).map((line) => line.split(' ')[0])).toEqual(codes);
  });

  const withChildren = { children: [{ endpoint: 'detials/{id}', placeholders: { id: 'id' } }] };
  const parents = (url: URL): object => (url.searchParams.get('offset') === '0' ? page(url) : []);

  it('is told of where rules skip every call of a child', async () => {
    const answer: Answerer = (url) => (url.pathname === '/items' ? parents(url) : notFound());
    const { events } = await run(aConfig(SKIP, withChildren), anApi(answer).fetch);
    expect(warningsOf(events)).toContainEqual(expect.stringContaining('ALL_SKIPPED') as string);
    expect(warningsOf(events)).toContainEqual(expect.stringContaining('all 2 calls of detials/{id}') as string);
  });

  it('is not told of where one call has an answer', async () => {
    const answer: Answerer = (url) =>
      url.pathname === '/items' ? parents(url) : url.pathname === '/detials/1' ? notFound() : [];
    const { events } = await run(aConfig(SKIP, withChildren), anApi(answer).fetch);
    expect(warningsOf(events).filter((line) => line.startsWith('ALL_'))).toEqual([
      expect.stringMatching(/^ALL_EMPTY .*None of 2 calls/),
    ]);
  });

  it.each<[string, object, string]>([
    ['filter', { filter: 'name==b' }, 'filter 2'],
    ['exclude', { exclude: 'id>0' }, 'exclude 2'],
  ])('is told of where %s drops all items', async (_, job, by) => {
    const answer = (url: URL): object =>
      url.searchParams.get('offset') === '0' ? page(url).map((item) => ({ ...item, name: 'a' })) : [];
    const { events } = await run(aConfig([], job), anApi(answer).fetch);
    expect(warningsOf(events)).toEqual([
      expect.stringContaining(`ALL_DROPPED config.jobs[0]: All 2 items of items were dropped (${by})`),
    ]);
  });
});

describe('a rule that leaves items unread', () => {
  const warningsOf = ({ events }: Outcome): readonly string[] =>
    events.flatMap((event) => (event.type === 'warning' ? [event.message] : []));
  const ending = [{ when: { field: 'last', is: true }, do: 'stop' }];

  it('is a warning: the items of a last page that says so', async () => {
    const { fetch } = anApi((url, _, asked) => ({ items: page(url), last: asked === 2 }));
    const outcome = await run(aConfig(ending), fetch);
    expect(outcome.items).toHaveLength(2);
    expect(outcomeOf(outcome)).toBe('doubtful');
    expect(warningsOf(outcome)).toEqual([
      expect.stringMatching(/has 2 items, and a rule with "do": "stop" leaves it unread/),
    ]);
  });

  it.each([
    ['a response without items', { items: [], last: true }],
    ['an object', { last: true, message: 'no more' }],
    ['what is no success', Response.json({ items: [1], last: true }, { status: 404 })],
  ])('is none for %s', async (_, last) => {
    const { fetch } = anApi((url, __, asked) => (asked === 2 ? last : { items: page(url) }));
    const outcome = await run(aConfig(ending), fetch);
    expect(outcome.error).toBeUndefined();
    expect(warningsOf(outcome)).toEqual([]);
  });
});

/** Responses with a status of success that are errors (docs/completeness.md): no short result without a word. */

const play = outcomesOf();
const PAGES = { method: 'pagenum' };

/** Without `dataField`, since the bodies have their items at several places. */
const jobs = [{ endpoint: 'items' }];

describe('an error with a status of success', () => {
  it.each<[object]>([
    [{ error: { code: 50001 }, items: [] }],
    [{ fault: { faultstring: 'quota' } }],
    [{ success: false, items: [] }],
  ])('is a contradiction where the API calls it so: %j', async (body) => {
    const { codes, message } = await play(() => body, { pagination: PAGES, jobs });
    expect(codes).toEqual(['ERROR_IN_BODY']);
    expect(message).toContain('that something went wrong');
  });

  it.each<[object, string]>([
    [{ code: 429, msg: 'slow down', data: [] }, 'slow down'],
    [{ stat: 'fail', code: 100, message: 'Invalid API Key' }, 'Invalid API Key'],
    [{ reason: 'token expired', items: [] }, 'token expired'],
    [{ message: 'No stations match', items: [] }, 'No stations match'],
  ])('is a doubt that quotes what is said in a sentence: %j', async (body, sentence) => {
    const { outcome, error, warnings } = await play(() => body, { pagination: PAGES, jobs });
    expect([outcome, error]).toEqual(['doubtful', undefined]);
    expect(warnings).toContainEqual(expect.stringMatching(`^API_MESSAGE .*"${sentence}"`));
  });

  it.each<[object]>([
    [{ code: 0, message: 'ok', data: [] }],
    [{ status: 'success', items: [] }],
    [{ error: null, items: [] }],
    [{ errcode: 0, errmsg: 'ok', list: [] }],
    [{ status: 500, items: [] }],
  ])('an empty list in good order is complete: %j', async (body) => {
    const { outcome, doubts } = await play(() => body, { pagination: PAGES, jobs });
    expect([outcome, doubts]).toEqual(['complete', ['NO_DATA']]);
  });
});

describe('calls of a child', () => {
  const children = [{ endpoint: 'parents/{parent}/kids', placeholders: { parent: 'id' }, dataField: 'items' }];
  const runOf = (second: object) =>
    play(
      ({ pathname }) =>
        pathname === '/parents' ? { items: rows(1, 3) } : pathname.includes('/2/') ? second : { items: rows(7, 1) },
      { jobs: [{ endpoint: 'parents', dataField: 'items', children }] },
    );

  it.each<[object, string]>([
    [{ code: 500, msg: 'x', data: null }, 'API_MESSAGE'],
    [{ message: 'Internal error' }, 'API_MESSAGE'],
  ])('one that answers %j is a doubt', async (second, code) => {
    const { outcome, error, doubts } = await runOf(second);
    expect([outcome, error, doubts]).toEqual(['doubtful', undefined, [code]]);
  });

  it('one that answers with an error is a contradiction', async () => {
    const { outcome, codes } = await runOf({ error: { code: 500 }, items: [] });
    expect([outcome, codes]).toEqual(['incomplete', ['ERROR_IN_BODY']]);
  });

  it('one without items is none', async () => {
    const { outcome, doubts } = await runOf({ links: [] });
    expect([outcome, doubts]).toEqual(['complete', []]);
  });

  it('where all have their items elsewhere, it is said once', async () => {
    const { codes, doubts } = await play(
      ({ pathname }) => (pathname === '/parents' ? { items: rows(1, 3) } : { kids: rows(7, 1) }),
      { jobs: [{ endpoint: 'parents', dataField: 'items', children }] },
    );
    expect(codes).toEqual(['DATA_NOT_FOUND']);
    expect(doubts).toEqual([]);
  });
});

/** What is ordinary is information, and no warning: every warning that a log has is an error with --strict (docs/completeness.md). */

describe('a run that', () => {
  const play = outcomesOf();
  const OFFSET = { pagination: { method: 'offset', limit: 50 } };
  const CHILD = { endpoint: 'c/{id}', placeholders: { id: 'id' }, dataField: 'items', dataType: 'c' };
  const withChild = (child: object = {}): Played => ({
    jobs: [{ endpoint: 'parents', dataField: 'items', children: [{ ...CHILD, ...child }] }],
  });
  /** Parents, and those of them that have children. */
  const family =
    (full: readonly number[], parents = 3) =>
    ({ pathname }: URL): object => {
      if (pathname === '/parents') return { items: rows(1, parents) };
      return { items: full.includes(Number(pathname.slice(3))) ? rows(1, 2) : [] };
    };
  /** What a log has of it at two levels, and the code of the error that it is with `strict`. */
  async function reported(
    answer: (url: URL) => unknown,
    played: Played,
  ): Promise<{ readonly warn: readonly string[]; readonly info: readonly string[]; readonly strict: unknown }> {
    const lines: string[][] = [];
    const logger: Log = { log: (level, message) => lines.push([level, message]) };
    const { error } = await play(answer, played, { logger });
    expect(error).toBeUndefined();
    const { error: strict } = await play(answer, played, { strict: true });
    const at = (level: string): readonly string[] =>
      lines.flatMap(([of, message = '']) =>
        of === level && /no data|had items|no items|nothing to request/.test(message) ? [message] : [],
      );
    return { warn: at('warn'), info: at('info'), strict };
  }
  const failed = expect.objectContaining({ code: 'WARNINGS' }) as unknown;

  it('ends its list with a page without items tells so as information', async () => {
    const answer = (url: URL): object => ({ items: Number(url.searchParams.get('offset')) === 0 ? rows(0, 50) : [] });
    expect(await reported(answer, OFFSET)).toEqual({
      warn: [],
      info: ['dataField items contains no data!'],
      strict: undefined,
    });
  });

  it('gets nothing at all has a warning', async () => {
    expect(await reported(() => ({ items: [] }), OFFSET)).toEqual({
      warn: ['dataField items contains no data!'],
      info: [],
      strict: failed,
    });
  });

  it('gets nothing has none where the API counts none', async () => {
    const { warn, strict } = await reported(() => ({ items: [], total: 0 }), {
      ...OFFSET,
      jobs: [{ endpoint: 'items', dataField: 'items', total: 'total' }],
    });
    expect([warn, strict]).toEqual([[], undefined]);
  });

  it('asks only for what is new has none where there is nothing new', async () => {
    const job = { endpoint: 'items', dataField: 'items', incremental: { field: 'at', param: 'since' } };
    const { warn, strict } = await reported(() => ({ items: [] }), { jobs: [job] });
    expect([warn, strict]).toEqual([[], undefined]);
  });

  it('has calls of a child without items counts them as information', async () => {
    expect(await reported(family([2]), withChild())).toEqual({
      warn: [],
      info: ['c: 2 of 3 calls had no items.'],
      strict: undefined,
    });
  });

  it('has no call of a child with items has a warning', async () => {
    const { warn, info, strict } = await reported(family([]), withChild());
    expect(warn).toEqual([
      expect.stringMatching(/^config\.jobs\[0\]\.children\[0\]: None of 3 calls of c had items\. /),
    ]);
    expect([info, strict]).toEqual([[], failed]);
  });

  it.each<[string, number, object]>([
    ['of a child that was called once', 1, {}],
    ['where the child asks only for what is new', 3, { incremental: { field: 'at', param: 'since' } }],
  ])('has no items %s has none', async (_, parents, child) => {
    const { warn, info, strict } = await reported(family([], parents), withChild(child));
    expect([warn, info, strict]).toEqual([[], [`c: ${parents} of ${parents} calls had no items.`], undefined]);
  });
});
