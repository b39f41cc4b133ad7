/** What becomes of a terminal whose size changes during a run, and of one whose run is ended from outside. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { ROOT } from '../../support/build';
import { someOf } from '../../support/cases';
import { COMMAND, runToEnd } from '../../support/command';
import { HAS_SCRIPT, atTerminal } from '../../support/pseudo-terminal';
import type { AtTerminal, ScreenAt } from '../../support/pseudo-terminal';
import { RiversApi } from '../../support/rivers-api';

const withTerminal = HAS_SCRIPT ? describe : describe.skip;
const [CTRL_C, SHOWN, HIDDEN] = ['\u0003', '\u001b[?25h', '\u001b[?25l'];

/** A destination that is never closed: the run does not end by itself. */
const STUCK = `const { sinks } = require(${JSON.stringify(ROOT)});
module.exports = {
  kind: 'sink', name: 'stuck', summary: 'Is never closed.', use: 'In this spec.', schemes: ['stuck'], address: ['stuck:NAME'],
  example: 'stuck:x', rules: [], makes: undefined,
  create: (_, { outputs }) => {
    const sink = sinks.transient('stuck', { write: () => Promise.resolve() })(outputs);
    return { ...sink, close: () => new Promise(() => setInterval(() => undefined, 1000)) };
  },
};
`;

withTerminal(`a terminal${HAS_SCRIPT ? '' : ' (skipped: util-linux script is not installed)'}`, () => {
  let api: RiversApi;
  let folder: string;
  beforeEach(async () => {
    api = new RiversApi();
    folder = await mkdtemp(join(tmpdir(), 'headwater-screen-'));
    await api.listen();
  });
  afterEach(async () => {
    await api.close();
    await rm(folder, { recursive: true });
  });
  const out = (): string => `ndjson:${join(folder, 'out')}`;
  const start = async (at: ScreenAt, flags: readonly string[] = ['--to', out()]): Promise<AtTerminal> =>
    atTerminal([process.execPath, COMMAND, 'run', await api.configurationIn(folder), ...flags], at);
  const isHeld = (lines: readonly string[]): boolean =>
    lines.some((line) => /^rivers .*2,000 of 3,000 items/.test(line)) && lines.at(-1)?.includes('jobs done') === true;
  /** This tells whether the screen has its lines once, and the last one is that of the run. On a narrow one the items of a run that takes long have no room. */
  const isWhole = (lines: readonly string[]): boolean => {
    const firstWords = lines.map((line) => line.split(/ +/)[0]);
    return (
      firstWords.slice(-3, -1).join() === 'gauges,rivers' && firstWords.filter((word) => word === 'rivers').length === 1
    );
  };
  /** How often lines were taken away. */
  const erased = (run: AtTerminal): number => run.written().split('\u001b[2K\u001b[1A\u001b[2K\u001b[1A').length;
  /** Nothing is left that keeps a person from going on: the cursor is there, and stands at the beginning of a line. */
  const expectUsable = (run: AtTerminal): void => {
    expect(run.written().lastIndexOf(SHOWN)).toBeGreaterThan(run.written().lastIndexOf(HIDDEN));
    expect(run.written().replaceAll(SHOWN, '')).toMatch(/\n$/);
  };

  it.each([
    [120, 60],
    [60, 120],
    [80, 60],
  ])('that becomes %i columns wide, and then %i, has each line once, and none too long', async (first, then) => {
    const run = await start({ columns: 90, rows: 24 });
    await run.until((lines) => isHeld(lines) && isWhole(lines));
    for (const columns of [first, then]) {
      const before = erased(run);
      run.resize(columns, 20);
      const isFitted = (all: readonly string[]): boolean => all.slice(-3).every((line) => line.length <= columns);
      const lines = await run.until((all) => erased(run) > before && isWhole(all) && isFitted(all));
      expect(lines.slice(-3).map((line) => line.split(/ +/)[0])).toEqual(['gauges', 'rivers', expect.any(String)]);
    }
    api.release();
    expect(await run.ended).toBe(0);
    const end = (await run.lines()).join('\n');
    expect(end).not.toContain('jobs done');
    expect(end.match(/^table +rows/gm)).toHaveLength(1);
    expectUsable(run);
  });

  it.each<[string, (run: AtTerminal) => void, number, string]>([
    ['Ctrl-C', (run) => run.type(CTRL_C), 130, 'Interrupted.'],
    ['SIGTERM', (run) => run.kill('SIGTERM'), 143, 'Terminated.'],
  ])('has its last lines after %s, what is safe, and how to go on', async (_, interrupt, status, said) => {
    const run = await start({ columns: 300, rows: 24 });
    await run.until(isHeld);
    interrupt(run);
    expect(await run.ended).toBe(status);
    const lines = await run.lines();
    expect(lines.filter((line) => /^rivers .*2,000 of 3,000 items/.test(line))).toHaveLength(1);
    expect(lines.join('\n')).toContain(said);
    expectUsable(run);
    const [, command = ''] =
      /What has arrived is safe\. Go on with: headwater (run .* --resume)$/m.exec(lines.join('\n')) ?? [];
    api.release();
    expect(await runToEnd(command.split(' '))).toMatchObject({ status: 0 });
    const rivers = (await readFile(join(folder, 'out', 'rivers.ndjson'), 'utf8')).trimEnd().split('\n');
    expect(rivers).toEqual(Array.from({ length: 3000 }, (__, id) => `{"id":${id}}`));
  });

  it('is told that the run ends in order where that takes a while; Ctrl-C once more ends it at once', async () => {
    const module = join(folder, 'stuck.cjs');
    await writeFile(module, STUCK);
    const run = await start({ columns: 120, rows: 24 }, ['--components', module, '--to', 'stuck:x']);
    await run.until(isHeld);
    run.type(CTRL_C);
    await run.until((lines) => lines.some((line) => line.includes('Ctrl-C once more ends it at once')));
    // What runs no more has no rate.
    expect((await run.lines()).slice(-3).join('\n')).not.toMatch(/ left|items\/s/);
    run.type(CTRL_C);
    expect(await run.ended).toBe(130);
    expectUsable(run);
  });
});

/** A job that was given no id has a digest for one, which tells a person nothing: nobody is to read it. */

/** Sixteen hexadecimal digits and more, letters among them: the parts of the id of a run are shorter. */
const DIGEST = /(?<![0-9a-z])(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{16,}(?![0-9a-z])/gi;
const digestsIn = (text: string): readonly string[] => text.match(DIGEST) ?? [];

const jobs = [
  {
    endpoint: 'stations',
    dataField: 'data',
    children: [
      {
        endpoint: 'stations/{id}/gauges',
        dataType: 'gauges',
        dataField: 'data',
        placeholders: { id: 'id' },
        children: [
          {
            endpoint: 'gauges/{2:station}/{id}/levels',
            dataType: 'levels',
            dataField: 'data',
            placeholders: { '2:station': 'id', id: 'id' },
          },
        ],
      },
    ],
  },
  { endpoint: 'rivers', dataField: 'data' },
];

describe('what a run says', () => {
  let server: ApiServer;
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-names-'));
    server = await startServer(({ url }) => {
      const { pathname } = new URL(url, 'http://api');
      if (pathname.startsWith('/broken')) return json({ error: 'No' }, 500);
      // Every other gauge has no levels; one of them is missing.
      if (pathname.endsWith('/2/levels')) return json({ error: 'No' }, 404);
      if (pathname.endsWith('/levels')) return json({ data: pathname.includes('/1/') ? [{ level: 1 }] : [] });
      return json({ data: [{ id: 1 }, { id: 2 }] });
    });
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  const configured = async (more: readonly object[] = [], config: object = {}): Promise<string> => {
    const path = join(folder, 'config.json');
    const api = { baseUrl: server.origin, http: { ignoreErrors: [404] }, retryConfig: { maxRetries: 0 } };
    await writeFile(path, JSON.stringify({ api, config: { jobs: [...jobs, ...more], ...config } }));
    return path;
  };
  const to = (kind: string): readonly string[] => ['--to', `${kind}:${join(folder, `out-${kind}`)}`];
  const run = async (...args: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await runToEnd(['run', ...args]);
    return `${stdout}${stderr}`;
  };

  it.each([
    ['in plain lines', ['--progress', 'plain']],
    ['as JSON', ['--log-format', 'json']],
    ['for debugging', ['--log-level', 'debug']],
    ['for debugging, as JSON', ['--log-level', 'debug', '--log-format', 'json']],
  ])('%s calls jobs of all levels by their names, never by a digest', async (_, flags) => {
    const said = await run(await configured(), ...to('ndjson'), ...flags);
    expect(digestsIn(said)).toEqual([]);
    for (const name of ['stations', 'gauges', 'levels', 'rivers']) expect(said).toContain(name);
    expect(said).toContain('levels: 2 of 4 calls had no items');
    // A warning says it for all calls of the run, and the summary of a log does not say it again.
    expect(said.match(/4 calls had no items/g)).toHaveLength(1);
  });

  it.each([
    ['of a job among others that fails', [{ endpoint: 'broken', dataField: 'data' }], { onJobError: 'continue' }],
    ['of a run that fails', [{ endpoint: 'broken', dataField: 'data' }], {}],
    ['of a run that is incomplete', [{ endpoint: 'rivers', dataType: 'none', dataField: 'absent' }], {}],
    ['of a configuration with a fault', [{ endpoint: 'rivers', dataFeild: 'data' }], {}],
    ['of two jobs that are equal', [jobs[1] ?? {}], {}],
  ])('%s has no digest in any form', async (_, more, config) => {
    const path = await configured(more, config);
    for (const flags of someOf([[], ['--log-format', 'json'], ['--log-level', 'debug']], 2)) {
      const said = await run(path, ...to('duckdb'), ...flags);
      expect(said).toMatch(/error|finished/i);
      expect(digestsIn(said)).toEqual([]);
      // What the next call says of this one, too.
      expect(digestsIn(await run(path, ...to('duckdb'), '--resume', ...flags))).toEqual([]);
    }
  });

  const why = HAS_SCRIPT ? '' : ' (skipped: util-linux script is not installed)';
  (HAS_SCRIPT ? it : it.skip)(`at a terminal has a line for the three levels, and no digest${why}`, async () => {
    const command = [process.execPath, COMMAND, 'run', await configured(), ...to('csv')];
    const { ended, written, lines } = atTerminal(command, { columns: 120, rows: 30 });
    expect(await ended).toBe(0);
    expect(digestsIn(written())).toEqual([]);
    expect((await lines()).join('\n')).toContain('levels: 2 of 4 calls had no items');
  });

  it('is looked through by a pattern that finds digests', () => {
    expect(digestsIn('job da39a3ee5e6b4b0d3255bfef95601890afd80709 of 3f786850-e387-550f-bf7e-4b5a2b0e9f10')).toEqual([
      'da39a3ee5e6b4b0d3255bfef95601890afd80709',
    ]);
  });
});
