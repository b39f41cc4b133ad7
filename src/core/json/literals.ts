/** Keeps how the JSON text spells numbers, next to the array or object that holds them. */
import type { Json, JsonArray, JsonObject } from '../model';
import { decimalText, isExact, numberOf, sameDecimal } from './decimal';
import { entriesOf, isList, isObject, keysOf, objectFrom } from './objects';

/** An array or an object, whose members are found by key or index. */
export type Holder = JsonArray | JsonObject;

/** A symbol that all copies of this package share: a part of the application may use another copy. */
const literals: unique symbol = Symbol.for('headwater.json.literals');
type Noted = { readonly [literals]?: ReadonlyMap<string, string> };

/** Records how numbers are spelled, by key or index. The record is not part of the value: copies do not have it. */
export function noteLiterals(holder: Holder, spelled: ReadonlyMap<string, string>): void {
  Object.defineProperty(holder, literals, { value: spelled, enumerable: false, configurable: true });
}

/** Gives a copy the literals of the original. Literals of numbers that differ in the copy are ignored. */
export function keepLiterals<T extends Holder>(original: Holder, copy: T): T {
  const spelled = (original as Noted)[literals];
  if (spelled !== undefined) noteLiterals(copy, spelled);
  return copy;
}

/**
 * Returns the object with a member set. An existing key keeps its place, a new one is last; order and digits of the
 * others are kept.
 */
export const withMember = (object: JsonObject, key: string, value: Json): JsonObject =>
  keepLiterals(object, objectFrom([...entriesOf(object), [key, value]]));

/** A member for a new object: the key, and the object or array that holds its value. */
export interface Field {
  readonly key: string;
  readonly holder: Holder;
  readonly from: string | number;
}

/** Returns an object made of members of others, which keep their order and their digits. */
export function objectOf(fields: readonly Field[]): JsonObject {
  const spelled = new Map<string, string>();
  const made = objectFrom(
    fields.map(({ key, holder, from }) => {
      const literal = literalAt(holder, from);
      if (literal === undefined) spelled.delete(key);
      else spelled.set(key, literal);
      return [key, memberAt(holder, from) ?? null] as const;
    }),
  );
  if (spelled.size > 0) noteLiterals(made, spelled);
  return made;
}

/** Returns an array of members of others, which keep their digits. */
export function keepPlaces(places: readonly { readonly holder: Holder; readonly key: string | number }[]): JsonArray {
  const list = places.map(({ holder, key }) => memberAt(holder, key) ?? null);
  const spelled = places.flatMap(({ holder, key }, at) => {
    const literal = literalAt(holder, key);
    return literal === undefined ? [] : [[String(at), literal] as const];
  });
  if (spelled.length > 0) noteLiterals(list, new Map(spelled));
  return list;
}

/** Returns whether literals are recorded for an array or object. */
export const hasLiterals = (holder: Holder): boolean => literals in holder;

/** Returns the member of an array or an object. */
export const memberAt = (holder: Holder, key: string | number): Json | undefined =>
  isList(holder) ? holder[Number(key)] : Object.hasOwn(holder, key) ? holder[key] : undefined;

/** Returns how a number is spelled, if that is recorded and the number has not been replaced since. */
export function literalAt(holder: Holder, key: string | number): string | undefined {
  const literal = (holder as Noted)[literals]?.get(String(key));
  return literal !== undefined && Object.is(numberOf(literal), memberAt(holder, key)) ? literal : undefined;
}

/** Returns how a number is spelled if its JavaScript value has lost digits. */
export function lostDigitsAt(holder: Holder, key: string | number): string | undefined {
  if (!hasLiterals(holder)) return undefined;
  const literal = literalAt(holder, key);
  return literal === undefined || isExact(literal) ? undefined : literal;
}

/** Returns a member. A number that JavaScript cannot hold is returned as the string of its digits. */
export function exactAt(holder: Holder, key: string | number): Json | undefined {
  const lost = lostDigitsAt(holder, key);
  return lost === undefined ? memberAt(holder, key) : decimalText(lost);
}

/**
 * Returns the array or object with numbers that JavaScript cannot hold as strings of their digits; mostly the same
 * array or object.
 */
export function withAllDigits(holder: JsonArray): JsonArray;
export function withAllDigits(holder: JsonObject): JsonObject;
export function withAllDigits(holder: Holder): Holder {
  if (!hasLiterals(holder)) return holder;
  if (isList(holder)) return holder.map((element, at) => exactAt(holder, at) ?? element);
  return objectFrom(entriesOf(holder).map(([key, value]) => [key, exactAt(holder, key) ?? value] as const));
}

/** Returns whether a number inside has digits that its JavaScript value has lost. */
export function losesDigits(value: Json): boolean {
  if (isList(value)) return anyLost(value, value.keys()) || value.some(losesDigits);
  return isObject(value) && (anyLost(value, Object.keys(value)) || Object.values(value).some(losesDigits));
}

function anyLost(holder: Holder, keys: Iterable<string | number>): boolean {
  if (!hasLiterals(holder)) return false;
  for (const key of keys) if (lostDigitsAt(holder, key) !== undefined) return true;
  return false;
}

/**
 * Returns whether two values have the same structure, order of keys, types and values
 * (docs/language/pagination.md#equal-pages).
 */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (isList(a))
    return isList(b) && a.length === b.length && a.every((value, at) => sameJson(value, b[at]) && sameDigits(a, b, at));
  if (!isObject(a)) return a === b;
  if (!isObject(b)) return false;
  const keys = keysOf(a);
  const others = keysOf(b);
  return (
    keys.length === others.length &&
    keys.every((key, at) => key === others[at] && sameJson(a[key], b[key]) && sameDigits(a, b, key))
  );
}

/** Returns whether members that are the same number in JavaScript are the same with all of their digits. */
function sameDigits(a: Holder, b: Holder, key: string | number): boolean {
  if (!hasLiterals(a) && !hasLiterals(b)) return true;
  const [x, y] = [lostDigitsAt(a, key), lostDigitsAt(b, key)];
  return x === y || (x !== undefined && y !== undefined && sameDecimal(x, y));
}
