import type { ContextName, Contexts } from '../../language/expressions/expression';
import type { CallValues, RunTimes } from '../plan';

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

/** The contexts with all that one call knows: `time`, and `partition` and `window` where there are any. */
export const callContexts = (contexts: Contexts, { times, slice }: Pick<CallValues, 'times' | 'slice'>): Contexts =>
  slice === undefined ? timesContext(contexts, times) : { ...timesContext(contexts, times), ...slice };

/** What expressions of a job may refer to. */
export const contextsOfCalls = ({ partition, window }: Contexts): readonly ContextName[] => [
  'attr',
  'time',
  ...(partition === undefined ? [] : (['partition'] as const)),
  ...(window === undefined ? [] : (['window'] as const)),
];
