import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import { runToEnd } from '../support/command';

describe('headwater run --record and --replay', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const configured = async (baseUrl: string, endpoint = 'users', key = ''): Promise<string> => {
    const path = join(folder, 'config.json');
    const http = { defaultOptions: { params: { key: { attr: '#key' } } } };
    await writeFile(path, JSON.stringify({ api: { baseUrl, http }, config: { '#key': key, jobs: [{ endpoint }] } }));
    return path;
  };

  it('keep a run in a private file without secrets, and run it again offline', async () => {
    const server = await startServer({ '/users': json([{ id: 1 }, { id: 2 }]) });
    const file = join(folder, 'users.har');
    const config = await configured(server.origin, 'users', 'k3y-of-the-api');
    const first = await runToEnd(['run', config, '--record', file]).finally(() => server.close());
    expect(first).toMatchObject({ status: 0, stdout: '{"id":1}\n{"id":2}\n' });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, 'utf8')).not.toContain('k3y-of-the-api');
    expect((await readdir(folder)).sort()).toEqual(['config.json', 'users.har']);

    const again = await runToEnd(['run', await configured(server.origin), '--replay', file]);
    expect(again).toMatchObject({ status: 0, stdout: first.stdout });

    const other = await runToEnd(['run', await configured(server.origin, 'groups'), '--replay', file]);
    expect(other.status).not.toBe(0);
    expect(other.stderr).toContain('/groups?key= has no answer in the recording');
    expect(other.stderr).toContain('The most similar recorded request: GET');
  });

  it('need no credentials: what the configuration refers to need not be set, wherever it was sent', async () => {
    const server = await startServer(({ url }) =>
      url.startsWith('/login') ? json({ token: 't0ken-of-the-session' }) : json([{ id: 1 }]),
    );
    const file = join(folder, 'users.har');
    const path = join(folder, 'config.json');
    const login = { endpoint: 'login', method: 'POST', params: { name: 'ann', password: { attr: '#password' } } };
    const document = {
      api: {
        baseUrl: { env: 'RECORDED_BASE_URL' },
        http: { defaultOptions: { params: { key: { attr: '#key' } } } },
        authentication: {
          type: 'login',
          loginRequest: login,
          apiRequest: { headers: { 'X-Token': 'token' } },
        },
      },
      config: {
        '#key': { env: 'RECORDED_KEY' },
        '#password': { file: join(folder, 'password.txt') },
        jobs: [{ endpoint: 'a/users', dataType: 'users' }],
      },
    };
    await writeFile(path, JSON.stringify(document));
    await writeFile(join(folder, 'password.txt'), 'p4ssw0rd-of-ann');
    await writeFile(join(folder, 'all.env'), `RECORDED_BASE_URL=${server.origin}/\nRECORDED_KEY=k3y-of-the-api\n`);
    const first = await runToEnd(['run', path, '--env-file', join(folder, 'all.env'), '--record', file]).finally(() =>
      server.close(),
    );
    expect(first.stderr).toContain('finished successfully');
    await rm(join(folder, 'password.txt'));
    const again = await runToEnd(['run', path, '--replay', file]);
    expect(again).toMatchObject({ status: 0, stdout: first.stdout });
    expect(again.stderr).not.toContain('unset-');
    expect((await runToEnd(['preview', path, '--replay', file])).stdout).toContain('1 item');
    expect((await runToEnd(['run', path])).stderr).toContain('the environment variable RECORDED_KEY is not set');
  });

  it('keep a run that failed, too, and refuse what is no recording', async () => {
    const file = join(folder, 'failed.har');
    const failed = await runToEnd(['run', await configured('http://127.0.0.1:9/'), '--record', file, '--replay', file]);
    expect(failed.stderr).toContain(`--replay: ${file} cannot be used`);
    await writeFile(file, '{}');
    const none = await runToEnd(['run', await configured('http://127.0.0.1:9/'), '--replay', file]);
    expect(none.stderr).toContain('expected a HAR that Headwater has recorded');
    const server = await startServer({});
    const refused = await runToEnd(['run', await configured(server.origin), '--record', file]).finally(() =>
      server.close(),
    );
    expect(refused.status).not.toBe(0);
    expect(await readFile(file, 'utf8')).toContain('"status": 404');
  });
});
