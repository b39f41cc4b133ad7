/** JSON paths of RFC 9535, where a path of keys may stand as well. */
import type * as Library from 'json-p3';
import type * as Patterns from 're2js';
import type { Json } from '../model';
import { isList, isObject } from './keys';
import { memberAt } from './literals';
import type { Holder } from './literals';

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
