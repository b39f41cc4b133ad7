import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../support/build';
import { COMMAND } from '../../support/command';
import { atTerminal, HAS_SCRIPT } from '../../support/pseudo-terminal';
import type { AtTerminal, ScreenAt } from '../../support/pseudo-terminal';
import { RiversApi } from '../../support/rivers-api';

const withTerminal = HAS_SCRIPT ? describe : describe.skip;
const DOCUMENT = join(ROOT, 'docs', 'command.md');
/** What differs from run to run. */
const steady = (text: string, folder: string, columns: number): string =>
  text
    .replaceAll(folder, '.')
    .replace(/^\d{4}-\d\d-\d\dT\S+Z /gm, '')
    .replace(/127\.0\.0\.1:\d+/g, 'api.example')
    .replace(/\b\d+\.\d s\b/g, '0.8 s')
    .replace(/until \S+Z/g, 'until 2026-01-01T12:00:00.000Z')
    .replace(/expires in \d+ min \d+ s/g, 'expires in 59 min 30 s')
    .split('\n')
    .filter((line) => line.length <= columns)
    .join('\n');

withTerminal(`headwater run at a terminal${HAS_SCRIPT ? '' : ' (skipped: util-linux script is not installed)'}`, () => {
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
  const start = async (at: ScreenAt, ...flags: string[]): Promise<AtTerminal> =>
    atTerminal(
      [
        process.execPath,
        COMMAND,
        'run',
        await api.configurationIn(folder),
        '--to',
        `ndjson:${join(folder, 'out')}`,
        ...flags,
      ],
      at,
    );
  /** The last page that comes is counted, and all lines are there. */
  const isHeld = (lines: readonly string[]): boolean =>
    lines.some((line) => /^rivers .* 2,000 of 3,000 items/.test(line)) && lines.at(-1)?.includes('jobs done') === true;
  const drawn = (lines: readonly string[]): readonly string[] => {
    const at = lines.findLastIndex((line) => line.startsWith('gauges '));
    return lines.slice(at);
  };

  it.each([80, 120])(
    'draws a line a job and one for the run in %i columns, the log above, and the summary once',
    async (columns) => {
      const run = await start({ columns, rows: 24 });
      const held = drawn(await run.until(isHeld));
      expect(held).toHaveLength(3);
      expect(held[0]).toMatch(/^gauges {2}3 of 3 items {2}done in \d.*s {2}levels 2 items, 2 of 3 calls had none/);
      expect(held[1]).toMatch(/^rivers {2}2,000 of 3,000 items {2}.*4 pages {2}23 kB {2}1 retry$/);
      expect(held[2]).toMatch(
        / s {2}1 of 2 jobs done {2}\d+ requests {2}1 retry .*logged in, expires in 59 min \d+ s$/,
      );
      for (const line of held) expect(line.length).toBeLessThanOrEqual(columns);
      api.release();
      expect(await run.ended).toBe(0);
      const end = (await run.lines()).join('\n');
      // The live lines are gone, and what they said is said once.
      expect(end).not.toContain('jobs done');
      expect(end.match(/^table +rows +destination$/gm)).toHaveLength(1);
      expect(end).toMatch(/^rivers\.ndjson {2}3,000 {2}ndjson:/m);
      expect(end.match(/13 requests, 1 retry, 1 login/g)).toHaveLength(1);
      expect(end.match(/Failed to get response/g)).toHaveLength(2);
      expect(run.written().lastIndexOf('\u001b[?25h')).toBeGreaterThan(run.written().lastIndexOf('\u001b[?25l'));
      if (columns === 80) await document(`${held.join('\n')}\n\n${tableOf(end)}`);
    },
  );

  const tableOf = (end: string): string => {
    const lines = end.split('\n');
    const at = lines.findIndex((line) => line.startsWith('table '));
    return lines.slice(at, at + 5).join('\n');
  };

  /** The document shows such a screen, which this spec writes: `npm run docs:progress`. */
  async function document(screen: string): Promise<void> {
    const shown = `<!-- screen 80 -->\n\n\`\`\`text\n${steady(screen, folder, 200)}\n\`\`\``;
    const text = await readFile(DOCUMENT, 'utf8');
    const place = /<!-- screen 80 -->\n\n```text\n[^]*?```/;
    if (process.env['HEADWATER_WRITE_DOCS'] === '1')
      await writeFile(
        DOCUMENT,
        text.replace(place, () => shown),
      );
    else expect(place.exec(text)?.[0]).toContain('rivers  2,000 of 3,000 items');
  }

  it.each<[string, readonly string[], Readonly<Record<string, string>>]>([
    ['TERM=dumb', [], { TERM: 'dumb' }],
    ['CI', [], { CI: 'true' }],
    ['--log-format json', ['--log-format', 'json', '--progress', 'terminal'], {}],
    ['--progress none', ['--progress', 'none'], {}],
  ])('draws nothing with %s', async (_, flags, env) => {
    api.release();
    const run = await start({ columns: 80, rows: 24, env }, ...flags);
    expect(await run.ended).toBe(0);
    expect(run.written()).not.toContain('\u001b');
  });
});
