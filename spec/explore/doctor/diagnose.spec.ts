import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diagnose } from '../../../src';
import { clockDiagnosis } from '../../../src/explore/doctor/host';
import { machineDiagnoses } from '../../../src/explore/doctor/machine';
import { holderText, thisHolder } from '../../../src/sinks/files/folder-lock';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import { createIdentity } from '../../support/certificates';
import { closedInTheEnd } from '../../support/opened';

describe('diagnose', () => {
  const folder = mkdtempSync(join(tmpdir(), 'headwater-doctor-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('looks at the machine', () => {
    const found = (version: string, env: Readonly<Record<string, string>> = {}) =>
      machineDiagnoses(env, version, env).map(({ about, level }) => `${about} ${level}`);
    expect(found('20.18.1')).toEqual(
      expect.arrayContaining(['Node.js ok', 'DuckDB ok', expect.stringMatching(/^SQLite (ok|warning)$/)]),
    );
    // Few need them: that they are missing is no warning.
    expect(found('20.18.1')).toEqual(
      expect.arrayContaining(
        ['PostgreSQL', 'Buckets', 'NATS', 'SSH', 'OpenTelemetry', 'Temporal'].map(
          (about) => expect.stringMatching(`^${about} (ok|optional)$`) as string,
        ),
      ),
    );
    expect([found('20.18.0')[0], found('18.99.9')[0], found('24.0.0')[0]]).toEqual([
      'Node.js fault',
      'Node.js fault',
      'Node.js ok',
    ]);
    const env = {
      HTTPS_PROXY: 'http://user:p4ss@proxy',
      NODE_EXTRA_CA_CERTS: join(folder, 'none.pem'),
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
    };
    expect(found('24.0.0', env).slice(-3)).toEqual([
      'HTTPS_PROXY ok',
      'NODE_EXTRA_CA_CERTS fault',
      'NODE_TLS_REJECT_UNAUTHORIZED warning',
    ]);
    expect(JSON.stringify(machineDiagnoses(env, '24.0.0', env))).not.toContain('p4ss');
  });

  it('looks at what a configuration needs, without its secrets and without credentials', async () => {
    const server = await startServer({ '/': json({}, 401) });
    const file = join(folder, 'token');
    writeFileSync(file, 't0ken-of-file\n');
    chmodSync(file, 0o644);
    const config = {
      api: { baseUrl: `${server.origin}/v1`, http: { headers: { 'X-Key': { env: 'API_KEY' }, 'X-Token': { file } } } },
      config: { sinks: [`csv:${folder}/out`], jobs: [{ endpoint: 'a' }] },
    };
    const env = { API_KEY: 'k3y-of-env' };
    const found = await diagnose(config, { env, secretFiles: true, stateFile: join(folder, 'state.json') });
    await server.close();
    expect(server.requests.map(({ method, url, headers }) => [method, url, headers['x-key']])).toEqual([
      ['HEAD', '/', undefined],
    ]);
    expect(JSON.stringify(found)).not.toMatch(/k3y-of-env|t0ken-of-file/);
    const levels = Object.fromEntries(found.map(({ about, level }) => [about, level]));
    expect(levels).toMatchObject({
      'api.http.headers.X-Key': 'ok',
      'api.http.headers.X-Token': process.platform === 'win32' ? 'ok' : 'warning',
      configuration: 'ok',
      clock: 'ok',
      state: 'ok',
      [`host ${new URL(server.origin).host}`]: 'ok',
      [`destination ${folder}/out`]: 'ok',
    });

    const unreached = await diagnose(config, { env, secretFiles: true });
    expect(unreached.filter(({ level }) => level === 'fault')).toMatchObject([
      { about: `host ${new URL(server.origin).host}`, message: expect.stringContaining('ECONNREFUSED') as string },
    ]);
  });

  it('names variables that are not set, faults, and destinations that a run would refuse', async () => {
    const headers = { 'X-Key': { env: 'API_KEY' } };
    const unset = await diagnose(
      { api: { baseUrl: 'http://127.0.0.1:9', http: { headers } }, config: { jobs: [] } },
      { env: { API_KEYS: 'x' } },
    );
    const faults = unset.filter(({ level }) => level === 'fault');
    expect(faults[0]).toMatchObject({
      about: 'api.http.headers.X-Key',
      message: expect.stringContaining('API_KEY is not set') as string,
      remedy: expect.stringContaining('--env-file') as string,
    });
    expect(new Set(faults.map(({ about }) => about)).size).toBe(faults.length);
    const job = { endpoint: 'a', incremental: { field: 'id', param: 'since' } };
    const config = { api: { baseUrl: 'http://127.0.0.1:9' }, config: { sinks: [`csv:${folder}`], jobs: [job] } };
    expect(await diagnose(config)).toEqual(
      expect.arrayContaining([expect.objectContaining({ about: 'config.jobs[0].incremental', level: 'fault' })]),
    );
  });

  it('says what to do about a certificate that nobody known has signed, and takes it from the configuration', async () => {
    const identity = createIdentity({});
    const server = await startServer({ '/': json({}) }, { identity });
    const at = (api: object) => ({ api: { baseUrl: server.origin, ...api }, config: { jobs: [{ endpoint: 'a' }] } });
    const [refused, trusted] = [
      await diagnose(at({})),
      await diagnose(at({ caCertificate: identity.certificate })),
    ].map((found) => found.find(({ about }) => about.startsWith('host ')));
    await server.close();
    expect(refused).toMatchObject({ level: 'fault', message: expect.stringMatching(/SELF_SIGNED/) as string });
    expect(refused?.remedy).toBe('If the certificate is right, give its issuer in api.caCertificate.');
    expect(trusted).toMatchObject({ level: 'ok', message: expect.stringMatching(/TLS \d+ ms/) as string });
  });

  const destinations = async (...sinks: readonly string[]) => {
    const config = { api: { baseUrl: 'http://127.0.0.1:9' }, config: { sinks, jobs: [{ endpoint: 'a' }] } };
    return (await diagnose(config)).filter(({ about }) => about.startsWith('destination '));
  };

  it.each([
    ['PostgreSQL', 'postgres://me:s3cret@127.0.0.1:1/sales'],
    ['NATS', 'nats://me:s3cret@127.0.0.1:1/ORDERS'],
  ])('says that %s cannot be reached, without its password', async (_, url) => {
    const found = await destinations(url);
    expect(found).toMatchObject([{ level: 'fault', message: expect.stringMatching(/^cannot be used: /) as string }]);
    expect(JSON.stringify(found)).not.toContain('s3cret');
  });

  it.each(['csv', 'ndjson'])('says that another run holds the folder of %s', async (format) => {
    const place = join(folder, format);
    const journal = join(place, '.headwater', 'journal');
    mkdirSync(journal, { recursive: true });
    expect(await destinations(`${format}:${place}`)).toMatchObject([{ level: 'ok' }]);
    const other = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
    closedInTheEnd(() => other.kill('SIGKILL'));
    const closed = once(other, 'close');
    const holder = { ...(await thisHolder('')), process: other.pid ?? 0, program: 'another', start: '' };
    writeFileSync(join(journal, 'lock'), holderText(holder));
    const held = await destinations(`${format}:${place}`);
    other.kill('SIGKILL');
    await closed;
    const [, of] = held;
    expect(of).toMatchObject({ level: 'warning', remedy: expect.stringContaining('Wait until') as string });
    expect(of?.message).toContain(`Another run (process ${other.pid}`);
    expect(await destinations(`${format}:${place}`)).toMatchObject([{ level: 'ok' }]);
  });

  it('compares clocks', () => {
    const now = Date.parse('2025-01-01T00:10:00Z');
    expect(clockDiagnosis(undefined, now)).toEqual([]);
    expect(clockDiagnosis('Wed, 01 Jan 2025 00:09:30 GMT', now)[0]?.level).toBe('ok');
    expect(clockDiagnosis('Wed, 01 Jan 2025 00:00:00 GMT', now)[0]?.message).toContain('is 600 s ahead of');
    expect(clockDiagnosis('Wed, 01 Jan 2025 00:20:00 GMT', now)[0]?.message).toContain('is 600 s behind');
  });
});
