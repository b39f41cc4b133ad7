import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytes, json, never } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer, ReceivedRequest } from '../support/api-server';
import { COMMAND, runToEnd, startCommand } from '../support/command';

describe('headwater run', () => {
  let server: ApiServer;
  let folder: string;
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
  });
  const configured = async (config: object): Promise<string> => {
    const path = join(folder, 'config.json');
    await writeFile(path, JSON.stringify(config));
    return path;
  };
  const users = (): object => ({
    api: { baseUrl: server.origin },
    config: { jobs: [{ endpoint: 'users', dataType: 'user' }] },
  });

  it('prints the items as NDJSON on standard output and nothing else, integers digit for digit', async () => {
    const body = '[{"id":9007199254740993,"10":"a","2":"b"}, {"id":-12345678901234567890,"s":"\\u00e9\\n"}]';
    server = await startServer({ '/users': bytes(body) });
    const { status, stdout, stderr } = await runToEnd(['run', await configured(users())]);
    expect(stdout).toBe('{"id":9007199254740993,"10":"a","2":"b"}\n{"id":-12345678901234567890,"s":"\\u00e9\\n"}\n');
    expect(stderr).toContain('All jobs finished: 2 items on 1 page');
    expect(status).toBe(0);
  });

  it('reads the configuration from standard input for -', async () => {
    server = await startServer({ '/users': json([{ id: 1 }]) });
    const { status, stdout } = await runToEnd(['run', '-'], JSON.stringify(users()));
    expect({ status, stdout }).toEqual({ status: 0, stdout: '{"id":1}\n' });
  });

  it('--tag names the data type of each item', async () => {
    server = await startServer({ '/users': json([{ id: 1 }]) });
    const { stdout } = await runToEnd(['run', await configured(users()), '--tag']);
    expect(stdout).toBe('{"dataType":"user","item":{"id":1}}\n');
  });

  it('--log-format json writes one JSON object a line, with the event and its fields', async () => {
    server = await startServer({ '/users': json([{ id: 1 }]) });
    const { stderr } = await runToEnd(['run', await configured(users()), '--log-format', 'json']);
    const entries = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(entries.map(({ event }) => event)).toEqual([
      'run.started',
      'job.started',
      'pagination.stopped',
      'job.finished',
      'run.finished',
      'summary',
      undefined,
    ]);
    expect(entries.at(-1)).toMatchObject({
      level: 'info',
      message: 'Extractor finished successfully. Complete: user.',
    });
    expect(entries.at(-2)).toMatchObject({ level: 'info', items: 1, requests: 1, retries: 0 });
    expect(entries.at(-3)).toMatchObject({ level: 'info', pages: 1, items: 1, jobs: [{ job: 'user' }] });
    expect(stderr).not.toMatch(/[0-9a-f]{40}/);
  });

  it('debug: true in the configuration means level debug, and --log-level wins over it', async () => {
    server = await startServer({ '/users': json([]) });
    const config = { api: { baseUrl: server.origin }, config: { debug: true, jobs: [{ endpoint: 'users' }] } };
    const path = await configured(config);
    const debug = await runToEnd(['run', path]);
    expect(debug.stderr).toContain(`debug: GET ${server.origin}/users`);
    const quiet = await runToEnd(['run', path, '--log-level', 'error']);
    expect(quiet.stderr).toBe('');
  });

  it('exits 1 without a stack trace when the API is at fault, and names method, URL, status and body', async () => {
    server = await startServer({ '/users': json({ message: 'The moon is full' }, 404) });
    const { status, stderr } = await runToEnd(['run', await configured(users())]);
    expect(stderr).toContain(`[404] GET ${server.origin}/users: {"message":"The moon is full"}`);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(status).toBe(1);
  });

  it('exits 1 with every fault at once when the configuration is, before any request', async () => {
    server = await startServer({ '/users': json([]) });
    const config = {
      api: { baseUrl: server.origin, pagination: { method: 'ofset' } },
      config: { jobs: [{ endpoint: '' }] },
    };
    const { status, stderr } = await runToEnd(['run', await configured(config)]);
    expect(stderr).toMatch(/api\.pagination\.method: .*found "ofset".*did you mean "offset"\?/);
    expect(stderr).toContain('config.jobs[0].endpoint: ');
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(server.requests).toEqual([]);
    expect(status).toBe(1);
  });

  it('exits 1 with line and column, and without the text, for a file that is not JSON', async () => {
    server = await startServer({});
    const path = join(folder, 'broken.json');
    await writeFile(path, '{"config": {\n  "#token": "s3cret-s3cret" "x"}');
    const { status, stderr } = await runToEnd(['run', path]);
    expect(stderr).toContain('broken.json is not valid JSON: comma expected at line 2, column 29');
    expect(stderr).not.toContain('s3cret');
    expect(status).toBe(1);
  });

  it('exits 1 for a file that nests too deep', async () => {
    server = await startServer({});
    const path = join(folder, 'deep.json');
    await writeFile(path, '['.repeat(100_000) + ']'.repeat(100_000));
    const { status, stderr } = await runToEnd(['run', path]);
    expect(stderr).toContain('nested deeper than');
    expect(status).toBe(1);
  });

  it('exits 1 for a file that is not there', async () => {
    server = await startServer({});
    const { status, stderr } = await runToEnd(['run', join(folder, 'none.json')]);
    expect(stderr).toContain('there is no such file');
    expect(status).toBe(1);
  });

  it.each([
    ['the address of an API', ['run', 'http://h.example/users'], 'headwater init ADDRESS writes a configuration of it'],
    ['an option of another tool', ['init', 'http://h.example/users', '--token', 'x'], 'headwater init --help shows'],
    ['a file for a destination', ['run', 'CONFIG', '--to', 'lib.duckdb'], 'Did you mean "duckdb:lib.duckdb"?'],
    ['an address for a file', ['run', 'CONFIG', '--to', 'duckdb://lib.duckdb'], 'write "duckdb:lib.duckdb".'],
    ['a file for a folder', ['run', 'CONFIG', '--to', 'out/users.csv'], 'Did you mean "csv:out/users"?'],
  ])('exits 1 for %s, and says what to write', async (_, args, message) => {
    server = await startServer({});
    const path = await configured(users());
    const { status, stderr } = await runToEnd(args.map((each) => (each === 'CONFIG' ? path : each)));
    expect(stderr).toContain(message);
    expect([status, server.requests]).toEqual([1, []]);
  });

  it('gives a program the code of the failure, as a field of its line', async () => {
    server = await startServer({ '/users': json({}, 404) });
    const { stderr } = await runToEnd(['run', await configured(users()), '--log-format', 'json']);
    const last: unknown = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
    expect(last).toMatchObject({ level: 'error', code: 'API_STATUS', error: 'FatalError' });
  });

  it.each([
    ['SIGINT', 130, 'Interrupted.'],
    ['SIGTERM', 143, 'Terminated.'],
  ] as const)(
    'ends on %s with status %i, closes its connection and exits by itself',
    async (signal, expected, text) => {
      server = await startServer(() => never);
      const { child, ended } = startCommand(['run', await configured(users())]);
      const end = ended();
      const request = await server.received(0);
      child.kill(signal);
      await request.disconnected;
      const { status, stderr } = await end;
      expect(stderr).toContain(text);
      expect(status).toBe(expected);
    },
  );

  it('gives up waiting for standard input on SIGINT', async () => {
    server = await startServer({});
    const child = spawn(process.execPath, [COMMAND, 'run', '-'], { stdio: ['pipe', 'ignore', 'pipe'] });
    // Nothing tells from outside that the process waits; a signal before it watches would end it otherwise.
    const asking = setTimeout(() => child.kill('SIGINT'), 2500);
    const status = await new Promise((resolve) => child.once('close', resolve));
    clearTimeout(asking);
    expect(status).toBe(130);
  });

  it('ends with 141 when the reader of its output goes away, and asks for no more pages', async () => {
    const text = 'x'.repeat(1000);
    server = await startServer(({ url }: ReceivedRequest) =>
      json(Array.from({ length: 100 }, (_, at) => ({ id: `${url} ${at}`, text }))),
    );
    const config = {
      api: { baseUrl: server.origin, pagination: { method: 'offset', limit: 100 } },
      config: { jobs: [{ endpoint: 'users' }] },
    };
    const { child, closed } = startCommand(['run', await configured(config)]);
    child.stdout.once('data', () => child.stdout.destroy());
    const status = await closed;
    expect(status).toBe(141);
  });

  it('never prints a secret at level debug: attributes, login values, userinfo', async () => {
    const token = 'tok/en+with=signs';
    server = await startServer(({ url }: ReceivedRequest) =>
      url.startsWith('/login') ? json({ token, kind: 'Bearer' }) : json({ message: `bad token ${token}` }, 403),
    );
    const config = {
      api: {
        baseUrl: server.origin.replace('http://', 'http://me:pass%20word@'),
        http: { headers: { 'x-key': { attr: '#key' } } },
        authentication: {
          type: 'login',
          loginRequest: { endpoint: 'login', params: { password: { attr: '#password' } } },
          apiRequest: { query: { token: 'token' } },
        },
      },
      config: { '#password': 'pa55 wörd', '#key': 'k3y-k3y', jobs: [{ endpoint: 'users' }] },
    };
    const { status, stderr } = await runToEnd(['run', await configured(config), '--log-level', 'debug']);
    expect(status).toBe(1);
    expect(stderr).toContain('/login?password=***');
    expect(stderr).toContain('/users?token=***');
    expect(stderr).toContain('bad token ***');
    for (const secret of ['tok/en', 'tok%2Fen', 'pa55', 'k3y', 'pass%20word', 'pass word'])
      expect(stderr).not.toContain(secret);
  });

  it('counts the warnings in its last line, and warns of a key that does not tell items apart', async () => {
    server = await startServer({
      '/users': json({ rows: Array.from({ length: 5 }, (_, n) => ({ id: 1, n })) }),
      '/empty': json({ rows: [] }),
    });
    const job = { endpoint: 'users', load: 'merge', primaryKey: 'id' };
    const path = await configured({ api: { baseUrl: server.origin }, config: { jobs: [job, { endpoint: 'empty' }] } });
    const printed = await runToEnd(['run', path]);
    expect(printed.stderr.match(/ warn: /g)).toHaveLength(1);
    expect(printed.stderr).toMatch(
      /info: Extractor finished successfully, with 1 warning\. Complete: users, empty\.\n$/,
    );
    const stored = await runToEnd(['run', path, '--to', `csv:${join(folder, 'out')}`]);
    expect(stored.stderr).toContain(
      'warn: users.csv: 5 items made 1 row: 4 gave way to a later one with the same key. The primary key of the table may not distinguish its items.',
    );
    expect(stored.stderr).toMatch(/info: Extractor finished successfully, with 2 warnings\. .*\n$/);
  });

  it('ends with status 1 and commits nothing when the run is incomplete; says how to store it all the same', async () => {
    server = await startServer({ '/users': json({ rows: [{ id: 1 }] }) });
    const misspelled = { api: { baseUrl: server.origin }, config: { jobs: [{ endpoint: 'users', dataField: 'row' }] } };
    const path = await configured(misspelled);
    const to = `ndjson:${join(folder, 'out')}`;
    const failed = await runToEnd(['run', path, '--to', to]);
    expect(failed.status).toBe(1);
    expect(failed.stderr).toContain('error: The run is incomplete.\n  config.jobs[0]: No response of users had');
    expect(failed.stderr).toContain('"rows"');
    expect(failed.stderr).not.toContain('finished successfully');
    expect(failed.stderr).not.toContain('is safe');
    expect(failed.stderr).toContain(
      `No item has arrived. Where that is right, end the run all the same with: headwater run ${path} --to ${to} --resume --accept-incomplete`,
    );
    const stored = await runToEnd(['run', path, '--to', to, '--resume', '--accept-incomplete']);
    expect(stored.status).toBe(0);
    expect(stored.stderr).toMatch(
      /warn: config\.jobs\[0\]: No response of users .* \(It is committed all the same, as asked\.\)\n/,
    );
    expect(stored.stderr).toMatch(/it is doubtful whether the run is complete\. Doubtful: users\.\n$/);
    expect(stored.stderr.replaceAll('--accept-incomplete', '')).not.toContain('incomplete');
    expect(server.requests).toHaveLength(1);
  });

  it('replaces no table by one with fewer rows where the run is doubtful, until that is accepted; a complete run does', async () => {
    const answers = { '/users': json({ rows: [1, 2, 3].map((id) => ({ id })), total: 3 }) };
    server = await startServer({ '/users': (request) => answers['/users'](request) });
    const path = await configured(users());
    const to = `csv:${join(folder, 'out')}`;
    const rows = (): Promise<string> => readFile(join(folder, 'out', 'user.csv'), 'utf8');
    expect((await runToEnd(['run', path, '--to', to])).status).toBe(0);
    answers['/users'] = json({ rows: [{ id: 4 }], total: 3 });
    const refused = await runToEnd(['run', path, '--to', to]);
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain('The table "user.csv" of csv:');
    expect(refused.stderr).toContain('has 3 rows, and this run would leave 1 row, but something may be missing');
    expect(refused.stderr).toContain(
      `What has arrived is safe: 1 item. A run without --resume requests all again; store it all the same with: headwater run ${path} --to ${to} --resume --accept-incomplete`,
    );
    expect(await rows()).toBe('"id"\n"1"\n"2"\n"3"\n');
    const accepted = await runToEnd(['run', path, '--to', to, '--resume', '--accept-incomplete']);
    expect(accepted.status).toBe(0);
    expect(accepted.stderr).toMatch(/it is doubtful whether the run is complete\. Doubtful: user\.\n$/);
    expect(await rows()).toBe('"id"\n"4"\n');
    expect(server.requests).toHaveLength(2);
    answers['/users'] = json({ rows: [], total: 0 });
    const complete = await runToEnd(['run', path, '--to', to]);
    expect(complete.stderr).toContain('Extractor finished successfully');
    expect(await rows()).toBe('"id"\n');
  });

  it('replaces no table of another configuration before --take-over', async () => {
    server = await startServer({ '/users': json([{ id: 1 }]), '/people': json([{ id: 2 }]) });
    const first = await configured(users());
    const other = join(folder, 'other.json');
    const jobs = [{ endpoint: 'people', dataType: 'user' }];
    await writeFile(other, JSON.stringify({ api: { baseUrl: server.origin }, config: { jobs } }));
    const to = `ndjson:${join(folder, 'out')}`;
    await runToEnd(['run', first, '--to', to]);
    const { status, stderr } = await runToEnd(['run', other, '--to', to]);
    expect(status).toBe(1);
    expect(stderr).toContain('is filled by another configuration, "config.json", and this one, "other.json", would');
    expect(server.requests).toHaveLength(1);
    expect((await runToEnd(['run', other, '--to', to, '--take-over'])).status).toBe(0);
    expect(await readFile(join(folder, 'out', 'user.ndjson'), 'utf8')).toBe('{"id":2}\n');
  });

  it('--lenient makes warnings of it, --strict errors of warnings', async () => {
    server = await startServer({ '/users': json({ rows: [{ id: 1 }], total: 9 }) });
    const path = await configured({
      api: { baseUrl: server.origin },
      config: { jobs: [{ endpoint: 'users', dataField: 'row' }] },
    });
    const lenient = await runToEnd(['run', path, '--lenient']);
    expect(lenient.status).toBe(0);
    expect(lenient.stderr).toContain('warn: config.jobs[0]: No response of users had');
    const doubtful = /info: Extractor finished, but it is doubtful whether the run is complete\. Doubtful: users\.\n$/;
    expect(lenient.stderr).toMatch(doubtful);
    const counted = await configured({ api: { baseUrl: server.origin }, config: { jobs: [{ endpoint: 'users' }] } });
    expect(await runToEnd(['run', counted])).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(doubtful) as string,
    });
    const strict = await runToEnd(['run', counted, '--strict']);
    expect(strict.status).toBe(1);
    expect(strict.stderr).toContain('Warnings count as errors in this run.');
  });
});
