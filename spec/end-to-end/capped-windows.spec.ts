/** Windows that are requested again in halves (docs/language/jobs.md#capped-windows), in runs that are broken off. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, toArray } from 'rxjs';
import { deliver, extract, sinks } from '../../src';
import type { Destination, Page, RunEvent } from '../../src';
import { ALL_CASES } from '../support/cases';
import { queryDuckDB } from '../support/duckdb';

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
    return Promise.resolve(Response.json(body(url)));
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
  (outputs, tell) => {
    const sink = destination(outputs, tell);
    let left = pages;
    const write = async (page: Page): Promise<void> => {
      if (left === 0) throw new Error('dead');
      left -= 1;
      await sink.write(page);
    };
    return { ...sink, write };
  };

describe('capped windows in durable sinks', () => {
  jest.setTimeout(60_000);
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
    for (let most = 0; most < whole.asked.length; most += ALL_CASES ? 1 : 3) {
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
    for (let cut = 0; cut < pages.length; cut += 1) {
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
    for (let most = 0; most < whole.asked.length; most += 4) {
      const file = join(folder, `cut-${most}.duckdb`);
      const cut = deliver(aConfig(), [sinks.duckdb(file)], { fetch: anApi(most).fetch });
      await expect(cut).rejects.toThrow(/403/);
      await deliver(aConfig(), [sinks.duckdb(file)], { fetch: anApi().fetch, resume: true });
      expect([most, await idsIn(file)]).toEqual([most, ALL]);
    }
  });
});

describe('what a capped window warns of', () => {
  const warningsOf = async (body: (url: URL) => unknown, job: object = {}): Promise<string[]> => {
    const events: RunEvent[] = [];
    const { items$ } = extract(aConfig(job), {
      fetch: anApi(Infinity, body).fetch,
      onEvent: (event) => events.push(event),
    });
    await lastValueFrom(items$.pipe(toArray())).catch(() => undefined);
    return events.flatMap((event) => (event.type === 'warning' ? [`${event.code} ${event.message}`] : []));
  };

  it('is not told of windows whose pages were dropped', async () => {
    const isWide = (url: URL): boolean =>
      Date.parse(url.searchParams.get('t') ?? '') - Date.parse(url.searchParams.get('f') ?? '') > 2 * DAY;
    // A wide window answers with other names, in its second page.
    const body = (url: URL): unknown =>
      isWide(url) && url.searchParams.get('offset') === '2' ? { data: answer(url) } : answer(url);
    expect(await warningsOf(body, { completeness: 'warn' })).toEqual([]);
  });

  it('is told of those whose pages are delivered', async () => {
    const body = (url: URL): unknown => (url.searchParams.has('offset') ? { data: answer(url) } : answer(url));
    const told = await warningsOf(body, { completeness: 'warn' });
    expect(told).toContain('NO_DATA dataField data contains no data!');
  });

  it('is told where the run fails in it', async () => {
    const body = (url: URL): unknown => {
      if (url.searchParams.get('offset') === '2') return { data: answer(url) };
      if (url.searchParams.get('offset') === '4') return 'no items';
      return answer(url);
    };
    const told = await warningsOf(body, { completeness: 'warn' });
    expect(told).toEqual([expect.stringMatching(/^INCOMPLETE .*page 2 of items has another array/)]);
  });
});
