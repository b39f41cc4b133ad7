import { createHash } from 'node:crypto';
import { from, of } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Report } from '../../core/events';
import { entriesOf, isList, isObject } from '../../core/json/objects';
import { textOf } from '../../core/json/scalars';
import { stringifyJson } from '../../core/json/stringify';
import type { CredentialStore, Json, JsonScalar, Request } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import type { Contexts } from '../../language/expressions/expression';
import type { LoginWritten } from './options';
import { placeText, scalarIn, valuesOf } from './place';
import type { GivenByLogin, LoginPlace } from './place';
import type { KeptPlan, LoginPlan, LoginRequest } from './plan';

/** Returns the context `state` if nothing has been kept: each name with an empty value. */
export const nothingKept = (persist: Readonly<Record<string, LoginPlace>>): ReadonlyMap<string, string> =>
  new Map(Object.keys(persist).map((name) => [name, '']));

/**
 * Returns a function that reads from a login response the values that later logins need; a place without a value is
 * skipped.
 */
export const keptFrom =
  (persist: Readonly<Record<string, LoginPlace>>): KeptPlan['values'] =>
  (given) => {
    const found = Object.entries(persist).map(
      ([name, place]) => [name, textOf(scalarIn(given, place) ?? null)] as const,
    );
    return new Map(found.filter(([, text]) => text !== ''));
  };

/**
 * Returns a digest of everything that the configuration logs in with. New credentials change the digest, so that values
 * kept with the old ones are dropped. Results of functions do not count: the time of day would change the digest.
 */
export function loginDigest({ loginRequest }: LoginWritten, baseUrl: string, known: Contexts): string {
  const { endpoint, method, params, headers } = loginRequest;
  const referred = [endpoint, params, headers].flatMap((raw) => referredIn(raw, known));
  return createHash('sha256')
    .update(stringifyJson([baseUrl, endpoint, method, params, headers, referred]))
    .digest('hex');
}

/** Returns the values of all references, in reading order. */
function referredIn(raw: Json, known: Contexts): readonly JsonScalar[] {
  if (isList(raw)) return raw.flatMap((element) => referredIn(element, known));
  if (!isObject(raw)) return [];
  const entries = entriesOf(raw);
  const [first, ...others] = entries;
  if (first === undefined) return [];
  const names = others.length > 0 ? undefined : contextNamed(first[0], known);
  return names !== undefined && typeof first[1] === 'string'
    ? [names.get(first[1]) ?? null]
    : entries.flatMap(([, value]) => referredIn(value, known));
}

function contextNamed(name: string, { attr, consumer, user }: Contexts): ReadonlyMap<string, JsonScalar> | undefined {
  return new Map(Object.entries({ attr, consumer, user })).get(name);
}

/** Returns the names that a request reads from the context `state`. */
export const stateNamesIn = ({
  params,
  headers,
}: Pick<LoginWritten['loginRequest'], 'params' | 'headers'>): readonly string[] => [
  ...new Set([params, headers].flatMap(namesIn)),
];

function namesIn(raw: Json): readonly string[] {
  if (isList(raw)) return raw.flatMap(namesIn);
  if (!isObject(raw)) return [];
  const entries = entriesOf(raw);
  const [first] = entries;
  return entries.length === 1 && first?.[0] === 'state' && typeof first[1] === 'string'
    ? [first[1]]
    : entries.flatMap(([, value]) => namesIn(value));
}

interface Keeping {
  readonly store: CredentialStore;
  readonly secrets: Secrets;
  readonly report: Report;
}

/** The values that logins read from earlier logins, and keep for later ones. */
export interface KeptValues {
  /** Returns the next login request. */
  readonly request: () => Request;
  /**
   * Returns the request for new credentials by a refresh, if the values for it exist and the API has not refused them.
   */
  readonly refresh: () => Request | undefined;
  /** Reports that the API has refused the last refresh: the kept values are useless. */
  readonly refused: () => void;
  /** Emits once, when the values that later logins need from a login response are safe. */
  readonly keep: (given: GivenByLogin, by: 'login' | 'refresh') => Observable<unknown>;
}

/**
 * Manages the values that an API expects at the next login, such as a refresh token that replaces the one before
 * (docs/language/authentication.md#kept-tokens). They are saved before anything else is done with the response, because the API
 * has invalidated the old ones by then.
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
      // A refresh without a new token leaves the old one in force (RFC 6749 section 6).
      if (by === 'login' && kept.isOptional !== true)
        for (const [name, place] of Object.entries(kept.places)) if (!values.has(name)) warnOf(name, place);
      return from(store.write(kept.login, values));
    },
  };
}
