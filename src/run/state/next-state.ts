import { entriesOf, isObject, objectFrom, ownValue } from '../../core/json/keys';
import type { JsonObject } from '../../core/model';

const TIME = 'time';
const PREVIOUS_START = 'previousStart';

/**
 * Unix seconds: when the last successful run started; 0 when the state of a run does not say
 * (docs/language/state.md#where-it-is-kept).
 */
export function previousStartOf(state: JsonObject): number {
  const seconds = Number(ownValue(timeOf(state), PREVIOUS_START) ?? 0);
  return Number.isFinite(seconds) ? Math.trunc(seconds) : 0;
}

/**
 * The state for the next run, after a successful one (docs/language/state.md#where-it-is-kept). Whatever else stands in
 * it is kept.
 *
 * @param startedAt Unix seconds: the start of the run
 * @example nextState({ mine: 1 }, 1500000000) // { mine: 1, time: { previousStart: 1500000000 } }
 */
export const nextState = (state: JsonObject, startedAt: number): JsonObject => withPreviousStart(state, startedAt);

/** The state with another start of the last run; 0: there was none. */
export function withPreviousStart(state: JsonObject, seconds: number): JsonObject {
  const time = objectFrom(new Map(entriesOf(timeOf(state))).set(PREVIOUS_START, seconds));
  return objectFrom(new Map(entriesOf(state)).set(TIME, time));
}

function timeOf(state: JsonObject): JsonObject {
  const time = ownValue(state, TIME);
  return isObject(time) ? time : {};
}
