import type { CredentialStore, JsonObject } from '../../core/model';
import { keptValues, withKeptValues } from './kept-credentials';

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
