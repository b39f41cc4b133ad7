// (b) Pages behind a slow network, one after another and several at once: node bench/latency.mjs [--pages 200] [--latency 50]
import { join } from 'node:path';
import { bareLoop } from './support/contestants.mjs';
import { atMost, median, shown } from './support/figures.mjs';
import { pagedJob, runCommand } from './support/headwater.mjs';
import { measure } from './support/measure.mjs';
import { expected, ofNdjson } from './support/outputs.mjs';
import { ifMain } from './support/program.mjs';
import { withFolder } from './support/scratch.mjs';
import { startServer } from './support/server.mjs';

export const defaults = { pages: 200, latency: 50, items: 100, parallel: 8, rounds: 3 };
export const quick = { pages: 10, latency: 5, rounds: 1 };

/** The last page is half full, so that a reader who goes page by page makes exactly as many requests as there are pages. */
export async function latency({ pages, latency, items, parallel, rounds }) {
  const last = Math.ceil(items / 2);
  const server = await startServer({ pages, latency, items, last, total: true });
  const ways = [
    { name: 'one after another', parallel: 1, pagination: {} },
    { name: `parallel ${parallel}`, parallel, pagination: { parallel } },
    { name: `parallel ${parallel}, total known`, parallel, pagination: { parallel, limitStop: { field: 'total' } } },
  ];
  try {
    const rows = [];
    for (const way of ways) {
      const [runs, bare] = [[], []];
      for (let round = 0; round < rounds; round += 1) {
        runs.push(await runOnce(server, way.pagination));
        bare.push(await runBare(server, way.parallel));
      }
      const ideal = (latency * pages) / way.parallel;
      const took = median(runs.map((run) => run.took));
      rows.push({
        ...way,
        ideal,
        took,
        ratio: took / ideal,
        alone: median(bare) / ideal,
        ...runs[runs.length - 1].seen,
      });
    }
    return resultOf(rows, { pages, latency, items, rounds });
  } finally {
    server.close();
  }

  async function runBare(server, atOnce) {
    await server.begin();
    const path = `items?limit=${items}&offset=`;
    await measure(bareLoop(server.url, path, { step: items, requests: pages, atOnce }));
    const { first, last } = await server.stats();
    return last.page - first.page;
  }

  async function runOnce(server, pagination) {
    await server.begin();
    return withFolder(async (folder) => {
      const output = join(folder, 'items.ndjson');
      await measure(runCommand(pagedJob(server.url, items, pagination), folder), { output });
      const wanted = expected((pages - 1) * items + last);
      const found = await ofNdjson([output]);
      if (found !== wanted) throw new Error(`${JSON.stringify(pagination)} wrote ${found}, expected ${wanted}`);
      const stats = await server.stats();
      const end = Math.max(...Object.values(stats.last));
      return {
        took: end - stats.first.page,
        seen: { inFlight: stats.maxInFlight, beyond: stats.requests.beyond, held: stats.latency },
      };
    });
  }
}

function resultOf(rows, { pages, latency, items, rounds }) {
  const [, parallel] = rows;
  return {
    title: 'Latency',
    head: [
      'paging',
      '>ideal ms',
      '>took ms',
      '>took ÷ ideal',
      '>undici alone ÷ ideal',
      '>most in flight',
      '>requests beyond the end',
    ],
    rows: rows.map((row) => [
      row.name,
      shown(row.ideal),
      shown(row.took),
      shown(row.ratio, 2),
      shown(row.alone, 2),
      row.inFlight,
      row.beyond,
    ]),
    notes: [
      `${pages} pages of ${items} items, each answered after ${latency} ms (really ${shown(rows[0].held, 1)} ms). From the ` +
        `first request to the last answer, at the server; median of ${rounds}. The ideal is latency × pages ÷ parallel.`,
    ],
    bars: [atMost(`${parallel.name}: time ÷ ideal`, 1.1, parallel.ratio, 2, parallel.alone)],
  };
}

await ifMain(import.meta, latency, defaults, quick);
