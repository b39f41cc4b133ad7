/** How much runs at once and how far ahead, over real connections (docs/language/concurrency.md). */
import { setTimeout as wait } from 'node:timers/promises';
import { lastValueFrom, NEVER, toArray } from 'rxjs';
import { extract, toNodeReadable, toWebReadable, validate } from '../../../src';
import type { Extraction, Page, RunEvent } from '../../../src';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { json } from '../../support/answers';
import { example, pagesOf } from '../example-runs';

/** As long as a request that must not come would take to come. */
const A_WHILE = 60;

/** An API that answers when it is told to. */
class HeldApi {
  readonly #waiting: { readonly url: string; readonly answer: () => void }[] = [];
  inFlight = 0;
  mostInFlight = 0;
  private constructor(readonly server: ApiServer) {}

  /** @param bodyOf what a URL is answered with; every answer waits for {@link release}, unless it is `free` */
  static async start(bodyOf: (url: string) => unknown, free: (url: string) => boolean = () => false): Promise<HeldApi> {
    const server = await startServer(({ url }) => async (response) => {
      api.inFlight += 1;
      api.mostInFlight = Math.max(api.mostInFlight, api.inFlight);
      if (free(url)) await wait(3);
      else await new Promise<void>((resolve) => api.#waiting.push({ url, answer: resolve }));
      api.inFlight -= 1;
      await json(bodyOf(url))(response);
    });
    const api = new HeldApi(server);
    return api;
  }

  get urls(): readonly string[] {
    return this.server.requests.map(({ url }) => url.slice('/api/'.length));
  }

  /** Answers the request that has waited longest, or the one at this place. */
  release(at = 0): void {
    this.#waiting.splice(at, 1)[0]?.answer();
  }

  /** Each request may have a connection of its own, and these come in any order. */
  releaseUrl(end: string): void {
    const at = this.#waiting.findIndex(({ url }) => url.endsWith(end));
    expect(at).toBeGreaterThanOrEqual(0);
    this.release(at);
  }

  /** Answers whatever waits until this has come; those that came last first. */
  async drainUntil<T>(end: Promise<T>): Promise<T> {
    const progress = { isOver: false };
    const settle = (): void => void (progress.isOver = true);
    void end.then(settle, settle);
    for (let turn = 0; turn < 1000 && !progress.isOver; turn += 1) {
      this.release(-1);
      await wait(2);
    }
    expect(progress.isOver).toBe(true);
    return end;
  }

  /** Waits until this many requests have come, and a while in which no other may come. */
  async settledAt(count: number): Promise<void> {
    if (count > 0) await this.server.received(count - 1);
    await wait(A_WHILE);
    expect(this.urls).toHaveLength(count);
  }
}

/** 100 items in pages of `limit`. */
const paged = (url: string): unknown => {
  const query = new URL(url, 'http://h').searchParams;
  const from = Number(query.get('offset'));
  const size = Math.max(0, Math.min(Number(query.get('limit')), 100 - from));
  return { total: 100, items: Array.from({ length: size }, (_, at) => ({ id: from + at })) };
};
const idsOf = (pages: readonly Page[]): unknown[] =>
  pages.flatMap(({ items }) => items).map((item) => (item as { id?: unknown }).id);

let api: HeldApi;
afterEach(() => api.server.close());

const at = (config: object, pagination: object = {}): unknown => ({
  api: { baseUrl: `${api.server.origin}/api/`, pagination: { method: 'offset', limit: 10, ...pagination } },
  config: { jobs: [{ endpoint: 'list', dataField: 'items' }], ...config },
});

describe('docs/language/concurrency.md, back-pressure', () => {
  beforeEach(async () => {
    api = await HeldApi.start(paged, () => true);
  });

  /** Takes one page and then no more; gives a way to stop. */
  type Consumer = (extraction: Extraction) => Promise<() => Promise<unknown>>;
  const consumers: Readonly<Record<string, Consumer>> = {
    'pages()': async (extraction) => {
      const pages = extraction.pages()[Symbol.asyncIterator]();
      await pages.next();
      return async () => pages.return?.();
    },
    'for await': async (extraction) => {
      const items = extraction[Symbol.asyncIterator]();
      await items.next();
      return async () => items.return?.();
    },
    'a Readable of Node': async (extraction) => {
      const readable = toNodeReadable(extraction.pages());
      await new Promise<void>((resolve) => {
        readable.once('data', () => {
          readable.pause();
          resolve();
        });
      });
      return () => Promise.resolve(readable.destroy());
    },
    'a ReadableStream of the web': async (extraction) => {
      const reader = toWebReadable(extraction.pages()).getReader();
      await reader.read();
      return () => reader.cancel();
    },
    drain: (extraction) => {
      const subscription = extraction.drain(() => NEVER).subscribe();
      return Promise.resolve(() => {
        subscription.unsubscribe();
        return Promise.resolve();
      });
    },
  };

  it.each(Object.entries(consumers))('%s that stops reading stops the requests: one page waits', async (_, consume) => {
    const stop = await consume(extract(at({})));
    await api.settledAt(2);
    await stop();
  });

  it.each([
    [0, 1],
    [3, 4],
  ])('config.prefetch %i: %i pages are requested', async (prefetch, requests) => {
    for (const consume of Object.values(consumers)) {
      const before = api.urls.length;
      const stop = await consume(extract(at({ prefetch })));
      await api.settledAt(before + requests);
      await stop();
    }
  });

  it('a job has its own; the option takes the place of that of config', async () => {
    const jobs = [{ endpoint: 'list', dataField: 'items', prefetch: 2 }];
    const own = await consumers.drain?.(extract(at({ jobs, prefetch: 5 }), { prefetch: 4 }));
    await api.settledAt(3);
    await own?.();
    const option = await consumers.drain?.(extract(at({ prefetch: 5 }), { prefetch: 4 }));
    await api.settledAt(3 + 5);
    await option?.();
  });

  it('drain works on as many pages at once as it is told, beside those that wait', async () => {
    const subscription = extract(at({}))
      .drain(() => NEVER, { concurrency: 3 })
      .subscribe();
    await api.settledAt(4);
    subscription.unsubscribe();
  });

  it('drain works on one page after another, and ends with what the work gave', async () => {
    const log: string[] = [];
    const work = async ({ index }: Page): Promise<number> => {
      log.push(`begin ${index}`);
      await wait(1);
      log.push(`end ${index}`);
      return index;
    };
    const results = await lastValueFrom(
      extract(at({}, { forceStop: { pages: 3 } }))
        .drain(work)
        .pipe(toArray()),
    );
    expect(results).toEqual([0, 1, 2]);
    expect(log).toEqual(['begin 0', 'end 0', 'begin 1', 'end 1', 'begin 2', 'end 2']);
  });

  it('prefetch must be an integer', () => {
    expect(() => extract(at({}), { prefetch: -1 })).toThrow('prefetch: expected an integer from 0, found -1');
    expect(() => validate(at({ prefetch: -1 }))).toThrow('config.prefetch: expected an integer from 0 to 10000');
  });
});

describe('docs/language/concurrency.md, parallel pages', () => {
  it('requests several pages at once, and gives them in order whatever the order of the answers', async () => {
    api = await HeldApi.start(paged);
    const pages = lastValueFrom(extract(at({}, { parallel: 4 })).pages$.pipe(toArray()));
    await api.settledAt(4);
    expect([...api.urls].sort()).toEqual([0, 10, 20, 30].map((offset) => `list?limit=10&offset=${offset}`));
    // The last first: nothing is emitted, so nothing more is requested.
    api.releaseUrl('offset=30');
    api.releaseUrl('offset=20');
    await api.settledAt(4);
    api.releaseUrl('offset=0');
    await api.settledAt(5);
    api.releaseUrl('offset=10');
    await api.settledAt(8);
    expect(idsOf(await api.drainUntil(pages))).toEqual(Array.from({ length: 100 }, (_, id) => id));
    expect(api.mostInFlight).toBe(4);
  });

  it('aborts what lies beyond the page that is not full', async () => {
    api = await HeldApi.start((url) => ({ items: url.includes('offset=0') ? [1] : [2, 3] }));
    const pages = lastValueFrom(extract(at({}, { limit: 2, parallel: 3 })).pages$.pipe(toArray()));
    await api.settledAt(3);
    // Requests on connections of their own may arrive in any order.
    const first = api.server.requests.findIndex(({ url }) => url.includes('offset=0'));
    const beyond = api.server.requests.filter((_, at) => at !== first);
    api.release(first);
    expect((await pages).map(({ items }) => items)).toEqual([[1]]);
    await Promise.all(beyond.map(({ disconnected }) => disconnected));
  });

  it('requests nothing beyond a total, which the first page brings', async () => {
    api = await HeldApi.start(paged, () => true);
    const config = at({}, { parallel: 8, limitStop: { field: 'total' } });
    const pages = await lastValueFrom(extract(config).pages$.pipe(toArray()));
    expect(idsOf(pages)).toHaveLength(100);
    expect(api.urls).toHaveLength(10);
    expect([...api.urls].sort()).toEqual(Array.from({ length: 10 }, (_, page) => `list?limit=10&offset=${page * 10}`));
  });

  it('pagenum, too', async () => {
    api = await HeldApi.start((url) => {
      const page = Number(new URL(url, 'http://h').searchParams.get('page'));
      return page <= 5 ? [{ id: page * 2 }, { id: page * 2 + 1 }] : [];
    });
    const config = {
      api: { baseUrl: `${api.server.origin}/api/`, pagination: { method: 'pagenum', parallel: 3 } },
      config: { jobs: [{ endpoint: 'list' }] },
    };
    const pages = lastValueFrom(extract(config).pages$.pipe(toArray()));
    await api.settledAt(3);
    expect(idsOf(await api.drainUntil(pages))).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(api.mostInFlight).toBe(3);
  });

  it('without the setting the requests come one after another', async () => {
    api = await HeldApi.start(paged);
    const subscription = extract(at({})).pages$.subscribe();
    await api.settledAt(1);
    subscription.unsubscribe();
  });

  it('unsubscribing closes the connections of all of them', async () => {
    api = await HeldApi.start(paged);
    const subscription = extract(at({}, { parallel: 5 })).pages$.subscribe();
    await api.settledAt(5);
    subscription.unsubscribe();
    await Promise.all(api.server.requests.map(({ disconnected }) => disconnected));
  });
});

describe('docs/language/concurrency.md, jobs and children at once', () => {
  const family = (config: object, children: readonly object[] = [{}]): unknown => ({
    api: { baseUrl: `${api.server.origin}/api/` },
    config: {
      jobs: [
        {
          id: 'parents',
          endpoint: 'parents',
          children: children.map((more) => ({ endpoint: 'child/{id}', placeholders: { id: 'id' }, ...more })),
          ...config,
        },
      ],
    },
  });
  const parents = (url: string): boolean => url.endsWith('/parents');
  const bodies = (url: string): unknown => (parents(url) ? Array.from({ length: 9 }, (_, id) => ({ id })) : [{ url }]);
  it('children: as many calls at once as the job says, in the order of the items', async () => {
    api = await HeldApi.start(bodies, parents);
    const pages = lastValueFrom(extract(family({ concurrency: 3 })).pages$.pipe(toArray()));
    await api.settledAt(1 + 3);
    await api.drainUntil(pages);
    expect((await pages).slice(1).map(({ job }) => job.placeholders)).toEqual(
      Array.from({ length: 9 }, (_, id) => ({ id: String(id) })),
    );
    expect(api.mostInFlight).toBe(3);
  });

  it('tune: more or fewer while it runs', async () => {
    api = await HeldApi.start(bodies, parents);
    const extraction = extract(family({ concurrency: 2 }));
    const pages = lastValueFrom(extraction.pages$.pipe(toArray()));
    await api.settledAt(1 + 2);
    extraction.tune({ job: 'parents', concurrency: 4 });
    await api.settledAt(1 + 4);
    extraction.tune({ job: 'parents', concurrency: 1 });
    for (const left of [3, 2, 1]) {
      api.release(0);
      await api.settledAt(5);
      expect(api.inFlight).toBe(left);
    }
    api.release(0);
    await api.settledAt(6);
    await api.drainUntil(pages);
    expect(await pages).toHaveLength(10);
    expect(() => extraction.tune({ job: 'parent', concurrency: 2 })).toThrow('there is no job with the id "parent"');
  });

  it('jobs: in the order of the configuration, or as they come', async () => {
    const jobs = ['a', 'b', 'c'].map((endpoint) => ({ endpoint }));
    for (const ordered of [true, false]) {
      api = await HeldApi.start(() => [1]);
      const config = { api: { baseUrl: `${api.server.origin}/api/` }, config: { jobs, concurrency: 3, ordered } };
      let came = 0;
      const onEvent = ({ type }: RunEvent): void => {
        if (type === 'response.received') came += 1;
      };
      const pages = lastValueFrom(extract(config, { onEvent }).pages$.pipe(toArray()));
      await api.settledAt(3);
      for (const place of [2, 1, 0]) {
        api.release(place);
        while (came < 3 - place) await wait(1);
      }
      const order = api.urls;
      const expected = ordered ? ['a', 'b', 'c'] : [...order].reverse();
      expect((await pages).map(({ job: { endpoint } }) => endpoint)).toEqual(expected);
      if (ordered) await api.server.close();
    }
  });

  it('tune without a job: jobs', async () => {
    api = await HeldApi.start(() => [1]);
    const jobs = ['a', 'b', 'c', 'd'].map((endpoint) => ({ endpoint }));
    const extraction = extract({ api: { baseUrl: `${api.server.origin}/api/` }, config: { jobs } });
    const pages = lastValueFrom(extraction.pages$.pipe(toArray()));
    await api.settledAt(1);
    extraction.tune({ concurrency: 3 });
    await api.settledAt(3);
    await api.drainUntil(pages);
    expect((await pages).map(({ job: { endpoint } }) => endpoint)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('a consumer that takes nothing more: each that waits for its turn holds what may wait', async () => {
    api = await HeldApi.start(bodies, () => true);
    const extraction = extract(family({ concurrency: 3 }));
    const pages = extraction.pages()[Symbol.asyncIterator]();
    await pages.next();
    // The parent is in work, the first child waits, and at most twice three calls have been started.
    await wait(A_WHILE);
    expect(api.urls.length).toBeLessThanOrEqual(1 + 1 + 6);
    await pages.return?.();
  });

  it('an error of a later call comes after the pages of the earlier ones', async () => {
    api = await HeldApi.start((url) => (url.endsWith('/1') ? 'no list' : bodies(url)), parents);
    const seen: unknown[] = [];
    const extraction = extract(family({ concurrency: 3 }));
    const end = new Promise((resolve) =>
      extraction.pages$.subscribe({ next: ({ job }) => seen.push(job.placeholders?.['id']), error: resolve }),
    );
    await api.settledAt(4);
    api.releaseUrl('/1');
    await wait(20);
    expect(seen).toEqual([undefined]);
    api.releaseUrl('/0');
    expect(await end).toMatchObject({ code: 'API_SHAPE' });
    expect(seen).toEqual([undefined, '0']);
  });

  it('warns where concurrency has no effect, and refuses what is no number', () => {
    const config = (job: object): unknown => ({
      api: { baseUrl: 'http://h/' },
      config: { jobs: [{ endpoint: 'a', ...job }] },
    });
    expect(validate(config({ concurrency: 3 })).warnings).toEqual([
      { path: 'config.jobs[0].concurrency', message: expect.stringContaining('no effect') as string },
    ]);
    expect(() => validate(config({ concurrency: 0.5 }))).toThrow('config.jobs[0].concurrency: expected an integer');
  });

  it('flow.json runs as it is written', async () => {
    api = await HeldApi.start(
      (url) => (url.includes('levels') ? { total: 1, items: [{ url }] } : paged(url)),
      () => true,
    );
    const pages = await pagesOf(api.server, example('flow.json'));
    expect(pages.map(({ job: { dataType } }) => dataType)).toEqual([
      'stations',
      ...Array.from({ length: 100 }, () => 'level'),
      'rivers',
    ]);
    expect(api.mostInFlight).toBeGreaterThan(2);
    expect(api.mostInFlight).toBeLessThanOrEqual(11);
  });
});
