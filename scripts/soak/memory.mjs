// What a process holds in memory over time, after garbage collection, and whether it grows.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

const MIB = 2 ** 20;
/** While caches fill and code is compiled, memory grows with good reason. */
const WARM_UP = 0.25;

/** Samples of the memory: `take(at)` adds one, `growth()` says how much it grows for each thing done. */
export function memorySamples() {
  const samples = [];
  return {
    take(at) {
      collect();
      const { heapUsed, external, rss } = process.memoryUsage();
      samples.push({ at, heap: heapUsed + external, rss });
    },
    /** Bytes for each thing done by least squares, and the last value in MiB, of heap and resident set. */
    growth() {
      const settled = samples.slice(Math.floor(samples.length * WARM_UP));
      const of = (key) => ({ slope: slopeOf(settled, key), last: (samples.at(-1)?.[key] ?? 0) / MIB });
      return { heap: of('heap'), rss: of('rss') };
    },
  };
}

function slopeOf(samples, key) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const middle = { at: mean(samples.map(({ at }) => at)), value: mean(samples.map((sample) => sample[key])) };
  const spread = samples.reduce((sum, { at }) => sum + (at - middle.at) ** 2, 0);
  const together = samples.reduce((sum, sample) => sum + (sample.at - middle.at) * (sample[key] - middle.value), 0);
  return spread === 0 ? 0 : together / spread;
}
