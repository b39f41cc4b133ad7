import { FatalError } from '../../core/errors/errors';
import { entriesOf, isList, isObject, ownValue } from '../../core/json/keys';
import { sameJson } from '../../core/json/same';
import type { DurableSink, Standing } from '../../core/durable-sink';
import type { Json, JsonObject } from '../../core/model';

/**
 * What the last run of a configuration left in all of its destinations. Where it asks only for what is new, they must stand
 * at the same place: else one of them would lack what another has already.
 *
 * @throws FatalError DESTINATION_INCOMPATIBLE when they do not
 * @param stateIn what the last run of the configuration left, in all that a destination keeps
 * @example commonState(sinks, standings, config, (all) => ownState(all, fingerprint))
 */
export function commonState(
  sinks: readonly DurableSink[],
  standings: readonly Standing[],
  config: Json,
  stateIn: (all: JsonObject) => JsonObject,
): JsonObject {
  const states = standings.flatMap(({ state }, at) => (sinks[at]?.keepsNothing === true ? [] : [stateIn(state)]));
  const [first = {}, ...others] = states;
  const isAlike = (other: JsonObject): boolean =>
    KEYS.every((key) => sameJson(valueOf(first, key), valueOf(other, key)));
  if (others.every(isAlike) || !isIncremental(config)) return first;
  const names = sinks.map(({ name }) => name).join(', ');
  const message =
    `The destinations do not stand at the same place, and the configuration asks only for what is new: ${names}. ` +
    `Fill them one by one, begin anew in empty ones, or name a file with --state.`;
  throw new FatalError('DESTINATION_INCOMPATIBLE', message);
}

const KEYS = ['time', 'headwater.cursors'];
const valueOf = (state: JsonObject, key: string): Json => ownValue(state, key) ?? null;

/** Whether anything in the configuration depends on the runs before. */
function isIncremental(value: Json): boolean {
  if (isList(value)) return value.some(isIncremental);
  if (!isObject(value)) return value === 'previousStart';
  return entriesOf(value).some(([key, inner]) => key === 'incremental' || isIncremental(inner));
}
