/** Values of logins for later logins, inside the state of a run (docs/language/authentication.md#kept-tokens). */
import { entriesOf, isList, isObject, objectFrom, ownValue } from '../../core/json/objects';
import type { CredentialStore, Json, JsonObject } from '../../core/model';

const KEY = 'headwater.credentials';
/** The prefix of names whose values the host encrypts. */
const SECRET = '#';
const LOGIN = '#login';
const VALUES = 'values';

/**
 * Returns the values that a state keeps of a login, by name; it cannot use those of other logins.
 *
 * @param login a digest of the login data of the configuration
 * @example keptValues(state, login).get('refreshToken')
 */
export function keptValues(state: JsonObject, login: string): ReadonlyMap<string, string> {
  const entry = entriesIn(state).find((candidate) => candidate[LOGIN] === login);
  const values = entry === undefined ? undefined : ownValue(entry, VALUES);
  if (!isObject(values)) return new Map();
  return new Map(
    entriesOf(values).flatMap(([name, value]) =>
      name.startsWith(SECRET) && typeof value === 'string' ? [[name.slice(SECRET.length), value]] : [],
    ),
  );
}

/**
 * Returns the state with other values of a login. Values of logins that the configuration no longer has are dropped.
 *
 * @param logins all logins of the configuration
 */
export function withKeptValues(
  state: JsonObject,
  login: string,
  values: ReadonlyMap<string, string>,
  logins: readonly string[],
): JsonObject {
  const others = entriesIn(state).filter(
    (entry) => entry[LOGIN] !== login && logins.some((one) => one === entry[LOGIN]),
  );
  const entry = {
    [LOGIN]: login,
    [VALUES]: objectFrom(Array.from(values, ([name, value]) => [SECRET + name, value])),
  };
  return objectFrom(new Map<string, Json>(entriesOf(state)).set(KEY, [...others, entry]));
}

/** Returns the state without the values of logins, for places that others read. */
export const withoutKeptValues = (state: JsonObject): JsonObject =>
  objectFrom(entriesOf(state).filter(([key]) => key !== KEY));

function entriesIn(state: JsonObject): readonly JsonObject[] {
  const entries = ownValue(state, KEY);
  return isList(entries) ? entries.filter(isObject) : [];
}

/** Receives the state each time that a login has values to keep. */
export type SaveState = (state: JsonObject) => void | Promise<void>;

/**
 * Keeps the values of logins in a state. A value that a later login does not return stays.
 *
 * @param initial the state after the last run
 * @param logins all logins of the configuration
 * @param save is called with the whole state before a request uses the login; its error ends the run
 * @example credentialStore(state, logins, (next) => writeFile('state.json', stringifyJson(next)))
 */
export function credentialStore(initial: JsonObject, logins: readonly string[], save: SaveState): CredentialStore {
  let state = initial;
  return {
    read: (login) => keptValues(state, login),
    write: async (login, values) => {
      const known = keptValues(state, login);
      if ([...values].every(([name, value]) => known.get(name) === value)) return;
      state = withKeptValues(state, login, new Map([...known, ...values]), logins);
      await save(state);
    },
  };
}
