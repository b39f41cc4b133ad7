/** `headwater run` into destinations (docs/sinks.md). */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json, never } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { runToEnd, startCommand } from '../../support/command';

describe('headwater run --to', () => {
  let server: ApiServer | undefined;
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'))));
  afterEach(async () => {
    await server?.close();
    server = undefined;
    await rm(folder, { recursive: true });
  });
  const path = (...names: string[]): string => join(folder, ...names);
  /** Two items a page and three pages; the API stops answering at `stuckAt`. */
  async function api(stuckAt: () => number = () => Infinity, config: object = {}): Promise<string> {
    server = await startServer(({ url }) => {
      const offset = Number(new URL(url, 'http://api').searchParams.get('offset') ?? 0);
      return offset >= stuckAt() ? never : json([1, 2].slice(0, offset < 4 ? 2 : 1).map((at) => ({ id: offset + at })));
    });
    const written = {
      api: { baseUrl: server.origin, pagination: { method: 'offset', limit: 2 } },
      config: { jobs: [{ endpoint: 'users' }], ...config },
    };
    await writeFile(path('config.json'), JSON.stringify(written));
    return path('config.json');
  }
  const all = [1, 2, 3, 4, 5].map((id) => `{"id":${id}}\n`).join('');

  it('stores in several destinations, and says what', async () => {
    const config = await api();
    const { status, stdout, stderr } = await runToEnd([
      ...['run', config, '--to', `ndjson:${path('lines')}`, '--to', `csv:${path('tables')}`],
    ]);
    expect(status).toBe(0);
    expect(stdout).toBe('');
    const stored = `Stored ndjson:${path('lines')}: users.ndjson: 5 rows; csv:${path('tables')}: users.csv: 5 rows. Took 5 items, 3 requests, `;
    expect(stderr.split(stored)).toHaveLength(2);
    expect(await readFile(path('lines', 'users.ndjson'), 'utf8')).toBe(all);
    expect(await readFile(path('tables', 'users.csv'), 'utf8')).toBe('"id"\n"1"\n"2"\n"3"\n"4"\n"5"\n');
  });

  it('says how to look at the table of the first job, however many rows those of its lists and children have', async () => {
    server = await startServer({
      '/users': json([{ id: 1, lines: [{ n: 1 }, { n: 2 }] }]),
      '/a/1': json([{ m: 1 }, { m: 2 }]),
    });
    const children = [{ endpoint: 'a/{id}', placeholders: { id: 'id' } }];
    const jobs = [{ endpoint: 'users', dataType: 'zebras', children }];
    const config = path('config.json');
    await writeFile(config, JSON.stringify({ api: { baseUrl: server.origin }, config: { jobs } }));
    const place = path('items.duckdb');
    const { stderr } = await runToEnd(['run', config, '--to', `duckdb:${place}`]);
    expect(stderr).toContain(`Look at it: headwater query ${place} 'select * from "zebras" limit 10'`);
    const { stdout } = await runToEnd(['query', place, 'select * from "zebras" limit 10', '--format', 'csv']);
    expect(stdout).toMatch(/\bid\b/);
  });

  it('on Ctrl-C keeps what has arrived, and says how to go on; which asks for the rest alone', async () => {
    let stuckAt = 4;
    const config = await api(() => stuckAt);
    const args = ['run', config, '--to', `ndjson:${path('out')}`];
    const started = startCommand(args);
    const ended = started.ended();
    await server?.received(2);
    started.child.kill('SIGINT');
    const { status, stderr } = await ended;
    expect(status).toBe(130);
    expect(stderr).toContain(`Go on with: headwater run ${config} --to ndjson:${path('out')} --resume`);
    expect((await readdir(path('out'))).filter((name) => !name.startsWith('.'))).toEqual([]);
    stuckAt = Infinity;
    const resumed = await runToEnd([...args, '--resume']);
    expect(resumed.stderr).toContain('The run went on after 2 pages.');
    expect(resumed.status).toBe(0);
    expect(server?.requests.map(({ url }) => url.replace('/users?limit=2&offset=', ''))).toEqual(['0', '2', '4', '4']);
    expect(await readFile(path('out', 'users.ndjson'), 'utf8')).toBe(all);
  });

  it('takes the destinations of the configuration where the command names none', async () => {
    const config = await api(undefined, { sinks: [`ndjson:${path('configured')}`] });
    expect((await runToEnd(['run', config])).status).toBe(0);
    expect(await readFile(path('configured', 'users.ndjson'), 'utf8')).toBe(all);
    expect((await runToEnd(['run', config, '--to', 'ndjson:-'])).stdout).toBe(all);
  });

  it('keeps what only its owner may read where nobody else can', async () => {
    const config = await api(() => 4);
    const started = startCommand(['run', config, '--to', `ndjson:${path('out')}`]);
    const ended = started.ended();
    await server?.received(2);
    started.child.kill('SIGKILL');
    await ended;
    expect((await stat(path('out', '.headwater'))).mode & 0o077).toBe(0);
  });

  it('refuses what is no destination before any request, and shows no password', async () => {
    const config = await api();
    const { status, stderr } = await runToEnd(['run', config, '--to', 'mysql://me:hunter22@host/base']);
    expect(status).toBe(1);
    expect(stderr).toContain('"mysql://***@host/base"');
    expect(stderr).not.toContain('hunter22');
    expect(server?.requests).toEqual([]);
  });

  it('keeps the state of csv tables and of the run in the file of --state', async () => {
    const config = await api();
    const args = ['run', config, '--to', `csv:${path('out')}`, '--state', path('state.json')];
    expect((await runToEnd(args)).status).toBe(0);
    const state = JSON.parse(await readFile(path('state.json'), 'utf8')) as Record<string, unknown>;
    expect(Object.keys(state)).toContain('time');
  });

  it('keeps how far jobs have come in the file of --state, where items are printed, too', async () => {
    server = await startServer(() => json([{ id: 3 }, { id: 7 }]));
    const job = { id: 'u', endpoint: 'users', incremental: { field: 'id', param: 'after' } };
    await writeFile(path('config.json'), JSON.stringify({ api: { baseUrl: server.origin }, config: { jobs: [job] } }));
    const args = ['run', path('config.json'), '--to', 'ndjson:-', '--state', path('state.json')];
    expect((await runToEnd(args)).stdout).toBe('{"id":3}\n{"id":7}\n');
    await runToEnd(args);
    expect(server.requests.map(({ url }) => url)).toEqual(['/users', '/users?after=7']);
  });
});
