/** JSON paths of RFC 9535, which are allowed wherever a path of keys is. */
import type * as Library from 'json-p3';
import type * as Patterns from 're2js';
import type { Json } from '../model';
import { exactAt, keepPlaces, memberAt } from './literals';
import type { Holder } from './literals';
import { isList, isObject, ownValue } from './objects';
import { isPathIndex } from './scalars';

/** The place of a value: a member of an array or object, which has the spelling of a number; the whole value has no holder. */
export interface Place {
  readonly holder: Holder;
  readonly key: string | number;
  /** The place of the holder, where a path of keys led there. */
  readonly above?: Place;
}

/** A compiled JSON path. */
export interface JsonPath {
  /** True if the path has names and positions only, so that it matches one value at most. */
  readonly isSingular: boolean;
  /** True if the path selects elements of an array by a filter or a slice. */
  readonly chooses: boolean;
  /** The names with which it begins, up to what matches several values or counts positions. */
  readonly names: readonly string[];
  /** True if the path matches one value at most in each element of the value at these names: `$.data[*].node`. */
  readonly takesEach: boolean;
  /** Returns the matches in the order of RFC 9535. */
  readonly places: (data: Json) => readonly Place[];
}

/** The levels that `..` descends; a body that nests deeper is refused earlier. */
const DEEPEST = 10_000;

/** Loads the library when a path or a pattern is first used: few configurations have any. */
const library = (): typeof Library => require('json-p3') as typeof Library;
const patterns = (): typeof Patterns => require('re2js') as typeof Patterns;

const kept = new Map<string, JsonPath | undefined>();
let environment: Library.JSONPathEnvironment | undefined;

/**
 * Compiles a path that is a JSON path: one that begins with `$.` or `$[`, or with another delimiter in place of `.`.
 * Returns `undefined` for a path of keys, and for a path that only begins like a JSON path: a key may be called `$`.
 */
export function jsonPathOf(path: string, delimiter = '.'): JsonPath | undefined {
  if (!path.startsWith('$') || delimiter !== '.' || (path[1] !== '.' && path[1] !== '[')) return undefined;
  if (!kept.has(path)) kept.set(path, compiled(path));
  return kept.get(path);
}

/**
 * Returns what is wrong with a path that begins like a JSON path, and where; `undefined` for a JSON path, and for a
 * path of keys.
 */
export function jsonPathFault(path: string): string | undefined {
  if (!/^\$[.[]/.test(path) || jsonPathOf(path) !== undefined) return undefined;
  environment ??= environmentOf();
  try {
    environment.compile(path);
    return undefined;
  } catch (error) {
    const { JSONPathError } = library();
    return error instanceof JSONPathError
      ? `${error.message.replace(/ \('.*':\d+\)$/s, '')}, at character ${error.token.index + 1}`
      : String(error);
  }
}

function compiled(path: string): JsonPath | undefined {
  environment ??= environmentOf();
  const query = attempt(environment, path);
  if (query === undefined) return undefined;
  const { FilterSelector, NameSelector, SliceSelector, WildcardSelector } = library().jsonpath.selectors;
  const steps = query.segments.map(({ selectors: [only, ...others], constructor: { name } }) =>
    name === 'ChildSegment' && others.length === 0 ? only : undefined,
  );
  const nameOf = (step: unknown): readonly string[] => (step instanceof NameSelector ? [step.name] : []);
  const first = steps.findIndex((step) => nameOf(step).length === 0);
  const [each, ...below] = first < 0 ? [] : steps.slice(first);
  return {
    isSingular: query.singularQuery(),
    chooses: query.segments.some(({ selectors }) =>
      selectors.some((selector) => selector instanceof FilterSelector || selector instanceof SliceSelector),
    ),
    names: steps.slice(0, first < 0 ? undefined : first).flatMap(nameOf),
    takesEach: each instanceof WildcardSelector && below.every((step) => nameOf(step).length > 0),
    places: (data) => query.query(comparable(data)).nodes.flatMap(({ location }) => placeOf(data, location)),
  };
}

function attempt(from: Library.JSONPathEnvironment, path: string): Library.JSONPathQuery | undefined {
  try {
    return from.compile(path);
  } catch {
    return undefined;
  }
}

/**
 * Creates an environment with `match` and `search` in linear time: a pattern can make those of the library arbitrarily
 * slow.
 */
function environmentOf(): Library.JSONPathEnvironment {
  const { JSONPathEnvironment, FunctionExpressionType } = library();
  const made = new JSONPathEnvironment({ strict: true, maxRecursionDepth: DEEPEST });
  const types = {
    argTypes: [FunctionExpressionType.ValueType, FunctionExpressionType.ValueType],
    returnType: FunctionExpressionType.LogicalType,
  };
  made.functionRegister.set('match', { ...types, call: (text, pattern) => tests(text, pattern, true) });
  made.functionRegister.set('search', { ...types, call: (text, pattern) => tests(text, pattern, false) });
  return made;
}

/** Tests a string by a pattern. An invalid pattern matches nothing (RFC 9535, 2.4.6). */
function tests(text: unknown, pattern: unknown, isWhole: boolean): boolean {
  if (typeof text !== 'string' || typeof pattern !== 'string') return false;
  const { RE2JS } = patterns();
  try {
    const matcher = RE2JS.compile(pattern).matcher(text);
    return isWhole ? matcher.matches() : matcher.find();
  } catch {
    return false;
  }
}

/**
 * Returns a copy for comparison. The library compares no integers beyond 2^53: it sees the nearest number. Matches are
 * read from the original.
 */
function comparable(data: Json): Library.JSONValue {
  return (holdsLong(data) ? nearest(data) : data) as Library.JSONValue;
}

const holdsLong = (value: Json): boolean =>
  typeof value === 'bigint' ||
  (isList(value) ? value.some(holdsLong) : isObject(value) && Object.values(value).some(holdsLong));

function nearest(value: Json): Json {
  if (typeof value === 'bigint') return Number(value);
  if (isList(value)) return value.map(nearest);
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, nearest(member)]))
    : value;
}

function placeOf(data: Json, location: readonly (string | number)[]): readonly Place[] {
  const key = location.at(-1);
  if (key === undefined) return [{ holder: [data], key: 0 }];
  let holder: Json | undefined = data;
  for (const step of location.slice(0, -1))
    holder = isList(holder) || isObject(holder) ? memberAt(holder, step) : undefined;
  return isList(holder) || isObject(holder) ? [{ holder, key }] : [];
}

/**
 * Returns the value at a path (docs/language/README.md#paths): keys joined by the delimiter; in an array, a step is the
 * zero-based index, or counts from the end: `-1` is the last element. A path equal to the delimiter is the whole value.
 * Where keys of single steps lead nowhere, a key may have the delimiter in it.
 *
 * @param delimiter default `.`
 * @returns `undefined` when a step is missing; a `null` element of an array counts as missing
 * @example valueAt({ a: [{ b: 1 }] }, 'a.0.b') // 1
 */
export function valueAt(data: Json | undefined, path: string, delimiter = '.'): Json | undefined {
  if (path === delimiter) return data;
  const found = foundAt(data, path, delimiter);
  if (found !== undefined) return found.list;
  const place = placeAt(data, path, delimiter);
  return place === undefined ? undefined : memberAt(place.holder, place.key);
}

/** Does the same as {@link valueAt}, but returns a number that JavaScript cannot hold as the string of its digits. */
export function exactValueAt(data: Json | undefined, path: string, delimiter = '.'): Json | undefined {
  if (path === delimiter) return data;
  const found = foundAt(data, path, delimiter);
  if (found !== undefined) return found.list;
  const place = placeAt(data, path, delimiter);
  return place === undefined ? undefined : exactAt(place.holder, place.key);
}

/**
 * Returns the index from the start for a step of a path in an array; `undefined` if the step is not an index.
 *
 * @example indexIn(['a', 'b'], '-1') // '1'
 */
function indexIn(list: readonly Json[], step: string): string | undefined {
  if (!isPathIndex(step)) return undefined;
  return step.startsWith('-') ? String(list.length + Number(step)) : step;
}

/**
 * Returns the values of a JSON path as an array if it matches several values; `undefined` otherwise. A key `$` of an
 * object takes precedence over a JSON path.
 */
function foundAt(
  data: Json | undefined,
  path: string,
  delimiter: string,
): { readonly list: Json | undefined } | undefined {
  const query = queryFor(data, path, delimiter);
  if (query === undefined || data === undefined || query.isSingular) return undefined;
  const places = query.places(data);
  return places.length > 1 ? { list: keepPlaces(places) } : undefined;
}

const queryFor = (data: Json | undefined, path: string, delimiter: string) =>
  isObject(data) && path.startsWith('$.') && Object.hasOwn(data, '$') ? undefined : jsonPathOf(path, delimiter);

/**
 * Returns the values that a JSON path matches; `undefined` for a path of keys, and for a path that matches one value at
 * most.
 */
export function valuesAt(data: Json, path: string, delimiter: string): readonly Json[] | undefined {
  const query = queryFor(data, path, delimiter);
  return query === undefined || query.isSingular ? undefined : keepPlaces(query.places(data));
}

/**
 * Returns the names that lead to what a JSON path takes its values from: the list, or what is above a map whose members
 * are values.
 *
 * @example namesTo({ data: { nodes: [] } }, '$.data.nodes[*].id', '.') // ['data', 'nodes']
 */
export function namesTo(data: Json, path: string, delimiter: string): readonly string[] {
  const names = queryFor(data, path, delimiter)?.names ?? [];
  let value: Json | undefined = data;
  for (const name of names) value = isObject(value) ? ownValue(value, name) : undefined;
  return isObject(value) ? names.slice(0, -1) : names;
}

/** Returns the place that the last step of a path leads to; `undefined` if there is no such member. */
export function placeAt(data: Json | undefined, path: string, delimiter = '.'): Place | undefined {
  if (data === undefined) return undefined;
  const query = queryFor(data, path, delimiter);
  if (query !== undefined) return query.places(data)[0];
  return placeBelow({ holder: [data], key: 0 }, path.split(delimiter), delimiter);
}

/**
 * Returns the keys and indexes that a path of keys leads by; `undefined` if it leads nowhere, and for a JSON path.
 *
 * @example keysAt({ a: { 'b.c': [5] } }, 'a.b.c.-1') // ['a', 'b.c', '0']
 */
export function keysAt(data: Json | undefined, path: string, delimiter = '.'): readonly string[] | undefined {
  if (path === delimiter) return [];
  const keys: string[] = [];
  for (let place = placeAt(data, path, delimiter); place?.above !== undefined; place = place.above)
    keys.unshift(String(place.key));
  return keys.length === 0 ? undefined : keys;
}

/**
 * Returns the place that the steps of a path lead to from another place; `undefined` when one is missing.
 *
 * @param at the number of steps that led to `from`
 */
export function placeBelow(
  from: Place,
  steps: readonly string[],
  delimiter: string,
  at: number = 0,
): Place | undefined {
  const step = steps[at];
  if (step === undefined) return from;
  const holder = memberAt(from.holder, from.key);
  if (isList(holder)) {
    const key = indexIn(holder, step);
    // A null in an array counts as missing.
    return key === undefined || (holder[Number(key)] ?? null) === null
      ? undefined
      : placeBelow({ holder, key, above: from }, steps, delimiter, at + 1);
  }
  if (!isObject(holder)) return undefined;
  let key = step;
  for (let next = at + 1; next <= steps.length; next += 1) {
    const found = Object.hasOwn(holder, key)
      ? placeBelow({ holder, key, above: from }, steps, delimiter, next)
      : undefined;
    if (found !== undefined) return found;
    key += `${delimiter}${steps[next] ?? ''}`;
  }
  return undefined;
}

const BRACKETS = /\[(?:-?\d+|\*)\](?=\.|\[|$)/;

/**
 * Rewrites a path with positions in brackets, which other tools support and paths of keys do not
 * (docs/language/README.md#paths); Returns `undefined` for a path without brackets.
 *
 * @example withoutBrackets('a.b[0].c') // 'a.b.0.c'
 * @example withoutBrackets('a.b[*].c') // '$.a.b[*].c'
 */
export function withoutBrackets(path: string, delimiter = '.'): string | undefined {
  if (!BRACKETS.test(path) || jsonPathOf(path, delimiter) !== undefined || path.startsWith('$')) return undefined;
  if (path.includes('[*]')) return delimiter === '.' ? `${path.startsWith('[') ? '$' : '$.'}${path}` : undefined;
  return path.replaceAll(/\[(-?\d+)\]/g, (_, index: string, at: number) => `${at === 0 ? '' : delimiter}${index}`);
}

/** The delimiters that people use without saying so. */
const USUAL_DELIMITERS = ['.', '/'];

/** Returns the hint at the end of a message about a path without a match. */
export function pathHint(path: string, delimiter = '.'): string {
  const meant = withoutBrackets(path, delimiter);
  if (meant !== undefined) return ` Did you mean "${meant}"?`;
  const other = path.includes(delimiter) ? undefined : USUAL_DELIMITERS.find((each) => path.includes(each));
  return other === undefined
    ? ''
    : ` Did you mean "${path.replaceAll(other, delimiter)}"? Its delimiter is "${delimiter}".`;
}
