/** How far a job has come belongs to the job: what asks for the same items goes on, and a reset is told. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, destinationOf } from '../../../src';
import type { Json, JsonObject, RunEvent } from '../../../src';
import { jobKeysOf, withJobsOf, withKnownJobs } from '../../../src/run/state/by-job';
import type { JobKeys } from '../../../src/run/state/by-job';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';

describe('a job that asks only for what is new', () => {
  let server: ApiServer;
  let folder: string;
  beforeEach(async () => {
    server = await startServer(({ url }) => json(url.startsWith('/orders') ? [{ id: 1, at: 5 }] : [{ id: 2 }]));
    folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });
  const orders = (job: JsonObject = {}): JsonObject => ({
    endpoint: 'orders',
    load: 'append',
    incremental: { field: 'at', param: 'since' },
    ...job,
  });
  const configOf = (jobs: Json, api: JsonObject = {}): Json => ({
    api: { baseUrl: server.origin, ...api },
    config: { jobs },
  });
  /** Runs a configuration: what was requested, and the warnings about what counts no more. */
  const run = async (config: Json, state?: JsonObject) => {
    const before = server.requests.length;
    const resets: string[] = [];
    const onEvent = (event: RunEvent): void => {
      if (event.type === 'warning' && event.code === 'STATE_RESET') resets.push(event.message);
    };
    const to = destinationOf(`ndjson:${folder}/out`);
    const delivery = await deliver(config, [to], { onEvent, ...(state === undefined ? {} : { state }) });
    return { urls: server.requests.slice(before).map(({ url }) => url), resets, state: delivery.state };
  };
  const firstRun = { urls: ['/orders'], resets: [] };

  it.each<[string, () => Json]>([
    ['another page size', () => configOf([orders({ params: { per_page: 100 } })])],
    ['a pagination', () => configOf([orders()], { pagination: { method: 'offset', limit: 10 } })],
    ['limits and retries', () => configOf([orders({ concurrency: 2 })], { retryConfig: { maxRetries: 1 } })],
    ['another way to load', () => configOf([orders({ load: 'merge', primaryKey: 'id' })])],
    ['another job beside it', () => configOf([orders(), { endpoint: 'users' }])],
    ['an empty array of children', () => configOf([orders({ children: [] })])],
    ['another job before it', () => configOf([{ endpoint: 'users' }, orders()])],
  ])('goes on from where it was with %s', async (_, changed) => {
    expect(await run(configOf([orders()]))).toMatchObject(firstRun);
    const { urls, resets } = await run(changed());
    expect(resets).toEqual([]);
    expect(urls.filter((url) => url.startsWith('/orders'))[0]).toContain('since=5');
  });

  it('goes on in a state that is kept elsewhere as well', async () => {
    const { state } = await run(configOf([orders()]), {});
    const { urls, resets } = await run(configOf([orders({ params: { per_page: 100 } })]), state);
    expect(urls).toEqual(['/orders?per_page=100&since=5']);
    expect(resets).toEqual([]);
  });

  it.each<[string, () => Json]>([
    ['a filter', () => configOf([orders({ params: { status: 'all' } })])],
    ['the table', () => configOf([orders({ tableName: 'sales' })])],
    ['an attribute', () => ({ ...(configOf([orders()]) as JsonObject), config: { jobs: [orders()], account: 8 } })],
  ])('asks for everything, and says so, with another value of %s', async (_, changed) => {
    await run(configOf([orders()]));
    const { urls, resets } = await run(changed());
    expect(urls[0]).not.toContain('since');
    expect(resets).toEqual([expect.stringContaining('config.jobs[0].incremental: asks for everything')]);
  });

  describe('and has children', () => {
    const child = (more: JsonObject = {}): JsonObject => ({
      endpoint: 'lines/{id}',
      dataType: 'lines',
      placeholders: { id: 'id' },
      load: 'append',
      ...more,
    });
    const parts = child({ endpoint: 'parts/{id}', dataType: 'parts' });
    const withChildren = (...children: readonly JsonObject[]): Json => configOf([orders({ children })]);

    const added: readonly [string, () => Json, () => Json][] = [
      ['a child', () => configOf([orders()]), () => withChildren(child())],
      ['another child', () => withChildren(child()), () => withChildren(child(), parts)],
      ['a child of a child', () => withChildren(child()), () => withChildren(child({ children: [parts] }))],
      [
        'parents, by a filter that is left out',
        () => withChildren(child({ recursionFilter: 'id>7' })),
        () => withChildren(child()),
      ],
      ['another placeholder', () => withChildren(child()), () => withChildren(child({ placeholders: { id: 'at' } }))],
      ['another column', () => withChildren(child()), () => withChildren(child({ compute: { one: '1' } }))],
    ];

    it.each(added)('asks for everything, and says so, with %s', async (_, first, second) => {
      expect(await run(first())).toMatchObject({ resets: [] });
      const { urls, resets } = await run(second());
      expect(urls[0]).toBe('/orders');
      expect(resets).toEqual([expect.stringContaining('config.jobs[0].incremental: asks for everything')]);
      expect((await run(second())).urls[0]).toBe('/orders?since=5');
    });

    it.each(added)('starts over in a state that is kept elsewhere, too, with %s', async (_, first, second) => {
      const withId = (config: Json): Json =>
        JSON.parse(JSON.stringify(config).replace('"endpoint":"orders"', '"id":"o","endpoint":"orders"')) as Json;
      const { state } = await run(withId(first()), {});
      const { urls, resets, state: left } = await run(withId(second()), state);
      expect(urls[0]).toBe('/orders');
      expect(resets).toEqual([expect.stringMatching(/^config\.jobs\[0\]\.incremental: starts over: .* another child/)]);
      expect(await run(withId(second()), left)).toMatchObject({ resets: [] });
      expect(server.requests.map(({ url }) => url)).toContain('/orders?since=5');
    });

    it.each<[string, () => Json]>([
      ['one of them less', () => withChildren(parts)],
      ['none of them', () => configOf([orders()])],
      ['them in another order', () => withChildren(parts, child())],
      ['other ids and limits of them', () => withChildren(child({ id: 'l', concurrency: 2 }), parts)],
    ])('goes on from where it was with %s', async (_, changed) => {
      await run(withChildren(child(), parts));
      const { urls, resets } = await run(changed());
      expect(resets).toEqual([]);
      expect(urls[0]).toBe('/orders?since=5');
      // Those that are there again have not had the items in between.
      expect((await run(withChildren(child(), parts, child({ dataType: 'more' })))).urls[0]).toBe('/orders');
    });
  });
});

describe('the states of jobs', () => {
  const keyOf = (id: string, asked: string, below: readonly string[] = []): JobKeys =>
    new Map([[id, { asked, below }]]);
  const keys = keyOf('a', 'key of a');
  const own = { 'headwater.cursors': { a: { '': 5 } } };

  it('are found by what the jobs ask, unless the configuration knows better', () => {
    const all = withJobsOf({ mine: 1 }, own, keys);
    expect(all).toMatchObject({ mine: 1 });
    expect(withKnownJobs({}, all, keyOf('b', 'key of a'))).toEqual({ 'headwater.cursors': { b: { '': 5 } } });
    expect(withKnownJobs({ 'headwater.cursors': { a: { '': 7 } } }, all, keys)).toEqual({
      'headwater.cursors': { a: { '': 7 } },
    });
    expect(withKnownJobs({}, all, keyOf('b', 'another key'))).toEqual({});
  });

  it('are those of the children that they came with', () => {
    const all = withJobsOf({}, own, keyOf('a', 'key', ['x', 'y']));
    expect(withKnownJobs({}, all, keyOf('a', 'key', ['y', 'x']))).toEqual(own);
    expect(withKnownJobs({}, all, keyOf('a', 'key', ['x']))).toEqual(own);
    expect(withKnownJobs({}, all, keyOf('a', 'key', ['x', 'y', 'z']))).toEqual({});
    const fewer = withJobsOf(all, own, keyOf('a', 'key', ['x']));
    expect(withKnownJobs({}, fewer, keyOf('a', 'key', ['x', 'y']))).toEqual({});
    const beside = withJobsOf(all, own, keyOf('a', 'other key'));
    expect(withKnownJobs({}, beside, keyOf('a', 'key', ['x', 'z']))).toEqual({});
  });

  it('of an older version do not say with which children they came', () => {
    const { 'headwater.jobs': jobs = {} } = withJobsOf({}, own, keys);
    expect(withKnownJobs({}, { 'headwater.jobs': jobs }, keyOf('a', 'key of a', ['x']))).toEqual(own);
  });

  it('are those of 2,000 jobs at most', () => {
    const ids = Array.from({ length: 2_000 }, (_, at) => `${at}`);
    const cursors = { 'headwater.cursors': Object.fromEntries(ids.map((id) => [id, { '': 5 }])) };
    const before = withJobsOf({}, cursors, new Map(ids.map((id) => [id, { asked: `key ${id}`, below: [] }])));
    const all = withJobsOf(before, own, keyOf('a', 'key 2000'));
    expect(withKnownJobs({}, all, keyOf('a', 'key 0'))).toEqual({});
    expect(withKnownJobs({}, all, keyOf('a', 'key 1'))).toEqual(own);
  });

  it('are none of jobs that nobody can tell from each other', () => {
    const job = { endpoint: 'a' };
    const config = { api: {}, config: { jobs: [job, { ...job, params: { limit: 5 } }] } };
    const paths = ['config.jobs[0]', 'config.jobs[1]'].map((path, at) => ({ id: `${at}`, path }));
    expect(jobKeysOf(config, paths).size).toBe(0);
  });
});
