// (g) Items with a list each into linked tables: node bench/linked.mjs [--pages 100] [--rounds 3] [--rivals]
import { join } from 'node:path';
import { ownContestants } from './support/contestants.mjs';
import {
  dltDuckdbVersions,
  dltIsInstalled,
  dltTablesCommand,
  linkedOfDlt,
  linkedOfDuckdb,
} from './support/duckdb-rows.mjs';
import { atLeast, atMost, median, shown } from './support/figures.mjs';
import { pagedJob, runCommand } from './support/headwater.mjs';
import { measure } from './support/measure.mjs';
import { expected } from './support/outputs.mjs';
import { ifMain } from './support/program.mjs';
import { withFolder } from './support/scratch.mjs';
import { startServer } from './support/server.mjs';

export const defaults = { pages: 100, items: 1000, rounds: 3, times: 10, rivals: false };
export const quick = { pages: 3, rounds: 1, times: 2, rivals: dltIsInstalled() };

export async function linked(options) {
  const { pages, items, rounds, times } = options;
  if (options.rivals && !dltIsInstalled()) throw new Error('Install the rivals first: bench/rivals/install.sh');
  const server = await startServer({ pages: pages * times, items });
  try {
    const all = contestants(server.url, options).map((one) => ({ ...one, runs: [] }));
    // By turns, so that whatever the machine does meanwhile meets them all.
    for (let round = 0; round < rounds; round += 1)
      for (const one of all) one.runs.push(await runOnce(server, one, items, round === 0));
    return resultOf(all.map(figuresOf), options);
  } finally {
    server.close();
  }
}

const intoDuckdb = (url, items) => ({
  command: (folder) => runCommand(pagedJob(url, items), folder, ['--to', `duckdb:${join(folder, 'rows.duckdb')}`]),
  read: (folder) => linkedOfDuckdb(join(folder, 'rows.duckdb'), folder),
});

const dlt = (url, how, options, pages) => ({
  name: `dlt, ${how}`,
  command: (folder) => dltTablesCommand(url, 'items', folder, ...options),
  read: linkedOfDlt,
  pages,
});

const contestants = (url, { pages, items, times, rivals }) => [
  { ...ownContestants(url, items)[0], pages: pages * times },
  { name: 'headwater, DuckDB', ...intoDuckdb(url, items), pages },
  { name: 'headwater, DuckDB', ...intoDuckdb(url, items), pages: pages * times },
  ...(rivals ? [dlt(url, 'DuckDB', [items], pages), dlt(url, 'rows as Parquet', [items, 'parquet'], pages)] : []),
];

/** @param check whether to read what was written */
async function runOnce(server, { name, pages, command, read }, items, check) {
  await server.begin({ pages });
  return withFolder(async (folder) => {
    const usage = await measure(command(folder));
    const { requests, first } = await server.stats();
    if (requests.page !== pages) throw new Error(`${name} made ${requests.page} requests for ${pages} pages`);
    if (check) {
      const [found, wanted] = [await read(folder), expected(pages * items, { perPage: items })];
      if (found !== wanted) throw new Error(`${name} wrote ${found}, expected ${wanted}`);
    }
    const count = pages * items;
    return {
      whole: count / usage.seconds,
      started: count / ((usage.end - first.page) / 1000),
      cpu: (usage.cpu / count) * 1e6,
      memory: usage.memory,
    };
  });
}

/** Medians, and the least and the most of what is compared. */
const figuresOf = ({ name, pages, runs }) => {
  const of = (figure) => runs.map((run) => run[figure]);
  const spread = (figure, digits = 0) =>
    `${shown(Math.min(...of(figure)), digits)} to ${shown(Math.max(...of(figure)), digits)}`;
  return {
    ...{ name, pages, started: median(of('started')), cpu: median(of('cpu')), memory: median(of('memory')) },
    ...{ whole: median(of('whole')), startedSpread: spread('started'), cpuSpread: spread('cpu', 2) },
  };
};

function resultOf(rows, { rounds, items, times, rivals }) {
  const [hand, own, long, rival, fastest] = rows;
  const bars = [
    atMost('CPU time for linked tables in DuckDB ÷ hand-written loop for NDJSON', 2.5, long.cpu / hand.cpu),
    atMost(`Peak memory, linked tables in DuckDB: ${times} × the pages`, 1.15, long.memory / own.memory),
    ...(rival === undefined
      ? []
      : [
          atLeast('items/s into linked tables ÷ dlt, after start-up', 10, own.started / rival.started, 1),
          atLeast(
            'items/s into linked tables ÷ dlt, rows as Parquet, after start-up',
            10,
            own.started / fastest.started,
            1,
          ),
        ]),
  ];
  return {
    title: 'Linked tables',
    head: [
      ...['process', '>pages', '>items/s, whole', '>items/s, after start-up', '>least to most'],
      ...['>CPU s per million', '>least to most', '>peak MiB'],
    ],
    rows: rows.map((row) => [
      ...[row.name, shown(row.pages), shown(row.whole), shown(row.started), row.startedSpread],
      ...[shown(row.cpu, 2), row.cpuSpread, shown(row.memory)],
    ]),
    notes: [
      `Medians of ${rounds} rounds, ${shown(items)} items a page, each with a list of three texts: a row, and three in a ` +
        'table of their own. The hand-written loop writes lines and makes no tables. All tables held the same rows.',
      ...(rivals
        ? [`Rivals: ${dltDuckdbVersions()}; dlt with its default settings, and with Parquet between its steps.`]
        : []),
    ],
    bars,
  };
}

await ifMain(import.meta, linked, defaults, quick);
