import { from, of } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Report } from '../../events';
import type { CredentialStore, Request } from '../../model';
import { placeText, valuesOf, type GivenByLogin, type LoginPlace } from './given';
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
  /** Emits once, when what later logins need of a login response is safe. */
  readonly keep: (given: GivenByLogin) => Observable<unknown>;
}

/**
 * The values that an API wants back at the next login, such as a refresh token that replaces the one before
 * (docs/extensions/kept-credentials.md). They are kept before anything else is done with the response, since the API has
 * made the old ones worthless by then.
 */
export function keptValues({ request, kept }: LoginPlan, { store, secrets, report }: Keeping): KeptValues {
  if (kept === undefined) return { request: () => request, keep: (given) => of(given) };
  const absent = new Set<string>();
  const warnOf = (name: string, place: LoginPlace): void => {
    if (absent.has(name)) return;
    absent.add(name);
    const message =
      `api.authentication.persist.${name}: nothing is at ${placeText(place)}. ` +
      'What is known already is used again; check the place if the API gives a new value with each login.';
    report({ type: 'warning', code: 'NOTHING_TO_KEEP', message });
  };
  return {
    request: () => {
      const known = store.read(kept.login);
      const next = kept.request(known);
      secrets.learn(...known.values(), ...next.secrets);
      return next.request;
    },
    keep: (given) => {
      const values = kept.values(valuesOf(given));
      secrets.learn(...values.values());
      for (const [name, place] of Object.entries(kept.places)) if (!values.has(name)) warnOf(name, place);
      return from(store.write(kept.login, values));
    },
  };
}
