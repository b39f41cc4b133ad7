import { unknownKey, type Strangers } from './unknown-key';

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
export const strangersOfType =
  (type: string): Strangers =>
  (key, value, names) => {
    const owners = OWNERS.get(key);
    return owners === undefined
      ? unknownKey()(key, value, names)
      : `has no effect with type ${type}: it is an option of ${owners}`;
  };
