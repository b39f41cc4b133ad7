// (h) What it costs to count a run and to show its progress: node bench/progress.mjs [--pages 1000] [--items 100] [--rounds 5]
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pagedJob, runCommand, writeConfig } from './support/headwater.mjs';
import { atMost, median, shown } from './support/figures.mjs';
import { measure } from './support/measure.mjs';
import { ifMain } from './support/program.mjs';
import { withFolder } from './support/scratch.mjs';
import { startServer } from './support/server.mjs';

export const defaults = { pages: 1000, items: 100, rounds: 9, postgres: '' };
export const quick = { pages: 5, rounds: 1 };

/** More of the CPU time of a run than this, in percent, is too much. */
const MOST = 2;

const script = fileURLToPath(new URL('progress-run.mjs', import.meta.url));

/** By the library: whether anybody hears what happens; by the command: whether the screen is drawn eight times a second. */
const WAYS = [
  ['library', 'silent', 'counted'],
  ['command', 'none', 'terminal'],
];

/** @param options.postgres the address of a database, which takes part where it is given */
export async function progress({ pages, items, rounds, postgres }) {
  const destinations = [
    ['NDJSON', (folder) => `ndjson:${join(folder, 'out')}`],
    ['DuckDB', (folder) => `duckdb:${join(folder, 'rows.duckdb')}`],
    ...(postgres === '' ? [] : [['PostgreSQL', () => postgres]]),
  ];
  const server = await startServer({ pages, items });
  const rows = [];
  try {
    for (const [name, to] of destinations)
      for (const [by, without, with_] of WAYS) {
        const [plain, counted] = await byTurns(rounds, [without, with_], (how, check) =>
          runOnce(server, { by, how, to, pages, items, check }),
        );
        // Neighbours are compared: the machine may become slower from round to round.
        rows.push({ name, by, plain: median(plain), cost: median(plain.map((cpu, at) => counted[at] / cpu)) });
      }
  } finally {
    server.close();
  }
  return resultOf(rows, { pages, items, rounds });
}

/** The CPU time of each way, round by round; which of them comes first changes. */
async function byTurns(rounds, ways, run) {
  const times = ways.map(() => []);
  for (let round = 0; round < rounds; round += 1)
    for (const at of round % 2 === 0 ? [0, 1] : [1, 0]) times[at].push(await run(ways[at], round === 0));
  return times;
}

async function runOnce(server, { by, how, to, pages, items, check }) {
  await server.begin({ pages });
  return withFolder(async (folder) => {
    const config = pagedJob(server.url, items);
    const command =
      by === 'library'
        ? [process.execPath, script, writeConfig(config, folder), to(folder), how, String(check ? pages * items : '')]
        : runCommand(config, folder, ['--to', to(folder), '--progress', how]);
    const { cpu } = await measure(command, { silent: by === 'command' });
    const { requests } = await server.stats();
    if (requests.page !== pages) throw new Error(`${requests.page} requests for ${pages} pages`);
    return cpu;
  });
}

function resultOf(rows, { pages, items, rounds }) {
  const percent = ({ cost }) => (cost - 1) * 100;
  return {
    title: 'Counting and progress',
    head: ['destination', 'by', '>CPU s without', '>CPU time with ÷ without', '>more, %'],
    rows: rows.map((row) => [
      row.name,
      row.by === 'library' ? 'the library: counts of all events' : 'the command: a screen drawn 8 times a second',
      shown(row.plain, 2),
      shown(row.cost, 3),
      shown(percent(row), 1),
    ]),
    notes: [
      `${shown(pages)} pages of ${shown(items)} items; medians of ${rounds} rounds by turns, of the ratio of neighbours. By the ` +
        'library, "without" is a run that nobody hears of; by the command, one with `--progress none`.',
    ],
    bars: rows.map((row) =>
      atMost(`Counts and progress, ${row.name}, by the ${row.by}: % more CPU time`, MOST, percent(row), 1),
    ),
  };
}

await ifMain(import.meta, progress, defaults, quick);
