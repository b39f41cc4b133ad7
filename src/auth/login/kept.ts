import { createHash } from 'node:crypto';
import type { Contexts } from '../../language/expressions/expression';
import { entriesOf, isList, isObject } from '../../core/json/keys';
import { stringifyJson } from '../../core/json/stringify';
import { textOf } from '../../core/json/text';
import type { Json, JsonScalar } from '../../core/model';
import type { LoginWritten } from './fields';
import { scalarIn, type LoginPlace } from './given';
import type { KeptPlan } from './plan';

/** What the context `state` holds when nothing has been kept: each name with an empty value. */
export const nothingKept = (persist: Readonly<Record<string, LoginPlace>>): ReadonlyMap<string, string> =>
  new Map(Object.keys(persist).map((name) => [name, '']));

/** Reads from a login response what later logins need. A place that holds nothing gives nothing. */
export const keptFrom =
  (persist: Readonly<Record<string, LoginPlace>>): KeptPlan['values'] =>
  (given) => {
    const found = Object.entries(persist).map(
      ([name, place]) => [name, textOf(scalarIn(given, place) ?? null)] as const,
    );
    return new Map(found.filter(([, text]) => text !== ''));
  };

/**
 * A digest of all that the configuration logs in with. A person who enters new credentials changes it, and with it goes
 * what was kept with the old ones. Results of functions do not count: the time of day would change it.
 */
export function loginDigest({ loginRequest }: LoginWritten, baseUrl: string, known: Contexts): string {
  const { endpoint, method, params, headers } = loginRequest;
  const referred = [endpoint, params, headers].flatMap((raw) => referredIn(raw, known));
  return createHash('sha256')
    .update(stringifyJson([baseUrl, endpoint, method, params, headers, referred]))
    .digest('hex');
}

/** The values that references name, in reading order. */
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

/** The names that a request takes from the context `state`. */
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
