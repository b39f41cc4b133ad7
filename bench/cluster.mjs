// A cluster against one process, and four workers against one:
// node bench/cluster.mjs [--pages 300] [--items 1000] [--parents 10000] [--latency 50] [--slots 4] [--rounds 3]
//
// It needs what scripts/services.sh and scripts/temporal.sh start, and is no part of bench/run.mjs.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { childrenJob } from './ratios.mjs';
import { atLeast, atMost, median, shown } from './support/figures.mjs';
import { dist, pagedJob, runCommand, writeConfig } from './support/headwater.mjs';
import { measure } from './support/measure.mjs';
import { ifMain } from './support/program.mjs';
import { withFolder } from './support/scratch.mjs';
import { startServer } from './support/server.mjs';

export const defaults = { pages: 300, items: 1000, parents: 10_000, latency: 50, slots: 4, rounds: 3 };
export const quick = { pages: 3, items: 10, parents: 20, latency: 2, slots: 2, rounds: 1 };

const { HEADWATER_TEST_POSTGRES: postgres, HEADWATER_TEST_TEMPORAL: temporal } = process.env;
const MANY = 4;
Object.assign(process.env, { HEADWATER_KEY: 'a key of the benchmark', TEMPORAL_ADDRESS: temporal });

export async function cluster({ pages, items, parents, latency, slots, rounds }) {
  const server = await startServer({ pages, items, ids: parents });
  const to = await database();
  try {
    const alone = [];
    const one = [];
    await withWorkers(1, slots, async (queue) => {
      for (let round = 0; round < rounds; round += 1) {
        await server.begin({ pages, latency: 0 });
        const job = pagedJob(server.url, items);
        alone.push(await timed((folder) => runCommand(job, folder, ['--to', to('alone')])));
        await server.begin({ pages, latency: 0 });
        one.push(await timed((folder) => submitCommand(job, folder, { queue, to: to('one') })));
      }
    });
    const few = [];
    const many = [];
    const job = childrenJob(server.url, 1);
    for (let round = 0; round < Math.max(1, Math.floor(rounds / 3)); round += 1)
      for (const [count, times] of [
        [1, few],
        [MANY, many],
      ])
        await withWorkers(count, slots, async (queue) => {
          await server.begin({ latency });
          times.push(await timed((folder) => submitCommand(job, folder, { queue, to: to('children') })));
        });
    return resultOf({ alone, one, few, many }, { pages, items, parents, latency, slots });
  } finally {
    server.close();
  }
}

/** Makes a schema for each purpose of a new database. */
async function database() {
  const { Client } = createRequire(import.meta.url)('pg');
  const client = new Client({ connectionString: postgres });
  await client.connect();
  const name = `bench ${randomUUID()}`;
  await client.query(`CREATE DATABASE "${name}"`);
  await client.end();
  return (schema) => {
    const url = new URL(postgres);
    url.pathname = `/${encodeURIComponent(name)}`;
    url.searchParams.set('schema', schema);
    return url.href;
  };
}

const submitCommand = (config, folder, { queue, to }) => [
  ...[process.execPath, join(dist, 'cli', 'main.js'), 'submit', writeConfig(config, folder), '--wait'],
  ...['--task-queue', queue, '--to', to, '--log-level', 'error'],
];

/** Has so many workers take tasks of a queue while something is done. */
async function withWorkers(count, slots, use) {
  const queue = `bench ${randomUUID()}`;
  const flags = ['--task-queue', queue, '--slots', String(slots)];
  const workers = Array.from({ length: count }, () =>
    spawn(process.execPath, [join(dist, 'cli', 'main.js'), 'worker', ...flags], {
      stdio: ['ignore', 'ignore', 'pipe'],
    }),
  );
  try {
    await Promise.all(
      workers.map(
        ({ stderr }) => new Promise((ready) => stderr.on('data', (text) => text.includes('This worker') && ready())),
      ),
    );
    await use(queue);
  } finally {
    for (const worker of workers) worker.kill('SIGKILL');
  }
}

/** Milliseconds from the start to the end of a command, which takes long: they are shown at once. */
const timed = (command) =>
  withFolder(async (folder) => {
    const { begin, end } = await measure(command(folder));
    console.error(`${Math.round(end - begin)} ms`);
    return end - begin;
  });

function resultOf({ alone, one, few, many }, { pages, items, parents, latency, slots }) {
  const [ofOne, ofMany] = [median(one) / median(alone), median(few) / median(many)];
  const row = (what, times) => [what, shown(median(times)), times.map((time) => shown(time)).join(', ')];
  return {
    title: 'A cluster',
    head: ['what', '>ms', '>rounds'],
    rows: [
      row(`${pages} pages of ${items} items into PostgreSQL: run`, alone),
      row('the same: one worker', one),
      row(`${parents} children after ${latency} ms each: one worker, ${slots} slots`, few),
      row(`the same: ${MANY} workers`, many),
    ],
    bars: [atMost('one worker ÷ run', 1.15, ofOne), atLeast(`one worker ÷ ${MANY} workers`, 3.6, ofMany)],
  };
}

await ifMain(import.meta, cluster, defaults, quick);
