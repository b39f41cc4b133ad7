/** JSON paths of RFC 9535, where a path of keys may stand as well. */
import type * as Library from 'json-p3';
import type * as Patterns from 're2js';
import type { Json } from '../model';
import { exactAt, keepPlaces, memberAt } from './literals';
import type { Holder } from './literals';
import { isList, isObject } from './objects';
import { isPathIndex } from './scalars';

/** What a JSON path leads to: a member of a list or an object; the whole value has no holder. */
export interface Place {
  readonly holder: Holder;
  readonly key: string | number;
}

/** A JSON path that is ready to be followed. */
export interface JsonPath {
  /** Whether it leads to one value at most: names and positions only. */
  readonly isSingular: boolean;
  /** Whether it chooses among the elements of an array, by a filter or a slice. */
  readonly chooses: boolean;
  /** In the order of RFC 9535. */
  readonly places: (data: Json) => readonly Place[];
}

/** Levels that `..` goes down; a body that nests deeper is refused before. */
const DEEPEST = 10_000;

/** Loaded when a path or a pattern is first used: few configurations have any. */
const library = (): typeof Library => require('json-p3') as typeof Library;
const patterns = (): typeof Patterns => require('re2js') as typeof Patterns;

const kept = new Map<string, JsonPath | undefined>();
let environment: Library.JSONPathEnvironment | undefined;

/**
 * The JSON path that a path is: it begins with `$.` or `$[`, and keys are separated by `.` in its place. `undefined`
 * for a path of keys; also for what only begins like one: a key may be called `$`.
 */
export function jsonPathOf(path: string, delimiter = '.'): JsonPath | undefined {
  if (!path.startsWith('$') || delimiter !== '.' || (path[1] !== '.' && path[1] !== '[')) return undefined;
  if (!kept.has(path)) kept.set(path, compiled(path));
  return kept.get(path);
}

/** Why a path that begins like a JSON path is none, and where; `undefined` for a JSON path, and for a path of keys. */
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
  return {
    isSingular: query.singularQuery(),
    chooses: query.segments.some(({ selectors }) =>
      selectors.some((selector) => ['FilterSelector', 'SliceSelector'].includes(selector.constructor.name)),
    ),
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

/** With `match` and `search` in linear time: those of the library take as long as a pattern wants. */
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

/** What is no pattern matches nothing (RFC 9535, 2.4.6). */
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

/** The library compares no integers of any length: it sees the nearest number. What it finds is taken from the original. */
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
 * The value at a path (docs/language/README.md#paths): keys joined by the delimiter; in an array, a step is the
 * zero-based index, or counts from the end: `-1` is the last element. A path equal to the delimiter is the whole value.
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

/** As {@link valueAt}; a number that JavaScript cannot hold is the string of its digits. */
export function exactValueAt(data: Json | undefined, path: string, delimiter = '.'): Json | undefined {
  if (path === delimiter) return data;
  const found = foundAt(data, path, delimiter);
  if (found !== undefined) return found.list;
  const place = placeAt(data, path, delimiter);
  return place === undefined ? undefined : exactAt(place.holder, place.key);
}

/**
 * The index from the start that a step of a path means in an array; `undefined` for a step that is none.
 *
 * @example indexIn(['a', 'b'], '-1') // '1'
 */
function indexIn(list: readonly Json[], step: string): string | undefined {
  if (!isPathIndex(step)) return undefined;
  return step.startsWith('-') ? String(list.length + Number(step)) : step;
}

/**
 * What a JSON path leads to that can lead to several values: nothing, the place of the only one, or all as a list. An
 * object with a key `$` is read by that key, as ever.
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

/** The values that a JSON path leads to; `undefined`: the path is one of keys, or leads to one value at most. */
export function valuesAt(data: Json, path: string, delimiter: string): readonly Json[] | undefined {
  const query = queryFor(data, path, delimiter);
  return query === undefined || query.isSingular ? undefined : keepPlaces(query.places(data));
}

/** What the last step of a path leads to a member of; `undefined` when there is no such member. */
export function placeAt(
  data: Json | undefined,
  path: string,
  delimiter = '.',
): { readonly holder: Holder; readonly key: string | number } | undefined {
  const query = queryFor(data, path, delimiter);
  if (query !== undefined) return data === undefined ? undefined : query.places(data)[0];
  const steps = path.split(delimiter);
  const last = steps.length - 1;
  let value = data;
  for (const [at, key] of steps.entries()) {
    const own = isList(value) ? indexIn(value, key) : isObject(value) ? key : undefined;
    if (own === undefined) return undefined;
    const holder = value as Holder;
    // A null in an array counts as missing.
    const member = memberAt(holder, own);
    if (member === undefined || (member === null && isList(holder))) return undefined;
    if (at === last) return { holder, key: own };
    value = member;
  }
  return undefined;
}

const BRACKETS = /\[(?:-?\d+|\*)\](?=\.|\[|$)/;

/**
 * How a path is written that has positions in brackets, which other tools read and paths of keys do not
 * (docs/language/README.md#paths); `undefined` for a path without.
 *
 * @example withoutBrackets('a.b[0].c') // 'a.b.0.c'
 * @example withoutBrackets('a.b[*].c') // '$.a.b[*].c'
 */
export function withoutBrackets(path: string, delimiter = '.'): string | undefined {
  if (!BRACKETS.test(path) || jsonPathOf(path, delimiter) !== undefined || path.startsWith('$')) return undefined;
  if (path.includes('[*]')) return delimiter === '.' ? `${path.startsWith('[') ? '$' : '$.'}${path}` : undefined;
  return path.replaceAll(/\[(-?\d+)\]/g, (_, index: string, at: number) => `${at === 0 ? '' : delimiter}${index}`);
}

/** What a message about a path that leads to nothing ends with. */
export function bracketHint(path: string, delimiter = '.'): string {
  const meant = withoutBrackets(path, delimiter);
  return meant === undefined ? '' : ` Did you mean "${meant}"?`;
}
