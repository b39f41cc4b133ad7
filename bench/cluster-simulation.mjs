// How far a cluster goes, in virtual time: node bench/cluster-simulation.mjs [--workers 1000] [--slots 4] [--parts 10000000]
//   [--tenants 20] [--failing 0.01] [--slow 0.01] [--dying 0.1] [--latency 50] [--minutes 10] [--seed 1]
//
// What is planned, handed out and carried into the next execution is decided by src/cluster itself; time, the network, and the server
// are events (support/simulated-*.mjs), with costs that were measured. It needs no server, and is no part of bench/run.mjs.
import { atMost, shown } from './support/figures.mjs';
import { ifMain } from './support/program.mjs';
import { simulateRuns } from './support/simulated-runs.mjs';
import { LIMITS } from './support/simulated-server.mjs';
import { simulateSession } from './support/simulated-session.mjs';
import { resultText } from './support/tables.mjs';

/** `parts`: of fifty calls each. `failing`, `slow`: the share of them. `dying`: the share of the workers, all at one moment. */
export const defaults = {
  ...{ workers: 1000, slots: 4, parts: 10_000_000, tenants: 20, failing: 0.01, slow: 0.01, dying: 0.1 },
  ...{ latency: 50, heartbeat: 30, minutes: 10, seed: 1 },
};
export const quick = { workers: 40, parts: 20_000, tenants: 4, minutes: 1 };

const MOST_AT_ONCE = LIMITS.pendingActivities;

export async function clusterSimulation(options) {
  const { workers, slots, parts, tenants } = options;
  const all = workers * slots;
  // One run has half of all parts, and half of the slots, if a run may have so many parts at once; the others want more than is left.
  const largest = { parts: parts / 2, atOnce: Math.min(MOST_AT_ONCE, all / 2) };
  const atOnce = Math.ceil((0.75 * all) / (tenants - 1));
  const others = Array.from({ length: tenants - 1 }, () => ({ parts: parts / 2 / (tenants - 1), atOnce }));
  const together = figuresOf(simulateRuns({ ...options, tenants: [largest, ...others] }));

  const alone = [];
  for (const share of [0.025, 0.125, 0.5]) {
    const run = { parts: parts / 50, atOnce: Math.min(MOST_AT_ONCE, Math.ceil(all * share)) };
    const given = { ...options, workers: Math.ceil(run.atOnce / slots), tenants: [run], dying: 0 };
    alone.push({ atOnce: run.atOnce, ...figuresOf(simulateRuns(given)) });
  }
  const rates = [];
  for (const many of [workers / 10, workers])
    for (const rate of [10, 100, 1000])
      rates.push({ workers: many, rate, ...(await simulateSession({ ...options, workers: many, rate })) });
  return { together, alone, rates };
}

/** What is seen of runs: totals, and figures of a second. */
function figuresOf({ runs, counts, bins, lost, firstOver, busyMs, endedAt, slots }) {
  const seconds = endedAt / 1000;
  const most = (field) => Array.from(bins, (bin) => (bin?.[field] ?? 0) / 10).reduce((a, b) => Math.max(a, b), 0);
  const sorted = (values) => values.sort((a, b) => a - b);
  const again = sorted(lost.flatMap(({ againAt, lostAt }) => (againAt === undefined ? [] : [againAt - lostAt])));
  const { shares } = firstOver;
  const sum = shares.reduce((total, share) => total + share, 0);
  const squares = shares.reduce((total, share) => total + share ** 2, 0);
  return {
    ...counts,
    seconds,
    used: busyMs / slots / endedAt,
    usedUntilFirst: firstOver.busyMs / slots / firstOver.at,
    callsASecond: counts.calls / seconds,
    requestsASecond: counts.requests / seconds,
    mostRequests: most('requests'),
    mostHeartbeats: most('heartbeats'),
    fairness: sum ** 2 / (shares.length * squares),
    waits: runs.map(({ waitedMs, begun }) => waitedMs / begun),
    longestWait: Math.max(...runs.map(({ longestWaitMs }) => longestWaitMs)),
    longestStill: Math.max(...runs.map(({ longestStillMs }) => longestStillMs)),
    executions: runs.reduce((total, { executions }) => total + executions, 0),
    eventsOfPart: runs.reduce((total, { allEvents }) => total + allEvents, 0) / counts.done,
    largestState: Math.max(...runs.map(({ largestState }) => largestState)),
    lost: lost.length,
    lostFor: { median: again[Math.floor(again.length / 2)] ?? 0, longest: again.at(-1) ?? 0 },
  };
}

const percent = (share) => `${shown(100 * share, 1)} %`;
const kilobytes = (bytes) => `${shown(bytes / 1000)} kB`;
const inSeconds = (ms) => `${shown(ms / 1000, 1)} s`;

function tablesOf(together, alone) {
  const { waits, lostFor } = together;
  const [large, ...small] = waits;
  const smallest = Math.min(...small);
  const greatest = Math.max(...small);
  return [
    {
      title: 'Runs of several tenants',
      head: ['what', '>measured'],
      rows: [
        ['calls of children', shown(together.calls)],
        ['parts made, of up to a page each', shown(together.done)],
        ['took', `${shown(together.seconds / 3600, 1)} h`],
        ['slots in use until the first run is over', percent(together.usedUntilFirst)],
        ['calls, each a page in a journal, a second', shown(together.callsASecond)],
        [
          'requests to the server of Temporal a second: mean, most',
          rangeOf(together.requestsASecond, together.mostRequests),
        ],
        ['of these heartbeats: mean, most', rangeOf(together.heartbeats / together.seconds, together.mostHeartbeats)],
        ['parts in the queue, most', shown(together.longestQueue)],
        ['a part waits in the queue: the large run', inSeconds(large)],
        ['the same: the others, from the least to the most', `${inSeconds(smallest)} to ${inSeconds(greatest)}`],
        ['the longest wait of any part', inSeconds(together.longestWait)],
        ['the longest time in which a run ends no part', inSeconds(together.longestStill)],
        ["fairness: Jain's index of the parts made, for each one at once", shown(together.fairness, 3)],
        ['parts that failed, and were tried again', shown(together.failed)],
        ['workers die: parts that they had', shown(together.lost)],
        ['until these are made again: median, longest', `${inSeconds(lostFor.median)}, ${inSeconds(lostFor.longest)}`],
        ['calls made twice', `${shown(together.repeated)} (${percent(together.repeated / together.calls)})`],
        ['executions of workflows', shown(together.executions)],
        ['the largest input of an execution', kilobytes(together.largestState)],
      ],
    },
    {
      title: 'One run, as many slots as parts at once',
      head: [
        '>parts at once',
        '>slots in use',
        '>calls a second',
        '>events a part',
        '>executions',
        '>calls made twice',
      ],
      rows: alone.map((each) => [
        shown(each.atOnce),
        percent(each.used),
        shown(each.callsASecond),
        shown(each.eventsOfPart, 1),
        shown(each.executions),
        percent(each.repeated / each.calls),
      ]),
    },
  ];
}

const rangeOf = (mean, most) => `${shown(mean)}, ${shown(most)}`;

function ratesTable(rates) {
  return {
    title: 'The rate of an API',
    head: [
      ...['>workers', '>requests a second', '>used', '>used after deaths', '>most in a second'],
      ...['>updates a second', '>refused', '>failed', '>ahead'],
    ],
    rows: rates.map((each) => [
      shown(each.workers),
      shown(each.rate),
      percent(each.used),
      percent(each.usedBehind),
      shown(each.most),
      shown(each.updates / (each.endMs / 1000), 1),
      shown(each.refused),
      shown(each.failed),
      inSeconds(each.ahead),
    ]),
  };
}

/** What the server allows, beside what is asked of it. */
const barsOf = ({ together, rates }) => [
  atMost('requests to one frontend of Temporal a second', LIMITS.requestsPerSecond, together.requestsASecond, 0),
  atMost('the input of an execution, in bytes', LIMITS.payloadBytes, together.largestState, 0),
  ...rates.map(({ workers, rate, failed, updates }) =>
    atMost(`failed updates of ${shown(updates)}: ${shown(workers)} workers, ${shown(rate)} a second`, 0, failed, 0),
  ),
];

async function printed(options) {
  const results = await clusterSimulation(options);
  const [first, ...others] = [...tablesOf(results.together, results.alone), ratesTable(results.rates)];
  return { ...first, notes: others.map(resultText), bars: barsOf(results) };
}

await ifMain(import.meta, printed, defaults, quick);
