/** The built command with configurations in files of all kinds, and with secrets that stand elsewhere. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer } from '../support/api-server';
import { COMMAND, runToEnd } from '../support/command';

describe('configurations in files', () => {
  const TOKEN = 's3cr3t-T0ken-99';
  let folder: string;
  let server: ApiServer;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-files-'));
    server = await startServer(() => json([{ id: 1 }]));
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const yaml = (endpoint: string): string => `api:
  baseUrl: ${server.origin}
  http: { headers: { X-Token: { function: concat, args: ["t ", { env: HEADWATER_SPEC_TOKEN }] } } }
config:
  jobs:
    - endpoint: ${endpoint}
`;

  describe('headwater run', () => {
    it('sends a secret of --env-file, which is in nothing that it prints or writes', async () => {
      const config = await file('a.yaml', yaml('items'));
      const env = await file('own.env', `HEADWATER_SPEC_TOKEN=${TOKEN}\n`);
      const out = [
        '--to',
        `ndjson:${join(folder, 'out')}`,
        '--record',
        join(folder, 'a.har'),
        '--state',
        join(folder, 's'),
      ];
      const { status, stdout, stderr } = await runToEnd([
        'run',
        config,
        '--env-file',
        env,
        ...out,
        '--log-level',
        'debug',
      ]);
      expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.stringContaining('GET ') as string });
      expect(server.requests[0]?.headers['x-token']).toBe(`t ${TOKEN}`);
      const names = (await readdir(folder, { recursive: true, withFileTypes: true })).filter(
        (entry) => entry.isFile() && entry.name !== 'own.env',
      );
      expect(names.map(({ name }) => name)).toEqual(expect.arrayContaining(['a.har', 's']));
      const texts = await Promise.all(names.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')));
      expect([stdout, stderr, ...texts].filter((text) => text.includes(TOKEN))).toEqual([]);
    });

    it('reads no .env by itself, and says where a variable is missing', async () => {
      const config = await file('a.yaml', yaml('items'));
      await file('.env', `HEADWATER_SPEC_TOKEN=${TOKEN}\n`);
      const { status, stderr } = await runToEnd(['run', config, '--to', 'ndjson:-']);
      expect(status).toBe(1);
      expect(stderr).toMatch(
        /a\.yaml:3:\d+ api\.http\.headers\.X-Token\.args\[1\]: the environment variable HEADWATER_SPEC_TOKEN is not set/,
      );
      expect(server.requests).toEqual([]);
    });
  });

  describe('headwater validate', () => {
    const module = (): string => `{ api: { baseUrl: '${server.origin}' }, config: { jobs: [{ endpoint: 'm' }] } };`;

    it.each([
      ['a.mjs', 'export default ', 0, 'The configuration is valid: 1 job.'],
      ['b.mjs', 'export const other = ', 1, 'it has no default export'],
      ['c.cjs', 'module.exports = ', 0, 'The configuration is valid: 1 job.'],
    ])('takes modules: %s %s', async (name, before, wanted, message) => {
      const { status, stdout, stderr } = await runToEnd(['validate', await file(name, before + module())]);
      expect(stdout + stderr).toContain(message);
      expect(status).toBe(wanted);
    });

    it('takes YAML and JSON with comments on standard input', async () => {
      const env = ['--env-file', await file('own.env', 'HEADWATER_SPEC_TOKEN=x-1\n')];
      expect(await runToEnd(['validate', '-', ...env], yaml('items'))).toMatchObject({ status: 0 });
      const commented = `// stations\n{"api":{"baseUrl":"${server.origin}"},"config":{"jobs":[{"endpoint":"a",}]}}`;
      expect(await runToEnd(['validate', '-'], commented)).toMatchObject({ status: 0 });
    });
  });
});

/** Files of variables on the command line, which Node.js has an option for as well. */

const CONFIG = JSON.stringify({
  api: { baseUrl: 'https://api.example', http: { headers: { 'X-Key': { env: 'HEADWATER_SPEC_KEY' } } } },
  config: { jobs: [{ endpoint: 'a' }] },
});
const OURS = '--env-file: gone.env does not exist\n';
const node = (args: readonly string[]) =>
  spawnSync(process.execPath, args, { input: CONFIG, encoding: 'utf8', env: { PATH: process.env['PATH'] } });

describe('a file of variables that is not there', () => {
  it.each(['run', 'validate', 'preview', 'plan', 'explain', 'doctor', 'login'])('is told by %s', async (command) => {
    const state = command === 'login' ? ['--state', 'unused.json'] : [];
    const { status, stderr } = await runToEnd([command, '-', ...state, '-e', 'gone.env'], CONFIG);
    expect(stderr).toContain(OURS.trim());
    expect(status).toBe(1);
  });

  it('is told by its long name where the program stands behind --', () => {
    const { status, stderr } = node(['--', COMMAND, 'validate', '-', '--env-file', 'gone.env']);
    expect([status, stderr]).toEqual([1, OURS]);
  });

  it('is told by Node.js else, which the documents say, until there is one that does not', () => {
    const { status, stderr } = node([COMMAND, 'validate', '-', '--env-file', 'gone.env']);
    expect([
      [9, `node: gone.env: not found`],
      [1, OURS.trim()],
    ]).toContainEqual([status, stderr.trim().replace(/^.*node: /, 'node: ')]);
  });

  it('is left to the command by the image', async () => {
    const image = await readFile(join(__dirname, '../../Dockerfile'), 'utf8');
    expect(image).toMatch(/exec node -- \S+main\.js "\$@"/);
  });
});

describe('a file of variables', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-env-'))));
  afterEach(() => rm(folder, { recursive: true }));

  it.each(['-e', '--env-file'])('is read with %s', async (flag) => {
    const file = join(folder, 'own.env');
    await writeFile(file, 'HEADWATER_SPEC_KEY=a1b2c3d4\n');
    const { status, stdout } = await runToEnd(['validate', '-', flag, file], CONFIG);
    expect([status, stdout]).toEqual([0, 'The configuration is valid: 1 job.\n']);
  });
});

/** The built command, where it looks at several configurations in one call, and where variables are not set. */

describe('several looked at', () => {
  let server: ApiServer;
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-looked-'));
    server = await startServer({
      '/users': json([{ id: 1 }]),
      '/ships': json([{ id: 2 }]),
      '/broken': json({ message: 'no' }, 404),
    });
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const at = (name: string): string => join(folder, name);
  const write = async (name: string, content: string): Promise<string> => {
    await writeFile(at(name), content);
    return at(name);
  };
  const file = (name: string, endpoint: string, api: object = {}): Promise<string> =>
    write(
      name,
      JSON.stringify({ api: { baseUrl: server.origin, ...api }, config: { jobs: [{ endpoint, dataField: '.' }] } }),
    );
  const lines = (text: string): readonly Record<string, unknown>[] =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  describe.each(['explain', 'plan', 'preview'])('headwater %s with several configurations', (command) => {
    it('names each above what is said of it', async () => {
      const [a, b] = [await file('a.json', 'users'), await write('b.yaml', `extends: a.json\nconfig: { note: 1 }\n`)];
      const { status, stdout, stderr } = await runToEnd([command, a, b]);
      expect([status, stderr]).toEqual([0, '']);
      expect(stdout.split('\n').filter((line) => line.startsWith('==>'))).toEqual([`==> ${a} <==`, `==> ${b} <==`]);
      expect(stdout.match(/\/users/g)?.length).toBeGreaterThan(1);
    });

    it('tells a fault with the file that it is in, shows the others, and ends with the worst status', async () => {
      const [a, b] = [
        await file('a.json', 'users'),
        await write('b.yaml', 'api: {baseUrl: "ftp://a"}\nconfig: {jobs: []}'),
      ];
      const c = at('gone.yaml');
      const { status, stdout, stderr } = await runToEnd([command, b, c, a]);
      expect(stderr).toContain(
        `${b}: The configuration cannot be used.\n  ${b}:1:16 api.baseUrl: expected a valid URL`,
      );
      expect(stderr).toContain(`${c}: ${c} cannot be read: there is no such file\n`);
      expect(stdout).toContain(`==> ${a} <==\n`);
      expect(status).toBe(1);
    });

    it('refuses a file that is named twice', async () => {
      const a = await file('a.json', 'users');
      const { status, stdout, stderr } = await runToEnd([command, a, join(folder, '.', 'a.json')]);
      expect(stderr).toContain('is named twice');
      expect([status, stdout]).toEqual([1, '']);
    });
  });

  describe('headwater with several configurations', () => {
    it('prints a line of JSON for each, with its name', async () => {
      const [a, b] = [await file('a.json', 'users'), await file('b.json', 'broken')];
      const planned = await runToEnd(['plan', a, b, '--format', 'json']);
      expect(lines(planned.stdout).map((line) => line['configuration'])).toEqual([a, b]);
      const previewed = await runToEnd(['preview', a, b, '--format', 'json']);
      expect(lines(previewed.stdout).map((line) => line['configuration'])).toEqual([a, b]);
      expect([planned.status, previewed.status]).toEqual([0, 1]);
    });

    it('names each in the script of curl commands', async () => {
      const [a, b] = [await file('a.json', 'users'), await file('b.json', 'ships')];
      const { stdout } = await runToEnd(['plan', a, b, '--curl']);
      expect(stdout).toMatch(
        new RegExp(`^# ${a}\\n\\n# users .*\\ncurl .*/users\\n\\n# ${b}\\n\\n# ships .*\\ncurl .*/ships\\n`),
      );
    });

    it.each(['preview', 'plan'])('%s has a state of each, and refuses one for all', async (command) => {
      const [a, b] = [await file('a.json', 'users'), await file('b.json', 'ships')];
      const one = await runToEnd([command, a, b, '--state', at('state.json')]);
      expect(one.stderr).toContain(`--state is the same for ${a} and ${b}. Write {config} in it`);
      expect(one.status).toBe(1);
      expect(await runToEnd([command, a, b, '--state', at('{config}.state.json')])).toMatchObject({ status: 0 });
    });

    it('test compares each with its own recording', async () => {
      const [a, b] = [await file('a.json', 'users'), await file('b.json', 'ships')];
      expect(await runToEnd(['run', a, b, '--record', at('{config}.har')])).toMatchObject({ status: 0 });
      const accepted = await runToEnd(['test', a, b, '--update']);
      expect(accepted.status).toBe(0);
      expect(await readdir(folder)).toEqual(expect.arrayContaining(['a.expected.json', 'b.expected.json']));
      const same = await runToEnd(['test', a, b]);
      expect(same.stdout).toBe(
        [a, b].map((path) => `${path}: As accepted: 1 job, 1 page, 1 item, 1 table, 1 request.\n`).join(''),
      );
      await file('b.json', 'users');
      const other = await runToEnd(['test', a, b]);
      expect(other.stdout).toContain(`==> ${b} <==`);
      expect(other.status).toBe(1);
      const shared = await runToEnd(['test', a, b, '--expected', at('all.json')]);
      expect(shared.stderr).toContain('--expected is the same for');
    });

    it('is about parts where no word is a file', async () => {
      expect((await runToEnd(['explain', 'sink', 'csv'])).status).toBe(0);
      expect((await runToEnd(['explain', 'offset', 'nothing'])).stderr).toContain('There is no part');
    });
  });

  describe('a configuration whose variables are not set', () => {
    const NAME = 'HEADWATER_SPEC_UNSET';
    const api = { authentication: { type: 'bearer', token: { env: NAME } } };
    const reported = `api.authentication.token: the environment variable ${NAME} is not set`;

    it.each(['explain', 'plan'])('%s shows it all the same, and says so', async (command) => {
      const a = await file('a.json', 'users', api);
      const { status, stdout, stderr } = await runToEnd([command, a]);
      expect(stderr).toBe(`not checked: ${reported}; $${NAME} stands for it\n`);
      expect(status).toBe(0);
      expect(stdout).toContain('/users');
      expect((await runToEnd([command, a, await file('b.json', 'ships')])).stderr).toContain(
        `${a}: not checked: ${reported}`,
      );
    });

    it('plan --curl gives the commands, with the variable', async () => {
      const { status, stdout } = await runToEnd(['plan', '--curl', await file('a.json', 'users', api)]);
      expect(stdout).toContain(`# ${NAME}: as in the environment of a run\n`);
      expect(stdout).toContain(`-H 'authorization: ''Bearer '"$${NAME}"`);
      expect(status).toBe(0);
    });

    it('validate, preview and run refuse it', async () => {
      const a = await file('a.json', 'users', api);
      for (const command of ['validate', 'preview', 'run']) {
        const { status, stderr } = await runToEnd([command, a]);
        expect(stderr).toMatch(new RegExp(`a\\.json:1:\\d+ ${reported.replaceAll('.', '\\.')}`));
        expect(status).toBe(1);
      }
      expect(server.requests).toEqual([]);
    });

    it('validate --allow-unset checks the rest, with --strict as well', async () => {
      const a = await file('a.json', 'users', api);
      const { status, stdout, stderr } = await runToEnd(['validate', '--allow-unset', '--strict', a]);
      expect(stderr).toBe(`not checked: ${reported}; $${NAME} stands for it\n`);
      expect([status, stdout]).toEqual([0, 'The configuration is valid: 1 job.\n']);
      await write('a.json', JSON.stringify({ api: { baseUrl: 'https://a.example', ...api }, config: { jobs: [{}] } }));
      expect((await runToEnd(['validate', '--allow-unset', a])).status).toBe(1);
    });
  });
});
