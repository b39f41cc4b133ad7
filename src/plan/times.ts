import type { Contexts } from '../expressions/expression';
import type { RunTimes } from './plan';

/** The contexts with `time` added (language 7.1). */
export const timesContext = (contexts: Contexts, times: RunTimes): Contexts => ({
  ...contexts,
  time: new Map(Object.entries(times)),
});
