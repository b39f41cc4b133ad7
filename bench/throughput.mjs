// (a) Items per second and CPU time of whole processes: node bench/throughput.mjs [--pages 1000] [--rounds 5] [--rivals]
import { bareLoop, ownContestants } from './support/contestants.mjs';
import { atLeast, atMost, shown } from './support/figures.mjs';
import { measure } from './support/measure.mjs';
import { expected } from './support/outputs.mjs';
import { ifMain } from './support/program.mjs';
import { rivals, rivalsAreInstalled, rivalVersions } from './support/rivals.mjs';
import { withFolder } from './support/scratch.mjs';
import { takeTurns } from './support/turns.mjs';

export const defaults = { pages: 1000, rivalPages: 50, items: 1000, rounds: 5, rivals: false };
export const quick = { pages: 5, rivalPages: 5, rounds: 1, rivals: rivalsAreInstalled() };

export async function throughput(options) {
  const { pages, rivalPages, items, rounds } = options;
  if (options.rivals && !rivalsAreInstalled()) throw new Error('Install the rivals first: bench/rivals/install.sh');
  const rows = await takeTurns({
    serving: { pages: Math.max(pages, rivalPages), items },
    rounds,
    contestants: (url) => [
      ...ownContestants(url, items).map((one) => ({ ...one, pages })),
      ...(options.rivals ? rivals(url, items) : []).map((one) => ({ ...one, pages: rivalPages })),
      { ...bare(url, items, pages), pages },
    ],
    runOnce: (server, one, check) => runOnce(server, one, items, check),
  });
  return resultOf(rows, options);
}

const bare = (url, items, pages) => ({
  name: 'undici alone, bytes dropped',
  command: () => bareLoop(url, `items?limit=${items}&offset=`, { step: items, requests: pages }),
});

/** @param check whether to read what was written; that takes longer than to write it */
async function runOnce(server, { name, pages, command, output, read, form }, items, check) {
  await server.begin({ pages });
  return withFolder(async (folder) => {
    const usage = await measure(command(folder), { output: output?.(folder) });
    const { requests, first, cpu: serverCpu } = await server.stats();
    if (requests.page !== pages) throw new Error(`${name} made ${requests.page} requests for ${pages} pages`);
    if (check && read !== undefined) {
      const [found, wanted] = [await read(folder), expected(pages * items, { perPage: items, form })];
      if (found !== wanted) throw new Error(`${name} wrote ${found}, expected ${wanted}`);
    }
    const count = pages * items;
    return {
      pages,
      whole: count / usage.seconds,
      started: count / ((usage.end - first.page) / 1000),
      cpu: (usage.cpu / count) * 1e6,
      memory: usage.memory,
      server: (serverCpu / pages) * 1000,
    };
  });
}

function resultOf(rows, options) {
  const [hand, ndjson, folder, csv, ...others] = rows;
  const alone = others.pop();
  const bars = [
    atMost('CPU time for NDJSON ÷ hand-written loop', 0.75, ndjson.cpu / hand.cpu),
    atMost('CPU time for NDJSON in a folder ÷ hand-written loop', 0.75, folder.cpu / hand.cpu),
    atMost('CPU time for CSV with child tables ÷ hand-written loop for NDJSON', 2.5, csv.cpu / hand.cpu),
    ...others.map(({ name, started }) =>
      atLeast(
        `items/s of headwater ÷ ${name}, after start-up`,
        20,
        ndjson.started / started,
        1,
        alone.started / started,
      ),
    ),
  ];
  const notes = [
    `Medians of ${options.rounds} rounds, ${shown(options.items)} items a page. "After start-up" is from the first ` +
      `request to the end of the process. All outputs held the same items. The server itself used ` +
      `${shown(ndjson.server, 2)} ms of CPU time a page. Nothing that fetches with undici can be faster than the last line.`,
    ...(options.rivals ? [`Rivals: ${rivalVersions()}.`] : []),
  ];
  return {
    title: 'Throughput',
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
    notes,
    bars,
  };
}

await ifMain(import.meta, throughput, defaults, quick);
