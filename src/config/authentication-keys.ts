import { likelyMeant } from '../codec/suggest';
import { ignored, mistaken, unknownKey, type KeyJudge } from '../codec/unknown-key';

/** Which types read which key of `api.authentication`. */
const OWNERS: ReadonlyMap<string, string> = new Map([
  ['loginRequest', 'login and oauth20.login'],
  ['apiRequest', 'login and oauth20.login'],
  ['expires', 'login and oauth20.login'],
  ['margin', 'login and oauth20.login'],
  ['refusedStatusCodes', 'login and oauth20.login'],
  ['persist', 'login and oauth20.login'],
  ['format', 'login, oauth20.login and oauth20'],
  ['headers', 'oauth20; login has apiRequest.headers'],
  ['query', 'query and oauth20; login has apiRequest.query'],
]);

/** What to say about a key of `api.authentication` that its type does not read. */
export const keysOfType =
  (type: string): KeyJudge =>
  (key, value, names) => {
    const owners = OWNERS.get(key);
    if (owners !== undefined) return ignored(`has no effect with type ${type}: it is an option of ${owners}`);
    return unknownKey()(key, value, namesFor(key, names));
  };

const NO_TYPE = 'has no effect: api.authentication.type is not set';

/** A blank type switches the authentication off; one that is absent was forgotten, or misspelled. */
export const keysWithoutType =
  (isSwitchedOff: boolean): KeyJudge =>
  (key, value, names) => {
    if (isSwitchedOff) return ignored(NO_TYPE);
    return OWNERS.has(key) ? mistaken(NO_TYPE) : unknownKey()(key, value, namesFor(key, names));
  };

/** The names that a key may misspell: those of its own type first. */
const namesFor = (key: string, names: readonly string[]): readonly string[] =>
  likelyMeant(key, names) === undefined ? [...names, ...OWNERS.keys()] : names;
