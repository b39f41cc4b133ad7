import { from, of } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Report } from '../../core/events';
import type { CredentialStore, Request } from '../../core/model';
import { placeText, valuesOf, type GivenByLogin, type LoginPlace } from './given';
import type { KeptPlan, LoginPlan, LoginRequest } from './plan';
import type { Secrets } from '../../core/secrets/secrets';

interface Keeping {
  readonly store: CredentialStore;
  readonly secrets: Secrets;
  readonly report: Report;
}

/** What logins take from earlier ones, and keep for later ones. */
export interface KeptValues {
  /** The next login request. */
  readonly request: () => Request;
  /** The request for new credentials instead, while there is what it needs, and the API has not refused that. */
  readonly refresh: () => Request | undefined;
  /** Says that the API has refused the last one: what was kept is of no use any more. */
  readonly refused: () => void;
  /** Emits once, when what later logins need of a login response is safe. */
  readonly keep: (given: GivenByLogin, by: 'login' | 'refresh') => Observable<unknown>;
}

/**
 * The values that an API wants back at the next login, such as a refresh token that replaces the one before
 * (docs/extensions/kept-credentials.md). They are kept before anything else is done with the response, since the API has
 * made the old ones worthless by then.
 */
export function keptValues({ request, kept }: LoginPlan, { store, secrets, report }: Keeping): KeptValues {
  const learnt = ({ request: next, secrets: inIt }: LoginRequest): Request => {
    secrets.learn(...inIt);
    return next;
  };
  if (kept === undefined) {
    const nothing = (): undefined => undefined;
    return { request: () => learnt(request()), refresh: nothing, refused: nothing, keep: (given) => of(given) };
  }
  const absent = new Set<string>();
  let refused: ReadonlyMap<string, string> = new Map();
  const warnOf = (name: string, place: LoginPlace): void => {
    if (absent.has(name)) return;
    absent.add(name);
    const message =
      `api.authentication.persist.${name}: nothing is at ${placeText(place)}. ` +
      'What is known already is used again; check the place if the API gives a new value with each login.';
    report({ type: 'warning', code: 'NOTHING_TO_KEEP', message });
  };
  const requestBy = (build: KeptPlan['request']): Request => {
    const known = store.read(kept.login);
    secrets.learn(...known.values());
    return learnt(build(known));
  };
  return {
    request: () => requestBy(kept.request),
    refresh: () => {
      const { refresh } = kept;
      const known = store.read(kept.login);
      const isKnown = refresh?.names.every((name) => (known.get(name) ?? '') !== '') ?? false;
      const wasRefused = refresh?.names.every((name) => refused.get(name) === known.get(name)) ?? false;
      return refresh !== undefined && isKnown && !wasRefused ? requestBy(refresh.request) : undefined;
    },
    refused: () => {
      refused = new Map(store.read(kept.login));
    },
    keep: (given, by) => {
      const values = kept.values(valuesOf(given));
      secrets.learn(...values.values());
      // A refresh that gives no new token leaves the old one in force (RFC 6749 section 6).
      if (by === 'login' && kept.isOptional !== true)
        for (const [name, place] of Object.entries(kept.places)) if (!values.has(name)) warnOf(name, place);
      return from(store.write(kept.login, values));
    },
  };
}
