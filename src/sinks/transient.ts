import type { DurableSink } from '../core/durable-sink';
import type { Sink } from '../core/model';

/**
 * A sink that keeps nothing, among durable ones: it has all pages of a run only if the run is made in one go. With it, no
 * run is resumed.
 *
 * @example transient('ndjson:-', ndjson(process.stdout, { tag: false }))
 */
export const transient = (name: string, sink: Sink): DurableSink => ({
  name,
  keepsNothing: true,
  open: () => Promise.resolve({ state: {} }),
  begin: () => Promise.resolve(),
  write: sink.write,
  commit: async () => {
    await sink.close();
    return [];
  },
  close: () => Promise.resolve(),
});
