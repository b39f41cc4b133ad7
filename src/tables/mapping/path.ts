import type { Json } from '../../model';
import { isList, isObject, ownValue } from '../../json/keys';
import { exactAt } from '../../json/literals';
import { isPathIndex } from '../../json/numeric';

interface Step {
  readonly key: string;
  /** From the start of an array, or less than zero: from its end. `NaN` when the key is no index, so that no array has it. */
  readonly index: number;
}

/** A path that was split once, to be followed in every item; no steps lead to the item itself. */
export type MappingPath = readonly Step[];

/**
 * Splits a path (docs/language/mappings.md#types-of-entries): an empty one, or the delimiter alone, is the item itself.
 */
export function compilePath(path: string, delimiter: string): MappingPath {
  if (path === '' || path === delimiter) return [];
  return path.split(delimiter).map((key) => ({ key, index: isPathIndex(key) ? Number(key) : NaN }));
}

/**
 * The value at a path; `undefined` when a step is missing. A `null` element of an array counts as missing.
 *
 * @example valueAtPath({ phones: ['1', '2'] }, compilePath('phones.1', '.')) // '2'
 */
export function valueAtPath(item: Json, path: MappingPath): Json | undefined {
  let value: Json | undefined = item;
  for (const { key, index } of path) {
    if (isList(value)) value = value[fromStart(value, index)] ?? undefined;
    else if (isObject(value)) value = ownValue(value, key);
    else return undefined;
  }
  return value;
}

const fromStart = (list: readonly Json[], index: number): number => (index < 0 ? list.length + index : index);

/** As {@link valueAtPath}; a number that JavaScript cannot hold is the string of its digits. */
export function exactValueAtPath(item: Json, path: MappingPath): Json | undefined {
  const value = valueAtPath(item, path);
  const last = path.at(-1);
  if (typeof value !== 'number' || last === undefined) return value;
  const holder = valueAtPath(item, path.slice(0, -1));
  return isList(holder)
    ? exactAt(holder, fromStart(holder, last.index))
    : isObject(holder)
      ? exactAt(holder, last.key)
      : value;
}
