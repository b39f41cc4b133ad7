import type { Contexts } from '../../expressions/expression';
import type { RunTimes } from '../plan';

/** The last result for each set of contexts: every call of a job asks for the same times. */
const known = new WeakMap<Contexts, { readonly times: RunTimes; readonly result: Contexts }>();

/** The contexts with `time` added (docs/language/expressions.md#contexts). */
export function timesContext(contexts: Contexts, times: RunTimes): Contexts {
  const last = known.get(contexts);
  if (last?.times === times) return last.result;
  const result = { ...contexts, time: new Map(Object.entries(times)) };
  known.set(contexts, { times, result });
  return result;
}
