/** What is said about keys of `api.pagination` that are no options of its method. */
import { likelyMeant } from '../../codec/suggest';
import { ignored, unknownKey, type UnknownKeyPolicy } from '../../codec/unknown-key';
import type { Parts } from '../../parts/parts';
import { stopNames } from './stops';

/** Keys that only `multiple` has. */
const MULTIPLE_KEYS: readonly string[] = ['scrollers', 'default'];

/**
 * What to say about a key that is no option of this method; the common stops are read elsewhere.
 *
 * @param method for the message, for example `method offset`
 */
export const keysOfMethod =
  (method: string, { pagination }: Parts, ofOthers: typeof ignored = ignored): UnknownKeyPolicy =>
  (key, value, names) => {
    if (stopNames.includes(key)) return undefined;
    const owners = [...pagination.values()].filter(({ options }) => Object.hasOwn(options, key));
    const places = MULTIPLE_KEYS.includes(key) ? ['method multiple'] : owners.map(({ name }) => name);
    if (places.length > 0) return ofOthers(`has no effect with ${method}: it is an option of ${places.join(', ')}`);
    const own = [...names, ...stopNames];
    const others = [...pagination.values()].flatMap(({ options }) => Object.keys(options));
    const all = [...new Set([...own, ...others, ...MULTIPLE_KEYS])];
    return unknownKey()(key, value, likelyMeant(key, own) === undefined ? all : own);
  };
