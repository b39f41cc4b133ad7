import type { Json, JsonObject } from '../model';
import { entriesOf, isList, isObject } from '../json/objects';
import { isScalar, textOf } from '../json/scalars';

/**
 * One `name=value` of a query, decoded. `raw` is the original spelling, if there is one; `value` is absent without a
 * `=`.
 */
export interface QueryPair {
  readonly name: string;
  readonly value?: string;
  readonly raw?: string;
}

/**
 * The form of an array in a query: `a[0]=…&a[1]=…` (docs/language/requests.md#how-a-query-is-written), `a=…&a=…`, or
 * `a[]=…&a[]=…`.
 */
export type ListStyle = 'indexes' | 'repeat' | 'brackets';

/**
 * Converts parameters to query pairs (docs/language/requests.md#how-a-query-is-written), depth first: objects become
 * `a[k]`, arrays `a[0]`; `true` is 1, `false` is 0; `null` and empty arrays and objects are left out.
 *
 * @example encodePairs(paramPairs({ ids: [7, 8] })) // 'ids%5B0%5D=7&ids%5B1%5D=8'
 */
export function paramPairs(params: JsonObject, lists: ListStyle = 'indexes'): QueryPair[] {
  return entriesOf(params).flatMap(([name, value]) => pairsUnder(name, value, lists));
}

function pairsUnder(name: string, value: Json, lists: ListStyle): QueryPair[] {
  if (isList(value)) return value.flatMap((element, at) => pairsUnder(elementName(name, at, lists), element, lists));
  if (isObject(value)) return entriesOf(value).flatMap(([key, inner]) => pairsUnder(`${name}[${key}]`, inner, lists));
  if (value === null || !isScalar(value)) return [];
  return [{ name, value: value === false ? '0' : textOf(value) }];
}

function elementName(list: string, at: number, lists: ListStyle): string {
  if (lists === 'repeat') return list;
  return lists === 'brackets' ? `${list}[]` : `${list}[${at}]`;
}

/**
 * Does the same as {@link paramPairs} for a query string, but omits a top-level name that is `0` or empty
 * (docs/language/requests.md#how-a-query-is-written).
 */
export function queryPairs(params: JsonObject, lists: ListStyle = 'indexes'): QueryPair[] {
  return entriesOf(params)
    .filter(([name]) => name !== '' && name !== '0')
    .flatMap(([name, value]) => pairsUnder(name, value, lists));
}

/**
 * Splits a query string at `&`, then at the first `=`
 * (docs/language/requests.md#parameters-and-the-query-of-an-endpoint).
 */
export function parseQuery(query: string): QueryPair[] {
  return query
    .split('&')
    .filter((raw) => raw !== '')
    .map((raw) => {
      const at = raw.indexOf('=');
      return at < 0
        ? { name: decodeFormText(raw), raw }
        : { name: decodeFormText(raw.slice(0, at)), value: decodeFormText(raw.slice(at + 1)), raw };
    });
}

/** Decodes `+` and `%XX`; an invalid escape stays as it is. */
export function decodeFormText(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  return spaced.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
    Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}

/** Decodes `%XX`; a string with an invalid escape stays as it is. */
export function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Percent-encodes the UTF-8 bytes of a string by RFC 3986; only letters, digits and `-._~` stay. */
export const percentEncode = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** Joins query pairs to a string; a pair from an address keeps its spelling. */
export function encodePairs(pairs: readonly QueryPair[]): string {
  return pairs
    .map(
      ({ name, value, raw }) =>
        raw ?? (value === undefined ? percentEncode(name) : `${percentEncode(name)}=${percentEncode(value)}`),
    )
    .join('&');
}

/**
 * Overlays pairs on others: equal names are replaced in place, new ones follow
 * (docs/language/requests.md#parameters-and-the-query-of-an-endpoint).
 */
export function overlayPairs(under: readonly QueryPair[], over: readonly QueryPair[]): QueryPair[] {
  const overNames = new Set(over.map(({ name }) => name));
  const placed = new Set<string>();
  const result = under.flatMap((pair) => {
    if (!overNames.has(pair.name)) return [pair];
    if (placed.has(pair.name)) return [];
    placed.add(pair.name);
    return over.filter(({ name }) => name === pair.name);
  });
  return [...result, ...over.filter(({ name }) => !placed.has(name))];
}

/** Splits a URL at `?`: the part before it, and the query without it. A fragment is dropped. */
export function splitUrl(url: string): { readonly path: string; readonly query: string } {
  const bare = url.split('#', 1)[0] ?? '';
  const at = bare.indexOf('?');
  return at < 0 ? { path: bare, query: '' } : { path: bare.slice(0, at), query: bare.slice(at + 1) };
}

/** Returns the URL with other query pairs. */
export function withQuery(url: string, pairs: readonly QueryPair[]): string {
  const { path } = splitUrl(url);
  return pairs.length === 0 ? path : `${path}?${encodePairs(pairs)}`;
}

/**
 * Adds a login's query values (docs/language/authentication.md#what-travels-where): a new name is appended; an existing
 * name leaves its place, and both values are at the end as `name[0]` and `name[1]`. A name in `replaceable` came from a
 * response and is replaced in place.
 *
 * @param url an absolute URL, with or without a query
 * @param added names and values, decoded
 * @example combineQuery('https://h.example/?a=1&k=j', [['k', 'L']], []) // 'https://h.example/?a=1&k%5B0%5D=j&k%5B1%5D=L'
 */
export function combineQuery(
  url: string,
  added: readonly (readonly [string, string])[],
  replaceable: readonly string[],
): string {
  const present = parseQuery(splitUrl(url).query);
  const valuesOf = (name: string): string[] =>
    present.filter((pair) => pair.name === name).map(({ value }) => value ?? '');
  const clashes = added.filter(([name]) => !replaceable.includes(name) && valuesOf(name).length > 0);
  const clashing = new Set(clashes.map(([name]) => name));
  const kept = present.filter(({ name }) => !clashing.has(name));
  const others = added.filter(([name]) => !clashing.has(name)).map(([name, value]) => ({ name, value }));
  const combined = clashes.flatMap(([name, value]) =>
    [...valuesOf(name), value].map((text, at) => ({ name: `${name}[${at}]`, value: text })),
  );
  return withQuery(url, [...overlayPairs(kept, others), ...combined]);
}
