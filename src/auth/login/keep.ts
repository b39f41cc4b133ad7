import { from, map, of } from 'rxjs';
import type { Observable } from 'rxjs';
import { flatten } from '../../json/flatten';
import type { Report } from '../../events';
import type { CredentialStore, JsonObject, Request } from '../../model';
import type { LoginPlan } from './plan';
import type { Secrets } from '../../secrets';

interface Keeping {
  readonly store: CredentialStore;
  readonly secrets: Secrets;
  readonly report: Report;
}

/** What logins take from earlier ones, and keep for later ones. */
export interface KeptValues {
  /** The next login request. */
  readonly request: () => Request;
  /** Emits the content of a login response when what later logins need of it is safe. */
  readonly keep: (content: JsonObject) => Observable<JsonObject>;
}

/**
 * The values that an API wants back at the next login, such as a refresh token that replaces the one before
 * (docs/extensions/kept-credentials.md). They are kept before anything else is done with the response, since the API has
 * made the old ones worthless by then.
 */
export function keptValues({ request, kept }: LoginPlan, { store, secrets, report }: Keeping): KeptValues {
  if (kept === undefined) return { request: () => request, keep: (content) => of(content) };
  const absent = new Set<string>();
  const warnOf = (name: string, path: string): void => {
    if (absent.has(name)) return;
    absent.add(name);
    const message =
      `api.authentication.persist.${name}: the login response has nothing at "${path}". ` +
      'What is known already is used again; check the path if the API gives a new value with each login.';
    report({ type: 'warning', code: 'NOTHING_TO_KEEP', message });
  };
  return {
    request: () => {
      const known = store.read(kept.login);
      const next = kept.request(known);
      secrets.learn(...known.values(), ...next.secrets);
      return next.request;
    },
    keep: (content) => {
      const values = kept.values(flatten(content));
      secrets.learn(...values.values());
      for (const [name, path] of Object.entries(kept.paths)) if (!values.has(name)) warnOf(name, path);
      return from(store.write(kept.login, values)).pipe(map(() => content));
    },
  };
}
