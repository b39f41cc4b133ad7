/** What is said about keys of `api.authentication` that are no options of its type. */
import { likelyMeant } from '../../codec/suggest';
import { ignored, mistaken, unknownKey, type UnknownKeyPolicy } from '../../codec/unknown-key';
import type { Parts } from '../../parts/parts';

/** What to say about a key of `api.authentication` that its type does not read. */
export const keysOfType =
  (type: string, parts: Parts): UnknownKeyPolicy =>
  (key, value, names) => {
    const owners = ownersOf(key, parts);
    if (owners !== undefined) return ignored(`has no effect with type ${type}: it is an option of ${owners}`);
    return unknownKey()(key, value, namesFor(key, names, parts));
  };

const NO_TYPE = 'has no effect: api.authentication.type is not set';

/** A blank type switches the authentication off; one that is absent was forgotten, or misspelled. */
export const keysWithoutType =
  (isSwitchedOff: boolean, parts: Parts): UnknownKeyPolicy =>
  (key, value, names) => {
    if (isSwitchedOff) return ignored(NO_TYPE);
    return ownersOf(key, parts) === undefined
      ? unknownKey()(key, value, namesFor(key, names, parts))
      : mistaken(NO_TYPE);
  };

/** The types that have an option of this name, and what others have in its stead. */
function ownersOf(key: string, { authentication }: Parts): string | undefined {
  const types = [...authentication.values()];
  const owners = types.filter(({ options }) => Object.hasOwn(options, key)).map(({ name }) => name);
  if (owners.length === 0) return undefined;
  const instead = types.flatMap(({ name, instead: others = {} }) =>
    Object.hasOwn(others, key) ? [`${name} has ${others[key]}`] : [],
  );
  return [inWords(owners), ...instead].join('; ');
}

const inWords = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/** The names that a key may misspell: those of its own type first. */
function namesFor(key: string, names: readonly string[], { authentication }: Parts): readonly string[] {
  if (likelyMeant(key, names) !== undefined) return names;
  return [...new Set([...names, ...[...authentication.values()].flatMap(({ options }) => Object.keys(options))])];
}
