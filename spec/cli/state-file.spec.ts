import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer } from '../support/api-server';
import { runApart, runToEnd } from '../support/command';

const TOKEN = 'rotated-token';

describe('the state between runs of the command', () => {
  let server: ApiServer;
  let folder: string;
  beforeEach(async () => {
    server = await startServer({
      '/login': json({ access: 'an-access-token', refresh: TOKEN }),
      '/users': json([{ id: 1 }]),
      '/again': json([{ id: 1 }]),
      '/broken': json({ error: 'no' }, 404),
      // Another token each time.
      '/rotating': (response) =>
        json({ access: 'an-access-token', refresh: `${TOKEN}-${server.requests.length}` })(response),
    });
    folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });
  const inFolder = (path: string): string => join(folder, path);
  const read = async (path: string): Promise<unknown> => JSON.parse(await readFile(inFolder(path), 'utf8')) as unknown;
  const configure = (...endpoints: readonly string[]): Promise<void> => {
    const params = { r: { function: 'ifempty', args: [{ state: 'refresh' }, 'first'] } };
    const authentication = {
      type: 'login',
      loginRequest: { endpoint: 'login', params },
      persist: { refresh: { response: 'refresh' } },
    };
    const jobs = endpoints.map((endpoint) => ({ endpoint, params: { since: { time: 'previousStart' } } }));
    const config = { api: { baseUrl: server.origin, authentication }, config: { jobs } };
    return writeFile(inFolder('config.json'), JSON.stringify(config));
  };
  const run = (...flags: readonly string[]) => runToEnd(['run', inFolder('config.json'), ...flags]);
  const kept = { 'headwater.credentials': [{ values: { '#refresh': TOKEN } }] };

  it.each([[[]], [['--to', 'csv:out']]])('--state gives the next run what this one left, with %j', async (to) => {
    await configure('users');
    const flags = ['--state', inFolder('state.json'), ...to.map((flag) => flag.replace('out', inFolder('out')))];
    expect(await run(...flags)).toMatchObject({ status: 0 });
    expect(await read('state.json')).toMatchObject({ ...kept, time: { previousStart: expect.any(Number) as number } });
    expect((await stat(inFolder('state.json'))).mode & 0o777).toBe(0o600);
    expect(await run(...flags)).toMatchObject({ status: 0 });
    const urls = server.requests.map(({ url }) => url.replace(/since=[1-9]\d+/, 'since=#'));
    expect(urls).toEqual(['/login?r=first', '/users?since=0', `/login?r=${TOKEN}`, '/users?since=#']);
  });

  it('--state has what a login gave also when the run fails, and nothing else', async () => {
    await configure('broken');
    await writeFile(inFolder('state.json'), '{"mine":9007199254740993,"time":{"previousStart":5}}');
    const { status, stderr } = await run('--state', inFolder('state.json'));
    expect(status).toBe(1);
    expect(stderr).not.toContain(TOKEN);
    expect(await readFile(inFolder('state.json'), 'utf8')).toContain(
      '"mine":9007199254740993,"time":{"previousStart":5}',
    );
    expect(await read('state.json')).toMatchObject(kept);
    expect((await readdir(folder)).sort()).toEqual(['config.json', 'state.json']);
  });

  it('without --state, a run with several logins says once that what they gave is lost', async () => {
    await configure('users', 'again');
    const text = await readFile(inFolder('config.json'), 'utf8');
    const rotating = text
      .replace('"endpoint":"login"', '"endpoint":"rotating"')
      .replace('"persist"', '"expires":0,"persist"');
    await writeFile(inFolder('config.json'), rotating);
    const { status, stderr } = await run();
    expect(status).toBe(0);
    expect(server.requests.filter(({ url }) => url.startsWith('/rotating'))).toHaveLength(2);
    expect(stderr.split('are lost: name a file for them with --state').length - 1).toBe(1);
  });

  it.each([
    ['[]', 'it is not a JSON object'],
    ['{"a"', 'it is not JSON'],
  ])('--state does not go on with %s, and leaves the file alone', async (content, reason) => {
    await configure('users');
    await writeFile(inFolder('state.json'), content);
    const { status, stderr } = await run('--state', inFolder('state.json'));
    expect(status).toBe(1);
    expect(stderr).toContain(`--state: ${inFolder('state.json')} cannot be used: ${reason}`);
    expect(await readFile(inFolder('state.json'), 'utf8')).toBe(content);
    expect(server.requests).toEqual([]);
  });

  describe('with a key in HEADWATER_KEY', () => {
    const state = (): readonly string[] => ['--state', inFolder('state.json')];
    afterEach(() => {
      delete process.env['HEADWATER_KEY'];
      delete process.env['HEADWATER_KEY_COMMAND'];
    });

    it('or with what a command prints, which each run asks once', async () => {
      const asked = inFolder('asked');
      const script = inFolder('key.cjs');
      await configure('users');
      await writeFile(
        script,
        `require('node:fs').appendFileSync(${JSON.stringify(asked)}, '.'); console.log('a key of sixteen characters');`,
      );
      process.env['HEADWATER_KEY_COMMAND'] = `"${process.execPath}" "${script}"`;
      for (let count = 0; count < 2; count += 1)
        expect(await runApart(['run', inFolder('config.json'), ...state()])).toMatchObject({ status: 0 });
      expect(await readFile(asked, 'utf8')).toBe('..');
      delete process.env['HEADWATER_KEY_COMMAND'];
      process.env['HEADWATER_KEY'] = 'a key of sixteen characters';
      expect(await runApart(['run', inFolder('config.json'), ...state()])).toMatchObject({ status: 0 });
      process.env['HEADWATER_KEY_COMMAND'] = 'true';
      expect((await runApart(['run', inFolder('config.json'), ...state()])).stderr).toContain(
        'HEADWATER_KEY_COMMAND cannot stand beside HEADWATER_KEY',
      );
    });

    it.each([
      ['exit 3', 'ended with status 3'],
      ['echo short', 'at least 16 characters'],
    ])('of a command that gives no key nothing is used: %s', async (command, reason) => {
      await configure('users');
      process.env['HEADWATER_KEY_COMMAND'] = command;
      const { status, stderr } = await run(...state());
      expect(status).toBe(1);
      expect(stderr).toContain(reason);
      expect(server.requests).toEqual([]);
    });

    it('it is encrypted, and read with the same key only', async () => {
      await configure('users');
      await writeFile(inFolder('state.json'), '{"mine":1}');
      process.env['HEADWATER_KEY'] = 'a key of sixteen characters';
      expect(await run(...state())).toMatchObject({ status: 0 });
      const bytes = await readFile(inFolder('state.json'));
      expect(bytes.includes(TOKEN) || bytes.includes('mine')).toBe(false);
      expect((await stat(inFolder('state.json'))).mode & 0o777).toBe(0o600);
      expect(await run(...state())).toMatchObject({ status: 0 });
      expect(server.requests.map(({ url }) => url)).toContain(`/login?r=${TOKEN}`);
      const { length } = server.requests;
      for (const [key, reason] of [
        ['another key of sixteen', 'it was encrypted with another key than that of HEADWATER_KEY, or it is damaged'],
        [undefined, 'it is encrypted. Set HEADWATER_KEY to the key that it was written with'],
        ['short', 'at least 16 characters'],
        ['', 'at least 16 characters'],
      ] as const) {
        if (key === undefined) delete process.env['HEADWATER_KEY'];
        else process.env['HEADWATER_KEY'] = key;
        const { status, stderr } = await run(...state());
        expect(status).toBe(1);
        expect(stderr).toContain(reason);
      }
      expect(server.requests).toHaveLength(length);
    });
  });

  it('a run whose --state cannot be saved is told by the next --resume, which requests nothing', async () => {
    const api = await startServer(() => async (response) => {
      await writeFile(inFolder('kept'), 'in the way of the folder');
      await json([{ id: 1 }])(response);
    });
    const job = { endpoint: 'users', load: 'append' };
    await writeFile(inFolder('config.json'), JSON.stringify({ api: { baseUrl: api.origin }, config: { jobs: [job] } }));
    const flags = ['--state', inFolder('kept/state.json'), '--to', `csv:${inFolder('out')}`];
    const first = await run(...flags);
    expect(first).toMatchObject({ status: 2, stderr: expect.stringContaining('--resume') as string });
    expect(first.stderr).not.toContain('Stored');
    await rm(inFolder('kept'));
    const stored = /Stored csv:\S*out: users.csv: 1 row\..*\n.*Extractor finished successfully\./;
    const again = await run(...flags, '--resume');
    expect(again).toMatchObject({ status: 0, stderr: expect.stringMatching(stored) as string });
    expect(again.stderr).not.toContain('Took');
    expect(await read('kept/state.json')).toMatchObject({ time: { previousStart: expect.any(Number) as number } });
    expect(await readFile(inFolder('out/users.csv'), 'utf8')).toBe('"id"\n"1"\n');
    expect(api.requests).toHaveLength(1);
    await api.close();
  });

  it('--state does not go on with a file that was changed, until somebody says that it is meant', async () => {
    await configure('users');
    const file = inFolder('state.json');
    expect(await run('--state', file)).toMatchObject({ status: 0 });
    const changed = (await readFile(file, 'utf8')).replace(/"previousStart":\d/, '"previousStart":2');
    await writeFile(file, changed);
    const { status, stderr } = await run('--state', file);
    expect(status).toBe(1);
    expect(stderr).toContain(
      'it is not as it was saved. If you changed it yourself, delete the key "headwater.checksum"',
    );
    await writeFile(file, changed.replace(/,"headwater.checksum":"\w+"/, ''));
    expect(await run('--state', file)).toMatchObject({ status: 0 });
  });

  it('without --state, a value that will be lost is a warning', async () => {
    await configure('users');
    const { status, stdout, stderr } = await run();
    expect({ status, stdout }).toEqual({ status: 0, stdout: '{"id":1}\n' });
    expect(stderr).toMatch(/warn: .*lost: name a file for them with --state/);
  });

  it('component: out/state.json has what a login gave also when the run fails', async () => {
    await configure('broken');
    await mkdir(inFolder('in'));
    await writeFile(inFolder('in/state.json'), '{"time":{"previousStart":5}}');
    const { status } = await runToEnd(['component', '--data-dir', folder]);
    expect(status).toBe(1);
    expect(await read('out/state.json')).toMatchObject({ ...kept, time: { previousStart: 5 } });
    expect(await readdir(inFolder('out'))).toEqual(['state.json']);
  });
});
