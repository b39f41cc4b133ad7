/** What runs left in a destination that several configurations may share. */
import { entriesOf, isObject, objectFrom, ownValue } from '../core/json/keys';
import type { Json, JsonObject } from '../core/model';
import { configurationIn } from '../language/configuration/fingerprint';

const KEY = 'headwater.configurations';
/** The maximum number of configurations that are kept, the latest ones: what a change asks for makes another. */
const MOST = 50;

/**
 * What the last run of a configuration left. What runs of others left would make this one ask for too little.
 *
 * @param fingerprint the fingerprint of the configuration
 * @example ownState({ 'headwater.configurations': { abc: { a: 1 } } }, 'abc') // { a: 1 }
 */
export function ownState(all: JsonObject, fingerprint: string): JsonObject {
  const own = ownValue(statesIn(all), configurationIn(fingerprint));
  return isObject(own) ? own : {};
}

/** What the last runs of other configurations left. */
export const otherStates = (all: JsonObject, fingerprint: string): readonly JsonObject[] =>
  entriesOf(statesIn(all)).flatMap(([key, state]) =>
    key !== configurationIn(fingerprint) && isObject(state) ? [state] : [],
  );

/** All that is known, with what the last run of this configuration left. */
export function withOwnState(all: JsonObject, fingerprint: string, own: JsonObject): JsonObject {
  const configuration = configurationIn(fingerprint);
  const others = entriesOf(statesIn(all)).filter(([key]) => key !== configuration);
  const kept: readonly (readonly [string, Json])[] = [...others.slice(1 - MOST), [configuration, own]];
  return objectFrom(new Map<string, Json>(entriesOf(all)).set(KEY, objectFrom(kept)));
}

/** This tells whether the last run in a destination was one of this configuration. */
export const isLatest = (all: JsonObject, fingerprint: string): boolean =>
  entriesOf(statesIn(all)).at(-1)?.[0] === configurationIn(fingerprint);

function statesIn(all: JsonObject): JsonObject {
  const states = ownValue(all, KEY);
  return isObject(states) ? states : {};
}
