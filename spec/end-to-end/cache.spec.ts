/** The cache over whole runs, against a real server (language 1.8). */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, toArray } from 'rxjs';
import { extract } from '../../src';
import type { RunEvent } from '../../src';
import { bytes, json } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer } from '../support/api-server';
import { jobsAt, tokenLogin } from '../support/configurations';

describe('language 1.8: the cache of a run', () => {
  let folder: string;
  let server: ApiServer;
  let logins = 0;
  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'cache-')), 'cache');
    logins = 0;
    server = await startServer(({ url, headers }) =>
      url.startsWith('/login') ? json({ token: `t0ken-${(logins += 1)}` }) : json([{ url, token: headers['x-token'] }]),
    );
  });
  afterEach(async () => {
    await server.close();
    await rm(join(folder, '..'), { recursive: true });
  });

  const configuration = (config: object = {}, cache: unknown = true): object => ({
    ...jobsAt(server.origin, ['a', 'b'], tokenLogin(0), config),
    cache,
  });
  const eventsOf = (config: object, cacheFolder?: string): Promise<RunEvent[]> =>
    lastValueFrom(extract(config, cacheFolder === undefined ? {} : { cacheFolder }).events$.pipe(toArray()));
  const itemsOf = (events: readonly RunEvent[]): unknown[] =>
    events.flatMap((event) => (event.type === 'page.extracted' ? event.page.items : []));

  it('a second run with other tokens asks for nothing, not even a login', async () => {
    const first = itemsOf(await eventsOf(configuration(), folder));
    expect(first).toEqual([
      { url: '/a', token: 't0ken-1' },
      { url: '/b', token: 't0ken-2' },
    ]);
    expect(server.requests).toHaveLength(4);

    const events = await eventsOf(configuration(), folder);
    expect(itemsOf(events)).toEqual(first);
    expect(server.requests).toHaveLength(4);
    expect(events.filter(({ type }) => type === 'response.cached')).toHaveLength(2);
  });

  it('logins are never kept', async () => {
    await eventsOf(configuration(), folder);
    const files = await readdir(folder);
    const urls = await Promise.all(
      files.map(async (file) => (JSON.parse(await readFile(join(folder, file), 'utf8')) as { url: string }).url),
    );
    expect(urls.sort()).toEqual([`${server.origin}/a`, `${server.origin}/b`]);
  });

  it('what becomes of the responses may change, who asks may not', async () => {
    await eventsOf(configuration({ '#key': 'mine' }), folder);
    await eventsOf(configuration({ '#key': 'mine', debug: true, mappings: { x: { id: 'id' } } }), folder);
    expect(server.requests).toHaveLength(4);
    await eventsOf(configuration({ '#key': 'yours' }), folder);
    expect(server.requests).toHaveLength(8);
  });

  it.each([{ userData: { account: 'b' } }, { id: 'b' }, { outputBucket: 'b' }])(
    'an attribute with another meaning may be a credential as well: %j',
    async (attributes) => {
      await eventsOf(configuration({ '#key': 'mine' }), folder);
      await eventsOf(configuration({ '#key': 'mine', ...attributes }), folder);
      expect(server.requests).toHaveLength(8);
    },
  );

  it('the same run is answered from the folder', async () => {
    await eventsOf(configuration({ '#key': 'mine' }), folder);
    await eventsOf(configuration({ '#key': 'mine' }), folder);
    expect(server.requests).toHaveLength(4);
  });

  it('without "cache", the folder is left alone', async () => {
    await eventsOf(configuration({}, null), folder);
    await expect(readdir(folder)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('without a folder, responses are not kept, with a warning', async () => {
    const message = 'cache: has no effect: no folder was given for it (option cacheFolder)';
    for (let run = 0; run < 2; run += 1)
      expect(await eventsOf(configuration())).toContainEqual({
        run: expect.any(String) as string,
        type: 'warning',
        code: 'CONFIGURATION',
        message,
      });
    expect(server.requests).toHaveLength(8);
    expect(extract(configuration()).warnings).toHaveLength(1);
    expect(extract(configuration(), { cacheFolder: folder }).warnings).toEqual([]);
  });

  it.each([
    ['that says it is an error', json({ error: 'maintenance' }), 'INCOMPLETE'],
    ['that cannot be read', bytes('maintenance', { 'content-type': 'text/plain' }), 'API_NOT_JSON'],
  ])('a response %s is told to come from it', async (_, answer, code) => {
    await server.close();
    server = await startServer(() => answer);
    const config = {
      api: { baseUrl: server.origin },
      config: { jobs: [{ endpoint: 'x', dataField: 'items' }] },
      cache: true,
    };
    const hint = 'comes from the cache';
    await expect(eventsOf(config, folder)).rejects.toMatchObject({
      ...{ code, message: expect.not.stringContaining(hint) as string },
    });
    await expect(eventsOf(config, folder)).rejects.toMatchObject({
      ...{ code, message: expect.stringContaining(hint) as string },
    });
    expect(server.requests).toHaveLength(1);
  });
});
