import type { Json, JsonObject, JsonScalar } from '../model';

/** A symbol that all copies of this package share: a part of the application may use another copy. */
const keyOrder: unique symbol = Symbol.for('headwater.json.keyOrder');
type Ordered = { readonly [keyOrder]?: readonly string[] };

/** Records the order of the keys as written, repetitions included, if JavaScript's own order differs. */
export function rememberKeyOrder(object: JsonObject, written: readonly string[]): void {
  if (Object.keys(object).every((key, at) => key === written[at])) return;
  Object.defineProperty(object, keyOrder, { value: [...new Set(written)], enumerable: false });
}

/** Returns whether {@link keysOf} differs from `Object.keys`. */
export const hasKeyOrder = (object: JsonObject): boolean => keyOrder in object;

/**
 * Returns the keys of an object in the order in which the JSON text had them
 * (docs/language/README.md#json-without-loss).
 */
export function keysOf(object: JsonObject): readonly string[] {
  return (object as Ordered)[keyOrder] ?? Object.keys(object);
}

/** Returns key and value pairs in the order of {@link keysOf}. */
export function entriesOf(object: JsonObject): readonly (readonly [string, Json])[] {
  return keysOf(object).map((key) => [key, object[key] as Json] as const);
}

/** Builds an object from pairs in their order, even if keys look like numbers; a later pair of the same key wins. */
export function objectFrom(entries: Iterable<readonly [string, Json]>): JsonObject {
  const object: Record<string, Json> = {};
  const keys: string[] = [];
  for (const [key, value] of entries) {
    keys.push(key);
    setOwn(object, key, value);
  }
  rememberKeyOrder(object, keys);
  return object;
}

/** Sets an own key: `__proto__` is data too, which an assignment would take for the prototype. */
export function setOwn(object: Record<string, Json>, key: string, value: Json): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

/** The members of an object that may be `undefined` are absent where they are. */
type Defined<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * Returns an object without the members that are `undefined`.
 *
 * @example defined({ rows: 3, total: undefined }) // { rows: 3 }
 */
export const defined = <const T extends object>(object: T): Defined<T> =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Defined<T>;

/** Returns whether the value is a JSON object, not an array or a scalar. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns whether the value is an array. */
export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/**
 * Returns the value of an own key; `undefined` when there is none (inherited names such as `constructor` do not count).
 */
export const ownValue = (object: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

/**
 * Returns the value that own keys lead to, one below the other; `undefined` where one is missing.
 *
 * @example valueBelow({ log: { entries: [] } }, 'log', 'entries') // []
 */
export const valueBelow = (value: Json | undefined, ...keys: readonly string[]): Json | undefined =>
  keys.reduce((at, key) => (isObject(at) ? ownValue(at, key) : undefined), value);

/**
 * Returns whether an object is another one without what keys lead to: all members on the way are in the other one as well. So APIs leave
 * an empty list out; what says something else, such as an error, has members of its own.
 *
 * @example isWithout({ meta: {} }, { meta: { total: 1 }, items: [7] }, ['items']) // true
 */
export function isWithout(data: Json | undefined, other: Json | undefined, [key, ...rest]: readonly string[]): boolean {
  if (!isObject(data) || !isObject(other)) return false;
  const keys = keysOf(data);
  if (keys.length === 0 || !keys.every((each) => Object.hasOwn(other, each))) return false;
  return key === undefined || !Object.hasOwn(data, key) || isWithout(ownValue(data, key), ownValue(other, key), rest);
}

/**
 * Returns the object of an own key; an empty one if there is none.
 *
 * @example objectAt({ time: { last: 1 } }, 'time') // { last: 1 }
 */
export function objectAt(value: Json | undefined, key: string): JsonObject {
  const inner = valueBelow(value, key);
  return isObject(inner) ? inner : {};
}

/** Returns the array of an own key; an empty one if there is none. */
export function listAt(value: Json | undefined, key: string): readonly Json[] {
  const inner = valueBelow(value, key);
  return isList(inner) ? inner : [];
}

/** Returns the string of an own key; `undefined` if there is none. */
export function stringAt(value: Json | undefined, key: string): string | undefined {
  const inner = valueBelow(value, key);
  return typeof inner === 'string' ? inner : undefined;
}

/**
 * Returns objects as one: a later one wins, and what it has is not merged with what it takes the place of.
 *
 * @example together({ a: { b: 1 } }, { a: { c: 2 } }) // { a: { c: 2 } }
 */
export const together = (...parts: readonly JsonObject[]): JsonObject => objectFrom(parts.flatMap(entriesOf));

/**
 * Merges `over` into `under` (docs/language/requests.md#default-parameters): objects merge key by key, arrays index by
 * index; other values replace.
 */
export function merge(under: JsonObject, over: JsonObject): JsonObject {
  const merged = new Map(entriesOf(under));
  for (const [key, value] of entriesOf(over)) merged.set(key, mergeValues(merged.get(key), value));
  return objectFrom(merged);
}

function mergeValues(under: Json | undefined, over: Json): Json {
  if (isObject(under) && isObject(over)) return merge(under, over);
  if (isList(under) && isList(over))
    return [...over.map((value, at) => mergeValues(under[at], value)), ...under.slice(over.length)];
  return over;
}

/**
 * Returns the scalars of a value by their nested keys and array indexes, joined by `.`
 * (docs/language/configuration.md#attributes). Empty arrays and objects have no entry.
 *
 * @param prefix the beginning of all names, without a trailing `.`
 * @example flatten({ server: { ports: [80] } }) // Map { 'server.ports.0' => 80 }
 */
export function flatten(value: Json, prefix?: string): ReadonlyMap<string, JsonScalar> {
  const names = new Map<string, JsonScalar>();
  const walk = (inner: Json, name?: string): void => {
    const under = (key: string): string => (name === undefined ? key : `${name}.${key}`);
    if (isList(inner)) inner.forEach((element, at) => walk(element, under(String(at))));
    else if (isObject(inner)) entriesOf(inner).forEach(([key, element]) => walk(element, under(key)));
    else names.set(name ?? '', inner);
  };
  walk(value, prefix);
  return names;
}

/** Maximum levels of JSON: most code that handles it recurses level by level, and this many fit on the stack easily. */
export const DEEPEST = 500;

/** The message for a value that is nested deeper. */
export const TOO_DEEP = `nested deeper than ${DEEPEST} levels`;

/** Returns whether arrays and objects nest deeper than {@link DEEPEST} levels, as any cycle does. */
export const nestsTooDeep = (value: Json | undefined): boolean => isDeeper(value, DEEPEST);

/** Returns the function uses plain loops without copies because it runs over every page. */
function isDeeper(value: Json | undefined, levels: number): boolean {
  if (isList(value)) {
    if (levels === 0) return true;
    for (const element of value) if (typeof element === 'object' && isDeeper(element, levels - 1)) return true;
  } else if (isObject(value)) {
    if (levels === 0) return true;
    for (const key in value) {
      const member = value[key];
      if (typeof member === 'object' && isDeeper(member, levels - 1)) return true;
    }
  }
  return false;
}

/**
 * Returns the keys and indexes of the first place where a value nests deeper than {@link DEEPEST} levels.
 *
 * @returns `undefined` if there is none
 */
export function tooDeepPlace(value: Json | undefined, levels = DEEPEST): readonly string[] | undefined {
  if (!isList(value) && !isObject(value)) return undefined;
  if (levels === 0) return [];
  for (const [key, member] of Object.entries(value)) {
    const rest = tooDeepPlace(member, levels - 1);
    if (rest !== undefined) return [key, ...rest];
  }
  return undefined;
}
