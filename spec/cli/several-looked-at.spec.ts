/** The built command, where it looks at several configurations in one call, and where variables are not set. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer } from '../support/api-server';
import { runToEnd } from '../support/command';

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
    expect(stderr).toContain(`${b}: The configuration cannot be used.\n  ${b}:1:16 api.baseUrl: expected a valid URL`);
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
  const told = `api.authentication.token: the environment variable ${NAME} is not set`;

  it.each(['explain', 'plan'])('%s shows it all the same, and says so', async (command) => {
    const a = await file('a.json', 'users', api);
    const { status, stdout, stderr } = await runToEnd([command, a]);
    expect(stderr).toBe(`warning: ${told}; $${NAME} stands for it\n`);
    expect(status).toBe(0);
    expect(stdout).toContain('/users');
    expect((await runToEnd([command, a, await file('b.json', 'ships')])).stderr).toContain(`${a}: warning: ${told}`);
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
      expect(stderr).toMatch(new RegExp(`a\\.json:1:\\d+ ${told.replaceAll('.', '\\.')}`));
      expect(status).toBe(1);
    }
    expect(server.requests).toEqual([]);
  });

  it('validate --allow-unset checks the rest, with --strict as well', async () => {
    const a = await file('a.json', 'users', api);
    const { status, stdout, stderr } = await runToEnd(['validate', '--allow-unset', '--strict', a]);
    expect(stderr).toBe(`not checked: ${told}; $${NAME} stands for it\n`);
    expect([status, stdout]).toEqual([0, 'The configuration is valid: 1 job.\n']);
    await write('a.json', JSON.stringify({ api: { baseUrl: 'https://a.example', ...api }, config: { jobs: [{}] } }));
    expect((await runToEnd(['validate', '--allow-unset', a])).status).toBe(1);
  });
});
