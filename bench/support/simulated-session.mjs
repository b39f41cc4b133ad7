/** The rate of an API, which the session of a cluster hands out to workers: in virtual time, by the code of src. */
import { createRequire } from 'node:module';
import { defer, repeat, takeWhile, timer } from 'rxjs';
import { fromSource } from './from-source.mjs';
import { COSTS, EVENTS, LIMITS, isFull } from './simulated-server.mjs';
import { createVirtualTime, randomFrom } from './virtual-time.mjs';

const { sessionFrom, sharedRates, createSharedLimits } = await fromSource({
  'cluster/session-state': ['sessionFrom'],
  'run/sessions/shared-session': ['sharedRates'],
  'http/rates/limit': ['createSharedLimits'],
});
const { defaultGrpcRetryOptions } = createRequire(import.meta.url)('@temporalio/client');

const RESOURCE_EXHAUSTED = 8;
const BASE_URL = 'https://api.test/';
const SECOND = 1000;
/** As `FAILED_MS` of the leases: for so long a rate that cannot be asked for fails. A part is tried again later than that. */
const AGAIN_MS = 1000;

/**
 * Simulates workers that make calls without a pause, as their rate allows.
 *
 * @param dying the share of the workers that die in the middle of the time
 */
export async function simulateSession({ workers: many, slots, rate, minutes, latency, dying, seed }) {
  const time = createVirtualTime();
  const random = randomFrom(seed);
  const endMs = minutes * 60 * SECOND;
  const retries = defaultGrpcRetryOptions();
  const seen = { updates: 0, refused: 0, failed: 0, executions: 1, starts: [], ahead: 0 };

  // The server, and the workflow of the session.
  let session = sessionFrom({ logins: {}, tasks: {}, rates: {} });
  let execution = { events: 1, updates: 0 };
  let waiting = [];
  let inFlight = 0;
  const step = () => {
    const asked = waiting;
    waiting = [];
    const now = time.now();
    execution.events += EVENTS.step + asked.length * EVENTS.update;
    execution.updates += asked.length;
    for (const { ask, answer } of asked) {
      inFlight -= 1;
      answer(session.take(ask, now));
    }
    if (isFull(execution)) {
      session = sessionFrom(JSON.parse(JSON.stringify(session.state())));
      execution = { events: 1, updates: 0 };
      seen.executions += 1;
    }
  };
  const update = (ask, attempt, answer, fail) => {
    if (inFlight >= LIMITS.updatesAtOnce) {
      seen.refused += 1;
      const status = { code: RESOURCE_EXHAUSTED };
      if (!retries.retryableDecider(attempt, status)) return fail();
      return time.after(retries.delayFunction(attempt, status), () => update(ask, attempt + 1, answer, fail));
    }
    seen.updates += 1;
    inFlight += 1;
    waiting.push({ ask, answer });
    if (waiting.length === 1) time.after(COSTS.updatesMs(1), step);
    return undefined;
  };

  // The workers: one lease each, which its slots share.
  const workers = Array.from({ length: many }, () => {
    const worker = { isAlive: true };
    const shared = {
      leases: new Map(),
      pause: () => Promise.resolve(),
      take: (ask) =>
        new Promise((resolve, reject) => {
          const taken = (starts) => {
            seen.ahead = Math.max(seen.ahead, starts.from - time.now());
            resolve(starts);
          };
          const failed = () => {
            seen.failed += 1;
            reject(new Error('The session does not answer.'));
          };
          update(ask, 1, taken, failed);
        }),
    };
    const limits = sharedRates(shared, createSharedLimits(time.scheduler));
    const rule = limits.rateOf({ rate: { requests: rate, seconds: 1 } }, BASE_URL);
    const call$ = defer(() => {
      seen.starts.push(time.now());
      return timer(latency, time.scheduler);
    }).pipe(limits.limiter.hold([rule]));
    worker.begin = () =>
      call$
        .pipe(
          repeat(),
          takeWhile(() => worker.isAlive),
        )
        .subscribe({
          error: () => time.after(AGAIN_MS, worker.begin),
        });
    return worker;
  });
  for (const { begin } of workers) for (let slot = 0; slot < slots; slot += 1) time.after(random() * SECOND, begin);
  if (dying > 0)
    time.at(endMs / 2, () => {
      for (const worker of workers.slice(0, Math.floor(many * dying))) worker.isAlive = false;
    });
  const { random: usual } = Math;
  Math.random = random;
  try {
    await time.runWithPromises(endMs);
  } finally {
    Math.random = usual;
  }
  const possible = Math.min(rate, (many * slots * SECOND) / latency);
  const { starts, ...others } = seen;
  return { ...others, ...ratesOf(starts, { possible, endMs }), endMs };
}

/** The most starts in any second, and the share of the rate that was used before and after the deaths, of what the workers can make. */
function ratesOf(starts, { possible, endMs }) {
  let first = 0;
  let most = 0;
  for (const [last, start] of starts.entries()) {
    while (starts[first] <= start - SECOND) first += 1;
    most = Math.max(most, last - first + 1);
  }
  const used = (from, to) =>
    starts.filter((start) => start >= from && start < to).length / ((possible * (to - from)) / SECOND);
  return {
    most,
    used: used(endMs / 10, endMs / 2),
    usedBehind: used(endMs / 2, endMs),
  };
}
