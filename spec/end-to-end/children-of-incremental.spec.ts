/** Jobs below one that asks only for what is new: their tables keep what earlier runs brought, and what they lack is asked for again. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, sinks } from '../../src';
import type { DeliverOptions, Destination, JsonObject, RunEvent } from '../../src';
import { json, redirectTo } from '../support/answers';
import type { Answer } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer } from '../support/api-server';
import { runToEnd } from '../support/command';
import { faultsOf } from '../support/faults-of';
import { filesIn, load } from '../support/load';

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
  const INCOMPLETE: readonly (readonly [string, Answer])[] = [
    ['an error in the body', json({ error: 'rate limited' })],
    ['a status of not ready', json({ status: 'pending' }, 202)],
    ['a message in place of items', json({ items: [], message: 'temporarily unavailable' })],
    ['an error beside items', json({ items: [{ no: 1 }], timed_out: true })],
    ['a total that is not reached', json({ items: [{ no: 1 }], total: 5 })],
    ['items elsewhere', json({ results: [{ no: 1 }] })],
    ['a redirect to a login', redirectTo('/login')],
  ];

  it.each(INCOMPLETE)('stays where it was, so that the next run gets what is missing: %s', async (_, answer) => {
    oddly = answer;
    await run(config());
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
