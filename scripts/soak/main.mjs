// A long life: node scripts/soak/main.mjs [--requests 1000000] [--runs 4] [--minutes 30], after npm run build.
//
// Several runs after another in one process, against a server in another one, with several jobs and children at once,
// credentials that die every few seconds, and 1 % faults (server.mjs). It fails with status 1 unless every item arrives
// exactly once, memory stays flat, and nothing is left of a run: no timer, no socket, no listener. No run is begun that
// would not end within the minutes, and one that does not end is broken off, which is a failure.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { watchLeaks } from './leaks.mjs';
import { memorySamples } from './memory.mjs';
import { configurationFor, shapeOf } from './shape.mjs';

const { extract } = createRequire(import.meta.url)('../../dist/index.js');

/**
 * Bytes that the memory of a run may grow by, as far as the samples tell: a leak of some bytes a request shows. A long listing
 * remembers up to 100,000 of its pages, to know a ring; the resident set follows the allocator, not only the heap.
 */
const MOST_GROWTH = { heap: 16 * 2 ** 20, rss: 96 * 2 ** 20 };
const SAMPLES = 60;

const text = { type: 'string' };
const { values } = parseArgs({ options: { requests: text, runs: text, minutes: text } });
const requests = Number(values.requests ?? 1_000_000);
const runs = Number(values.runs ?? 4);
const minutes = Number(values.minutes ?? 30);

const warnings = [];
process.on('warning', ({ name, message }) => warnings.push(`${name}: ${message}`));

async function startServer() {
  const child = fork(fileURLToPath(new URL('server.mjs', import.meta.url)));
  const [{ port }] = await once(child, 'message');
  const ask = async (message) => {
    const answered = once(child, 'message');
    child.send(message);
    const [answer] = await answered;
    return answer;
  };
  return { url: `http://127.0.0.1:${port}`, ask, close: () => child.disconnect() };
}

/** One run to its end: what arrived, what it cost, what is wrong. */
async function soak(server, run, signal) {
  const shape = shapeOf(requests / runs);
  await server.ask({ begin: { requests: requests / runs, run } });
  const leaks = watchLeaks(signal);
  const seen = new Uint8Array(shape.ids);
  const memory = memorySamples();
  const tally = { sent: 0, retries: 0, items: 0, doubled: 0, alien: 0 };
  const every = Math.max(1, Math.floor(shape.requests / SAMPLES));
  const extraction = extract(configurationFor(server.url, shape), {
    ownConnections: true,
    signal,
    onEvent: ({ type }) => {
      if (type === 'request.sent') tally.sent += 1;
      else if (type === 'retry.scheduled') tally.retries += 1;
    },
  });
  const startedAt = performance.now();
  let pages = 0;
  for await (const page of extraction.pages()) {
    for (const { id } of page.items) {
      tally.items += 1;
      if (seen[id] === undefined) tally.alien += 1;
      else if (seen[id] > 0) tally.doubled += 1;
      else seen[id] = 1;
    }
    pages += 1;
    if (pages % every === 0) memory.take(pages);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const left = await leaks();
  return { run, shape, tally, seconds, left, ...(await atRest(server)), growth: memory.growth() };
}

/** What the server has counted, once it knows that the connections are closed, or after some time. */
async function atRest(server) {
  for (let tries = 100; ; tries -= 1) {
    const answer = await server.ask({});
    if (answer.openConnections === 0 || tries === 0) return answer;
    await wait(50);
  }
}

/** Everything that a run must not do, in words. */
function faultsOf({ shape, tally, left, counts, openConnections, unrepeated, growth }) {
  const faults = [];
  const arrived = tally.items - tally.doubled - tally.alien;
  if (arrived !== shape.items) faults.push(`${arrived} of ${shape.items} items arrived`);
  if (tally.doubled > 0) faults.push(`${tally.doubled} items arrived twice`);
  if (tally.alien > 0) faults.push(`${tally.alien} items are none of the server's`);
  if (counts.requests !== tally.sent) faults.push(`${tally.sent} requests were sent and ${counts.requests} received`);
  if (unrepeated > 0) faults.push(`${unrepeated} requests failed and were not repeated`);
  if (openConnections > 0) faults.push(`${openConnections} connections are open`);
  if (left.length > 0) faults.push(`left behind: ${left.join(', ')}`);
  for (const kind of ['heap', 'rss']) {
    const grown = growth[kind].slope * shape.requests;
    if (grown > MOST_GROWTH[kind]) faults.push(`${kind} grew by ${Math.round(grown / 2 ** 20)} MiB`);
  }
  return faults;
}

const shown = (value, digits = 0) => value.toLocaleString('en', { maximumFractionDigits: digits });
const COLUMNS = [
  ['run', 3, ({ run }) => run],
  ['requests', 9, ({ counts }) => shown(counts.requests)],
  ['items', 9, ({ tally }) => shown(tally.items)],
  ['s', 6, ({ seconds }) => shown(seconds)],
  ['req/s', 6, ({ counts, seconds }) => shown(counts.requests / seconds)],
  ['logins', 6, ({ counts }) => shown(counts.logins)],
  ['dead tokens', 11, ({ counts }) => shown(counts.dead)],
  ['resets', 6, ({ counts }) => counts.reset],
  ['cuts', 5, ({ counts }) => counts.cut],
  ['503', 5, ({ counts }) => counts[503]],
  ['429', 5, ({ counts }) => counts[429]],
  ['401', 5, ({ counts }) => counts[401]],
  ['retries', 7, ({ tally }) => shown(tally.retries)],
  ['heap MiB', 8, ({ growth }) => shown(growth.heap.last, 1)],
  ['B/page', 7, ({ growth }) => shown(growth.heap.slope, 1)],
  ['RSS MiB', 7, ({ growth }) => shown(growth.rss.last, 1)],
  ['B/page', 7, ({ growth }) => shown(growth.rss.slope, 1)],
];
const lineOf = (cells) => cells.map((cell, at) => String(cell).padStart(COLUMNS[at][1])).join('  ');

const server = await startServer();
const stop = new AbortController();
const deadline = setTimeout(() => stop.abort(new Error(`broken off after ${minutes} minutes`)), minutes * 60_000);
deadline.unref();
const begun = performance.now();
const faults = [];
try {
  console.log(lineOf(COLUMNS.map(([head]) => head)));
  let longest = 0;
  let run = 1;
  for (; run <= runs; run += 1) {
    const left = minutes * 60 - (performance.now() - begun) / 1000;
    if (longest > left) break;
    const result = await soak(server, run, stop.signal);
    longest = Math.max(longest, result.seconds);
    console.log(lineOf(COLUMNS.map(([, , cell]) => cell(result))));
    faults.push(...faultsOf(result).map((fault) => `run ${run}: ${fault}`));
  }
  if (run <= runs) console.log(`${run - 1} of ${runs} runs: there is no time for another.`);
} catch (error) {
  faults.push(error instanceof Error ? error.message : String(error));
} finally {
  clearTimeout(deadline);
  server.close();
}
faults.push(...warnings);
for (const fault of faults) console.log(`FAULT: ${fault}`);
if (faults.length === 0) console.log('Every item arrived exactly once, memory is flat, nothing is left behind.');
process.exitCode = faults.length === 0 ? 0 : 1;
