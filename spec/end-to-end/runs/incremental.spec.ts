/** Warnings about a whole run: what no item had, and what earlier runs left and counts no more. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, sinks } from '../../../src';
import type { DeliverOptions, Destination, JsonObject, RunEvent } from '../../../src';
import { json } from '../../support/answers';
import type { Answer } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { runToEnd } from '../../support/command';
import { faultsOf } from '../../support/faults-of';
import { filesIn, load } from '../../support/load';

describe('told of runs', () => {
  let folder: string;
  let server: ApiServer;
  let items: readonly unknown[] = [];
  let total: number | undefined;
  let warnings: string[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-told-'));
    total = undefined;
    server = await startServer(() => json(items, 200, total === undefined ? {} : { 'x-total-count': total }));
    items = [{ id: 1, at: 5, crew: [{ name: 'Ann' }] }];
    warnings = [];
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const onEvent = (event: RunEvent): void => {
    // What the configuration itself is warned of is known before the run.
    if (event.type === 'warning' && event.code !== 'CONFIGURATION') warnings.push(`${event.code} ${event.message}`);
  };
  const configured = (config: JsonObject, job: JsonObject = {}): JsonObject => ({
    api: { baseUrl: server.origin },
    config: { incrementalOutput: true, jobs: [{ endpoint: 'boats', ...job }], ...config },
  });
  const csv = (name = 'out'): Destination => sinks.csv(join(folder, name));
  const run = async (config: JsonObject, to: Destination = csv(), state?: JsonObject): Promise<JsonObject> => {
    warnings = [];
    const given = state === undefined ? {} : { state };
    return (await deliver(config, [to], { onEvent, ...given })).state;
  };

  describe('a mapped path that no item has', () => {
    const crew = { type: 'table', destination: 'crew', tableMapping: { name: 'name', age: 'age' } };
    const mappings = {
      boats: { id: 'id', nmae: 'name', crew, carw: { ...crew, destination: 'carw' } },
      none: { id: 'id' },
    };
    const places = (): readonly string[] =>
      warnings
        .map((text) => text.replace(/^MAPPED_PATH_MISSING config\.mappings\.boats\.([\w.]+): no item .*$/, '$1'))
        .sort();
    const expected = ['carw', 'crew.tableMapping.age', 'nmae'];

    it('is told of with its place, by both ways of making CSV files; not where a table got no items', async () => {
      await run(configured({ mappings }));
      expect(places()).toEqual(expected);
      warnings = [];
      await load(configured({ mappings }), filesIn(join(folder, 'tables')), { onEvent });
      expect(places()).toEqual(expected);
    });

    it('is not told of where one item has it, if only as null', async () => {
      items = [{ id: 1 }, { id: 2, nmae: null, crew: [], carw: { name: 'x', age: null } }];
      await run(configured({ mappings }));
      expect(warnings).toEqual([]);
    });
  });

  describe('an incremental.field that no item has', () => {
    const job = (field: string): JsonObject => ({ id: 'b', incremental: { field, param: 'since' } });

    it('is told of with its place', async () => {
      const config = configured({}, job('when'));
      await expect(run(config)).rejects.toMatchObject({
        code: 'INCOMPLETE',
        message: expect.stringMatching(/config\.jobs\[0\]\.incremental\.field: .*"when".*Known: .*'at'/) as string,
        doubts: [{ code: 'KEY_NOT_FOUND' }],
      });
      await deliver(config, [csv()], { onEvent, resume: true, acceptIncomplete: true });
      expect(warnings).toContainEqual(expect.stringMatching(/^KEY_NOT_FOUND config\.jobs\[0\]\.incremental\.field/));
    });

    it('holds a job where it has no value in any item', async () => {
      items = [{ id: 1, when: null }];
      await run(configured({}, job('when')));
      expect(warnings).toEqual([
        expect.stringMatching(/^INCREMENTAL_HELD config\.jobs\[0\]\.incremental\.field: .*"when"/),
      ]);
    });

    it('is not told of where an item has it, or there is no item', async () => {
      await run(configured({}, job('at')));
      expect(warnings).toEqual([]);
      items = [];
      await run(configured({}, job('when')), sinks.csv(join(folder, 'other')));
      expect(warnings).toEqual([]);
    });

    it('counts the pages from before a break', async () => {
      const config = configured({}, job('at'));
      const failing: Destination = (outputs) => ({
        ...csv()(outputs),
        commit: () => Promise.reject(new Error('dead')),
      });
      await expect(run(config, failing)).rejects.toThrow('dead');
      items = [{ id: 2 }];
      await deliver(config, [csv()], { onEvent, resume: true });
      expect(warnings).toEqual([]);
    });
  });

  describe('a job that asks only for what is new, in several iterations', () => {
    const ofRegions = (...iterations: JsonObject[]): JsonObject => ({
      ...configured(
        { region: '' },
        { id: 'b', params: { region: { attr: 'region' } }, incremental: { field: 'at', param: 'since' } },
      ),
      iterations,
    });
    const NORTH = { region: 'north' };
    const SOUTH = { region: 'south' };

    it('comes forward in each by itself, wherever it stands, and without the secrets of an account', async () => {
      const latest: Record<string, number> = { north: 9, south: 3 };
      await server.close();
      server = await startServer(({ url }) => {
        const { searchParams } = new URL(url, 'http://api.test');
        return json([{ at: latest[searchParams.get('region') ?? ''] }]);
      });
      const state = await run(ofRegions(NORTH, SOUTH));
      const sent = (): readonly string[] => server.requests.slice(-2).map(({ url }) => url);
      await run(ofRegions({ ...SOUTH, '#token': 'other' }, NORTH), csv(), state);
      expect(sent()).toEqual(['/boats?region=south&since=3', '/boats?region=north&since=9']);
    });

    it('comes forward in each where secrets alone tell them apart', async () => {
      const at = [9, 3];
      await server.close();
      server = await startServer(() => json([{ at: at.shift() ?? 3 }]));
      const accounts = ofRegions({ '#token': 'a' }, { '#token': 'b' });
      const state = await run(accounts);
      expect(JSON.stringify(state)).not.toContain('token');
      await run(accounts, csv(), state);
      expect(server.requests.slice(-2).map(({ url }) => url)).toEqual([
        '/boats?region=&since=9',
        '/boats?region=&since=3',
      ]);
    });
  });

  describe('iterations that secrets alone tell apart', () => {
    const latest: Record<string, number> = { a: 9, b: 3, c: 5, d: 7 };
    beforeEach(async () => {
      await server.close();
      server = await startServer(({ headers }) => json([{ at: latest[String(headers['x-token'])] }]));
    });
    const config = (iterations: readonly JsonObject[]): JsonObject => ({
      ...configured(
        { '#token': '' },
        { id: 'b', load: 'merge', primaryKey: 'at', incremental: { field: 'at', param: 'since' } },
      ),
      api: { baseUrl: server.origin, http: { headers: { 'X-Token': { attr: '#token' } } } },
      iterations: [...iterations],
    });
    const ofTokens = (tokens: string): JsonObject => config(Array.from(tokens, (token) => ({ '#token': token })));
    /** What each token asked from in the last run. */
    const sent = (count: number): readonly string[] =>
      server.requests
        .slice(-count)
        .map(({ url, headers }) => `${String(headers['x-token'])} ${url.replace(/.*since=|.*/, '')}`);

    it.each([
      ['another order', 'ba', ['b 3', 'a 9']],
      ['one in front', 'cab', ['c ', 'a 9', 'b 3']],
    ])('come forward by themselves with %s', async (_, then, expected) => {
      await run(ofTokens('ab'));
      await run(ofTokens(then));
      expect(sent(then.length)).toEqual(expected);
      expect(warnings).toEqual([]);
    });

    it('ask for everything where a secret is another one, and that is told of once', async () => {
      const state = await run(ofTokens('ab'));
      await run(ofTokens('bd'));
      expect(sent(2)).toEqual(['b 3', 'd ']);
      expect(warnings).toEqual([
        expect.stringMatching(/^STATE_RESET iterations\[1\]: asks for everything: only its secrets distinguish it/),
      ]);
      await run(ofTokens('bd'));
      expect(sent(2)).toEqual(['b 3', 'd 7']);
      expect(warnings).toEqual([]);
      // The same in a state that is kept elsewhere.
      await run(ofTokens('bd'), csv('other'), state);
      expect(sent(2)).toEqual(['b ', 'd ']);
    });

    it('ask for everything where one is left', async () => {
      await run(ofTokens('ab'));
      await run(ofTokens('b'));
      expect(sent(1)).toEqual(['b ']);
      expect(warnings).toEqual([expect.stringMatching(/^STATE_RESET iterations\[0\]/)]);
    });
  });

  describe('a job that asks only for what is new and stops early', () => {
    const job: JsonObject = {
      id: 'b',
      incremental: { field: 'at', param: 'since' },
      scroller: 'all',
    };
    const since = (): readonly (string | null)[] =>
      server.requests.map(({ url }) => new URL(url, 'http://api.test').searchParams.get('since'));
    const stopping = (): JsonObject => {
      const plain = configured({}, job);
      const pagination = {
        method: 'multiple',
        scrollers: { all: { method: 'pagenum', forceStop: { pages: 1 } } },
      };
      return { ...plain, api: { ...(plain['api'] as JsonObject), pagination } };
    };

    it('asks from the same place again where its items do not ascend, and says so', async () => {
      items = [{ at: 9 }, { at: 8 }];
      await run(stopping());
      expect(warnings).toEqual([expect.stringMatching(/^INCREMENTAL_HELD config\.jobs\[0\]\.incremental: .*"at"/)]);
      await run(stopping());
      expect(since()).toEqual([null, null]);
    });

    it('goes on behind the last item where they do', async () => {
      items = [{ at: 8 }, { at: 9 }];
      await run(stopping());
      expect(warnings).toEqual([]);
      items = [{ at: 9 }];
      await run(stopping());
      expect(since()).toEqual([null, '9']);
    });

    it.each([
      ['asks from the same place again', [{ at: 9 }, { at: 8 }], null, ['TOTAL_NOT_REACHED', 'INCREMENTAL_HELD']],
      ['goes on', [{ at: 8 }, { at: 9 }], '9', ['TOTAL_NOT_REACHED']],
    ])('%s where it is doubtful whether it has all', async (_, page, expected, codes) => {
      total = 7;
      items = page;
      const config = configured({}, { ...job, scroller: '' });
      await run(config);
      expect(warnings.map((each) => each.split(' ')[0])).toEqual(codes);
      await run(config);
      expect(since()).toEqual([null, expected]);
    });

    it('does not go on from a day of the future, and says so', async () => {
      items = [{ at: '2024-05-01' }, { at: '2999-12-31' }];
      const config = configured({}, { ...job, scroller: '' });
      await run(config);
      expect(warnings).toEqual([
        expect.stringMatching(/^INCREMENTAL_AHEAD config\.jobs\[0\]\.incremental\.field: .*"at"/),
      ]);
      await run(config);
      expect(since()).toEqual([null, '2024-05-01']);
    });

    describe('an hour before its newest item', () => {
      const HOUR = 3_600_000;
      const now = Math.floor(Date.now() / 1000) * 1000;
      /** A server whose clock is that many milliseconds ahead of ours, and which has an item of the next hour. */
      const answering = async (ahead: number): Promise<void> => {
        await server.close();
        const at = new Date(now + ahead + HOUR).toISOString();
        server = await startServer(() => json([{ at }], 200, { date: new Date(now + ahead).toUTCString() }));
      };
      const config = (more: JsonObject): JsonObject => configured({}, { ...job, scroller: '', ...more });
      const merging: JsonObject = { load: 'merge', primaryKey: 'at' };

      it.each([0, 5 * HOUR, -5 * HOUR])('goes on from its start, by the clock of the server: %d', async (ahead) => {
        await answering(ahead);
        await run(config(merging));
        expect(warnings).toEqual([]);
        await run(config(merging));
        const [, asked] = since();
        expect(Date.parse(asked ?? '')).toBeGreaterThan(now + ahead - HOUR / 2);
        expect(Date.parse(asked ?? '')).toBeLessThan(now + ahead + HOUR / 2);
      });

      it('is told of where rows are added, which then come again', async () => {
        await answering(0);
        await run(config({ load: 'append' }));
        expect(warnings).toEqual([
          expect.stringMatching(
            /^INCREMENTAL_REPEATED config\.jobs\[0\]\.incremental: .*after the start of this run by "at".*may stand twice/,
          ),
        ]);
      });
    });

    it.each([
      ['PostgreSQL', '2024-05-01 10:00:00+00', '2999-12-31 00:00:00+00', '2024-05-01 09:00:00+00'],
      ['Rails and BigQuery', '2024-05-01 10:00:00 UTC', '2999-12-31 00:00:00 UTC', '2024-05-01 09:00:00 UTC'],
      ['the basic form', '20240501T100000Z', '29991231T000000Z', '20240501T090000Z'],
      ['Jira', '2024-05-01T10:00:00.000+0000', '2999-12-31T00:00:00.000+0000', '2024-05-01T09:00:00.000+0000'],
    ])('knows times as they are written by %s', async (_, at, future, expected) => {
      items = [{ at }, { at: future }];
      const config = configured({}, { ...job, incremental: { field: 'at', param: 'since', lag: 3600 }, scroller: '' });
      await run(config);
      expect(warnings).toEqual([expect.stringMatching(/^INCREMENTAL_AHEAD /)]);
      await run(config);
      expect(since()).toEqual([null, expected]);
    });

    it.each([
      [[{ at: '12/31/2025' }, { at: '01/15/2026' }]],
      [[{ at: '2024-05-01' }, { at: '03 Nov 2023' }]],
      [[{ at: '2024-05-01' }, { at: 1704067200 }]],
    ])('is told of where nobody can put the dates in order: %j', async (unordered) => {
      items = unordered;
      const config = configured({}, { ...job, scroller: '' });
      const expected: unknown = expect.stringMatching(
        /^INCREMENTAL_UNORDERED config\.jobs\[0\]\.incremental\.field: .*"at"/,
      );
      await run(config);
      expect(warnings).toEqual([expected]);
      await run(config);
      expect(warnings).toEqual([expected]);
    });

    it('asks from the same place again where nobody can tell whether its items ascend', async () => {
      items = [{ at: '01/15/2026' }, { at: '12/31/2025' }];
      await run(stopping());
      expect(warnings.map((each) => each.split(' ')[0])).toEqual(['INCREMENTAL_HELD', 'INCREMENTAL_UNORDERED']);
      await run(stopping());
      expect(since()).toEqual([null, null]);
    });

    it('is told of where the API gives what lies before', async () => {
      const config = configured({}, { ...job, scroller: '' });
      items = [{ at: 8 }, { at: 9 }];
      await run(config);
      expect(warnings).toEqual([]);
      await run(config);
      expect(warnings).toEqual([
        expect.stringMatching(/^INCREMENTAL_PARAM_IGNORED config\.jobs\[0\]\.incremental\.param: .*"at".*"since"/),
      ]);
    });
  });

  describe('a job that adds the rows of what is new', () => {
    const adding = (more: JsonObject = {}): ReturnType<typeof configured> =>
      configured({}, { load: 'append', incremental: { field: 'at', param: 'since', ...more } });

    it('is told of where the API gives the items of the value again that it was asked from', async () => {
      items = [{ at: 8 }, { at: 9 }];
      await run(adding());
      expect(warnings).toEqual([]);
      items = [{ at: 9 }, { at: 10 }];
      await run(adding());
      expect(warnings).toEqual([
        expect.stringMatching(/^INCREMENTAL_REPEATED config\.jobs\[0\]\.incremental: .*"at".*may stand twice.*"since"/),
      ]);
    });

    it('is told of where a lag asks for them', async () => {
      items = [{ at: 8 }, { at: 9 }];
      await run(adding({ lag: 1 }));
      await run(adding({ lag: 1 }));
      expect(warnings).toEqual([expect.stringMatching(/^INCREMENTAL_REPEATED /)]);
    });

    it('is not told of where all is new, or takes the place of what was there', async () => {
      items = [{ at: 8 }];
      await run(adding());
      items = [{ at: 9 }];
      await run(adding());
      const merging = configured({}, { load: 'merge', primaryKey: 'at', incremental: { field: 'at', param: 'since' } });
      await run(merging, csv('merged'));
      await run(merging, csv('merged'));
      expect(warnings).toEqual([]);
    });
  });

  describe('what earlier runs left', () => {
    const job = { id: 'b', incremental: { field: 'at', param: 'since' } };

    it('counts no more when the configuration has been changed: told of with its place', async () => {
      await run(configured({}, job));
      items = [];
      await run(configured({}, job));
      expect(warnings).toEqual([]);
      await run(configured({}, { ...job, params: { all: 1 } }));
      expect(warnings).toEqual([
        expect.stringMatching(/^STATE_RESET config\.jobs\[0\]\.incremental: .*csv:.*"initial"/),
      ]);
      expect(server.requests.at(-1)?.url).toBe('/boats?all=1');
    });

    it('by time.previousStart, too; not where nothing depends on earlier runs', async () => {
      const since = { params: { since: { time: 'previousStart' } } };
      await run(configured({}, since));
      expect(warnings).toEqual([]);
      await run(configured({}, { endpoint: 'ships', ...since }));
      expect(warnings).toEqual([expect.stringMatching(/^STATE_RESET config\.jobs\[0\]\.params: /)]);
      await run(configured({}, { endpoint: 'ships' }));
      expect(warnings).toEqual([]);
    });

    it('counts no more when a file is gone', async () => {
      await run(configured({}, job));
      await rm(join(folder, 'out', 'boats.csv'));
      await run(configured({}, job));
      expect(warnings).toEqual([expect.stringMatching(/^STATE_RESET config\.jobs\[0\]\.incremental: .*"boats\.csv"/)]);
    });

    it('in a state that is given: a job whose id has changed with it', async () => {
      const { incremental } = job;
      const state = await run(configured({}, { incremental }), csv(), {});
      items = [];
      await run(configured({}, { incremental }), csv(), state);
      expect(warnings).toEqual([]);
      await run(configured({}, { incremental, params: { all: 1 } }), csv(), state);
      expect(warnings).toEqual([expect.stringMatching(/^STATE_RESET config\.jobs\[0\]\.incremental: .*give it one/)]);
    });
  });
});

/** Jobs below one that asks only for what is new: their tables keep what earlier runs brought, and what they lack is asked for again. */

describe('children of incremental', () => {
  let folder: string;
  let server: ApiServer;
  let orders: readonly JsonObject[];
  /** What the API answers for the lines of order 2; absent: as for those of others. */
  let oddly: Answer | undefined;
  /** This tells whether `since` asks for orders of that very moment, too. */
  let isInclusive: boolean;
  let warnings: string[];
  const order = (id: number): JsonObject => ({ id, at: id });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
    [orders, oddly, isInclusive, warnings] = [[1, 2, 3].map(order), undefined, false, []];
    server = await startServer(({ url }) => {
      const { pathname, searchParams } = new URL(url, 'http://api.test');
      if (pathname === '/login') return json({ form: 'user' });
      if (pathname === '/lines/2' && oddly !== undefined) return oddly;
      if (pathname !== '/orders') return json({ items: [{ no: 1 }, { no: 2 }] });
      const since = Number(searchParams.get('since') ?? 0);
      return json({ items: orders.filter(({ at }) => (isInclusive ? Number(at) >= since : Number(at) > since)) });
    });
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const onEvent = (event: RunEvent): void => {
    // A run without anything new has an empty page.
    if (event.type === 'warning' && event.code !== 'NO_DATA') warnings.push(`${event.code} ${event.message}`);
  };
  const csv = (): Destination => sinks.csv(join(folder, 'out'));
  const run = (config: JsonObject, options: DeliverOptions = {}) => {
    warnings = [];
    return deliver(config, [csv()], { onEvent, ...options });
  };
  const since = (): readonly (string | null)[] =>
    server.requests
      .filter(({ url }) => url.startsWith('/orders'))
      .map(({ url }) => new URL(url, 'http://api.test').searchParams.get('since'));
  const linesIn = async (): Promise<readonly string[]> => {
    const [, ...rows] = (await readFile(join(folder, 'out', 'lines.csv'), 'utf8')).trim().split('\n');
    return rows.map((row) => row.replaceAll('"', '')).sort();
  };

  const INCREMENTAL: JsonObject = { incremental: { field: 'at', param: 'since' } };
  const MERGE: JsonObject = { load: 'merge', primaryKey: 'id' };
  const MERGED_LINES: JsonObject = { load: 'merge', primaryKey: ['parent_id', 'no'] };
  const child = (more: JsonObject = {}): JsonObject => ({
    ...{ endpoint: 'lines/{id}', dataType: 'lines', dataField: 'items', placeholders: { id: 'id' } },
    ...more,
  });
  const configured = (lines: JsonObject, job: JsonObject = INCREMENTAL, config: JsonObject = {}): JsonObject => ({
    api: { baseUrl: server.origin },
    config: { jobs: [{ endpoint: 'orders', dataField: 'items', ...MERGE, ...job, children: [lines] }], ...config },
  });

  describe('a table below a job that asks only for what is new', () => {
    const CHILD = 'config.jobs[0].children[0]';

    it('is refused before the first request where it is replaced: its rows would go with the next run', async () => {
      expect(await faultsOf(run(configured(child())))).toEqual([
        {
          path: CHILD,
          message: expect.stringMatching(
            /^is called only for what is new .*take the place .*csv:.*"load": "merge" with a "primaryKey"/,
          ) as string,
        },
      ]);
      expect(server.requests).toEqual([]);
    });

    it.each([
      ['merged', MERGED_LINES],
      ['added', { load: 'append' }],
    ])('keeps the rows of earlier runs where they are %s', async (_, how) => {
      const config = configured(child(how));
      await run(config);
      await run(config);
      orders = [...orders, order(4)];
      await run(config);
      expect(await linesIn()).toHaveLength(8);
      expect(since()).toEqual([null, '3', '3']);
      expect(warnings).toEqual([]);
    });

    it('is refused at any depth, and once for each place', async () => {
      const deepest = child({ endpoint: 'marks/{no}', dataType: 'marks', placeholders: { no: 'no' } });
      const middle = child({ ...MERGED_LINES, incremental: { field: 'no', param: 'from' }, children: [deepest] });
      const iterated = { ...configured(middle), iterations: [{}, {}] };
      expect((await faultsOf(run(iterated))).map(({ path }) => path)).toEqual([`${CHILD}.children[0]`]);
    });

    it('is refused once where the child itself asks only for what is new', async () => {
      const faults = await faultsOf(run(configured(child({ incremental: { field: 'no', param: 'from' } }))));
      expect(faults.map(({ path }) => path)).toEqual([`${CHILD}.incremental`]);
    });

    it('is taken where the configuration adds rows, or another job of the table says so', async () => {
      const config = configured(child());
      const { jobs } = config['config'] as { readonly jobs: JsonObject[] };
      const sharing = { endpoint: 'lines/7', dataType: 'lines', dataField: 'items', load: 'append' };
      await run(configured(child(), INCREMENTAL, { incrementalOutput: true }));
      await run({ ...config, config: { jobs: [...jobs, sharing] } });
    });

    it('is taken by streams, and where a manifest says how to load it', async () => {
      await deliver(configured(child()), [
        sinks.transient('nowhere', { write: () => Promise.resolve(), close: () => Promise.resolve() }),
      ]);
      const files = { suffix: '.csv', bucketPrefix: 'if-several' } as const;
      await load(configured(child()), filesIn(join(folder, 'files'), { ...files, manifests: true }));
      const faults = await faultsOf(
        load(configured(child()), filesIn(join(folder, 'b'), { ...files, manifests: false })),
      );
      expect(faults.map(({ path }) => path)).toEqual([CHILD]);
    });

    it('is worth a warning where time.previousStart asks only for what is new', async () => {
      const asking = { params: { since: { time: 'previousStart' } } };
      await run(configured(child(), asking));
      expect(warnings).toEqual([expect.stringMatching(/^CONFIGURATION config\.jobs\[0\]\.children\[0\]: .*"append"/)]);
      await run(configured(child(MERGED_LINES), asking));
      expect(warnings).toEqual([]);
    });

    it('is refused by the commands as well', async () => {
      for (const command of ['validate', 'run']) {
        const { status, stderr } = await runToEnd(
          [command, '-'],
          JSON.stringify(configured(child(), INCREMENTAL, { sinks: [`csv:${join(folder, 'out')}`] })),
        );
        expect(stderr).toContain(`${CHILD}: is called only for what is new`);
        expect(status).toBe(1);
      }
      expect(server.requests).toEqual([]);
    });
  });

  describe('a job that asks only for what is new, with a call below it that is not complete', () => {
    const config = (more: JsonObject = {}): JsonObject => configured(child({ ...MERGED_LINES, ...more }));
    it.each<[string, Answer]>([
      ['a status of not ready', json({ status: 'pending' }, 202)],
      ['an error in place of items', json({ error: 'rate limited' })],
      ['a page that another one follows', json({ items: [{ no: 1 }], has_more: true })],
    ])('stays where it was, so that the next run gets what is missing: %s', async (_, answer) => {
      oddly = answer;
      await run(config(), { acceptIncomplete: true });
      const held = warnings.filter((text) => text.startsWith('INCREMENTAL_HELD'));
      expect(held).toEqual([
        expect.stringMatching(/config\.jobs\[0\]\.incremental: .*config\.jobs\[0\]\.children\[0\].*"do": "skip"/),
      ]);
      oddly = undefined;
      await run(config());
      expect(since()).toEqual([null, null]);
      expect(await linesIn()).toHaveLength(6);
      expect(warnings).toEqual([]);
      await run(config());
      expect(since()).toEqual([null, null, '3']);
    });

    it.each<[string, Answer]>([
      ['API_MESSAGE', json({ items: [], message: 'temporarily unavailable' })],
      ['TOTAL_NOT_REACHED', json({ items: [{ no: 1 }], total: 5 })],
    ])('comes forward where that is doubtful: %s', async (code, answer) => {
      oddly = answer;
      await run(config());
      expect(warnings).toEqual([expect.stringMatching(`^${code} config.jobs\\[0\\].children\\[0\\]: `)]);
      await run(config());
      expect(since()).toEqual([null, '3']);
    });

    it('stays where it was for an error that was accepted, and for a call at any depth', async () => {
      const deep = child({
        endpoint: 'lines/{1:id}',
        placeholders: { '1:id': 'no' },
        ...{ dataType: 'marks', total: 'total', load: 'append' },
      });
      const nested = config({ children: [deep] });
      await run(nested, { acceptIncomplete: true });
      expect(warnings).toContainEqual(
        expect.stringMatching(/^INCREMENTAL_HELD .*children\[0\]\.children\[0\].*a second time/),
      );
      await run(nested, { acceptIncomplete: true });
      expect(since()).toEqual([null, null]);
    });

    it('stays where it was for a call that failed while other jobs went on', async () => {
      oddly = json({}, 400);
      const accepted = { onJobError: 'continue', acceptIncomplete: true } as const;
      await run(config(), accepted);
      expect(warnings).toContainEqual(expect.stringMatching(/^INCREMENTAL_HELD config\.jobs\[0\]\.incremental: /));
      oddly = undefined;
      await run(config(), accepted);
      expect(since()).toEqual([null, null]);
      expect(await linesIn()).toHaveLength(6);
    });

    it('goes on where a rule skips the call, and where nothing is looked at', async () => {
      oddly = json({ items: [], message: 'no lines of this order' });
      const rules = [{ when: { field: 'message', is: 'no lines of this order' }, do: 'skip' }];
      await run(config({ rules }));
      expect(warnings).not.toContainEqual(expect.stringContaining('INCREMENTAL_HELD'));
      await run(config({ completeness: 'off' }));
      await run(config({ completeness: 'off' }));
      expect(since()).toEqual([null, '3', '3']);
      expect(warnings).toEqual([]);
    });
  });

  describe('a table below a job that gets items again, to which rows are added', () => {
    beforeEach(() => (isInclusive = true));

    it('is told of, with its place', async () => {
      const config = configured(child({ load: 'append' }));
      await run(config);
      expect(warnings).toEqual([]);
      await run(config);
      expect(await linesIn()).toHaveLength(8);
      expect(warnings).toEqual([
        expect.stringMatching(
          /^INCREMENTAL_REPEATED config\.jobs\[0\]\.children\[0\]: .*config\.jobs\[0\] .*"at".*twice.*"merge".*"since"/,
        ),
      ]);
    });

    it('is not told of where its rows take the place of those with the same key', async () => {
      const config = configured(child(MERGED_LINES));
      await run(config);
      await run(config);
      expect(await linesIn()).toHaveLength(6);
      expect(warnings).toEqual([]);
    });

    it('is not told of where the child itself asks only for what is new', async () => {
      const config = configured(child({ load: 'append', incremental: { field: 'no', param: 'from' } }));
      await run(config);
      await run(config);
      expect(warnings.filter((text) => !text.includes('children[0].incremental'))).toEqual([]);
    });
  });
});
