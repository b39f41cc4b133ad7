import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer } from '../support/api-server';
import { runToEnd } from '../support/command';

describe('headwater probe', () => {
  const config = JSON.stringify({
    api: { baseUrl: 'https://api.example', note: 'n' },
    config: { jobs: [{ endpoint: 'boxes' }] },
  });

  it.each([
    ['validate', 'faults'],
    ['explain', 'description'],
    ['plan', 'requests'],
    ['preview', 'items'],
  ])('is %s, with --show %s', async (name, show) => {
    const server = await startServer(() => json([{ id: 7 }]));
    try {
      const file = join(mkdtempSync(join(tmpdir(), 'probe-command-')), 'boxes.json');
      writeFileSync(file, config.replace('https://api.example', server.origin));
      const [old, probed] = [await runToEnd([name, file]), await runToEnd(['probe', file, '--show', show])];
      const steady = (text: string): string => text.replace(/\d+ ms/g, 'N ms');
      expect(steady(old.stdout)).toBe(steady(probed.stdout));
      expect(old.stdout).toContain(show === 'faults' ? 'is valid' : 'boxes');
      expect(old.stderr).toBe(show === 'items' ? '' : 'warning: api.note: has no effect: unknown key\n');
      expect([old.status, probed.status, probed.stderr]).toEqual([0, 0, old.stderr]);
      expect(server.requests).toHaveLength(show === 'items' ? 2 : 0);
    } finally {
      await server.close();
    }
  });

  it.each([
    ['--pages 2', 'requests'],
    ['--job boxes', 'description'],
    ['--state s.json', 'faults'],
    ['--allow-unset', 'items'],
    ['--format curl', 'items'],
  ])('refuses %s, which has no effect on the %s', async (option, show) => {
    expect(await runToEnd(['probe', '-', '--show', show, ...option.split(' ')], config)).toEqual({
      ...{ status: 1, stdout: '' },
      stderr: `${option.replace(/ (?!curl).*/, '')} has no effect where the ${show} are shown: leave it out.\n`,
    });
  });

  it.each(['faults', 'description', 'requests'])('prints the %s as JSON', async (show) => {
    const { stdout } = await runToEnd(['probe', '-', '--show', show, '--format', 'json'], config);
    const expected = { faults: { jobs: 1 }, description: { paragraphs: [{ about: 'the API' }, {}, {}] }, requests: {} };
    expect(JSON.parse(stdout)).toMatchObject(expected[show as keyof typeof expected]);
  });

  it('says which variables are not set, and goes on where nothing is sent', async () => {
    const unset = config
      .replace('https://api.example', 'https://api.example/v1')
      .replace('"n"', '{"env":"NO_SUCH_ONE"}');
    const needs = unset.replace('"jobs"', '"#token":{"env":"NO_SUCH_ONE"},"jobs"');
    for (const show of ['description', 'requests']) {
      const { status, stderr } = await runToEnd(['probe', '-', '--show', show], needs);
      expect(status).toBe(0);
      expect(stderr).toMatch(/^not checked: config\.#token: .*NO_SUCH_ONE/m);
    }
    expect((await runToEnd(['probe', '-', '--show', 'faults'], needs)).status).toBe(1);
  });

  it('--strict refuses a configuration with warnings before anything is requested', async () => {
    for (const show of ['items', 'requests', 'description']) {
      const { status, stdout, stderr } = await runToEnd(['probe', '-', '--show', show, '--strict'], config);
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^warning: api\.note: .*\nThe configuration is refused/);
    }
  });
});

describe('headwater explain CONFIG', () => {
  it('tells what a configuration does where the argument is a file, in 80 columns', async () => {
    const { status, stdout } = await runToEnd(['explain', join(__dirname, '../../examples/stations.json')]);
    expect(stdout).toMatch(/^the API {2}\(api\)\n {2}It asks /);
    expect(stdout).toContain('Its items go to the table');
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(status).toBe(0);
    expect(await runToEnd(['explain', 'none.json'])).toMatchObject({ status: 1, stdout: '' });
  });
});

describe('headwater validate', () => {
  it('exits 0, says how many jobs there are, and warns of settings without effect', async () => {
    const config = { api: { baseUrl: 'https://api.example', note: 'n' }, config: { jobs: [{ endpoint: 'a' }] } };
    const { status, stdout, stderr } = await runToEnd(['validate', '-'], JSON.stringify(config));
    expect(stdout).toBe('The configuration is valid: 1 job.\n');
    expect(stderr).toBe('warning: api.note: has no effect: unknown key\n');
    expect(status).toBe(0);
  });

  const misspelled = JSON.stringify({
    api: { baseUrl: 'https://api.example', pagnation: {} },
    config: { jobs: [{ endpoint: 'a', header: {} }] },
  });

  it('refuses keys that look like others, and says how to go on', async () => {
    const { status, stdout, stderr } = await runToEnd(['validate', '-'], misspelled);
    expect(stderr).toBe(
      'The configuration cannot be used.\n' +
        '  api.pagnation: has no effect: unknown key; did you mean "pagination"?\n' +
        '  config.jobs[0].header: has no effect: unknown key; did you mean "headers"?\n' +
        '  Keys without effect are only warnings with --lenient (in the library: lenient: true).\n',
    );
    expect(stdout).toBe('');
    expect(status).toBe(1);
  });

  it('--lenient warns of them', async () => {
    const { status, stderr } = await runToEnd(['validate', '--lenient', '-'], misspelled);
    expect(stderr).toMatch(
      /^warning: api\.pagnation: .*did you mean "pagination"\?\nwarning: config\.jobs\[0\]\.header: /,
    );
    expect(status).toBe(0);
  });

  it('--strict: every warning is an error, after all have been printed', async () => {
    const { status, stdout, stderr } = await runToEnd(['validate', '--lenient', '--strict', '-'], misspelled);
    expect(stderr).toMatch(
      /^warning: api\.pagnation: .*\nwarning: config\.jobs\[0\]\.header: .*\nThe configuration is refused/,
    );
    expect(stdout).toBe('');
    expect(status).toBe(1);
    const flawless = JSON.stringify({ api: { baseUrl: 'https://a.example' }, config: { jobs: [{ endpoint: 'a' }] } });
    expect(await runToEnd(['validate', '--strict', '-'], flawless)).toMatchObject({ status: 0, stderr: '' });
  });

  it('a configuration that is itself a text is refused without its content', async () => {
    for (const text of [JSON.stringify(misspelled), JSON.stringify({ parameters: misspelled })]) {
      const { status, stderr } = await runToEnd(['validate', '-'], text);
      expect(stderr).toMatch(/expected an object.*, found a string of \d+ characters; parse the JSON first/);
      expect(stderr).not.toContain('api.example');
      expect(status).toBe(1);
    }
  });

  it('exits 1 with every fault: path, expected, found, likely meant', async () => {
    const config = {
      api: { baseUrl: 'nowhere', pagination: { method: 'ofset' } },
      config: { jobs: [{ endpoint: 'a', method: 'PSOT' }] },
    };
    const { status, stdout, stderr } = await runToEnd(['validate', '-'], JSON.stringify(config));
    expect(stderr).toContain('api.baseUrl: ');
    expect(stderr).toMatch(/api\.pagination\.method: .*did you mean "offset"\?/);
    expect(stderr).toMatch(/config\.jobs\[0\]\.method: .*did you mean "POST"\?/);
    expect(stdout).toBe('');
    expect(status).toBe(1);
  });

  it('reads the addresses of its destinations, and opens none', async () => {
    const config = (sinks: readonly string[]): string =>
      JSON.stringify({ api: { baseUrl: 'https://api.example' }, config: { sinks, jobs: [{ endpoint: 'a' }] } });
    const all = ['duckdb:/nowhere/x.duckdb', 'csv:/nowhere', 'postgres://u:secret@nowhere/db', 'nats://nowhere/s'];
    expect(await runToEnd(['validate', '-'], config(all))).toMatchObject({ status: 0, stderr: '' });
    const faults = {
      'duck:x': `config.sinks[0]: A destination should be csv:FOLDER, csv:s3://BUCKET/PREFIX, duckdb:FILE, nats://…, ndjson:-, ndjson:FOLDER`,
      'mysql://u:secret@h': 'A destination should be csv:FOLDER',
      'nats://u:secret@nowhere/s?unit=pages': 'there is no parameter "unit"',
    };
    for (const [wrong, fault] of Object.entries(faults)) {
      const { status, stderr } = await runToEnd(['validate', '-'], config([wrong]));
      expect(stderr).toContain(fault);
      expect(stderr).not.toContain('secret');
      expect(status).toBe(1);
    }
  });
});

describe('headwater plan', () => {
  const config = JSON.stringify({
    api: {
      baseUrl: 'https://api.example/v1',
      http: { headers: { Authorization: { function: 'concat', args: ['Bearer ', { attr: '#token' }] } } },
    },
    config: {
      '#token': "k3y 'of' $api",
      jobs: [{ endpoint: 'boxes', children: [{ endpoint: 'boxes/{id}/parts', placeholders: { id: 'id' } }] }],
    },
  });

  it('prints requests without a secret, in 80 columns', async () => {
    const { status, stdout, stderr } = await runToEnd(['plan', '-'], config);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('  page     GET https://api.example/v1/boxes/{id}/parts');
    expect(stdout).not.toContain('k3y');
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('prints a script of curl commands that a shell runs', async () => {
    const { stdout } = await runToEnd(['plan', '-', '--curl'], config);
    expect(stdout).not.toContain('k3y');
    expect(stdout).toContain('# TOKEN: config.#token');
    const script = `curl() { printf '%s|' "$@"; echo; }\n${stdout}`;
    const received = execFileSync('sh', ['-c', script], {
      env: { ...process.env, TOKEN: 'se cret', ID: '7' },
    }).toString();
    expect(received).toBe(
      '-gsS|https://api.example/v1/boxes|-H|authorization: Bearer se cret|\n' +
        '-gsS|https://api.example/v1/boxes/7/parts|-H|authorization: Bearer se cret|\n',
    );
  });

  it('prints JSON, and refuses what cannot be used', async () => {
    const { stdout } = await runToEnd(['plan', '-', '--format', 'json'], config);
    expect((JSON.parse(stdout) as { jobs: unknown[] }).jobs).toHaveLength(2);
    expect(await runToEnd(['plan', '-'], '{}')).toMatchObject({ status: 1, stdout: '' });
  });
});

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
