import type { Json, JsonObject } from '../model';

/** A symbol that every copy of this package shares: a part of the application may come from another one. */
const keyOrder: unique symbol = Symbol.for('headwater.json.keyOrder');
type Ordered = { readonly [keyOrder]?: readonly string[] };

/** Notes the order of the keys as written, repetitions included, where JavaScript's own differs. */
export function rememberKeyOrder(object: JsonObject, written: readonly string[]): void {
  if (Object.keys(object).every((key, at) => key === written[at])) return;
  Object.defineProperty(object, keyOrder, { value: [...new Set(written)], enumerable: false });
}

/** Whether {@link keysOf} differs from `Object.keys`. */
export const hasKeyOrder = (object: JsonObject): boolean => keyOrder in object;

/** The keys of an object in the order in which the JSON text had them (docs/language/README.md#json-without-loss). */
export function keysOf(object: JsonObject): readonly string[] {
  return (object as Ordered)[keyOrder] ?? Object.keys(object);
}

/** Key and value pairs in the order of {@link keysOf}. */
export function entriesOf(object: JsonObject): readonly (readonly [string, Json])[] {
  return keysOf(object).map((key) => [key, object[key] as Json] as const);
}

/** An object from pairs: keeps their order whatever the keys look like; a later pair of the same key wins. */
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

/** Sets a key of its own: `__proto__` is data too, which an assignment would take for the prototype. */
export function setOwn(object: Record<string, Json>, key: string, value: Json): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

/** Whether the value is a JSON object: no array, no scalar. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether the value is an array. */
export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** The value of an own key; `undefined` when there is none (inherited names such as `constructor` do not count). */
export const ownValue = (object: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;
