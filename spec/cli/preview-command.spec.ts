import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer } from '../support/api-server';
import { runToEnd } from '../support/command';

describe('headwater preview', () => {
  let server: ApiServer;
  const folder = mkdtempSync(join(tmpdir(), 'preview-command-'));
  afterEach(() => server.close());
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const configuration = (config: object): string => {
    const file = join(folder, 'config.json');
    writeFileSync(file, JSON.stringify({ api: { baseUrl: server.origin }, config }));
    return file;
  };

  it('fits 80 columns, neutralises control characters, and says loudly that there is more', async () => {
    server = await startServer(() =>
      json({
        items: [{ id: 1, name: 'a\u001b[31m red', note: 'x'.repeat(300), ...Object.fromEntries(columns()) }],
        has_more: true,
      }),
    );
    const { status, stdout, stderr } = await runToEnd(['preview', configuration({ jobs: [{ endpoint: 'users' }] })]);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('! A run would stop here, and the API has more of users.');
    expect(stdout).toContain('  items    1 item at dataField "items", detected');
    expect(stdout).toContain('\\u001b[31m red');
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toMatch(/\(\d+ more columns: /);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(stdout.split('\n').length).toBeLessThan(40);
  });

  const columns = (): [string, string][] => Array.from({ length: 30 }, (_, at) => [`column_${at}`, `value ${at}`]);

  it('prints JSON, masks secrets, and ends with status 1 where a job fails', async () => {
    server = await startServer(({ url }) =>
      json(url === '/bad' ? { error: 'k3y-of-api' } : [{ id: 7 }], url === '/bad' ? 400 : 200),
    );
    const file = configuration({ '#key': 'k3y-of-api', jobs: [{ endpoint: 'bad' }, { endpoint: 'good' }] });
    const { status, stdout } = await runToEnd(['preview', file, '--format', 'json']);
    expect(status).toBe(1);
    expect(stdout).not.toContain('k3y-of-api');
    const { jobs } = JSON.parse(stdout) as { jobs: { state: string }[] };
    expect(jobs.map(({ state }) => state)).toEqual(['failed', 'previewed']);
  });

  it('refuses a job that is not there, in a sentence', async () => {
    server = await startServer(() => json([]));
    const file = configuration({ jobs: [{ endpoint: 'users' }] });
    const { status, stderr } = await runToEnd(['preview', file, '--job', 'user']);
    expect([status, stderr]).toEqual([1, 'job: there is no job "user"; did you mean "users"?\n']);
  });
});
