import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../src';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer, ReceivedRequest } from '../support/api-server';
import { COMPONENT, filesIn, load } from '../support/load';

describe('deliver, into CSV files at one go', () => {
  let server: ApiServer;
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });
  const sink = () => filesIn(join(folder, 'out'), COMPONENT, folder);
  const run = (config: object, state: JsonObject = {}): Promise<JsonObject> =>
    load({ api: { baseUrl: server.origin }, ...config }, sink(), { state });
  const table = (name: string): Promise<string> => readFile(join(folder, 'out', name), 'utf8');

  it('stores items as linked tables, and gives the state for the next run', async () => {
    server = await startServer({
      '/boats': json([
        { id: 1, crew: [{ n: 'Ann' }] },
        { id: 2, owner: null },
      ]),
    });
    const before = Math.floor(Date.now() / 1000);
    const state = await run({ config: { jobs: [{ endpoint: 'boats' }] } }, { mine: { kept: true } });
    expect((await table('boats')).replace(/[0-9a-f]{32}/g, '#')).toBe(
      '"id","crew","owner"\n"1","boats_#",""\n"2","",""\n',
    );
    expect((await table('boats_crew')).replace(/[0-9a-f]{32}/g, '#')).toBe('"n","JSON_parentId"\n"Ann","boats_#"\n');
    expect(state).toMatchObject({ mine: { kept: true }, 'json_parser.structVersion': 3 });
    const { time } = state as { time: { previousStart: number } };
    expect(time.previousStart).toBeGreaterThanOrEqual(before);
    expect(await readdir(folder)).toEqual(['out']);
  });

  it('language 7.1: previousStart of the state reaches the requests', async () => {
    server = await startServer(() => json([]));
    const params = { since: { time: 'previousStart' } };
    await run({ config: { jobs: [{ endpoint: 'a', params }] } }, { time: { previousStart: 1500000000 } });
    expect(server.requests[0]?.url).toBe('/a?since=1500000000');
  });

  it('language 0.5: nothing is stored, and no row is left waiting, when a job fails', async () => {
    server = await startServer({ '/a': json([{ id: 1 }]), '/b': json({ error: 'no' }, 404) });
    await expect(run({ config: { jobs: [{ endpoint: 'a' }, { endpoint: 'b' }] } })).rejects.toMatchObject({
      code: 'API_STATUS',
    });
    expect(await readdir(folder)).toEqual([]);
  });

  it('language 1.5: iterations of one bucket share tables, other buckets have their own', async () => {
    server = await startServer(({ url }: ReceivedRequest) => json([{ url }]));
    await run({
      config: {
        outputBucket: 'one',
        incrementalOutput: true,
        jobs: [{ endpoint: 'a', dataType: 't', params: { p: { attr: 'p' } } }],
        p: 0,
      },
      iterations: [{ p: 1 }, { p: 2, outputBucket: 'two' }, { p: 3, incrementalOutput: false }],
    });
    expect(await table('one.t')).toBe('"url"\n"/a?p=1"\n"/a?p=3"\n');
    expect(await table('two.t')).toBe('"url"\n"/a?p=2"\n');
    expect(await table('one.t.manifest')).toBe('{"destination":"in.c-one.t","incremental":false}');
    expect(await table('two.t.manifest')).toBe('{"destination":"in.c-two.t","incremental":true}');
  });

  it('language 1.5: each iteration logs in anew, with its own attributes', async () => {
    server = await startServer(({ url }: ReceivedRequest) => json(url.startsWith('/login') ? { token: url } : []));
    await load(
      {
        api: {
          baseUrl: server.origin,
          authentication: {
            type: 'login',
            loginRequest: { endpoint: 'login', params: { user: { attr: 'user' } } },
            apiRequest: { headers: { 'x-token': 'token' } },
          },
        },
        config: { jobs: [{ endpoint: 'a' }] },
        iterations: [{ user: 'ann' }, { user: 'bo' }],
      },
      sink(),
    );
    expect(server.requests.map(({ url, headers }) => [url, headers['x-token']])).toEqual([
      ['/login?user=ann', undefined],
      ['/a', '/login?user=ann'],
      ['/login?user=bo', undefined],
      ['/a', '/login?user=bo'],
    ]);
  });

  it('language 8.12: a job with a mapping makes no automatic tables, its children follow their own data type', async () => {
    server = await startServer(({ url }: ReceivedRequest) =>
      json(url === '/boats' ? [{ id: 1, x: 2 }] : [{ n: 'Ann' }]),
    );
    const children = [{ endpoint: 'boats/{id}', dataType: 'crew', placeholders: { id: 'id' } }];
    const state = await run({
      config: { mappings: { boats: { id: 'boat' } }, jobs: [{ endpoint: 'boats', children }] },
    });
    expect(await table('boats')).toBe('"boat"\n"1"\n');
    expect(await table('crew')).toBe('"n","parent_id"\n"Ann","1"\n');
    expect(Object.keys(state)).toEqual(['time']);
  });

  it('gives the next run how far jobs have come', async () => {
    server = await startServer(() => json([{ id: 3 }, { id: 7 }]));
    const config = { config: { jobs: [{ id: 'b', endpoint: 'boats', incremental: { field: 'id', param: 'after' } }] } };
    await run(config, await run(config));
    expect(server.requests.map(({ url }) => url)).toEqual(['/boats', '/boats?after=7']);
  });
});
