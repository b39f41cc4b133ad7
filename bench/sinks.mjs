// (f) From the API into tables: node bench/sinks.mjs [--pages 1000] [--rounds 3] [--rivals]
import { join } from 'node:path';
import { handLoop } from './support/contestants.mjs';
import { pagedJob, runCommand } from './support/headwater.mjs';
import { atLeast, atMost, shown } from './support/figures.mjs';
import { measure } from './support/measure.mjs';
import { expected } from './support/outputs.mjs';
import { ifMain } from './support/program.mjs';
import { dltCommand, dltDuckdbVersions, dltIsInstalled, ofDlt, ofDuckdb } from './support/duckdb-rows.mjs';
import { withFolder } from './support/scratch.mjs';
import { takeTurns } from './support/turns.mjs';

export const defaults = { pages: 1000, rivalPages: 1000, items: 1000, rounds: 3, rivals: false };
export const quick = { pages: 5, rivalPages: 5, rounds: 1, rivals: dltIsInstalled() };

export async function sinks(options) {
  const { pages, rivalPages, items, rounds } = options;
  if (options.rivals && !dltIsInstalled()) throw new Error('Install the rivals first: bench/rivals/install.sh');
  const rows = await takeTurns({
    serving: { pages: Math.max(pages, rivalPages), items },
    rounds,
    contestants: (url) => [
      ...[handLoop(url, items), ...own(url, items)].map((one) => ({ ...one, pages })),
      ...(options.rivals ? [{ ...dlt(url, items), pages: rivalPages }] : []),
    ],
    runOnce: (server, one, check) => runOnce(server, one, items, check),
  });
  return resultOf(rows, options);
}

/** One table, as dlt makes it here: the list of each item is a column of JSON. */
const intoTables = (url, items, folder, address) =>
  runCommand(pagedJob(url, items), folder, ['--to', address, '--nested', 'json']);

const own = (url, items) => [
  {
    name: 'headwater, DuckDB',
    command: (folder) => intoTables(url, items, folder, `duckdb:${join(folder, 'rows.duckdb')}`),
    read: (folder) => ofDuckdb(join(folder, 'rows.duckdb'), 'items', folder),
  },
  {
    name: 'headwater, Parquet',
    command: (folder) => intoTables(url, items, folder, `parquet:${join(folder, 'rows')}`),
    read: (folder) => ofDuckdb(':memory:', `read_parquet('${join(folder, 'rows', 'items.parquet')}')`, folder),
  },
];

const dlt = (url, items) => ({
  name: 'dlt, DuckDB',
  command: (folder) => dltCommand(url, items, folder),
  read: ofDlt,
});

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
      pages,
      whole: count / usage.seconds,
      started: count / ((usage.end - first.page) / 1000),
      cpu: (usage.cpu / count) * 1e6,
      memory: usage.memory,
    };
  });
}

function resultOf(rows, options) {
  const [hand, duckdb, parquet, rival] = rows;
  const bars = [
    atMost('CPU time for DuckDB ÷ hand-written loop for NDJSON', 1.25, duckdb.cpu / hand.cpu),
    atMost('CPU time for Parquet ÷ hand-written loop for NDJSON', 1.25, parquet.cpu / hand.cpu),
    ...(rival === undefined
      ? []
      : [
          atLeast('items/s into DuckDB ÷ dlt, after start-up', 10, duckdb.started / rival.started, 1),
          atLeast('items/s into Parquet ÷ dlt into DuckDB, after start-up', 10, parquet.started / rival.started, 1),
        ]),
  ];
  return {
    title: 'Tables',
    head: [
      'process',
      '>pages',
      '>items/s, whole',
      '>items/s, after start-up',
      '>CPU s per million',
      '>÷ hand',
      '>peak MiB',
    ],
    rows: rows.map(({ name, pages, whole, started, cpu, memory }) => [
      name,
      shown(pages),
      shown(whole),
      shown(started),
      shown(cpu, 2),
      shown(cpu / hand.cpu, 2),
      shown(memory),
    ]),
    notes: [
      `Medians of ${options.rounds} rounds, ${shown(options.items)} items a page. "After start-up" is from the first ` +
        'request to the end of the process. All tables held the same rows; killed at any moment, headwater goes on ' +
        'with the page after the last one that it had.',
      ...(options.rivals ? [`Rivals: ${dltDuckdbVersions()}; rows handed over as Parquet.`] : []),
    ],
    bars,
  };
}

await ifMain(import.meta, sinks, defaults, quick);
