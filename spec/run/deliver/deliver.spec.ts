/** Runs into durable sinks, of several at once and of one after another (docs/sinks.md). */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, IncompleteError, sinks } from '../../../src';
import type { Destination, DurableSink, Log, Page, RunEvent } from '../../../src';
import { json } from '../../support/answers';
import { newTable } from '../../support/stored';
import { startServer } from '../../support/api-server';
import type { ApiServer, Handler } from '../../support/api-server';

let folder: string;
let server: ApiServer | undefined;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-deliver-'))));
afterEach(async () => {
  await server?.close();
  server = undefined;
  await rm(folder, { recursive: true, force: true });
});

const pagesOfTwo: Handler = ({ url }) => {
  const offset = Number(new URL(url, 'http://api').searchParams.get('offset') ?? 0);
  return json([1, 2].map((at) => ({ id: offset + at })).filter(({ id }) => id <= 7));
};

async function listing(changes: { job?: object; config?: object; api?: object } = {}, answers = pagesOfTwo) {
  server = await startServer(answers);
  return {
    api: { baseUrl: server.origin, pagination: { method: 'offset', limit: 2 }, ...changes.api },
    config: { jobs: [{ endpoint: 'items', ...changes.job }], ...changes.config },
  };
}
const asked = (): string[] => server?.requests.map(({ url }) => url) ?? [];
const text = (...path: string[]): Promise<string> => readFile(join(folder, ...path), 'utf8');
const lines = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => `{"id":${from + at}}\n`).join('');
const out = (name = 'out'): string => join(folder, name);

/** Ends the run as if the process had died, after so many pages. */
const dyingAfter =
  (pages: number, destination: Destination): Destination =>
  (outputs) => {
    const sink = destination(outputs);
    let left = pages;
    const write = async (page: Page): Promise<void> => {
      if (left === 0) throw new Error('dead');
      left -= 1;
      await sink.write(page);
    };
    return { ...sink, write };
  };

const logged = (): { messages: string[]; logger: Log } => {
  const messages: string[] = [];
  return { messages, logger: { log: (_, message) => messages.push(message) } };
};

describe('deliver', () => {
  it('stores all pages in every sink, and says what it stored', async () => {
    const config = await listing();
    const { stored, resumedPages } = await deliver(config, [sinks.ndjson(out('a')), sinks.csv(out('b'))]);
    expect(stored).toEqual([
      { sink: `ndjson:${out('a')}`, tables: [newTable('items.ndjson', 7)] },
      { sink: `csv:${out('b')}`, tables: [newTable('items.csv', 7)] },
    ]);
    expect(resumedPages).toBe(0);
    expect(await text('a', 'items.ndjson')).toBe(lines(1, 7));
    expect(await text('b', 'items.csv')).toBe(`"id"\n${lines(1, 7).replace(/\{"id":(\d)\}/g, '"$1"')}`);
  });

  it('goes on with a run that was broken off, each sink from where it stands', async () => {
    const config = await listing();
    const [a, b] = [sinks.ndjson(out('a')), sinks.ndjson(out('b'))];
    await expect(deliver(config, [a, dyingAfter(2, b)])).rejects.toThrow('dead');
    const before = asked().length;
    const { resumedPages } = await deliver(config, [a, b], { resume: true });
    expect(resumedPages).toBe(2);
    expect(asked().slice(before)).toEqual(['/items?limit=2&offset=4', '/items?limit=2&offset=6']);
    expect(await text('a', 'items.ndjson')).toBe(lines(1, 7));
    expect(await text('b', 'items.ndjson')).toBe(lines(1, 7));
  });

  it('tells how much is safe when it goes on, calls of children that are over included', async () => {
    const config = await listing({
      job: { children: [{ endpoint: 'items?limit=2&offset={at}', dataType: 'kids', placeholders: { at: 'id' } }] },
    });
    const reported: unknown[] = [];
    let counts: number[] = [];
    const onEvent = (event: RunEvent): void => {
      if (event.type === 'run.started') reported.push(event.before);
      if (event.type === 'page.extracted') counts.push(event.page.count);
    };
    const run = async (to: Destination): Promise<void> => {
      counts = [];
      await deliver(config, [to], { resume: true, onEvent });
    };
    const itemsOn = (pages: number): number => counts.slice(0, pages).reduce((sum, count) => sum + count, 0);
    await expect(run(dyingAfter(8, sinks.ndjson(out())))).rejects.toThrow('dead');
    const first = itemsOn(8);
    await expect(run(dyingAfter(3, sinks.ndjson(out())))).rejects.toThrow('dead');
    const second = itemsOn(3);
    await run(sinks.ndjson(out()));
    expect(reported).toEqual([undefined, { pages: 8, items: first }, { pages: 11, items: first + second }]);
  });

  it('goes on with what is left when one sink has committed and the other has not', async () => {
    const config = await listing();
    const [a, b] = [sinks.ndjson(out('a')), sinks.ndjson(out('b'))];
    const failing: Destination = (outputs) => ({ ...b(outputs), commit: () => Promise.reject(new Error('dead')) });
    await expect(deliver(config, [a, failing])).rejects.toThrow('dead');
    const before = asked().length;
    const { stored } = await deliver(config, [a, b], { resume: true });
    expect(asked().slice(before)).toEqual([]);
    expect(stored.map(({ sink }) => sink)).toEqual([`ndjson:${out('a')}`, `ndjson:${out('b')}`]);
    expect(await text('b', 'items.ndjson')).toBe(lines(1, 7));
  });

  it('starts at the beginning on a fresh destination, and with the next run after a finished one', async () => {
    const config = await listing();
    await deliver(config, [sinks.ndjson(out())], { resume: true });
    await deliver(config, [sinks.ndjson(out())], { resume: true });
    expect(asked()).toHaveLength(8);
    expect(await text('out', 'items.ndjson')).toBe(lines(1, 7));
  });

  it('without resume drops the run that was broken off, and says so', async () => {
    const config = await listing();
    await expect(deliver(config, [dyingAfter(2, sinks.ndjson(out()))])).rejects.toThrow('dead');
    const { messages, logger } = logged();
    await deliver(config, [sinks.ndjson(out())], { logger });
    expect(asked()).toHaveLength(3 + 4);
    expect(messages).toContainEqual(expect.stringContaining('--resume would have gone on with it'));
    expect(await text('out', 'items.ndjson')).toBe(lines(1, 7));
  });

  it('says of a run of another configuration that nothing could have gone on with it', async () => {
    const config = await listing();
    await expect(deliver(config, [dyingAfter(2, sinks.ndjson(out()))])).rejects.toThrow('dead');
    const { messages, logger } = logged();
    const other = { ...config, config: { jobs: [{ endpoint: 'items', params: { a: 1 } }] } };
    await deliver(other, [sinks.ndjson(out())], { logger });
    expect(messages).toContain(
      `ndjson:${out()} had a run of another configuration that was broken off; it is dropped, and its pages are gone. ` +
        '--resume goes on with the configuration that a run began with alone.',
    );
    expect(messages.join('\n')).not.toContain('would have gone on');
  });

  it('a sink that the run did not have starts over, and so do all', async () => {
    const config = await listing();
    await expect(deliver(config, [dyingAfter(2, sinks.ndjson(out('a')))])).rejects.toThrow('dead');
    await deliver(config, [sinks.ndjson(out('a')), sinks.ndjson(out('b'))], { resume: true });
    expect(await text('a', 'items.ndjson')).toBe(lines(1, 7));
    expect(await text('b', 'items.ndjson')).toBe(lines(1, 7));
  });

  it('refuses to go on with another configuration; other secrets are the same configuration', async () => {
    const config = await listing();
    await expect(deliver(config, [dyingAfter(2, sinks.ndjson(out()))])).rejects.toThrow('dead');
    const other = { ...config, config: { jobs: [{ endpoint: 'items', params: { a: 1 } }] } };
    await expect(deliver(other, [sinks.ndjson(out())], { resume: true })).rejects.toMatchObject({ code: 'RESUME' });
    const renewed = { ...config, config: { ...config.config, '#token': 'new' } };
    await expect(deliver(renewed, [sinks.ndjson(out())], { resume: true })).resolves.toMatchObject({ resumedPages: 2 });
  });

  it('a job that begins again takes the place of its pages in every sink', async () => {
    let isGone = false;
    const config = await listing(
      { api: { pagination: { method: 'response.url', urlKey: 'next' } }, job: { dataField: 'items' } },
      ({ url }) => {
        const at = Number(new URL(url, 'http://api').searchParams.get('at') ?? 0);
        if (isGone && at > 0) {
          isGone = false;
          return json({ error: 'expired' }, 410);
        }
        return json({ items: [{ id: at + 1 }], ...(at < 3 ? { next: `/items?at=${at + 1}` } : {}) });
      },
    );
    const [a, b] = [sinks.ndjson(out('a')), sinks.csv(out('b'))];
    await expect(deliver(config, [a, dyingAfter(2, b)])).rejects.toThrow('dead');
    isGone = true;
    await deliver(config, [a, b], { resume: true });
    expect(await text('a', 'items.ndjson')).toBe(lines(1, 4));
    expect(await text('b', 'items.csv')).toBe('"id"\n"1"\n"2"\n"3"\n"4"\n');
  });

  it('a failed full load leaves the old tables in place', async () => {
    await writeFile(out('old'), '');
    const config = await listing({}, ({ url }) =>
      url.includes('offset=4') ? json({}, 500) : pagesOfTwo({ url } as never),
    );
    const retry = { ...config, api: { ...config.api, retryConfig: { maxRetries: 0 } } };
    await deliver(await listingOnce(), [sinks.ndjson(out())]);
    await expect(deliver(retry, [sinks.ndjson(out())])).rejects.toThrow();
    expect(await text('out', 'items.ndjson')).toBe('{"old":true}\n');
  });

  const listingOnce = async () => {
    const once = await startServer({ '/items': json([{ old: true }]) });
    closing.push(once);
    return { api: { baseUrl: once.origin }, config: { jobs: [{ endpoint: 'items' }] } };
  };
  const closing: ApiServer[] = [];
  afterEach(async () => {
    for (const one of closing.splice(0)) await one.close();
  });

  it('tells the next run when this one began, and keeps no credentials', async () => {
    const config = await listing({ job: { params: { since: { time: 'previousStart' } } } });
    const first = await deliver(config, [sinks.ndjson(out())]);
    await deliver(config, [sinks.ndjson(out())]);
    expect(asked()[0]).toContain('since=0');
    const { previousStart } = first.state.time as { previousStart: number };
    expect(asked().at(-1)).toContain(`since=${previousStart}`);
  });

  it('what another configuration left in a destination is not for this one', async () => {
    const since = { params: { since: { time: 'previousStart' } } };
    const config = await listing({ job: since });
    await deliver(config, [sinks.ndjson(out())]);
    const other = { ...config, config: { jobs: [{ endpoint: 'others', ...since }] } };
    await deliver(other, [sinks.ndjson(out())]);
    expect(asked().at(-1)).toContain('/others?since=0&');
    await deliver(config, [sinks.ndjson(out())]);
    expect(asked().at(-1)).not.toContain('since=0');
  });

  it('refuses one place that is named twice, whatever the format or the way to it', async () => {
    const config = await listing();
    const twice = [sinks.ndjson(out()), sinks.csv(join(folder, 'x', '..', 'out'))];
    await expect(deliver(config, twice)).rejects.toMatchObject({ code: 'DESTINATION_LOCKED' });
    expect(asked()).toEqual([]);
    const both = await Promise.allSettled([
      deliver(config, [sinks.ndjson(out())]),
      deliver(config, [sinks.ndjson(out())]),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await deliver(config, [sinks.ndjson(out())]);
  });

  it('does not go on where the API gives a page otherwise that one of the sinks has', async () => {
    let version = 1;
    const config = await listing({}, ({ url }) =>
      url.includes('offset=2') ? json([{ id: version }, { id: 4 }]) : pagesOfTwo({ url } as never),
    );
    const [a, b] = [sinks.ndjson(out('a')), sinks.ndjson(out('b'))];
    await expect(deliver(config, [a, dyingAfter(1, b)])).rejects.toThrow('dead');
    version = 2;
    await expect(deliver(config, [a, b], { resume: true })).rejects.toMatchObject({ code: 'RESUME' });
    version = 1;
    await deliver(config, [a, b], { resume: true });
    expect(await text('a', 'items.ndjson')).toBe(await text('b', 'items.ndjson'));
  });

  it('names files for endpoints with slashes', async () => {
    const config = await listing({ job: { endpoint: 'a/b' } });
    await deliver(config, [sinks.ndjson(out())]);
    expect(await text('out', 'a_b.ndjson')).toBe(lines(1, 7));
  });

  it('a sink of a few lines is one, too', async () => {
    const seen: unknown[] = [];
    const mine: DurableSink = {
      name: 'mine',
      open: () => Promise.resolve({ state: {} }),
      begin: () => Promise.resolve(),
      write: (page) => Promise.resolve(void seen.push(...page.items)),
      commit: () => Promise.resolve([{ name: 'mine', rows: seen.length }]),
      close: () => Promise.resolve(),
    };
    const { stored } = await deliver(await listing(), [() => mine]);
    expect(stored).toEqual([{ sink: 'mine', tables: [{ name: 'mine', rows: 7 }] }]);
  });
});

describe('incremental jobs', () => {
  const answer: Handler = ({ url }) => {
    const { pathname, searchParams } = new URL(url, 'http://api');
    const since = searchParams.get('since') ?? '';
    const all = ['2024-05-01T10:00:00Z', '2024-05-01T12:00:00+02:00', '2024-05-03T00:00:00Z'];
    if (pathname === '/boxes') return json([{ id: 1 }, { id: 2 }]);
    return json(all.filter((at) => at > since).map((at, id) => ({ id, at })));
  };
  const config = { incrementalOutput: true };
  const job = { endpoint: 'events', incremental: { field: 'at', param: 'since', initial: '2024-01-01', lag: 60 } };

  it('begin where they are told to, then where they have come to, less the lag', async () => {
    const listed = await listing({ api: { pagination: undefined }, config, job }, answer);
    await deliver(listed, [sinks.ndjson(out())]);
    await deliver(listed, [sinks.ndjson(out())]);
    await deliver(listed, [sinks.ndjson(out())]);
    expect(asked().map((url) => decodeURIComponent(url))).toEqual([
      '/events?since=2024-01-01',
      '/events?since=2024-05-02T23:59:00Z',
      '/events?since=2024-05-02T23:59:00Z',
    ]);
  });

  it('come forward only when the run is committed, with the pages from before a break', async () => {
    const listed = await listing({ config, job: { incremental: { field: 'id', param: 'after' } } });
    await expect(deliver(listed, [dyingAfter(2, sinks.ndjson(out()))])).rejects.toThrow('dead');
    await deliver(listed, [sinks.ndjson(out())], { resume: true });
    expect(asked().some((url) => url.includes('after'))).toBe(false);
    await deliver(listed, [sinks.ndjson(out())]);
    expect(asked().filter((url) => url.includes('after'))).toHaveLength(4);
    expect(asked().at(-1)).toContain('after=7');
  });

  it('come as far as the pages from before a break, where those after it come less far', async () => {
    const listed = await listing({ config, job: { incremental: { field: 'id', param: 'after' } } }, ({ url }) => {
      const offset = Number(new URL(url, 'http://api').searchParams.get('offset') ?? 0);
      return json([1, 2].map((at) => ({ id: 9 - offset - at })).filter(({ id }) => id > 3));
    });
    for (const sink of [sinks.ndjson(out('a')), sinks.duckdb(out('b.duckdb'))]) {
      await expect(deliver(listed, [dyingAfter(1, sink)])).rejects.toThrow('dead');
      await deliver(listed, [sink], { resume: true });
      const before = asked().length;
      await deliver(listed, [sink]);
      expect(asked()[before]).toContain('after=8');
    }
  });

  it('are refused where the destinations stand at different places', async () => {
    const listed = await listing({ api: { pagination: undefined }, config, job }, answer);
    await deliver(listed, [sinks.ndjson(out('a'))]);
    const both = [sinks.ndjson(out('a')), sinks.ndjson(out('b'))];
    await expect(deliver(listed, both)).rejects.toMatchObject({ code: 'DESTINATION_INCOMPATIBLE' });
    await deliver(listed, [
      sinks.transient('none', { write: () => Promise.resolve(), close: () => Promise.resolve() }),
      sinks.ndjson(out('a')),
    ]);
    expect(asked().at(-1)).toContain('2024-05-02');
  });

  it('start over where a file of the last run is gone', async () => {
    const listed = await listing({ api: { pagination: undefined }, config, job }, answer);
    await deliver(listed, [sinks.ndjson(out())]);
    await rm(join(out(), 'events.ndjson'));
    await deliver(listed, [sinks.ndjson(out())]);
    expect(asked().at(-1)).toContain('since=2024-01-01');
  });

  it('come forward for each parent by itself', async () => {
    const children = [
      {
        endpoint: 'box/{id}',
        dataType: 'inside',
        placeholders: { id: 'id' },
        incremental: { field: 'n', param: 'from', initial: 0 },
      },
    ];
    const listed = await listing(
      { api: { pagination: undefined }, config, job: { endpoint: 'boxes', children } },
      (request) =>
        request.url.startsWith('/box/') ? json([{ n: Number(/\d/.exec(request.url)?.[0]) * 10 }]) : answer(request),
    );
    await deliver(listed, [sinks.ndjson(out())]);
    await deliver(listed, [sinks.ndjson(out())]);
    expect(asked()).toEqual(['/boxes', '/box/1?from=0', '/box/2?from=0', '/boxes', '/box/1?from=10', '/box/2?from=20']);
  });
});

describe('deliver, when a run is incomplete (docs/completeness.md)', () => {
  const misspelled = { job: { dataField: 'item' } };
  const listed: Handler = () => json({ items: [{ id: 1 }], next: null });
  const stuck: Handler = () => json([{ id: 1 }, { id: 2 }]);

  it('commits nothing: what earlier runs brought stays', async () => {
    await deliver(await listing({ job: { dataField: 'items' } }, listed), [sinks.ndjson(out())]);
    await server?.close();
    const failed = deliver(await listing(misspelled, listed), [sinks.ndjson(out())]);
    await expect(failed).rejects.toMatchObject({ code: 'INCOMPLETE', doubts: [{ code: 'DATA_NOT_FOUND' }] });
    expect(await text('out', 'items.ndjson')).toBe('{"id":1}\n');
  });

  it('is as incomplete when it goes on, with nothing requested again; acceptIncomplete commits what there is', async () => {
    const config = await listing({}, stuck);
    await expect(deliver(config, [sinks.ndjson(out())])).rejects.toMatchObject({ code: 'INCOMPLETE' });
    const before = asked().length;
    const again = deliver(config, [sinks.ndjson(out())], { resume: true });
    await expect(again).rejects.toMatchObject({ code: 'INCOMPLETE', doubts: [{ code: 'POSITION_IGNORED' }] });
    const { messages, logger } = logged();
    const accepting = { resume: true, acceptIncomplete: true, logger };
    const { outcome, jobs, resumedPages } = await deliver(config, [sinks.ndjson(out())], accepting);
    expect(asked()).toHaveLength(before);
    expect(outcome).toBe('doubtful');
    expect(jobs).toMatchObject([{ endpoint: 'items', outcome: 'doubtful', isAccepted: true, items: 2 }]);
    expect(resumedPages).toBe(2);
    expect(messages.join('\n')).toMatch(/^config\.jobs\[0\]: .*It is committed all the same, as asked\.\)$/m);
    expect(messages.join('\n')).not.toContain('incomplete');
    const [, record = ''] = (await text('out', '.headwater/runs.ndjson')).split('"outcome":');
    expect(record).toMatch(/^"doubtful"/);
    expect(await text('out', 'items.ndjson')).toBe('{"id":1}\n{"id":2}\n');
  });

  it('counts what was found before a break: pages that a killed run has judged', async () => {
    const config = await listing({ api: { pagination: {} }, config: { concurrency: 1 } }, ({ url }) =>
      url.startsWith('/items') ? json({ items: [{ id: 1 }], next: '/more' }) : json([1]),
    );
    const jobs = [{ endpoint: 'items', dataField: 'items' }, { endpoint: 'others' }];
    const both = { ...config, config: { jobs } };
    await expect(deliver(both, [dyingAfter(1, sinks.ndjson(out()))])).rejects.toThrow('dead');
    const resumed = deliver(both, [sinks.ndjson(out())], { resume: true });
    await expect(resumed).rejects.toMatchObject({ doubts: [{ code: 'NEXT_PAGE_NOT_TAKEN', path: 'config.jobs[0]' }] });
  });

  it('a run that goes on compares the items with those before the break, whatever else changes on the page', async () => {
    let now = 0;
    const config = await listing({ job: { dataField: 'items' } }, () =>
      json({ now: (now += 1), items: [{ id: 1 }, { id: 2 }] }),
    );
    await expect(deliver(config, [dyingAfter(1, sinks.ndjson(out()))])).rejects.toThrow('dead');
    const resumed = deliver(config, [sinks.ndjson(out())], { resume: true });
    await expect(resumed).rejects.toMatchObject({ doubts: [{ code: 'POSITION_IGNORED' }] });
  });

  it('a table of CSV that has no rows any more is empty', async () => {
    await deliver(await listing(), [sinks.csv(out())]);
    await server?.close();
    await deliver(await listing({}, () => json([])), [sinks.csv(out())]);
    expect(await text('out', 'items.csv')).toBe('"id"\n');
  });

  it('strict starts over where a run was broken off', async () => {
    const config = await listing();
    await expect(deliver(config, [dyingAfter(1, sinks.ndjson(out()))])).rejects.toThrow('dead');
    const { outcome } = await deliver(config, [sinks.ndjson(out())], { strict: true });
    expect(outcome).toBe('complete');
  });

  it('strict commits nothing after a warning', async () => {
    const config = await listing({ api: { pagination: {} } }, () => json({ rows: [{ id: 1 }], total: 5 }));
    const strict = deliver(config, [sinks.ndjson(out())], { strict: true });
    await expect(strict).rejects.toMatchObject({ code: 'WARNINGS' });
    await expect(text('out', 'items.ndjson')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('masks what a sink throws, and commits nothing for it, whatever it calls itself', async () => {
    const refusing: Destination = (outputs) => ({
      ...sinks.ndjson(out())(outputs),
      write: () => {
        const error = new IncompleteError([]);
        error.message = 'no place at postgres://bob:pw-of-bob@host/db';
        return Promise.reject(error);
      },
    });
    const accepting = deliver(await listing(), [refusing], { acceptIncomplete: true });
    await expect(accepting).rejects.toThrow('no place at postgres://***@host/db');
    await expect(text('out', 'items.ndjson')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
