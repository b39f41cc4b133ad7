/** Tries cases one after another, and tells what became of them. The main thread watches for cases that never end. */
import { setImmediate } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { tryBody } from './bodies.mjs';
import { tryConfiguration } from './configurations.mjs';
import { changedPrototypes, hasNewMembers } from './prototypes.mjs';
import { randomFrom } from './random.mjs';

const { kind, seed, from, to, at } = workerData;
const TRY = { configurations: tryConfiguration, bodies: tryBody };
/** Cases between two looks at what was left behind. */
const LOOKS = 50;

let current = from;
const report = (failure) => parentPort.postMessage({ failure: { number: current, ...failure } });
process.on('unhandledRejection', (reason) => report({ what: 'unhandled rejection', detail: detailOf(reason) }));

const detailOf = (error) => (error instanceof Error ? `${error.stack}${error.cause === undefined ? '' : `\n  cause: ${detailOf(error.cause)}`}` : String(error)); // prettier-ignore

const counts = {};
for (current = from; current < to; current += 1) {
  Atomics.store(at, 0, current);
  try {
    const outcome = await TRY[kind](randomFrom(`${seed}:${kind}:${current}`));
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  } catch (error) {
    report({ what: 'exception', detail: detailOf(error) });
  }
  const looks = current % LOOKS === 0 || current === to - 1;
  const changed = looks || hasNewMembers() ? changedPrototypes() : [];
  if (changed.length > 0) {
    report({ what: 'changed prototype', detail: changed.join(', ') });
    break;
  }
  if (looks) {
    await setImmediate();
    parentPort.postMessage({ counts: { ...counts }, next: current + 1 });
    for (const outcome of Object.keys(counts)) delete counts[outcome];
  }
}
parentPort.postMessage({ counts, next: current + 1 });
