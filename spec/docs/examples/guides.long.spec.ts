/** docs/tutorial.md, followed as it is written: its commands in a shell, against the example API. */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import * as rxjs from 'rxjs';
import { startServer } from '../../../examples/api/server.cjs';
import * as headwater from '../../../src';
import * as otel from '../../../src/otel';
import * as testing from '../../../src/testing';
import { COMMAND } from '../../support/command';

interface Block {
  /** The words after the three backticks. */
  readonly info: string;
  readonly content: string;
}

const ADDRESS = 'http://127.0.0.1:4010';
/** The job of the measurements, in the list of jobs. */
const JOB = /^ {4}- endpoint: measurements\n(?: {6}.*\n)*/m;

const [start, ...blocks]: readonly Block[] = [
  ...readFileSync(join(__dirname, '../../../docs/tutorial.md'), 'utf8').matchAll(/^```(\S[^\n]*)\n(.*?)^```$/gms),
].map(([, info = '', content = '']) => ({ info, content }));

const missing = ['bash', 'curl'].filter((program) => spawnSync(program, ['--version']).status !== 0);

describe(`docs/tutorial.md${missing.length === 0 ? '' : ` (skipped: without ${missing.join(' and ')})`}`, () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-tutorial-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** @returns what the commands print, on both outputs */
  async function typed(commands: string): Promise<string> {
    const npx = `npx() { shift; "${process.execPath}" "${COMMAND}" "$@"; }`;
    const child = spawn('bash', ['-c', `set -e; exec 2>&1; ${npx}\n${commands}`], { cwd: folder, stdio: 'pipe' });
    child.stdin.end();
    const closed = new Promise((resolve) => child.once('close', resolve));
    const printed = await text(child.stdout);
    expect({ commands, printed, status: await closed }).toEqual({ commands, printed, status: 0 });
    return printed;
  }

  (missing.length === 0 ? it : it.skip)('does what it says, command by command', async () => {
    expect(start?.content).toMatch(/\nnode \.\.\/examples\/api\/server\.cjs --port 4010 --token let-me-in\n/);
    const api = await startServer({ token: 'let-me-in', retryAfter: '0.05' });
    try {
      const file = join(folder, 'stations.yaml');
      let exports = '';
      let printed = '';
      for (const { info, content } of blocks) {
        const here = content.replaceAll(ADDRESS, api.origin);
        if (info === 'yaml') await writeFile(file, here);
        else if (info === 'yaml measurements') {
          const before = await readFile(file, 'utf8');
          expect(before).toMatch(JOB);
          await writeFile(file, before.replace(JOB, here.replace(/^(?=.)/gm, '    ')));
        } else if (info === 'text') expect(printed).toContain(here.trimEnd());
        else {
          expect(info).toBe('sh');
          printed = await typed(`${exports}${here}`);
          exports += /^export .*$/gm.exec(here)?.[0].concat('\n') ?? '';
        }
      }
      expect(api.stats.limited).toBeGreaterThan(0);
    } finally {
      await api.close();
    }
  });
});

/** docs/choosing.md repeats figures; they are those of the pages that were written by the benchmarks. */

const ROOT = join(__dirname, '../../..');
const read = (name: string): string => readFileSync(join(ROOT, 'docs', name), 'utf8');

/** The rows of the first table with this column, by the first cell: values by the names of columns. */
function tableWith(markdown: string, column: string): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const lines = markdown.split('\n');
  const head = lines.findIndex((line) => line.startsWith('|') && cellsOf(line).includes(column));
  const end = lines.findIndex((line, at) => at > head && !line.startsWith('|'));
  const names = cellsOf(lines[head] ?? '');
  const rows = lines.slice(head + 2, end).map((line) => {
    const cells = cellsOf(line);
    return [cells[0] ?? '', Object.fromEntries(names.map((name, at) => [name, cells[at] ?? '']))] as const;
  });
  return new Map(rows);
}

const cellsOf = (line: string): readonly string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

const sectionOf = (markdown: string, heading: string): string => markdown.split(`\n${heading}\n`)[1] ?? '';

describe('docs/choosing.md', () => {
  const measured = sectionOf(read('choosing.md'), '## What was measured').split('\n## ')[0] ?? '';
  const performance = read('performance.md');
  const all = tableWith(performance, 'items/s, after start-up');
  const tables = tableWith(sectionOf(performance, '### Tables'), 'process');
  const linked = tableWith(sectionOf(read('comparison-dlt.md'), '### Linked tables'), 'process');

  it.each([
    ...['headwater, NDJSON', 'hand-written loop', 'dlt', 'Airbyte CDK, its command', 'Airbyte CDK, as a library'].map(
      (process) => [`items/s of ${process}`, all.get(process)?.['items/s, after start-up']],
    ),
    ['items/s into DuckDB', tables.get('headwater, DuckDB')?.['items/s, after start-up']],
    ['items/s of dlt into DuckDB', tables.get('dlt, DuckDB')?.['items/s, after start-up']],
    ['memory for DuckDB', tables.get('headwater, DuckDB')?.['peak MiB']],
    ['memory of dlt for DuckDB', tables.get('dlt, DuckDB')?.['peak MiB']],
    ['items/s of dlt into linked tables, by Parquet', linked.get('dlt, rows as Parquet')?.['items/s, after start-up']],
    ['items/s of dlt into linked tables', linked.get('dlt, DuckDB')?.['items/s, after start-up']],
    ['memory of dlt for linked tables, by Parquet', linked.get('dlt, rows as Parquet')?.['peak MiB']],
    ['memory of dlt for linked tables', linked.get('dlt, DuckDB')?.['peak MiB']],
    ['items/s into linked tables, 1,000 pages', linked.get('headwater, DuckDB')?.['items/s, after start-up']],
  ])('has the figure of %s', (_what, figure) => {
    expect(figure).toBeDefined();
    expect(measured).toContain(figure);
  });

  it('counts what is there', () => {
    const page = read('choosing.md');
    expect(readdirSync(join(ROOT, 'catalogue')).filter((name) => name.endsWith('.json'))).toHaveLength(13);
    expect(page).toContain('[thirteen configurations]');
    const values = tableWith(sectionOf(read('comparison-dlt.md'), '### Values'), 'the API sends');
    expect(page).toContain(`none of ${values.size} kinds of values`);
    expect(read('real-configurations.md')).toMatch(/accepted when completed +\| 202 /);
    expect(page).toContain('[202 run]');
  });
});

/** The samples of docs/tracing.md and docs/testing.md run as they stand. */

const MODULES: Readonly<Record<string, unknown>> = {
  rxjs,
  headwater,
  'headwater/otel': otel,
  'headwater/testing': testing,
};

/** Runs the code of a document; what it needs beside modules stands in `given`. */
function play(code: string, given: Readonly<Record<string, unknown>> = {}): string[] {
  const lines: string[] = [];
  const console = { log: (...words: readonly unknown[]) => lines.push(words.join(' ')) };
  const names = ['require', 'console', ...Object.keys(given)];
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the code of a document of this project
  const run = new Function(...names, code) as (...values: unknown[]) => void;
  run((name: string) => MODULES[name], console, ...Object.values(given));
  return lines;
}

const samplesOf = (document: string): string[] =>
  [...readFileSync(join(__dirname, '../../../docs', document), 'utf8').matchAll(/^```js\n(.*?)^```$/gms)].map(
    ([, code = '']) => code,
  );

async function printed(lines: readonly string[]): Promise<readonly string[]> {
  for (let turns = 0; lines.length === 0 && turns < 200; turns += 1) await wait(10);
  return lines;
}

describe('the samples', () => {
  it('of docs/testing.md print what they say', async () => {
    const [scripted = '', replayed = '', ...others] = samplesOf('testing.md');
    expect(others).toEqual([]);
    expect(await printed(play(scripted))).toEqual(['river 1 after 3 requests']);
    expect(await printed(play(replayed))).toEqual(['again: 1 with 1 request']);
  });

  it('of docs/tracing.md make an extraction', async () => {
    const [traced = '', ...others] = samplesOf('tracing.md');
    expect(others).toEqual([]);
    const config = { api: { baseUrl: 'http://127.0.0.1:9/' }, config: { jobs: [{ endpoint: 'a' }] } };
    const lines = play(`${traced}; console.log(extraction.warnings.length, 'warnings')`, { config });
    expect(await printed(lines)).toEqual(['0 warnings']);
  });
});
