// PostgreSQL against COPY by hand: node bench/postgres.mjs [--pages 300] [--items 1000] [--rounds 3]
//
// It needs PostgreSQL (scripts/services.sh run node bench/postgres.mjs) and psql, and is no part of bench/run.mjs. CPU time is that of the client alone:
// the server's own is the same work for both.
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { atMost, median, shown } from './support/figures.mjs';
import { pagedJob, runCommand } from './support/headwater.mjs';
import { measure } from './support/measure.mjs';
import { ifMain } from './support/program.mjs';
import { withFolder } from './support/scratch.mjs';
import { startServer } from './support/server.mjs';

export const defaults = { pages: 300, items: 1000, rounds: 3 };
export const quick = { pages: 3, items: 10, rounds: 1 };

const postgres = process.env.HEADWATER_TEST_POSTGRES;
const hand = fileURLToPath(new URL('hand-copy.mjs', import.meta.url));

export async function copies({ pages, items, rounds }) {
  const server = await startServer({ pages, items });
  const own = [];
  const byHand = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      byHand.push(
        await measured(server, pages, items, (schema) => [
          process.execPath,
          hand,
          server.url,
          String(items),
          postgres,
          schema,
        ]),
      );
      own.push(
        await measured(server, pages, items, (schema, folder) => {
          const url = new URL(postgres);
          url.searchParams.set('schema', schema);
          return runCommand(pagedJob(server.url, items), folder, ['--to', url.href]);
        }),
      );
    }
  } finally {
    server.close();
  }
  const row = (name, runs) => [name, ...['cpu', 'seconds'].map((key) => shown(median(runs.map((run) => run[key])), 2))];
  const cpuOf = (runs) => median(runs.map(({ cpu }) => cpu));
  return {
    title: 'PostgreSQL',
    head: ['what', '>CPU s of the client', '>seconds'],
    rows: [row('COPY by hand, through psql', byHand), row('headwater', own)],
    notes: [
      `${shown(pages)} pages of ${shown(items)} items with a list of three texts each: two tables. Medians of ${rounds} rounds.`,
    ],
    bars: [atMost('CPU time of the client ÷ COPY by hand', 2, cpuOf(own) / cpuOf(byHand))],
  };
}

/** Runs a command into a schema of its own, and looks whether all rows are there. */
async function measured(server, pages, items, command) {
  const schema = `bench ${randomUUID()}`;
  await server.begin({ pages });
  const usage = await withFolder((folder) => measure(command(schema, folder)));
  const client = new pg.Client({ connectionString: postgres });
  await client.connect();
  for (const [table, rows] of [
    ['items', pages * items],
    ['items_tags', 3 * pages * items],
  ]) {
    const {
      rows: [found],
    } = await client.query(`SELECT count(*)::int AS count FROM "${schema}"."${table}"`);
    if (found.count !== rows) throw new Error(`${table} has ${found.count} rows in place of ${rows}`);
  }
  await client.query(`DROP SCHEMA "${schema}" CASCADE`);
  await client.end();
  return usage;
}

await ifMain(import.meta, copies, defaults, quick);
