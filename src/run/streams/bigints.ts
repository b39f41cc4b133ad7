import { keepLiterals } from '../../core/json/literals';
import { entriesOf, isList, isObject, objectFrom } from '../../core/json/keys';
import type { Item, Json } from '../../core/model';

/** What items have in place of integers beyond 2^53: the `bigint` itself, its digits, or a number that is equal to it. */
export type Bigints = 'bigint' | 'string' | 'number';

/** An item without bigints, or the places of those for which there is no equal number. */
export type WithoutBigints =
  { readonly ok: true; readonly value: Item } | { readonly ok: false; readonly reasons: readonly string[] };

/**
 * Replaces the bigints of an item. What holds none stays the same object, with the digits that came.
 *
 * @example withoutBigints({ id: 9007199254740993n }, 'string') // { ok: true, value: { id: '9007199254740993' } }
 */
export function withoutBigints(item: Item, bigints: Exclude<Bigints, 'bigint'>): WithoutBigints {
  const reasons: string[] = [];
  const replace = (value: bigint, path: string): Json => {
    if (bigints === 'string') return value.toString();
    const number = Number(value);
    if (Number.isFinite(number) && BigInt(number) === value) return number;
    reasons.push(`${path === '' ? '' : `${path}: `}no number is equal to this integer: take bigints: 'string'`);
    return number;
  };
  const visit = (value: Json, path: string): Json => {
    if (typeof value === 'bigint') return replace(value, path);
    const below = (key: string | number): string => (path === '' ? String(key) : `${path}.${key}`);
    if (isList(value)) {
      const list = value.map((element, at) => visit(element, below(at)));
      return list.every((element, at) => element === value[at]) ? value : keepLiterals(value, list);
    }
    if (!isObject(value)) return value;
    const before = entriesOf(value);
    const after = before.map(([key, member]) => [key, visit(member, below(key))] as const);
    return after.every(([, member], at) => member === before[at]?.[1]) ? value : keepLiterals(value, objectFrom(after));
  };
  const value = visit(item, '');
  return reasons.length > 0 ? { ok: false, reasons } : { ok: true, value };
}
