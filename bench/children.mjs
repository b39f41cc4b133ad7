// (d) A request for each of many parents: node bench/children.mjs [--parents 10000] [--latency 20] [--concurrency 50]
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { childrenJob } from './ratios.mjs';
import { bareLoop } from './support/contestants.mjs';
import { atMost, median, shown } from './support/figures.mjs';
import { runCommand } from './support/headwater.mjs';
import { measure } from './support/measure.mjs';
import { ifMain } from './support/program.mjs';
import { withFolder } from './support/scratch.mjs';
import { startServer } from './support/server.mjs';

export const defaults = { parents: 10_000, latency: 20, concurrency: 50, rounds: 3 };
export const quick = { parents: 100, latency: 2, concurrency: 10, rounds: 1 };

export async function children({ parents, latency, concurrency, rounds }) {
  const server = await startServer({ pages: 1, items: 1, ids: parents, latency });
  try {
    const runs = [];
    const alone = [];
    for (let round = 0; round < rounds; round += 1) {
      runs.push(await runOnce(server, { parents, concurrency }, printed));
      alone.push(await runBare(server, { parents, concurrency }));
    }
    return resultOf(runs, median(alone), { parents, latency, concurrency });
  } finally {
    server.close();
  }
}

/** The command, and where it writes. */
const printed = {
  name: 'NDJSON to standard output',
  command: (url, concurrency, folder) => runCommand(childrenJob(url, concurrency), folder),
  output: 'items.ndjson',
  files: ['items.ndjson'],
  inOrder: true,
};
async function runOnce(server, { parents, concurrency }, { command, output, files, inOrder }) {
  await server.begin();
  return withFolder(async (folder) => {
    const to = output === undefined ? {} : { output: join(folder, output) };
    const usage = await measure(command(server.url, concurrency, folder), to);
    const items = files.flatMap((file) =>
      readFileSync(join(folder, file), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    );
    const found = items.flatMap(({ parent }) => (parent === undefined ? [] : [parent]));
    if (!inOrder) found.sort((a, b) => a - b);
    if (items.length !== 2 * parents || !found.every((parent, at) => parent === at))
      throw new Error(`${items.length} items, expected ${2 * parents} with the children in the order of their parents`);
    const { first, last, maxInFlight, latency } = await server.stats();
    return { took: last.child - first.child, inFlight: maxInFlight, held: latency, ...usage };
  });
}

/** @returns milliseconds that undici alone takes for the children */
async function runBare(server, { parents, concurrency }) {
  await server.begin();
  await measure(bareLoop(server.url, 'children/', { requests: parents, atOnce: concurrency }));
  const { first, last } = await server.stats();
  return last.child - first.child;
}

function resultOf(runs, alone, { parents, latency, concurrency }) {
  const ideal = (parents * latency) / concurrency;
  const took = median(runs.map((run) => run.took));
  return {
    title: 'Children',
    head: [
      'requests',
      '>concurrency',
      '>ideal ms',
      '>took ms',
      '>took ÷ ideal',
      '>undici alone ÷ ideal',
      '>most in flight',
      '>CPU s',
      '>peak MiB',
    ],
    rows: [
      [
        shown(parents),
        concurrency,
        shown(ideal),
        shown(took),
        shown(took / ideal, 2),
        shown(alone / ideal, 2),
        Math.max(...runs.map((run) => run.inFlight)),
        shown(median(runs.map((run) => run.cpu)), 2),
        shown(median(runs.map((run) => run.memory))),
      ],
    ],
    notes: [
      `Each child is answered after ${latency} ms (really ${shown(median(runs.map((run) => run.held)), 1)} ms). From the first ` +
        `request for a child to the last answer, at the server; median of ${runs.length}.`,
    ],
    bars: [
      atMost(
        `${shown(parents)} children at concurrency ${concurrency}: time ÷ ideal`,
        1.1,
        took / ideal,
        2,
        alone / ideal,
      ),
    ],
  };
}

await ifMain(import.meta, children, defaults, quick);
