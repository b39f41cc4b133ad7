// (c) Peak memory of short and long listings, and how far a run gets ahead of a slow consumer:
// node bench/memory.mjs [--pages 1000] [--times 10] [--slow-pages 40] [--pause 200]
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atMost, median, shown } from './support/figures.mjs';
import { pagedJob, runCommand, writeConfig } from './support/headwater.mjs';
import { measure } from './support/measure.mjs';
import { ifMain } from './support/program.mjs';
import { withFolder } from './support/scratch.mjs';
import { startServer } from './support/server.mjs';

export const defaults = { pages: 1000, times: 10, items: 1000, rounds: 3, slowPages: 40, pause: 200, prefetch: 1 };
export const quick = { pages: 5, times: 2, rounds: 1, slowPages: 5, pause: 5 };

export async function memory(options) {
  const { pages, times, items, rounds, slowPages } = options;
  const server = await startServer({ pages: Math.max(pages * times, slowPages), items });
  try {
    const runs = { ndjson: [[], []], csv: [[], []] };
    for (let round = 0; round < rounds; round += 1)
      for (const [kind, [short, long]] of Object.entries(runs)) {
        short.push(await peakOf(server, kind, pages, items));
        long.push(await peakOf(server, kind, pages * times, items));
      }
    return resultOf(runs, await getAhead(server, options), options);
  } finally {
    server.close();
  }
}

/** The server has a thousand pages, which come again in a long listing. */
function longJob(url, items) {
  const { api, config } = pagedJob(url, items);
  return { api, config: { jobs: config.jobs.map((job) => ({ ...job, equalPages: 'keep' })) } };
}

/** NDJSON goes nowhere, as fast as it can; tables are files. */
async function peakOf(server, kind, pages, items) {
  await server.begin({ pages });
  return withFolder(async (folder) => {
    const flags = kind === 'csv' ? ['--to', `csv:${join(folder, 'csv')}`] : [];
    const { memory } = await measure(runCommand(longJob(server.url, items), folder, flags));
    const { requests } = await server.stats();
    if (requests.page !== pages) throw new Error(`${requests.page} requests for ${pages} pages`);
    return memory;
  });
}

/** The most pages that the server had answered and a slow consumer had not finished, at any time. */
async function getAhead(server, { slowPages, items, pause, prefetch }) {
  await server.begin({ pages: slowPages });
  return withFolder(async (folder) => {
    const config = writeConfig(pagedJob(server.url, items), folder);
    const output = join(folder, 'finished.json');
    const program = fileURLToPath(new URL('slow-consumer.mjs', import.meta.url));
    const { memory } = await measure([process.execPath, program, config, String(pause)], { output });
    const finished = JSON.parse(readFileSync(output, 'utf8'));
    const { pagesAnswered } = await server.stats();
    if (finished.length !== slowPages) throw new Error(`A slow consumer got ${finished.length} of ${slowPages} pages`);
    const ahead = pagesAnswered.map((at, index) => index + 1 - finished.filter((end) => end < at).length);
    return { memory, most: Math.max(...ahead), allowed: prefetch + 1 };
  });
}

function resultOf({ ndjson, csv }, slow, { pages, times, items, rounds, slowPages, pause }) {
  const row = (name, [short, long]) => {
    const [least, most] = [median(short), median(long)];
    return { name, least, most, ratio: most / least };
  };
  const rows = [row('NDJSON', ndjson), row('CSV with child tables', csv)];
  return {
    title: 'Memory',
    head: ['output', `>${shown(pages)} pages, MiB`, `>${shown(pages * times)} pages, MiB`, '>ratio'],
    rows: rows.map(({ name, least, most, ratio }) => [name, shown(least), shown(most), shown(ratio, 2)]),
    notes: [
      `Largest resident set of the process, median of ${rounds}, ${items} items a page.`,
      `A consumer of ${pause} ms a page, ${slowPages} pages: at most ${slow.most} pages were answered and not yet finished; ` +
        `${shown(slow.memory)} MiB.`,
    ],
    bars: [
      atMost(`Peak memory, NDJSON: ${shown(pages * times)} pages ÷ ${shown(pages)} pages`, 1.15, rows[0].ratio),
      atMost('Pages answered and not finished by a slow consumer (prefetch + 1)', slow.allowed, slow.most, 0),
    ],
  };
}

await ifMain(import.meta, memory, defaults, quick);
