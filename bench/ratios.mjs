// The four main ratios of CPU time: node bench/ratios.mjs [--check] [--small 4000] [--pages 200] [--rounds 3]
//
//   --check  fails where a ratio is more than half above the one that docs/performance.md has: speed was lost before
//            without anybody seeing it
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { handChildren, handLoop } from './support/contestants.mjs';
import { atMost, shown } from './support/figures.mjs';
import { dist, pagedJob, runCommand } from './support/headwater.mjs';
import { measure } from './support/measure.mjs';
import { ifMain } from './support/program.mjs';
import { withFolder } from './support/scratch.mjs';
import { startServer } from './support/server.mjs';
import { measuredIn } from './support/write-results.mjs';

export const defaults = { small: 8000, atOnce: 8, pages: 300, items: 1000, rounds: 3, check: false };
export const quick = { small: 200, pages: 10, rounds: 1 };

const fileOf = (path) => fileURLToPath(new URL(path, import.meta.url));

/** A request for each of many parents. */
export const childrenJob = (baseUrl, concurrency) => ({
  api: { baseUrl },
  config: {
    jobs: [
      {
        endpoint: 'ids',
        dataField: 'items',
        concurrency,
        children: [{ endpoint: 'children/{id}', dataField: '.', placeholders: { id: 'id' } }],
      },
    ],
  },
});

const embedded = (config) => [process.execPath, fileOf('embedded.mjs'), dist, JSON.stringify(config)];
const embeddedByHand = (url, kind, number) => [
  process.execPath,
  fileOf('hand-embedded.mjs'),
  url,
  kind,
  String(number),
];

/** Each ratio with its bar: what is measured, and the loop by hand that it is measured by. */
const ratios = ({ atOnce, items }) => [
  {
    what: 'small requests into an NDJSON folder',
    bar: 2,
    of: 'small',
    own: (url, folder) => runCommand(childrenJob(url, atOnce), folder, ['--to', `ndjson:${join(folder, 'out')}`]),
    hand: (url, folder) => handChildren(url, atOnce, join(folder, 'items.ndjson')),
  },
  {
    what: 'small requests, items$ embedded',
    bar: 1.8,
    of: 'small',
    own: (url) => embedded(childrenJob(url, atOnce)),
    hand: (url) => embeddedByHand(url, 'children', atOnce),
  },
  {
    what: 'large pages, NDJSON',
    bar: 0.7,
    of: 'large',
    own: (url, folder) => runCommand(pagedJob(url, items), folder),
    hand: (url, folder) => handLoop(url, items).command(folder),
  },
  {
    what: 'large pages, items$ embedded',
    bar: 1.2,
    of: 'large',
    own: (url) => embedded(pagedJob(url, items)),
    hand: (url) => embeddedByHand(url, 'pages', items),
  },
];

const nameOf = ({ what }) => `CPU time, ${what} ÷ loop by hand`;

/** The best of several rounds counts: what else the machine does can only add. */
async function best(command, server, serving, rounds, least) {
  await server.begin(serving);
  const { cpu } = await withFolder((folder) => measure(command(server.url, folder)));
  const now = Math.min(least, cpu);
  return rounds === 1 ? now : best(command, server, serving, rounds - 1, now);
}

export async function mainRatios({ small, atOnce, pages, items, rounds, check }) {
  const servers = {
    small: await startServer({ pages: 1, items: 1, ids: small, latency: 0 }),
    large: await startServer({ pages, items }),
  };
  const rows = [];
  try {
    for (const ratio of ratios({ atOnce, items })) {
      const server = servers[ratio.of];
      const hand = await best(ratio.hand, server, {}, rounds, Infinity);
      const own = await best(ratio.own, server, {}, rounds, Infinity);
      rows.push({ ...ratio, hand, own, value: own / hand });
    }
  } finally {
    for (const server of Object.values(servers)) server.close();
  }
  if (check) refuseLoss(rows);
  return {
    title: 'CPU time beside loops by hand',
    head: ['what', '>by hand, s', '>Headwater, s', '>ratio'],
    rows: rows.map(({ what, hand, own, value }) => [what, shown(hand, 2), shown(own, 2), shown(value, 2)]),
    notes: [
      `CPU time of whole processes, start-up included, best of ${rounds}: ${shown(small)} small requests, ${atOnce} at once and ` +
        `without latency; ${shown(pages)} pages of ${shown(items)} items. CI measures the same, and fails where a ratio is more than half above these.`,
    ],
    bars: rows.map((row) => atMost(nameOf(row), row.bar, row.value)),
  };
}

const MOST = 1.5;

/** @throws Error where a ratio is much above the one that was measured last, or could not be measured */
function refuseLoss(rows) {
  if (!rows.every(({ value }) => Number.isFinite(value)))
    throw new Error('CPU time is measured with python3, which is not there.');
  const lost = rows.flatMap((row) => {
    const before = measuredIn(nameOf(row));
    return row.value > MOST * before ? [`${nameOf(row)}: ${shown(row.value, 2)}, and ${shown(before, 2)} before`] : [];
  });
  if (lost.length === 0) return;
  throw new Error(
    `${lost.join('\n')}\nThat is more than half above docs/performance.md. Look where the time goes (bench/README.md), or ` +
      'measure again on a machine that does nothing else.',
  );
}

await ifMain(import.meta, mainRatios, defaults, quick);
