/** What logins gave for later ones, inside the state of a run (docs/extensions/kept-credentials.md). */
import { entriesOf, isList, isObject, objectFrom, ownValue } from '../../core/json/objects';
import type { CredentialStore, Json, JsonObject } from '../../core/model';

const KEY = 'headwater.credentials';
/** The host encrypts what stands under names that begin so. */
const SECRET = '#';
const LOGIN = '#login';
const VALUES = 'values';

/**
 * The values that a state keeps of a login, by name; those of other logins are of no use to it.
 *
 * @param login what the configuration logs in with, as a digest
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
 * The state with other values of a login. Those of logins that the configuration has no longer are dropped.
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

/** The state without what logins gave: for places that others read. */
export const withoutKeptValues = (state: JsonObject): JsonObject =>
  objectFrom(entriesOf(state).filter(([key]) => key !== KEY));

function entriesIn(state: JsonObject): readonly JsonObject[] {
  const entries = ownValue(state, KEY);
  return isList(entries) ? entries.filter(isObject) : [];
}

/** Takes the state each time that a login has given something to keep. */
export type SaveState = (state: JsonObject) => void | Promise<void>;

/**
 * Keeps what logins give in a state. A value that a login does not give again stays.
 *
 * @param initial the state that the last run left
 * @param logins all logins of the configuration
 * @param save called with the whole state before a request uses the login; what it throws ends the run
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
