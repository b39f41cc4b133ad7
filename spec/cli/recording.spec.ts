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
