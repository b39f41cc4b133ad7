// What a run leaves behind in its process: timers, sockets, listeners.
import { getEventListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

const SETTLE_MS = 5000;

/** How many of what keeps the process alive, or hears of it, there are. */
function holdings(signal) {
  const counts = { abort: getEventListeners(signal, 'abort').length };
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  for (const name of process.eventNames()) counts[`on ${String(name)}`] = process.listenerCount(name);
  return counts;
}

/** Remembers what there is; the result says what has been added since, after some time for it to go. */
export function watchLeaks(signal) {
  const before = holdings(signal);
  const added = () =>
    Object.entries(holdings(signal)).flatMap(([kind, count]) =>
      // The pause of this very loop.
      count > (before[kind] ?? 0) + (kind === 'Timeout' ? 1 : 0) ? [`${count - (before[kind] ?? 0)} × ${kind}`] : [],
    );
  return async () => {
    const end = performance.now() + SETTLE_MS;
    while (added().length > 0 && performance.now() < end) await wait(50);
    return added();
  };
}
