/** Windows and partitions in whole runs (docs/language/jobs.md#windows-and-partitions). */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, toArray } from 'rxjs';
import { ConfigurationError, deliver, extract, sinks } from '../../../src';
import type { Destination, JsonObject, Page, RunEvent } from '../../../src';
import { createProgressTracker } from '../../../src/run/state/progress';
import { ALL_CASES } from '../../support/cases';
import { queryDuckDB } from '../../support/duckdb';

const START = Date.parse('2024-03-05T10:20:30Z') / 1000;
const PAGED = { pagination: { method: 'pagenum', limit: 2 } };

interface World {
  readonly api?: object;
  readonly resume?: readonly Page[];
  readonly state?: JsonObject;
  readonly answer?: (url: URL) => unknown;
}

/** Three items in each slice, two a page; below an item there is one. */
const three = (url: URL): unknown =>
  url.pathname.startsWith('/below')
    ? [{ at: url.pathname }]
    : url.searchParams.get('page') === '2'
      ? [{ id: 3 }]
      : [{ id: 1 }, { id: 2 }];

async function run(job: object, { api = {}, resume, state, answer = three }: World = {}) {
  const asked: string[] = [];
  const events: RunEvent[] = [];
  const fetch = (input: string | URL | globalThis.Request): Promise<globalThis.Response> => {
    const url = new URL(String(input instanceof Request ? input.url : input));
    asked.push(decodeURIComponent(url.pathname + url.search));
    return Promise.resolve(new Response(JSON.stringify(answer(url))));
  };
  const book = createProgressTracker();
  for (const { checkpoint } of resume ?? []) book.add(checkpoint);
  const { pages$ } = extract(
    {
      api: { baseUrl: 'https://api.example/', ...api },
      config: { regions: 'n,s', jobs: [{ endpoint: 'items', id: 'items', ...job }] },
    },
    {
      fetch,
      onEvent: (event) => events.push(event),
      resume: { startedAt: START, progress: book.progress() },
      ...(state === undefined ? {} : { state }),
    },
  );
  const pages = await lastValueFrom(pages$.pipe(toArray()));
  return { asked, events, pages };
}
const textOf = ({ checkpoint, lines, extra, job }: Page): string =>
  JSON.stringify([checkpoint.call, checkpoint.pages, Buffer.from(lines()).toString(), [...extra], job.placeholders]);

const MARCH = { from: '2024-03-01', to: '2024-03-04', step: '1 day' };

/** A run is broken off behind each third of its pages; behind each of them with all cases. */
const EVERY = ALL_CASES ? 1 : 3;

describe('a job with partitions', () => {
  it('is requested once for each combination of values, the last one changing fastest', async () => {
    const { asked, pages } = await run({
      endpoint: 'items/{country}',
      params: { size: { partition: 'size' }, both: '{country}{size}' },
      headers: { 'x-country': { partition: 'country' } },
      partitions: { country: ['de', 'fr'], size: [1, 2] },
    });
    expect(asked).toEqual([
      '/items/de?size=1&both=de1',
      '/items/de?size=2&both=de2',
      '/items/fr?size=1&both=fr1',
      '/items/fr?size=2&both=fr2',
    ]);
    expect(pages.map(({ checkpoint }) => checkpoint.call)).toEqual([0, 1, 2, 3].map((at) => [0, 0, 0, at]));
    expect(pages[1]?.job.placeholders).toEqual({ country: 'de', size: '2' });
    expect(pages[1]?.reply.response.request.headers).toMatchObject({ 'x-country': 'de' });
  });

  it('adds no columns, but userData does', async () => {
    const partitions = { country: ['de'] };
    const endpoint = 'items/{country}';
    expect((await run({ endpoint, partitions })).pages.map(({ extra }) => [...extra])).toEqual([[]]);
    const userData = { land: { partition: 'country' } };
    expect((await run({ endpoint, partitions, userData })).pages.map(({ extra }) => [...extra])).toEqual([
      [['land', 'de']],
    ]);
  });

  it('takes its values from an expression', async () => {
    const region = { function: 'split', args: [{ attr: 'regions' }, ','] };
    expect((await run({ params: { r: { partition: 'region' } }, partitions: { region } })).asked).toEqual([
      '/items?r=n',
      '/items?r=s',
    ]);
  });

  it('sends a body with its values', async () => {
    const { pages } = await run({
      method: 'POST',
      body: { where: { country: { partition: 'country' }, since: '{window.from}' } },
      partitions: { country: ['de'] },
      window: { ...MARCH, step: '1 week' },
    });
    expect(pages.map(({ reply }) => reply.response.request.body)).toEqual([
      '{"where":{"country":"de","since":"2024-03-01"}}',
    ]);
  });

  it('hands its values on to its children, which are called for their own placeholders only', async () => {
    const below = {
      endpoint: 'below/{country}/{id}',
      placeholders: { id: 'id' },
      params: { c: { partition: 'country' } },
    };
    const { asked, pages } = await run({
      partitions: { country: ['de', 'fr'] },
      children: [below, { endpoint: 'below/{country}' }],
    });
    expect(asked.slice(0, 4)).toEqual(['/items', '/below/de/1?c=de', '/below/de/2?c=de', '/items']);
    expect([...(pages[1]?.extra ?? [])]).toEqual([['parent_id', '1']]);
  });

  it('is a child as well', async () => {
    const { asked } = await run({
      children: [{ endpoint: 'below/{id}/{kind}', placeholders: { id: 'id' }, partitions: { kind: ['a', 'b'] } }],
    });
    expect(asked).toEqual(['/items', '/below/1/a', '/below/1/b', '/below/2/a', '/below/2/b']);
  });

  it.each([
    [{ country: [] }, /at least one value/],
    [{ country: 'de' }, /expected an array of values/],
    [{ 'window.from': ['x'] }, /expected another name/],
    [{ 'a}': ['x'] }, /expected another name/],
    [{ country: [{ partition: 'other' }] }, /expected a string or a number, found/],
    [{ country: ['de', 'de'] }, /"de" stands there twice/],
    [{ country: ['de', ''] }, /expected a string, a number, or an object of these, found ""/],
    [{ country: { attr: 'regions' } }, /expected an array of values, found string/],
  ])('refuses %j', async (partitions, message) => {
    await expect(run({ params: { of: '{country}' }, partitions })).rejects.toThrow(message);
  });

  it('refuses values that no request has: all items would come as often as there are values', async () => {
    const partitions = { country: ['de', 'fr'], size: ['s', 'm'] };
    const userData = { size: { partition: 'size' } };
    await expect(run({ params: { c: { partition: 'country' } }, partitions, userData })).rejects.toThrow(
      'config.jobs[0].partitions.size: is used nowhere in the job: every value would bring the same items.',
    );
  });

  it('takes values that stand in a placeholder, a body, a header, a child, or for all requests', async () => {
    const partitions = { country: ['de', 'fr'] };
    const below = { endpoint: 'below/{id}/{country}', placeholders: { id: 'id' } };
    for (const [job, api] of [
      [{ params: { a: ['x {country}'] } }, {}],
      [{ method: 'POST', body: { a: [{ b: { partition: 'country' } }] } }, {}],
      [{ headers: { c: '{country}' } }, {}],
      [{ children: [below] }, {}],
      [{}, { http: { defaultOptions: { params: { c: { partition: 'country' } } } } }],
    ])
      expect((await run({ ...job, partitions }, { api: api ?? {} })).pages.length).toBeGreaterThanOrEqual(2);
  });

  it('refuses names that it does not have, before the first request', async () => {
    const job = { params: { c: { partition: 'contry' } }, partitions: { country: ['de'] } };
    await expect(run(job)).rejects.toThrow(ConfigurationError);
    await expect(run(job)).rejects.toThrow(/'contry' not found.*country/);
  });

  it('refuses its contexts in headers where nothing divides the job', async () => {
    await expect(run({ headers: { c: { partition: 'country' } } })).rejects.toThrow(
      /headers\.c: nothing divides this job: the context "partition" is not known here/,
    );
  });

  it('leaves what looks like a context alone where nothing divides the job', async () => {
    const { asked } = await run({ params: { a: { partition: 'x' }, b: { window: 'wide' } } });
    expect(asked).toEqual(['/items?a[partition]=x&b[window]=wide']);
  });
});

describe('a job with windows', () => {
  const asked = async (window: object, more: World = {}): Promise<string[]> =>
    (await run({ params: { f: { window: 'from' }, t: { window: 'to' } }, window }, more)).asked.map((url) =>
      url.slice(7),
    );

  it('sends dates, the end of one being the beginning of the next', async () => {
    expect(await asked(MARCH)).toEqual([
      'f=2024-03-01&t=2024-03-02',
      'f=2024-03-02&t=2024-03-03',
      'f=2024-03-03&t=2024-03-04',
    ]);
  });

  it('ends at the day of the start of the run, by default', async () => {
    expect(await asked({ from: '-2 days', step: '1 month' })).toEqual(['f=2024-03-03&t=2024-03-05']);
  });

  it('sends moments where its steps are shorter than a day', async () => {
    expect(await asked({ from: '-90 minutes', step: '1 hour' })).toEqual([
      'f=2024-03-05T08:50:30Z&t=2024-03-05T09:50:30Z',
      'f=2024-03-05T09:50:30Z&t=2024-03-05T10:20:30Z',
    ]);
  });

  it('sends Unix seconds, as numbers', async () => {
    expect(await asked({ from: START - 10, step: '8 seconds', format: 'unix' })).toEqual([
      `f=${START - 10}&t=${START - 2}`,
      `f=${START - 2}&t=${START}`,
    ]);
  });

  it('sends the last day or second of a window where the API counts it', async () => {
    expect(await asked({ ...MARCH, toIsInclusive: true })).toEqual([
      'f=2024-03-01&t=2024-03-01',
      'f=2024-03-02&t=2024-03-02',
      'f=2024-03-03&t=2024-03-03',
    ]);
    expect(
      await asked({ from: '2024-03-04', to: '2024-03-05', step: '1 day', format: 'unix', toIsInclusive: true }),
    ).toEqual(['f=1709510400&t=1709596799']);
    const months = { from: '2023-12-01', to: '2024-02-01', step: '1 month', format: 'Y-m', toIsInclusive: true };
    expect(await asked(months)).toEqual(['f=2023-12&t=2023-12', 'f=2024-01&t=2024-01']);
  });

  it.each([
    ['ISO 8601', '2024-03-04T23:59:59.999Z'],
    ['unix-ms', '1709596799999'],
    ['Y-m-d\\TH:i:s.v', '2024-03-04T23:59:59.999'],
    ['Y-m-d H:i:s.u', '2024-03-04 23:59:59.999999'],
    ['Y-m-d H:i:s', '2024-03-04 23:59:59'],
    ['Y-m-d H:i', '2024-03-04 23:59'],
    ['\\v Y-m-d', 'v 2024-03-04'],
  ])('sends the last moment before the end of a window that a format can tell: %s', async (format, last) => {
    const [sent = ''] = await asked({
      from: '2024-03-04',
      to: '2024-03-05',
      step: '1 day',
      format,
      toIsInclusive: true,
    });
    expect(new URLSearchParams(sent).get('t')).toBe(last);
  });

  it('begins where the last run began', async () => {
    const window = { from: { time: 'previousStart' }, step: '1 hour' };
    const state = { time: { previousStart: START - 1800 } };
    expect(await asked(window, { state })).toEqual(['f=2024-03-05T09:50:30Z&t=2024-03-05T10:20:30Z']);
  });

  it('warns where there is no window', async () => {
    const { events, pages } = await run({ endpoint: 'items/{window.from}', window: { from: 'today', step: '1 day' } });
    expect(pages).toEqual([]);
    expect(events).toContainEqual(expect.objectContaining({ type: 'warning', code: 'NO_DATA' }));
  });

  it.each([
    [
      { from: '2024-03-10', step: '1 day' },
      /"from" is 2024-03-10T00:00:00Z, which is after "to", 2024-03-05T00:00:00Z/,
    ],
    [{ from: 'soon', step: '1 day' }, /expected a date, words/],
    [{ from: 1_600_000_000_000, step: '1 day' }, /Unix seconds/],
    [{ from: '1600000000', step: '1 day' }, /with "@" before them/],
    [{ from: { function: 'strtotime', args: ['soon'] }, step: '1 day' }, /found false/],
    [{ from: '1970-01-01', step: '1 minute' }, /more than 100000 windows/],
    [{ ...MARCH, format: 'Y-m' }, /does not say where a window ends/],
    [
      { from: '2024-01-15', to: '2024-03-15', step: '1 month', format: 'Y-m', toIsInclusive: true },
      /does not say where/,
    ],
    [{ ...MARCH, format: 'unixx' }, /unknown format/],
    [{ ...MARCH, format: 'Y-m-d h:i' }, /window.format: 'Y-m-d h:i' has hours from 1 to 12/],
    [{ ...MARCH, format: 'Y-m-d H:m' }, /has the month twice and no minute: write i/],
    [{ ...MARCH, format: 'Y-m-dTH:i:s' }, /has a T that is the letter of time zones, and is sent as UTC/],
    [
      { from: '2024-03-01', to: '2024-03-03', step: '6 hours', format: 'H:i' },
      /window.format: .*does not distinguish 2024-03-01T00:00:00Z and 2024-03-02T00:00:00Z,.*"00:00"/,
    ],
    [{ ...MARCH, to: '2024-03-02 23:59:59' }, /has a time that the format does not send.*"2024-03-03"/],
    [{ from: '2024-03-01', step: 'daily' }, /expected a number and a unit/],
    [{ step: '1 day' }, /window.from: is missing: where the first window begins/],
  ])('refuses %j', async (window, message) => {
    await expect(run({ endpoint: 'items/{window.from}', window })).rejects.toThrow(message);
  });

  it('refuses a window that no request has', async () => {
    await expect(run({ window: MARCH })).rejects.toThrow(
      'config.jobs[0].window: is used nowhere in the job: every window would bring the same items.',
    );
    expect((await run({ params: { day: { window: 'from' } }, window: MARCH })).asked).toHaveLength(3);
  });

  it.each<[object, string, string]>([
    [{ endpoint: 'items/{window.end}', window: MARCH }, 'endpoint', 'expected {window.from} or {window.to}'],
    [{ params: { from: '{window.from}', to: 'x {window.end}' }, window: MARCH }, 'params.to', '{window.end}'],
    [{ params: { from: '{window.from}' } }, 'params.from', 'neither this job nor one above it has a "window"'],
    [{ params: { from: { window: 'from' } } }, 'params.from', 'neither this job nor one above it has a "window"'],
    [
      { children: [{ endpoint: 'b/{id}/{window.to}', placeholders: { id: 'id' } }] },
      'children[0].endpoint',
      'neither this job nor one above it has a "window"',
    ],
  ])('refuses %j, where a name stands for nothing', async (job, place, message) => {
    await expect(run(job)).rejects.toThrow(`config.jobs[0].${place}: has `);
    await expect(run(job)).rejects.toThrow(message);
  });

  it('takes a parameter that is called window', async () => {
    expect((await run({ params: { window: 'from' } })).asked).toEqual(['/items?window=from']);
  });

  it('does not go together with incremental', async () => {
    await expect(run({ window: MARCH, incremental: { field: 'id', param: 'since' } })).rejects.toThrow(
      /does not go together/,
    );
  });
});

describe('a job with windows and partitions', () => {
  const job = {
    params: { c: '{country}', f: '{window.from}' },
    partitions: { country: ['de', 'fr'] },
    window: MARCH,
    children: [{ endpoint: 'below/{country}/{id}', placeholders: { id: 'id' } }],
  };

  it.each([1, 3])('goes on after any page where it was broken off, with %i slices at once', async (concurrency) => {
    const all = await run({ ...job, concurrency }, { api: PAGED });
    const wanted = all.pages.map(textOf);
    expect(wanted).toHaveLength(2 * 3 * (2 + 3));
    for (let cut = 0; cut <= wanted.length; cut += EVERY) {
      const resume = all.pages.slice(0, cut);
      const rest = await run({ ...job, concurrency }, { api: PAGED, resume });
      expect([...wanted.slice(0, cut), ...rest.pages.map(textOf)]).toEqual(wanted);
      expect(rest.asked).toHaveLength(wanted.length - cut);
    }
  });

  it('gives the same in the same order, however many slices run at once', async () => {
    const one = await run(job, { api: PAGED });
    const several = await run({ ...job, concurrency: 4 }, { api: PAGED });
    expect(several.pages.map(textOf)).toEqual(one.pages.map(textOf));
    expect(one.events.at(-1)).toMatchObject({ type: 'run.finished', outcome: 'doubtful', pages: 30 });
  });

  it('is incomplete where one slice is', async () => {
    const answer = (url: URL): unknown => ({
      total: url.searchParams.get('f') === '2024-03-02' ? 4 : 3,
      items: url.searchParams.get('page') === '2' ? [{ id: 3 }] : [{ id: 1 }, { id: 2 }],
    });
    const alone = { ...job, children: [] };
    await expect(run({ ...alone, dataField: 'items', total: 'total' }, { api: PAGED, answer })).rejects.toMatchObject({
      code: 'INCOMPLETE',
    });
  });

  it('tells how many slices had no items', async () => {
    const { events } = await run({ endpoint: 'items/{window.to}', window: MARCH }, { answer: () => [] });
    const reported = events.filter((event) => event.type === 'warning' && event.code === 'NO_DATA');
    expect(reported).toMatchObject([{ message: 'items: 3 of 3 calls had no items.' }]);
  });
});

describe('a job with capped windows', () => {
  const DAYS = 16;
  const first = Date.parse('2024-02-01T00:00:00Z') / 86_400_000;
  /** Two items a day, one on the first; the API gives no more than five of a window, two a page. */
  const answer = (url: URL): unknown => {
    const [from = 0, to = 0] = ['f', 't'].map(
      (name) => Date.parse(url.searchParams.get(name) ?? '') / 86_400_000 - first,
    );
    const offset = Number(url.searchParams.get('offset') ?? 0);
    const all = Array.from({ length: 2 * DAYS - 1 }, (_, id) => ({ id })).filter(
      ({ id }) => Math.ceil(id / 2) >= from && Math.ceil(id / 2) < to,
    );
    return all.slice(0, 5).slice(offset, offset + 2);
  };
  const api = { pagination: { method: 'offset', limit: 2 } };
  const window = { from: '2024-02-01', to: '2024-02-17', step: '8 days', cap: 5 };
  const job = { params: { f: { window: 'from' }, t: { window: 'to' } }, window };
  const idsOf = (pages: readonly Page[]): unknown[] =>
    pages.flatMap(({ items }) => items.map((item) => (item as { id: number }).id));
  const ALL = Array.from({ length: 2 * DAYS - 1 }, (_, id) => id);

  it.each([1, 3])(
    'requests halves in the place of a window that has too many items, with %i slices at once',
    async (concurrency) => {
      const { pages, events } = await run({ ...job, concurrency }, { api, answer });
      expect(idsOf(pages)).toEqual(ALL);
      expect(pages[0]?.checkpoint.call).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
      expect(events.at(-1)).toMatchObject({ type: 'run.finished', items: ALL.length, outcome: 'complete' });
    },
  );

  it('asks for no page behind the cap', async () => {
    const { asked } = await run(job, { api, answer });
    expect(asked.slice(0, 3).map((url) => url.replace(/.*offset=/, ''))).toEqual(['0', '2', '4']);
    expect(asked.filter((url) => url.includes('offset=6'))).toEqual([]);
  });

  it('goes on after any page where it was broken off, and asks for none again that was delivered', async () => {
    const all = await run(job, { api, answer });
    const wanted = all.pages.map(textOf);
    for (let cut = 0; cut <= wanted.length; cut += EVERY) {
      const resume = all.pages.slice(0, cut);
      const rest = await run(job, { api, answer, resume });
      expect([...wanted.slice(0, cut), ...rest.pages.map(textOf)]).toEqual(wanted);
      const known = resume.map(({ reply }) => reply.response.request.url);
      expect(
        known.filter((url) => rest.asked.includes(decodeURIComponent(url.slice('https://api.example'.length)))),
      ).toEqual([]);
    }
  });

  it('fails where a window of the smallest length has too many items', async () => {
    const capped = { ...window, cap: 2 };
    await expect(run({ ...job, window: capped }, { api, answer })).rejects.toMatchObject({
      code: 'PAGE_LIMIT',
      message: expect.stringMatching(
        /window.cap: the window from 2024-02-02T00:00:00Z to 2024-02-03T00:00:00Z has 2 items or more/,
      ) as string,
    });
    await expect(run({ ...job, window: { ...window, smallest: '4 days' } }, { api, answer })).rejects.toMatchObject({
      code: 'PAGE_LIMIT',
    });
  });

  it('fails where a window of which pages were delivered has too many items after all', async () => {
    const endless = (url: URL): unknown =>
      [1, 2].map((id) => ({ id: id + 10 * Number(url.searchParams.get('offset')) }));
    const { pages } = await run({ ...job, window: { ...window, step: '2 days' } }, { api, answer });
    const more = { api, answer: endless, resume: pages.slice(0, 1) };
    await expect(
      run({ ...job, window: { ...window, step: '2 days' } }, { ...more, api: { pagination: { ...api.pagination } } }),
    ).rejects.toThrow(/Begin a new run/);
  });

  it('delivers its pages as the consumer takes them', async () => {
    const taken: unknown[] = [];
    const fetch = (input: string | URL | globalThis.Request): Promise<globalThis.Response> =>
      Promise.resolve(
        new Response(JSON.stringify(answer(new URL(String(input instanceof Request ? input.url : input))))),
      );
    const config = {
      api: { baseUrl: 'https://api.example/', ...api },
      config: { jobs: [{ endpoint: 'items', ...job }] },
    };
    for await (const page of extract(config, { fetch, prefetch: 0 }).pages()) taken.push(...idsOf([page]));
    expect(taken).toEqual(ALL);
  });

  it.each([
    [
      { window, children: [{ endpoint: 'below/{id}', placeholders: { id: 'id' } }] },
      /window.cap: does not go together with "children"/,
    ],
    [{ window: { ...window, smallest: '1 hour' } }, /shorter than the format can say/],
    [{ window: { ...window, smallest: '1 month' } }, /months are not of equal length/],
    [{ window: { from: '2024-02-01', step: '1 day', smallest: '1 day' } }, /has no meaning without "cap"/],
  ])('refuses %j', async (wrong, message) => {
    await expect(run(wrong)).rejects.toThrow(message);
  });
});

describe('windows and partitions that the API ignores', () => {
  const answers = (url: URL): unknown => (url.searchParams.get('page') === '2' ? [] : [{ id: 1 }, { id: 2 }]);
  const SIZES = { partitions: { size: ['s', 'm', 'l'] }, params: { size: { partition: 'size' } } };
  const warningsOf = (events: readonly RunEvent[]): readonly string[] =>
    events.flatMap((event) => (event.type === 'warning' && event.code === 'ALL_EQUAL' ? [event.message] : []));

  it.each([
    ['windows', { window: MARCH, params: { since: { window: 'from' } } }],
    ['partitions', SIZES],
  ])('are told where all %s have the same first page', async (_, job) => {
    const { events } = await run(job, { api: PAGED, answer: answers });
    expect(warningsOf(events)).toEqual([
      expect.stringMatching(/^config\.jobs\[0\]: All 3 calls of items that have items begin with the same page/),
    ]);
  });

  it.each([
    ['one differs', SIZES, (url: URL) => [{ id: url.searchParams.get('size') === 'l' ? 2 : 1 }]],
    ['one alone has items', SIZES, (url: URL) => (url.searchParams.get('size') === 'l' ? [{ id: 1 }] : [])],
    ['equal items are said to be right', { ...SIZES, equalPages: 'keep' }, answers],
    ['nothing is looked at', { ...SIZES, completeness: 'off' }, answers],
  ])('are no matter where %s', async (_, job, answer) => {
    const { events } = await run(job, { answer });
    expect(warningsOf(events)).toEqual([]);
  });
});

/** Windows that are requested again in halves (docs/language/jobs.md#capped-windows), in runs that are broken off. */

const DAY = 86_400_000;
const first = Date.parse('2024-02-01T00:00:00Z');
const ALL = Array.from({ length: 15 }, (_, id) => id);

/** Two items a day; the API gives no more than five of a window, two a page, and the last of them is no window's own. */
function answer(url: URL): unknown {
  const [from = 0, to = 0] = ['f', 't'].map((name) => (Date.parse(url.searchParams.get(name) ?? '') - first) / DAY);
  const offset = Number(url.searchParams.get('offset') ?? 0);
  const items = ALL.filter((id) => Math.ceil(id / 2) >= from && Math.ceil(id / 2) < to).map((id) => ({ id }));
  return items.slice(0, 5).slice(offset, offset + 2);
}

/** The API, which is gone after so many requests. */
function anApi(most = Infinity, body: (url: URL) => unknown = answer) {
  const asked: string[] = [];
  const fetch = (input: string | URL | globalThis.Request): Promise<globalThis.Response> => {
    const url = new URL(String(input instanceof Request ? input.url : input));
    if (asked.length >= most) return Promise.resolve(new Response('gone', { status: 403 }));
    asked.push(url.search);
    const found = body(url);
    return Promise.resolve(found instanceof Response ? found : Response.json(found));
  };
  return { asked, fetch };
}

const aConfig = (job: object = {}, pagination: object = {}) => ({
  api: { baseUrl: 'https://api.example/', pagination: { method: 'offset', limit: 2, ...pagination } },
  config: {
    jobs: [
      {
        endpoint: 'items',
        params: { f: { window: 'from' }, t: { window: 'to' } },
        window: { from: '2024-02-01', to: '2024-02-09', step: '8 days', cap: 5 },
        ...job,
      },
    ],
  },
});

/** Ends the run as if the process had died, after so many pages. */
const dyingAfter =
  (pages: number, destination: Destination): Destination =>
  (outputs, report) => {
    const sink = destination(outputs, report);
    let left = pages;
    const write = async (page: Page): Promise<void> => {
      if (left === 0) throw new Error('dead');
      left -= 1;
      await sink.write(page);
    };
    return { ...sink, write };
  };

describe('capped windows in durable sinks', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-capped-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const csvOf = (name: string) => readFile(join(folder, name, 'items.csv'), 'utf8');
  const CSV = `"id"\n${ALL.map((id) => `"${id}"\n`).join('')}`;
  const idsIn = async (file: string): Promise<unknown[]> =>
    (await queryDuckDB(file, 'SELECT id FROM items ORDER BY rowid')).flat().map(Number);

  it.each([
    ['one page after another', {}, {}],
    ['pages ahead', {}, { parallel: 3 }],
    ['windows at once', { concurrency: 3 }, {}],
    ['keys that may come once', { unique: 'id' }, {}],
  ])('a CSV folder has all of it once, whatever request it is broken off at: %s', async (_, job, pagination) => {
    const config = aConfig(job, pagination);
    const whole = anApi();
    await deliver(config, [sinks.csv(join(folder, 'whole'))], { fetch: whole.fetch });
    expect(await csvOf('whole')).toBe(CSV);
    for (let most = 0; most < whole.asked.length; most += ALL_CASES ? 1 : 6) {
      const name = `cut-${most}`;
      const destination = (): Destination => sinks.csv(join(folder, name));
      // Twice, the second time further; a request ahead may be one that the run can do without.
      for (const more of [0, 3])
        await deliver(config, [destination()], { fetch: anApi(most + more).fetch, resume: true }).catch(
          () => undefined,
        );
      await deliver(config, [destination()], { fetch: anApi().fetch, resume: true });
      expect([most, await csvOf(name)]).toEqual([most, CSV]);
    }
  });

  it.each([
    ['as they come', {}],
    ['with keys that may come once', { unique: 'id' }],
  ])('so it has after any page: %s', async (_, job) => {
    const config = aConfig(job);
    const { pages$ } = extract(config, { fetch: anApi().fetch });
    const pages = await lastValueFrom(pages$.pipe(toArray()));
    for (let cut = 0; cut < pages.length; cut += ALL_CASES ? 1 : 4) {
      const name = `page-${cut}`;
      const destination = (): Destination => sinks.csv(join(folder, name));
      const dying = deliver(config, [dyingAfter(cut, destination())], { fetch: anApi().fetch });
      await expect(dying).rejects.toThrow('dead');
      await deliver(config, [destination()], { fetch: anApi().fetch, resume: true });
      expect([cut, await csvOf(name)]).toEqual([cut, CSV]);
    }
  });

  it('so has a DuckDB database', async () => {
    const whole = anApi();
    await deliver(aConfig(), [sinks.ndjson(join(folder, 'whole'))], { fetch: whole.fetch });
    for (let most = 0; most < whole.asked.length; most += ALL_CASES ? 4 : 12) {
      const file = join(folder, `cut-${most}.duckdb`);
      const cut = deliver(aConfig(), [sinks.duckdb(file)], { fetch: anApi(most).fetch });
      await expect(cut).rejects.toThrow(/403/);
      await deliver(aConfig(), [sinks.duckdb(file)], { fetch: anApi().fetch, resume: true });
      expect([most, await idsIn(file)]).toEqual([most, ALL]);
    }
  });
});

describe('what a capped window warns of', () => {
  const warningsOf = async (body: (url: URL) => unknown): Promise<string[]> => {
    const { api, config } = aConfig();
    const events: RunEvent[] = [];
    const { items$ } = extract(
      { api: { ...api, http: { ignoreErrors: [403] } }, config },
      {
        fetch: anApi(Infinity, body).fetch,
        onEvent: (event) => events.push(event),
      },
    );
    await lastValueFrom(items$.pipe(toArray())).catch(() => undefined);
    return events.flatMap((event) => (event.type === 'warning' ? [`${event.code} ${event.message}`] : []));
  };

  const odd = (url: URL): Response => Response.json(answer(url), { status: 403 });

  it('is not told of windows whose pages were dropped', async () => {
    const isWide = (url: URL): boolean =>
      Date.parse(url.searchParams.get('t') ?? '') - Date.parse(url.searchParams.get('f') ?? '') > 2 * DAY;
    const body = (url: URL): unknown =>
      isWide(url) && url.searchParams.get('offset') === '2' ? odd(url) : answer(url);
    expect(await warningsOf(body)).toEqual([]);
  });

  it('is told of those whose pages are delivered', async () => {
    const body = (url: URL): unknown => (url.searchParams.has('offset') ? odd(url) : answer(url));
    expect((await warningsOf(body)).join()).toContain('STATUS_IGNORED');
  });

  it('is told where the run fails in it', async () => {
    const body = (url: URL): unknown => {
      if (url.searchParams.get('offset') === '2') return odd(url);
      if (url.searchParams.get('offset') === '4') return Response.json({}, { status: 400 });
      return answer(url);
    };
    expect(await warningsOf(body)).toEqual([expect.stringContaining('STATUS_IGNORED')]);
  });
});
