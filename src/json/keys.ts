import type { Json, JsonObject } from '../model';

const keyOrder = Symbol('key order of the JSON text');
type Ordered = { readonly [keyOrder]?: readonly string[] };

/** Notes the order of the keys as written, where JavaScript's own differs. */
export function rememberKeyOrder(object: JsonObject, written: readonly string[]): void {
  const keys = [...new Set(written)];
  if (Object.keys(object).some((key, at) => key !== keys[at]))
    Object.defineProperty(object, keyOrder, { value: keys, enumerable: false });
}

/** The keys of an object in the order in which the JSON text had them (language 0.3). */
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
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  }
  rememberKeyOrder(object, keys);
  return object;
}

/** Whether the value is a JSON object: no list, no scalar. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether the value is a list. */
export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** The value of an own key; `undefined` when there is none (inherited names such as `constructor` do not count). */
export const ownValue = (object: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;
