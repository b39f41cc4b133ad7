import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import type { OutgoingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { someOf } from '../support/cases';
import { needsBuild } from '../support/build';
import { openStudio } from '../../src/studio/studio';
import type { Studio } from '../../src/studio/studio';
import { scriptedApi } from '../../src/testing';

const SECRET = 'k-71f-secret-93';
const config = (extra = {}): string =>
  JSON.stringify(
    {
      api: {
        baseUrl: 'http://api.example',
        http: { headers: { 'X-Api-Token': { attr: '#token' } } },
        pagination: { method: 'response.url', urlKey: 'next' },
      },
      config: { '#token': SECRET, jobs: [{ endpoint: 'rivers', dataField: 'data', ...extra }] },
    },
    null,
    2,
  );

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

describe('the server of the studio', () => {
  let folder: string;
  let path: string;
  let studio: Studio;
  let origin: string;
  let token: string;
  /** All that the server has sent. */
  let sent: string;

  const api = scriptedApi([
    {
      path: '/rivers',
      answer: ({ url, headers }) => ({
        headers: { 'x-echo': headers['x-api-token'] ?? '' },
        json:
          url.searchParams.get('page') === '2'
            ? { data: [{ id: 3, name: 'Test' }] }
            : {
                data: [
                  { id: 1, name: `Wye ${SECRET}` },
                  { id: 2, name: 'Dee' },
                ],
                next: 'http://api.example/rivers?page=2',
              },
      }),
    },
  ]);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-studio-'));
    path = join(folder, 'rivers.json');
    await writeFile(path, config(), { mode: 0o600 });
    await writeFile(join(folder, 'index.html'), '<html nonce="{{nonce}}"></html>');
    await writeFile(join(folder, 'other.json'), 'not for the page');
    studio = await openStudio({ path, page: folder, queries: needsBuild('cli/query-process.js'), fetch: api.fetch });
    const url = new URL(studio.url);
    origin = url.origin;
    token = url.hash.slice(1);
    sent = '';
  });
  afterEach(async () => {
    await studio.close();
    await rm(folder, { recursive: true });
  });

  const ask = (target: string, method: string, headers: OutgoingHttpHeaders, body = ''): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { port } = new URL(origin);
      // As it is: an URL would resolve the path.
      const outgoing = request({ host: '127.0.0.1', port, path: target, method, headers }, (response) => {
        text(response).then((content) => {
          sent += JSON.stringify(response.headers) + content;
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: content });
        }, reject);
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  const own = (): OutgoingHttpHeaders => ({
    origin,
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
  });
  const call = async (name: string, given: unknown = {}, headers: OutgoingHttpHeaders = {}): Promise<Answer> =>
    ask(`/api/${name}`, 'POST', { ...own(), ...headers }, JSON.stringify(given));
  const result = async <T>(name: string, given: unknown = {}): Promise<T> => {
    const { status, body } = await call(name, given);
    expect(`${status} ${status === 200 ? '' : body}`).toBe('200 ');
    return JSON.parse(body) as T;
  };
  interface Opened {
    readonly text: string;
    readonly version: string;
  }
  /** The last line of events, as soon as it fits. */
  const reported = (fits: (line: Told) => boolean): Promise<Told> =>
    new Promise((resolve, reject) => {
      const { port } = new URL(origin);
      const outgoing = request(
        { host: '127.0.0.1', port, path: '/api/events', method: 'POST', headers: own() },
        (response) => {
          let rest = '';
          response.setEncoding('utf8').on('data', (chunk: string) => {
            sent += chunk;
            rest += chunk;
            const lines = rest.split('\n');
            rest = lines.pop() ?? '';
            const found = lines.map((line) => JSON.parse(line) as Told).find(fits);
            if (found === undefined) return;
            outgoing.destroy();
            resolve(found);
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end('{}');
    });
  interface Told {
    readonly run: { readonly state: string; readonly message?: string };
    readonly jobs: readonly { readonly id: string; readonly items: number; readonly requests: number }[];
    readonly bars: readonly unknown[];
  }

  it('has a token of at least 128 bits, which no browser sends: it stands behind #', () => {
    expect(Buffer.from(token, 'base64url').length).toBeGreaterThanOrEqual(16);
    expect(studio.url).toBe(`${origin}/#${token}`);
  });

  it('gives the page with a policy that lets nothing else in', async () => {
    const { status, headers, body } = await ask('/', 'GET', {});
    expect(status).toBe(200);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(policy).toContain(`'nonce-${/nonce="(.+)"/.exec(body)?.[1]}'`);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  it.each([
    ['another origin', { origin: 'http://evil.example' }, 403],
    ['another port of this machine', { origin: 'http://127.0.0.1:1' }, 403],
    ['no origin', { origin: undefined }, 403],
    ['the origin null', { origin: 'null' }, 403],
    ['a name that was pointed at this machine', { host: 'evil.example', origin: 'http://evil.example' }, 421],
    ['no token', { authorization: undefined }, 401],
    ['a wrong token', { authorization: 'Bearer wrong' }, 401],
    ['a token in a cookie', { authorization: undefined, cookie: 'token=TOKEN' }, 401],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['a form that looks like text', { 'content-type': 'text/plain' }, 415],
  ])('refuses %s', async (_, given, status) => {
    const changed = Object.entries({ ...own(), ...given }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value).replace('TOKEN', token)] as const],
    );
    for (const name of ['open', 'save', 'begin', 'offer', 'choose', 'events', 'query', 'nowhere']) {
      const { status: found, headers } = await ask(`/api/${name}`, 'POST', Object.fromEntries(changed), '{}');
      expect(found).toBe(status);
      expect(headers).not.toHaveProperty('access-control-allow-origin');
    }
    expect(sent).not.toContain('baseUrl');
  });

  it('refuses other methods, a preflight among them, and a token in the query', async () => {
    for (const method of ['GET', 'PUT', 'OPTIONS', 'DELETE'])
      expect((await ask('/api/open', method, own())).status).toBe(405);
    const headers = { origin, 'content-type': 'application/json' };
    expect((await ask(`/api/open?token=${token}`, 'POST', headers, '{}')).status).toBe(401);
    expect((await ask('/', 'POST', own(), '{}')).status).toBe(405);
  });

  it('refuses the page to a rebinding host, and its files to other pages', async () => {
    expect((await ask('/', 'GET', { host: 'evil.example' })).status).toBe(421);
    const site = { 'sec-fetch-site': 'cross-site' };
    expect((await ask('/studio.js', 'GET', { ...site, 'sec-fetch-mode': 'no-cors' })).status).toBe(403);
    expect((await ask('/', 'GET', { ...site, 'sec-fetch-mode': 'navigate' })).status).toBe(200);
  });

  it.each([
    '/other.json',
    '/../rivers.json',
    '/%2e%2e/rivers.json',
    '/..%2frivers.json',
    '//etc/passwd',
    '/rivers.json',
    '/__proto__',
    '//[',
  ])('has no path that leads elsewhere: %s', async (target) => {
    expect((await ask(target, 'GET', {})).status).toBe(404);
    expect((await ask(`/api${target}`, 'POST', own(), '{}')).status).toBe(404);
    expect(sent).not.toContain('not for the page');
  });

  it('refuses bodies that are too large, or no JSON objects', async () => {
    const large = await call('check', { text: 'x'.repeat(5_000_000) });
    expect([large.status, JSON.parse(large.body)]).toMatchObject([413, { error: { code: 'TOO_LARGE' } }]);
    for (const body of ['', '[]', '1', '{']) expect((await ask('/api/open', 'POST', own(), body)).status).toBe(400);
  });

  it('opens and saves the file without telling its secrets, and keeps its mode', async () => {
    const opened = await result<Opened>('open');
    expect(opened.text).toContain('⟨secret 1⟩');
    const changed = opened.text.replace('"rivers"', '"rivers?limit=2"').replace('#token"', '#key"');
    await result('save', { text: changed, version: opened.version });
    const saved = await readFile(path, 'utf8');
    expect(saved).toBe(config().replace('"rivers"', '"rivers?limit=2"').replace('#token"', '#key"'));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(sent).not.toContain(SECRET);
  });

  it('does not save over what somebody else has written, nor a placeholder', async () => {
    const opened = await result<Opened>('open');
    const unknown = await call('save', { text: opened.text.replace('secret 1', 'secret 5'), version: opened.version });
    expect([unknown.status, unknown.body]).toEqual([422, expect.stringContaining('SECRET_UNKNOWN')]);
    await writeFile(path, '{}');
    const { status, body } = await call('save', opened);
    expect([status, body]).toEqual([409, expect.stringContaining('FILE_CHANGED')]);
    expect(await readFile(path, 'utf8')).toBe('{}');
  });

  it('tells faults with their places', async () => {
    const { text: written } = await result<Opened>('open');
    expect(await result('check', { text: written })).toMatchObject({ jobs: 1, faults: [] });
    const { faults } = await result<{ faults: { path: string }[] }>('check', {
      text: written.replace('"endpoint"', '"endpiont"'),
    });
    expect(faults.map((fault) => fault.path)).toContain('config.jobs[0].endpoint');
    const broken = await result<{ faults: { message: string }[] }>('check', { text: '{\n "api": ' });
    expect(broken.faults[0]?.message).toContain('line 2');
  });

  it('previews one page of each job, and says what would follow', async () => {
    const { text: written } = await result<Opened>('open');
    const before = api.requests.length;
    const { jobs } = await result<{ jobs: readonly object[] }>('preview', { text: written });
    expect(api.requests.length - before).toBe(1);
    expect(jobs).toMatchObject([
      {
        endpoint: 'rivers',
        state: 'previewed',
        pages: [
          {
            response: { status: 200 },
            found: { path: 'data', how: 'configured', candidates: [{ path: 'data', count: 2 }] },
            count: 2,
            next: { request: { url: 'http://api.example/rivers?page=2' } },
            more: 'yes',
          },
        ],
        tables: [
          {
            columns: [
              { name: 'id', type: 'integer' },
              { name: 'name', type: 'text' },
            ],
          },
        ],
      },
    ]);
    expect(sent).not.toContain(SECRET);
  });

  it('runs into the file beside the configuration, tells it, and shows its tables', async () => {
    const { text: written } = await result<Opened>('open');
    const over = reported(({ run }) => ['finished', 'failed', 'cancelled'].includes(run.state));
    await result('run', { text: written });
    expect(await over).toMatchObject({ run: { state: 'finished' }, jobs: [{ items: 3, requests: 2 }] });
    expect(await result('tables')).toMatchObject([{ name: 'rivers', rows: 3, columns: ['id', 'name'] }]);
    expect(await result('query', { sql: 'SELECT count(*) AS n FROM rivers' })).toMatchObject({
      columns: [{ name: 'n', type: 'BIGINT' }],
      rows: [['3']],
    });
    const profile = await result<{ columns: { name: string }[]; rows: unknown[][] }>('profile', {
      ...{ schema: 'main', table: 'rivers' },
    });
    expect(profile.rows.map(([name]) => name)).toEqual(['id', 'name']);
    const different = profile.columns.findIndex(({ name }) => name === 'approx_unique');
    for (const row of profile.rows) expect(Number(row[different])).toBeLessThanOrEqual(3);
    const { rows } = await result<{ rows: unknown[][] }>('runs');
    expect(rows).toHaveLength(1);
    const all = await result<{ rows: unknown[][]; isCut: boolean }>('query', { sql: 'SELECT * FROM range(5000)' });
    expect([all.rows.length, all.isCut]).toEqual([1_000, true]);
    expect(sent).not.toContain(SECRET);
  });

  it('shows no value of a variable or a file, in tables neither, and their names', async () => {
    const reference = { file: join(folder, 'token') };
    await writeFile(reference.file, `${SECRET}\n`);
    await writeFile(path, config().replace(JSON.stringify(SECRET), JSON.stringify(reference)));
    const { text: written } = await result<Opened>('open');
    expect(written).toContain(JSON.stringify(reference));
    const over = reported(({ run }) => run.state === 'finished');
    await result('run', { text: written });
    await over;
    const { rows } = await result<{ rows: unknown[][] }>('query', { sql: 'SELECT name FROM rivers ORDER BY id' });
    expect(rows).toEqual([['Wye ***'], ['Dee'], ['Test']]);
    expect(sent).not.toContain(SECRET);
  });

  it('takes variables that the caller gives, and tells none of them', async () => {
    await studio.close();
    const reference = { env: 'RIVER_TOKEN' };
    studio = await openStudio({
      path,
      page: folder,
      queries: needsBuild('cli/query-process.js'),
      fetch: api.fetch,
      env: { RIVER_TOKEN: SECRET },
    });
    origin = new URL(studio.url).origin;
    token = new URL(studio.url).hash.slice(1);
    await writeFile(path, config().replace(JSON.stringify(SECRET), JSON.stringify(reference)));
    const { text: written } = await result<Opened>('open');
    expect(await result('check', { text: written })).toMatchObject({ faults: [], jobs: 1 });
    const over = reported(({ run }) => run.state === 'finished');
    await result('run', { text: written });
    await over;
    const { rows } = await result<{ rows: unknown[][] }>('query', { sql: 'SELECT name FROM rivers ORDER BY id' });
    expect(rows).toEqual([['Wye ***'], ['Dee'], ['Test']]);
    expect(sent).not.toContain(SECRET);
  });

  describe('from a command line of curl', () => {
    interface Begun {
      readonly text: string;
      readonly variables: readonly string[];
      readonly unset: readonly string[];
      readonly requests: number;
      readonly lists: readonly { readonly findings: readonly { readonly about: string; readonly value: string }[] }[];
    }
    const curl = `curl 'http://api.example/rivers' -H 'X-Api-Token: ${SECRET}' -H 'Accept: application/json'`;

    it('writes a configuration with a variable in place of the secret, and runs it with the value', async () => {
      const { text: begun, variables, lists } = await result<Begun>('begin', { source: curl });
      expect(variables).toEqual(['API_TOKEN']);
      expect(begun).toMatch(/"env": ?"API_TOKEN"/);
      expect(lists[0]?.findings.map(({ about, value }) => [about, value])).toContainEqual(['data', 'data']);
      expect(await result('check', { text: begun })).toMatchObject({ jobs: 1, faults: [] });
      const over = reported(({ run }) => ['finished', 'failed', 'cancelled'].includes(run.state));
      await result('run', { text: begun });
      expect(await over).toMatchObject({ run: { state: 'finished' }, jobs: [{ items: 3 }] });
      expect(api.requests.at(-1)?.headers).toMatchObject({ 'x-api-token': SECRET });
      const { version } = await result<Opened>('open');
      await result('save', { text: begun, version });
      expect(await readFile(path, 'utf8')).not.toContain(SECRET);
      expect(process.env).not.toHaveProperty('API_TOKEN');
      expect(sent).not.toContain(SECRET);
    });

    it.each([
      ['no address', 'rivers of mine'],
      ['a file', 'file:///etc/passwd'],
      ['data of a file', 'curl http://api.example/rivers -d @/etc/passwd'],
      ['what a shell would run', 'curl http://api.example/$(id)'],
      ['a script', 'javascript:alert(1)'],
      ['nothing', ' '],
    ])('refuses %s, and asks nothing', async (_, source) => {
      const before = api.requests.length;
      expect((await call('begin', { source })).status).toBe(422);
      expect(api.requests.length).toBe(before);
    });

    it.each([
      ['the query of an address', `http://api.example/rivers?x-api-token=${SECRET}&region=1`, ['API_API_TOKEN']],
      ['the user of an address', `http://me:${SECRET}@api.example/rivers`, ['API_PASSWORD']],
      ['a header of curl', curl, ['API_TOKEN']],
      ['a token of curl', `curl http://api.example/rivers -H 'Authorization: Bearer ${SECRET}'`, ['API_TOKEN']],
      ['a cookie of curl', `curl http://api.example/rivers -b 'sid=${SECRET}'`, ['API_COOKIE']],
    ])('writes without asking, and without the secret in %s', async (_, source, variables) => {
      const before = api.requests.length;
      const written = await result<Begun>('begin', { source, asks: false });
      expect(api.requests.length).toBe(before);
      expect(written).toMatchObject({ requests: 0, lists: [], unset: [] });
      expect(written.text).toContain(`"env": "${written.variables[0]}"`);
      expect(written.variables).toHaveLength(variables.length);
      expect(await result('check', { text: written.text })).toMatchObject({ jobs: 1, faults: [] });
      await result('preview', { text: written.text });
      expect(JSON.stringify(api.requests.at(-1))).toMatch(new RegExp(`${SECRET}|${btoa(`me:${SECRET}`)}`));
      const { version } = await result<Opened>('open');
      await result('save', { text: written.text, version });
      expect(await readFile(path, 'utf8')).not.toContain(SECRET);
      expect(sent).not.toContain(SECRET);
    });

    it('says what the API says, without the secret', async () => {
      const { status, body } = await call('begin', { source: curl.replace('rivers', 'nowhere') });
      expect([status, body]).toEqual([422, expect.stringContaining('404')]);
      expect(sent).not.toContain(SECRET);
    });
  });

  it('refuses SQL that reaches further', async () => {
    const { text: written } = await result<Opened>('open');
    const over = reported(({ run }) => run.state === 'finished');
    await result('run', { text: written });
    await over;
    const refused = [
      "SELECT * FROM read_text('/etc/passwd')",
      'CREATE TABLE a AS SELECT 1',
      "COPY (SELECT 1) TO '/tmp/headwater-studio-copy.csv'",
      "ATTACH '/tmp/headwater-studio-other.duckdb' AS other",
      'SET enable_external_access = true',
      'INSTALL httpfs',
      'LOAD json',
      "SELECT * FROM read_csv('/proc/self/environ')",
      "SELECT * FROM '/etc/passwd'",
      "SELECT * FROM glob('/*')",
      "SELECT * FROM read_parquet('http://127.0.0.1:1/a')",
      "EXPORT DATABASE '/tmp/headwater-studio-export'",
      'SELECT * FROM duckdb_secrets()',
      "ATTACH ':memory:' AS other",
      'RESET enable_external_access',
      "CALL enable_logging(storage = 'file', storage_path = '/tmp/headwater-studio-log')",
      "SELECT * FROM enable_logging(storage = 'file', storage_path = '/tmp/headwater-studio-log')",
      "SELECT * FROM query('SELECT * FROM read_text(''/etc/passwd'')')",
      'SELECT 1; SELECT 2',
      'DELETE FROM rivers',
      '',
      '-- nothing',
    ];
    for (const sql of someOf(refused, 3)) {
      const { status, body } = await call('query', { sql });
      expect([sql, status, body]).toEqual([sql, 422, expect.stringContaining('QUERY_FAILED')]);
    }
    const { rows } = await result<{ rows: string[][] }>('query', {
      sql: "SELECT repeat('é', 3000000) AS long, 1 AS n",
    });
    expect(rows).toEqual([[expect.stringMatching(/^é{20000}… \(3,000,000 characters\)$/), 1]]);
  });

  it('answers other calls while a query runs, which ends when its page leaves', async () => {
    const { text: written } = await result<Opened>('open');
    const over = reported(({ run }) => run.state === 'finished');
    await result('run', { text: written });
    await over;
    const { port } = new URL(origin);
    const sql = 'SELECT count(*) FROM range(9000000000000000) WHERE hash(range) % 7 = 3';
    const endless = request({ host: '127.0.0.1', port, path: '/api/query', method: 'POST', headers: own() });
    endless.on('error', () => undefined).end(JSON.stringify({ sql }));
    await once(endless, 'finish');
    expect(await result('check', { text: written })).toMatchObject({ jobs: 1 });
    endless.destroy();
    expect(await result('query', { sql: 'SELECT count(*) AS n FROM rivers' })).toMatchObject({ rows: [['3']] });
  });

  it('tells why a run failed, without the secret', async () => {
    const failing = config({ endpoint: 'nowhere' });
    await writeFile(path, failing);
    const { text: written } = await result<Opened>('open');
    const over = reported(({ run }) => run.state === 'failed');
    await result('run', { text: written });
    expect((await over).run.message).toContain('404');
    expect(sent).not.toContain(SECRET);
  });

  it('says that nothing runs that could be tuned', async () => {
    expect((await call('tune', { rate: 5 })).status).toBe(409);
  });
});
