/** What becomes of a terminal whose size changes during a run, and of one whose run is ended from outside. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../support/build';
import { COMMAND, runToEnd } from '../../support/command';
import { atTerminal, HAS_SCRIPT } from '../../support/pseudo-terminal';
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
