/** The built command with several configurations in one call. */
import { mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunFlags } from '../../../src/cli/run/flags';
import { flagsFor } from '../../../src/cli/run/run-several';
import { json, never } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { runToEnd, startCommand } from '../../support/command';

let server: ApiServer;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headwater-several-'));
  server = await startServer({
    '/users': json([{ id: 1, tags: [{ name: 'x' }] }]),
    '/ships': json([{ id: 2 }, { id: 3 }]),
    '/users_tags': json([{ id: 4 }]),
    '/broken': json({ message: 'no' }, 404),
    '/endless': never,
  });
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const at = (name: string): string => join(folder, name);
const file = async (name: string, endpoint: string, config: object = {}): Promise<string> => {
  const written = { api: { baseUrl: server.origin }, config: { jobs: [{ endpoint }], ...config } };
  await writeFile(at(name), JSON.stringify(written));
  return at(name);
};
const requested = (): readonly string[] => server.requests.map(({ url }) => url.split('?')[0] ?? '');

describe('headwater run with several configurations', () => {
  it('runs one after the other, and says of each line to which it belongs, and of each how it ended', async () => {
    const [a, b] = [await file('a.json', 'users'), await file('b.json', 'ships')];
    const { status, stdout, stderr } = await runToEnd(['run', a, b]);
    expect(stdout).toBe('{"id":1,"tags":[{"name":"x"}]}\n{"id":2}\n{"id":3}\n');
    expect(stderr).toContain(`info: [${a}] Job users finished: 1 item on 1 page\n`);
    expect(stderr).toContain(`info: [${b}] Job ships finished: 2 items on 1 page\n`);
    expect(stderr).toMatch(/All 2 configurations have run:\n {2}.*a\.json: .*\n {2}.*b\.json: .*Complete: ships\.\n$/);
    expect(status).toBe(0);
  });

  it('names the configuration in the entries of a JSON log', async () => {
    const [a, b] = [await file('a.json', 'users'), await file('b.json', 'broken')];
    const { stderr } = await runToEnd(['run', a, b, '--log-format', 'json']);
    const entries = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const names = (event: string): unknown[] =>
      entries.filter((one) => one['event'] === event).map((one) => one['configuration']);
    expect([names('job.started'), names('run.finished'), names('run.failed')]).toEqual([[a, b], [a], [b]]);
    expect(entries.at(-1)).toMatchObject({
      level: 'error',
      event: 'configurations.finished',
      configurations: [
        { configuration: a, status: 0 },
        { configuration: b, status: 1 },
      ],
    });
  });

  it('goes on after one that fails, and ends with the worst status and what failed', async () => {
    const paths = [await file('a.json', 'broken'), await file('b.json', 'ships')];
    const { status, stdout, stderr } = await runToEnd(['run', ...paths, '--log-level', 'error']);
    expect(stdout).toBe('{"id":2}\n{"id":3}\n');
    expect(stderr).toMatch(
      /1 of 2 configurations failed:\n {2}.*a\.json: failed \(status 1\): .*\[404\] GET .*\n {2}.*b\.json: Extractor/,
    );
    expect(status).toBe(1);
  });

  it('requests nothing where one of them is at fault, and tells the faults of all', async () => {
    const paths = [
      await file('a.json', 'users'),
      await file('b.json', ''),
      await file('c.json', 'x', { concurrency: 'many' }),
    ];
    const { status, stdout, stderr } = await runToEnd(['run', ...paths]);
    expect(stderr).toMatch(/b\.json:1:\d+ config\.jobs\[0\]\.endpoint: [\s\S]*c\.json:1:\d+ config\.concurrency: /);
    expect({ status, stdout, requests: server.requests }).toEqual({ status: 1, stdout: '', requests: [] });
  });

  it('--strict takes the warnings of the second for faults before the first one runs', async () => {
    const [a, b] = [await file('a.json', 'users'), await file('b.json', 'ships')];
    await writeFile(
      b,
      JSON.stringify({ api: { baseUrl: server.origin, note: 1 }, config: { jobs: [{ endpoint: 'ships' }] } }),
    );
    const { status, stderr } = await runToEnd(['run', a, b, '--strict']);
    expect(stderr).toMatch(/b\.json:1:\d+ api\.note: has no effect/);
    expect({ status, requests: server.requests }).toEqual({ status: 1, requests: [] });
  });

  it('stores both in one database, and the other one keeps its tables', async () => {
    const paths = [await file('a.json', 'users'), await file('b.json', 'ships')];
    const to = `duckdb:${at('all.duckdb')}`;
    expect(await runToEnd(['run', ...paths, '--to', to])).toMatchObject({ status: 0 });
    expect(await runToEnd(['run', ...paths, '--to', to])).toMatchObject({ status: 0 });
    const { stdout } = await runToEnd([
      'query',
      at('all.duckdb'),
      'select (select count(*) from users) + (select count(*) from ships) as n',
      '--format',
      'csv',
    ]);
    expect(stdout).toMatch(/^"?n"?\r?\n"?3"?\r?\n$/);
  });

  it('refuses the same table in the same destination before the first request, with both places', async () => {
    const paths = [
      await file('a.json', 'users'),
      await file('b.json', 'ships', { jobs: [{ endpoint: 'ships', dataType: 'Users' }] }),
    ];
    const { status, stderr } = await runToEnd(['run', ...paths, '--to', `csv:${at('out')}`]);
    expect(stderr).toMatch(
      /b\.json config\.jobs\[0\]: writes the table "[Uu]sers" of csv:.*, and so does .*a\.json config\.jobs\[0\]\./,
    );
    expect({ status, requests: server.requests }).toEqual({ status: 1, requests: [] });
    const { status: own } = await runToEnd(['run', ...paths, '--to', `csv:${at('out')}/{config}`]);
    expect({ own, folders: (await readdir(at('out'))).sort() }).toEqual({ own: 0, folders: ['a', 'b'] });
  });

  it.each([
    ['csv:', ''],
    ['ndjson:', '?nested=tables'],
  ])('fails where the list of one turns out to have the table of another: %s', async (kind, options) => {
    const paths = [await file('a.json', 'users'), await file('b.json', 'users_tags')];
    const { status, stderr } = await runToEnd(['run', ...paths, '--to', `${kind}${at('out')}${options}`]);
    expect(stderr).toMatch(
      /b\.json: failed \(status 1\): The table "users_tags" is that of a list in the items of another job/,
    );
    expect(status).toBe(1);
  });

  it('fails where a list turns out to have the table of the one before', async () => {
    const paths = [await file('b.json', 'users_tags'), await file('a.json', 'users')];
    const { status, stderr } = await runToEnd(['run', ...paths, '--to', `csv:${at('out')}`]);
    expect(stderr).toMatch(
      /a\.json: failed \(status 1\): The table "users_tags" is that of another job, "users_tags", since an earlier run/,
    );
    expect(status).toBe(1);
  });

  it('has a state for each by {config}, and refuses one for both', async () => {
    const paths = [await file('a.json', 'users'), await file('b.json', 'ships')];
    const shared = await runToEnd(['run', ...paths, '--state', at('state.json')]);
    expect(shared.stderr).toContain('--state is the same for ');
    expect({ status: shared.status, requests: server.requests }).toEqual({ status: 1, requests: [] });
    expect(await runToEnd(['run', ...paths, '--state', at('{config}.state')])).toMatchObject({ status: 0 });
    expect((await readdir(folder)).sort()).toEqual(['a.json', 'a.state', 'b.json', 'b.state']);
    expect(await readFile(at('a.state'), 'utf8')).toContain('headwater.checksum');
  });

  it.each(['--record', '--run-id'])('refuses the same %s for both', async (flag) => {
    const paths = [await file('a.json', 'users'), await file('b.json', 'ships')];
    const { status, stderr } = await runToEnd(['run', ...paths, flag, at('one'), '--to', `csv:${at('out')}/{config}`]);
    expect(stderr).toContain(`${flag} is the same for `);
    expect({ status, requests: server.requests }).toEqual({ status: 1, requests: [] });
  });

  it('does not promise pages that the next one drops, and refuses --resume in a place that both share', async () => {
    const pages = { jobs: [{ endpoint: 'ships' }, { endpoint: 'broken' }] };
    const paths = [await file('a.json', '', pages), await file('b.json', 'users')];
    const to = ['--to', `duckdb:${at('all.duckdb')}`];
    const { status, stderr } = await runToEnd(['run', ...paths, ...to]);
    expect(stderr).toMatch(
      /\[.*a\.json\] What has arrived is dropped, since .*b\.json writes into the same destination/,
    );
    expect(stderr).not.toContain('What has arrived is safe');
    expect(status).toBe(1);
    const resumed = await runToEnd(['run', ...paths, ...to, '--resume']);
    expect(resumed.stderr).toMatch(/--resume: .*a\.json and .*b\.json write into duckdb:/);
    const apart = await runToEnd(['run', ...paths, '--to', `duckdb:${at('{config}.duckdb')}`]);
    expect(apart.stderr).toMatch(
      /\[.*a\.json\] What has arrived is safe\. Go on with: headwater run .*a\.json --to duckdb:.*a\.duckdb --resume/,
    );
  });

  it('refuses a file that is named twice, by whatever path, and standard input twice', async () => {
    const a = await file('a.json', 'users');
    await mkdir(at('other'));
    await symlink(a, at('other/b.json'));
    for (const paths of [
      [a, a],
      [a, join(folder, 'other', '..', 'a.json')],
      [a, at('other/b.json')],
    ]) {
      const { status, stderr } = await runToEnd(['run', ...paths]);
      expect(stderr).toContain('Name each configuration once.');
      expect(status).toBe(1);
    }
    expect((await runToEnd(['run', '-', a, '-'])).stderr).toContain('Standard input (-) is named twice');
    expect(server.requests).toEqual([]);
  });

  it('reads one of them from standard input', async () => {
    const a = await file('a.json', 'users');
    const ships = JSON.stringify({ api: { baseUrl: server.origin }, config: { jobs: [{ endpoint: 'ships' }] } });
    const { status, stdout } = await runToEnd(['run', a, '-'], ships);
    expect({ status, stdout }).toEqual({ status: 0, stdout: '{"id":1,"tags":[{"name":"x"}]}\n{"id":2}\n{"id":3}\n' });
  });

  it('ends all when it is interrupted, and does not begin the next', async () => {
    const paths = [await file('a.json', 'endless'), await file('b.json', 'ships')];
    const { child, ended } = startCommand(['run', ...paths]);
    const all = ended();
    await server.received(0);
    child.kill('SIGINT');
    const { status, stderr } = await all;
    expect(stderr).toMatch(
      /1 of 2 configurations failed, 1 did not begin:\n {2}.*a\.json: failed \(status 130\): Interrupted\.\n {2}.*b\.json: did not begin\.\n$/,
    );
    expect({ status, requested: requested() }).toEqual({ status: 130, requested: ['/endless'] });
  });

  it('runs twelve of them without a word of Node.js', async () => {
    const paths = await Promise.all(Array.from({ length: 12 }, (_, n) => file(`${n}.json`, 'users')));
    const { status, stderr } = await runToEnd(['run', ...paths]);
    expect(stderr).not.toMatch(/Warning/);
    expect({ status, count: server.requests.length }).toEqual({ status: 0, count: 12 });
  });
});

describe('headwater validate with several configurations', () => {
  it('checks all of them, tells of which it speaks, and ends with the worst status', async () => {
    const [a, b, c] = [await file('a.json', 'users'), await file('b.json', ''), await file('c.json', 'ships')];
    const { status, stdout, stderr } = await runToEnd(['validate', a, b, c]);
    expect(stdout).toBe(`${a}: The configuration is valid: 1 job.\n${c}: The configuration is valid: 1 job.\n`);
    expect(stderr).toMatch(
      /b\.json: The configuration cannot be used\.\n {2}.*b\.json:1:\d+ config\.jobs\[0\]\.endpoint: /,
    );
    expect(status).toBe(1);
    expect(await runToEnd(['validate', a, a])).toMatchObject({ status: 1, stdout: '' });
  });
});

describe('what configurations of one call keep from each other', () => {
  it('masks the secrets of all of them, whichever server tells them', async () => {
    const reported = 'SECRETA11111 and SECRETB22222';
    await server.close();
    server = await startServer({ '/told': json({ error: reported }, 400), '/users': json([{ id: 1 }]) });
    const bearing = async (name: string, endpoint: string, token: string): Promise<string> => {
      const authentication = { type: 'bearer', token };
      const api = { baseUrl: server.origin, authentication, retryConfig: { maxRetries: 0 } };
      await writeFile(at(name), JSON.stringify({ api, config: { jobs: [{ endpoint, dataType: name }] } }));
      return at(name);
    };
    const a = await bearing('a.json', 'told', 'SECRETA11111');
    const b = await bearing('b.json', 'users', 'SECRETB22222');
    const record = ['--record', at('{config}.har'), '--log-level', 'debug'];
    const { status, stderr } = await runToEnd(['run', a, b, '--to', `ndjson:${at('out')}`, ...record]);
    expect(status).toBe(1);
    expect(stderr).toContain('*** and ***');
    const texts = [stderr, await readFile(at('a.har'), 'utf8'), await readFile(at('b.har'), 'utf8')];
    for (const text of texts) expect(text).not.toMatch(/SECRET[AB]/);
  });

  it('refuses to write over one of them, before any of them runs', async () => {
    const [a, b] = [await file('a.json', 'users'), await file('b.json', 'ships')];
    await symlink(b, at('a.har'));
    const { status, stderr } = await runToEnd(['run', a, b, '--record', at('{config}.har')]);
    expect([status, requested()]).toEqual([1, []]);
    expect(stderr).toContain(`--record: ${at('a.har')} is the configuration (${b}), and would be overwritten.`);
  });

  it.each(['...json', 'con.json', 'a .json', 'a\u0001.json'])('refuses the name %j for a place', async (name) => {
    const path = await file(name, 'users');
    const { status, stderr } = await runToEnd(['run', path, '--to', `ndjson:${at('zz')}/{config}`]);
    expect([status, requested()]).toEqual([1, []]);
    expect(stderr).toContain('{config} stands for the name of the file');
  });
});

const flags: RunFlags = {
  ...{
    tag: false,
    tagExtra: false,
    resume: false,
    acceptIncomplete: false,
    allowEmpty: false,
    takeOver: false,
    lenient: false,
  },
  ...{ strict: false, cacheDir: '.headwater-cache', logFormat: 'text', progress: 'auto' },
};

describe('flagsFor', () => {
  it('puts the name of the configuration into places', () => {
    const given = { ...flags, state: 's/{config}.json', record: '{config}.har', replay: '{config}.har' };
    expect(
      flagsFor('rivers/alder$&.yaml', { ...given, runId: 'n-{config}', to: ['csv:{config}/{config}', 'ndjson:-'] }),
    ).toEqual({
      ...flags,
      state: 's/alder$&.json',
      record: 'alder$&.har',
      replay: 'alder$&.har',
      runId: 'n-alder$&',
      to: ['csv:alder$&/alder$&', 'ndjson:-'],
    });
  });

  it('calls standard input stdin, and leaves all else as it is', () => {
    expect(flagsFor('-', { ...flags, state: '{config}' }).state).toBe('stdin');
    expect(flagsFor('a.yaml', flags)).toEqual(flags);
  });
});
