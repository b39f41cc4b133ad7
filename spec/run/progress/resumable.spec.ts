/** Runs that go on after failures of their consumers, of the API and of the process: no page is lost. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { concatMap, from, lastValueFrom, retry, take, timer, toArray } from 'rxjs';
import { createProgress, extract, progressStores, resumable } from '../../../src';
import type { Extraction, Item, Page, ProgressStore, SavedProgress } from '../../../src';

const PAGES = 4;
const ids = (items: readonly Item[]): readonly string[] => items.map((item) => (item as { id: string }).id);

/** Two items a page; below each station there are two pages of levels. It breaks at the requests of these numbers. */
function anApi(breaksAt: readonly number[] = []) {
  const asked: string[] = [];
  const fetch = (input: string | URL | globalThis.Request): Promise<globalThis.Response> => {
    const url = new URL(String(input instanceof Request ? input.url : input));
    asked.push(url.pathname + url.search);
    if (breaksAt.includes(asked.length)) return Promise.resolve(new Response('', { status: 500 }));
    const offset = Number(url.searchParams.get('offset'));
    const last = url.pathname.includes('levels') ? 2 : PAGES * 2;
    const found = [offset, offset + 1].filter((at) => at < last).map((at) => ({ id: `${url.pathname}:${at}` }));
    const body = JSON.stringify(found);
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'application/json' } }));
  };
  return { asked, fetch };
}

const KINDS: readonly (readonly [string, object, object])[] = [
  ['one after another', {}, {}],
  ['parallel pages', { parallel: 3 }, {}],
  ['several jobs and calls at once', {}, { concurrency: 3 }],
  ['several at once, in any order', { parallel: 2 }, { concurrency: 3, ordered: false }],
];
const configuration = (pagination: object = {}, config: object = {}) => ({
  api: {
    baseUrl: 'https://api.example/',
    pagination: { method: 'offset', limit: 2, ...pagination },
    retryConfig: { maxRetries: 0 },
  },
  config: {
    ...config,
    jobs: [
      {
        endpoint: 'stations',
        concurrency: 2,
        children: [
          { endpoint: 'levels', dataType: 'levels', params: { of: { placeholder: 'id' } }, placeholders: { id: 'id' } },
        ],
      },
      { endpoint: 'rivers' },
    ],
  },
});
const plain = {
  ...configuration(),
  config: { jobs: [{ endpoint: 'stations' }, { endpoint: 'rivers' }] },
};

/** All items of a run that nothing breaks, each with the page that brings it. */
const whole = async (extraction: Extraction): Promise<string[]> => {
  const all: string[] = [];
  for await (const page of extraction.pages()) all.push(...keysOf(page));
  return all;
};
const keysOf = (page: Page): string[] =>
  ids(page.items).map((id) => `${page.job.path} ${JSON.stringify(page.job.placeholders ?? {})} ${id}`);

class Unlucky extends Error {}
/** Stores the items of pages, and fails before at every so manieth page. */
function storing(every: number) {
  const stored: string[] = [];
  let pages = 0;
  const work = async (page: Page): Promise<number> => {
    pages += 1;
    await Promise.resolve();
    if (pages % every === 0) throw new Unlucky();
    stored.push(...keysOf(page));
    return page.count;
  };
  return { stored, work };
}

describe('resumable', () => {
  it.each(KINDS)('%s: a consumer that fails gets each page once, with retry', async (_, pagination, config) => {
    const expected = await whole(extract(configuration(pagination, config), anApi()));
    expect(expected).toHaveLength(PAGES * 2 * 2 + PAGES * 2 * 2);
    for (const every of [2, 3, 5]) {
      const { stored, work } = storing(every);
      const extraction = extract(configuration(pagination, config), anApi());
      const run$ = resumable(extraction, { store: progressStores.memory() }).drain(work);
      await lastValueFrom(run$.pipe(retry(200), toArray()));
      expect([...stored].sort()).toEqual([...expected].sort());
      if (!('ordered' in config)) expect(stored).toEqual(expected);
    }
  });

  it.each(KINDS)('%s: an API that fails at each request in turn', async (_, pagination, config) => {
    const expected = await whole(extract(configuration(pagination, config), anApi()));
    for (const at of [1, 2, 5, 9]) {
      const { stored, work } = storing(Infinity);
      const extraction = extract(configuration(pagination, config), anApi([at]));
      await lastValueFrom(resumable(extraction, { store: progressStores.memory() }).drain(work).pipe(retry(1)));
      expect([...new Set(stored)].sort()).toEqual([...expected].sort());
    }
  });

  it('another process goes on by the file, and requests no page that is safe', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'headwater-spec-'));
    const path = join(folder, 'progress');
    const key = { encryptionKey: 'sixteen characters' };
    const first = anApi();
    const seen: string[] = [];
    for await (const page of resumable(extract(plain, first), { store: progressStores.file(path, key) }).pages()) {
      seen.push(...keysOf(page));
      if (seen.length === 6) break;
    }
    expect(readFileSync(path).includes('stations')).toBe(false);
    const second = anApi();
    for await (const page of resumable(extract(plain, second), { store: progressStores.file(path, key) }).pages())
      seen.push(...keysOf(page));
    // The page at which the first process stopped may not be safe: it comes again.
    expect(second.asked[0]).toBe('/stations?limit=2&offset=4');
    expect([...new Set(seen)]).toEqual(await whole(extract(plain, anApi())));
    expect(await progressStores.file(path, key).load()).toBeUndefined();
    rmSync(folder, { recursive: true });
  });

  it('pages$ counts a page when it is acknowledged, and never one after a gap', async () => {
    const store = progressStores.memory();
    const pages = await lastValueFrom(resumable(extract(plain, anApi()), { store }).pages$.pipe(toArray()));
    expect(await store.load()).toBeUndefined();
    await pages[1]?.ack();
    expect(await store.load()).toBeUndefined();
    await pages[0]?.ack();
    expect(await store.load()).toMatchObject({ pages: 2 });
    const api = anApi();
    const rest = await lastValueFrom(resumable(extract(plain, api), { store }).pages$.pipe(toArray()));
    expect(rest).toHaveLength(pages.length - 2);
    expect(api.asked[0]).toBe('/stations?limit=2&offset=4');
    for (const { ack } of rest) await ack();
    expect(await store.load()).toBeUndefined();
  });

  it('what was begun for a subscription that was left, and is acknowledged late, takes nothing back', async () => {
    const store = progressStores.memory();
    const run = resumable(extract(plain, anApi()), { store });
    const first = await lastValueFrom(run.pages$.pipe(take(2), toArray()));
    for (const { ack } of await lastValueFrom(run.pages$.pipe(toArray()))) await ack();
    await first[0]?.ack();
    expect(await store.load()).toBeUndefined();
  });

  it('a page whose progress could not be saved is saved when it is acknowledged again', async () => {
    const memory = progressStores.memory();
    let isBroken = true;
    const save = (progress: SavedProgress): Promise<void> =>
      isBroken ? Promise.reject(new Error('full')) : memory.save(progress);
    const store: ProgressStore = { load: memory.load, clear: memory.clear, save };
    const [page] = await lastValueFrom(resumable(extract(plain, anApi()), { store }).pages$.pipe(take(1), toArray()));
    await expect(page?.ack()).rejects.toThrow('full');
    isBroken = false;
    await page?.ack();
    expect(await memory.load()).toMatchObject({ pages: 1 });
  });

  it('nor is one taken for saved because an earlier one was saved meanwhile', async () => {
    const memory = progressStores.memory();
    const saving: (() => Promise<void>)[] = [];
    const save = (progress: SavedProgress): Promise<void> =>
      new Promise((resolve, reject) => {
        const isSecond = saving.length === 1;
        saving.push(() => (isSecond ? Promise.reject(new Error('full')) : memory.save(progress)).then(resolve, reject));
      });
    const store: ProgressStore = { load: memory.load, clear: memory.clear, save };
    /** Begun by now: the store is asked without a wait. */
    const begun = async (count: number): Promise<void> => {
      await new Promise(setImmediate);
      expect(saving).toHaveLength(count);
    };
    const pages$ = resumable(extract(plain, anApi()), { store }).pages$.pipe(take(2), toArray());
    const [first, second] = await lastValueFrom(pages$);
    const acked = first?.ack();
    await begun(1);
    const failing = expect(second?.ack()).rejects.toThrow('full');
    await saving[0]?.();
    await acked;
    await begun(2);
    await saving[1]?.();
    await failing;
    const again = second?.ack();
    await begun(3);
    await saving[2]?.();
    await again;
    expect(await memory.load()).toMatchObject({ pages: 2 });
  });

  it('one job goes on by itself, with the jobs above it', async () => {
    const { stored, work } = storing(3);
    const extraction = extract(configuration(), anApi());
    const levels = resumable(extraction.job('levels'), { store: progressStores.memory() });
    await lastValueFrom(levels.drain(work).pipe(retry(50)));
    const expected: string[] = [];
    for await (const page of extract(configuration(), anApi()).job('levels').pages()) expected.push(...keysOf(page));
    expect(stored).toEqual(expected);
    expect(expected).toHaveLength(PAGES * 2 * 2);
  });

  it('what earlier pages lack is not forgotten', async () => {
    // The API counts 12 items, and has 8.
    const counting = () => {
      const api = anApi();
      const fetch = async (input: string | URL | globalThis.Request): Promise<globalThis.Response> => {
        const items: unknown = await (await api.fetch(input)).json();
        return new Response(JSON.stringify({ total: 12, items }), { headers: { 'content-type': 'application/json' } });
      };
      return { fetch };
    };
    const one = { ...plain, config: { jobs: [{ endpoint: 'stations', dataField: 'items', total: 'total' }] } };
    const { work } = storing(3);
    const run$ = resumable(extract(one, counting()), { store: progressStores.memory() }).drain(work);
    const codes: string[] = [];
    const notHere = {
      delay: (error: unknown) => (error instanceof Unlucky ? timer(0) : from(Promise.reject(error as Error))),
    };
    await lastValueFrom(run$.pipe(retry(notHere))).catch((error: unknown) =>
      codes.push((error as { code: string }).code),
    );
    expect(codes).toEqual(['INCOMPLETE']);
  });

  it('a run of another configuration, or of another job, does not go on', async () => {
    const store = progressStores.memory();
    const { work } = storing(2);
    await expect(lastValueFrom(resumable(extract(plain, anApi()), { store }).drain(work))).rejects.toThrow(Unlucky);
    const other = { ...plain, config: { jobs: [{ endpoint: 'rivers' }] } };
    for (const streams of [extract(other, anApi()), extract(plain, anApi()).job('rivers')])
      await expect(lastValueFrom(resumable(streams, { store }).drain(work))).rejects.toMatchObject({ code: 'RESUME' });
  });

  it('two runs at once are refused, and so is what is none', async () => {
    const twice = resumable(extract(plain, anApi()), { store: progressStores.memory() });
    const first = lastValueFrom(twice.drain(() => [1]));
    await expect(lastValueFrom(twice.drain(() => [1]))).rejects.toMatchObject({ code: 'RESUME' });
    await first;
    const store = progressStores.memory();
    expect(() => resumable({} as Extraction, { store })).toThrow(RangeError);
    const resume = { startedAt: 0, progress: new Map() };
    expect(() => resumable(extract(plain, { ...anApi(), resume }), { store })).toThrow('`resume`');
  });

  it('a store that fails, fails the run', async () => {
    const failing: ProgressStore = { ...progressStores.memory(), save: () => Promise.reject(new Error('full')) };
    await expect(
      lastValueFrom(resumable(extract(plain, anApi()), { store: failing }).drain(() => [1])),
    ).rejects.toThrow('full');
  });
});

describe('createProgress', () => {
  it('goes on by hand, by the option resume', async () => {
    const progress = createProgress();
    const seen: string[] = [];
    for await (const page of extract(plain, anApi()).pages()) {
      seen.push(...keysOf(page));
      progress.add(page);
      if (seen.length === 4) break;
    }
    const saved: SavedProgress = JSON.parse(JSON.stringify(progress.saved())) as SavedProgress;
    const { items$, pages$ } = extract(plain, { ...anApi(), resume: createProgress(saved).resume() });
    expect(items$).toBeDefined();
    await lastValueFrom(pages$.pipe(concatMap((page) => (seen.push(...keysOf(page)) > 0 ? [1] : []))));
    expect(seen).toEqual(await whole(extract(plain, anApi())));
  });
});

describe('a file', () => {
  it('that is damaged, or of another key, is an error', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'headwater-spec-'));
    const path = join(folder, 'progress');
    writeFileSync(path, '{"version":1');
    await expect(progressStores.file(path).load()).rejects.toMatchObject({ code: 'JOURNAL_DAMAGED' });
    const sealed = progressStores.file(path, { encryptionKey: 'sixteen characters' });
    await sealed.save(createProgress().saved());
    await expect(progressStores.file(path, { encryptionKey: 'other sixteen characters' }).load()).rejects.toMatchObject(
      {
        code: 'JOURNAL_DAMAGED',
      },
    );
    expect(await sealed.load()).toMatchObject({ pages: 0 });
    rmSync(folder, { recursive: true });
  });
});
