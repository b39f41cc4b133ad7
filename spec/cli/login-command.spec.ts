import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer } from '../support/api-server';
import { runToEnd, startCommand } from '../support/command';

describe('headwater login', () => {
  let server: ApiServer;
  let folder: string;
  let isDenied: boolean;
  beforeEach(async () => {
    isDenied = false;
    folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
    server = await startServer(({ url }) => {
      if (url === '/device')
        return json({
          device_code: 'd3vice',
          user_code: 'WDJB',
          verification_uri: 'http://go.example',
          interval: 0.01,
        });
      if (url !== '/token') return json([{ id: 1 }]);
      return isDenied
        ? json({ error: 'access_denied' }, 400)
        : json({ access_token: 'acc3ss', refresh_token: 'r3fresh' });
    });
    await writeFile(
      join(folder, 'config.json'),
      JSON.stringify({
        api: {
          baseUrl: server.origin,
          authentication: {
            type: 'oauth2',
            grant: 'device_code',
            tokenEndpoint: 'token',
            deviceAuthorizationEndpoint: 'device',
            clientAuthentication: 'none',
          },
        },
        config: { clientId: 'river', jobs: [{ endpoint: 'items' }] },
      }),
    );
  });
  afterEach(async () => {
    delete process.env['HEADWATER_KEY'];
    await server.close();
    await rm(folder, { recursive: true });
  });
  const paths = () => [join(folder, 'config.json'), '--state', join(folder, 'state.json')];

  it('keeps the login in a file that only its owner reads, for runs to come', async () => {
    const before = await runToEnd(['run', ...paths()]);
    expect(before).toMatchObject({ status: 1, stdout: '' });
    expect(before.stderr).toContain('run "headwater login CONFIG --state FILE" first');
    const { status, stdout, stderr } = await runToEnd(['login', ...paths()]);
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    expect(stderr).toContain('open http://go.example in any browser, and enter the code WDJB');
    expect(stderr).toContain('The login is kept.');
    expect(stderr).not.toMatch(/acc3ss|r3fresh|d3vice/);
    expect((await stat(join(folder, 'state.json'))).mode & 0o777).toBe(0o600);
    await expect(runToEnd(['run', ...paths()])).resolves.toMatchObject({ status: 0, stdout: '{"id":1}\n' });
  });

  it('encrypts what it keeps with the key of the environment', async () => {
    process.env['HEADWATER_KEY'] = 'a key of enough characters';
    await expect(runToEnd(['login', ...paths()])).resolves.toMatchObject({ status: 0 });
    expect((await readFile(join(folder, 'state.json'))).toString('latin1')).not.toContain('r3fresh');
    await expect(runToEnd(['run', ...paths()])).resolves.toMatchObject({ status: 0 });
  });

  it('a login that is denied ends with status 1, and keeps nothing', async () => {
    isDenied = true;
    const { status, stderr } = await runToEnd(['login', ...paths()]);
    expect(status).toBe(1);
    expect(stderr).toContain('Access was denied. Log in again, and allow it.');
    await expect(stat(join(folder, 'state.json'))).rejects.toThrow('ENOENT');
  });

  it('Ctrl-C ends it', async () => {
    const config = JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')) as {
      api: { authentication: object };
    };
    const authentication = { ...config.api.authentication, grant: 'authorization_code', authorizationEndpoint: 'go' };
    const text = JSON.stringify({ ...config, api: { ...config.api, authentication } });
    const { child, ended } = startCommand(['login', '-', '--state', join(folder, 'state.json')], text);
    const all = ended();
    await once(child.stderr, 'data');
    child.kill('SIGINT');
    await expect(all).resolves.toMatchObject({ status: 130 });
  });

  it('needs a state file, and a port that there is', async () => {
    const none = await runToEnd(['login', join(folder, 'config.json')]);
    expect(none.stderr).toContain("required option '--state <file>' not specified");
    const odd = await runToEnd(['login', ...paths(), '--port', '65536']);
    expect(odd.stderr).toContain('Expected a port, from 0 to 65535.');
  });
});
