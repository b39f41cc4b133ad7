/** Limits of what a process takes: it ends itself beyond them, since DuckDB cannot be interrupted, nor counts all of its memory. */
import { Worker } from 'node:worker_threads';

/** What a query may take. */
export interface QueryLimits {
  readonly milliseconds: number;
  readonly bytes: number;
}

/** The limits of a query of the studio, and of `headwater query`. */
export const QUERY_LIMITS: QueryLimits = { milliseconds: 15_000, bytes: 1.5e9 };

/** Returns why a query was stopped. */
export const tooLong = ({ milliseconds }: Pick<QueryLimits, 'milliseconds'>): string =>
  `it took more than ${milliseconds / 1000} seconds. Ask for less, for example with LIMIT.`;
export const tooLarge = ({ bytes }: Pick<QueryLimits, 'bytes'>): string =>
  `it needed more than ${bytes / 1e9} GB of memory. Ask for less, for example with LIMIT.`;

/** Milliseconds between two looks. */
export const EVERY = 50;

/** A thread of its own: the other may be busy in native code. */
const WATCH = `
const { workerData: { milliseconds, bytes, late, large } } = require('node:worker_threads');
const before = process.memoryUsage.rss();
const end = performance.now() + milliseconds;
const kill = (words) => {
  require('node:fs').writeSync(2, words);
  process.kill(process.pid, 'SIGKILL');
};
setInterval(() => {
  if (process.memoryUsage.rss() - before > bytes) kill(large);
  if (performance.now() > end) kill(late);
}, ${EVERY});
`;

/**
 * Kills this process when it takes longer from now on, or needs more memory than now; standard error says why.
 *
 * @param say returns the line for a reason
 * @returns ends the watch
 */
export function killBeyond(limits: QueryLimits, say: (why: string) => string): () => Promise<unknown> {
  const words = { late: say(tooLong(limits)), large: say(tooLarge(limits)) };
  const watch = new Worker(WATCH, { eval: true, workerData: { ...limits, ...words } });
  watch.unref();
  return () => watch.terminate();
}
