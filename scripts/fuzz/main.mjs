/* global setInterval, clearInterval */
/**
 * Attacks the engine with mutated configurations and mutated bodies: a plan or a refusal with a path;
 * items, a stop or an error with a code; never a crash, a hang, an unhandled rejection or a changed prototype.
 *
 *   node scripts/fuzz/main.mjs [--configurations N] [--bodies N] [--seed S] [--only configurations:17]
 *
 * Needs the built library (`npm run build`). N is 100,000 unless given. Exit status 1 when anything failed; each failure comes
 * with the command that repeats it.
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';

/** A case that takes longer hangs. */
const LIMIT_MS = 15_000;
const SHOWN_FAILURES = 20;

const { values } = parseArgs({
  options: {
    configurations: { type: 'string', default: '100000' },
    bodies: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    only: { type: 'string' },
  },
});
const failures = [];

/** Runs cases in a thread of their own until it ends, or hangs. Resolves to the number of the case to go on with. */
function runFrom(kind, from, to, counts) {
  const at = new Int32Array(new SharedArrayBuffer(4));
  at[0] = from;
  const fail = (failure) => failures.push({ kind, ...failure });
  return new Promise((resolve) => {
    const worker = new Worker(new URL('worker.mjs', import.meta.url), {
      workerData: { kind, seed: values.seed, from, to, at },
    });
    let next = from;
    let [last, since] = [from, Date.now()];
    const watch = setInterval(() => {
      const current = Atomics.load(at, 0);
      if (current !== last) [last, since] = [current, Date.now()];
      else if (Date.now() - since > LIMIT_MS) {
        fail({ number: current, what: 'hang', detail: `it was not over after ${LIMIT_MS} ms` });
        void worker.terminate();
      }
    }, 500);
    worker.on('message', (message) => {
      if (message.failure !== undefined) fail(message.failure);
      for (const [outcome, count] of Object.entries(message.counts ?? {}))
        counts[outcome] = (counts[outcome] ?? 0) + count;
      next = message.next ?? next;
    });
    worker.on('error', (error) => fail({ number: Atomics.load(at, 0), what: 'crash', detail: String(error?.stack) }));
    worker.on('exit', () => {
      clearInterval(watch);
      // What a thread had counted since it last told is lost with it.
      resolve(Math.max(next, Atomics.load(at, 0) + 1));
    });
  });
}

async function attack(kind, from, to) {
  const counts = {};
  const start = performance.now();
  for (let next = from; next < to;) next = await runFrom(kind, next, to, counts);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${kind}: ${to - from} cases in ${seconds} s, seed ${values.seed}`);
  for (const [outcome, count] of Object.entries(counts).sort(([, a], [, b]) => b - a))
    console.log(`  ${String(count).padStart(7)}  ${outcome}`);
}

if (values.only === undefined) {
  await attack('configurations', 0, Number(values.configurations));
  await attack('bodies', 0, Number(values.bodies));
} else {
  const [kind, number] = values.only.split(':');
  await attack(kind, Number(number), Number(number) + 1);
}
console.log(`failures: ${failures.length}`);
for (const { kind, number, what, detail } of failures.slice(0, SHOWN_FAILURES))
  console.log(`\n${what}: node scripts/fuzz/main.mjs --seed ${values.seed} --only ${kind}:${number}\n${detail}`);
process.exitCode = failures.length === 0 ? 0 : 1;
