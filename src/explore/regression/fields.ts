/** Which fields of two items differ. */
import { pathText } from '../detect/path-text';
import { isList, isObject, keysOf } from '../../core/json/keys';
import { lostDigitsAt } from '../../core/json/literals';
import type { Holder } from '../../core/json/literals';
import { stringifyJson } from '../../core/json/stringify';
import type { Json } from '../../core/model';

/** A field that differs. Values are JSON texts. */
export interface FieldDifference {
  /** Absent: the whole item. */
  readonly field?: string;
  readonly expected?: string;
  readonly got?: string;
}

/**
 * The fields in which two items differ, the deepest that say it.
 *
 * @example fieldDifferences({ a: { b: 1 } }, { a: { b: 2 } }) // [{ field: 'a.b', expected: '1', got: '2' }]
 */
export function fieldDifferences(expected: Json, got: Json): readonly FieldDifference[] {
  const found = [...below(expected, got, [])];
  if (found.length > 0) return found;
  const [before, now] = [stringifyJson(expected), stringifyJson(got)];
  // The same fields in another order are other lines of JSON.
  return before === now ? [] : [{ expected: before, got: now }];
}

function* below(expected: Json, got: Json, keys: readonly string[]): Generator<FieldDifference> {
  if ((isObject(expected) && isObject(got)) || (isList(expected) && isList(got)))
    for (const key of new Set([...keysIn(expected), ...keysIn(got)])) {
      const [before, now] = [memberOf(expected, key), memberOf(got, key)];
      if (before !== undefined && now !== undefined && isHolder(before.value) && isHolder(now.value))
        yield* below(before.value, now.value, [...keys, key]);
      else if (before?.text() !== now?.text()) yield difference([...keys, key], before?.text(), now?.text());
    }
  else if (stringifyJson(expected) !== stringifyJson(got))
    yield difference(keys, stringifyJson(expected), stringifyJson(got));
}

const difference = (keys: readonly string[], expected?: string, got?: string): FieldDifference => ({
  ...(keys.length === 0 ? {} : { field: pathText(keys) }),
  ...(expected === undefined ? {} : { expected }),
  ...(got === undefined ? {} : { got }),
});

const isHolder = (value: Json): value is Holder => isObject(value) || isList(value);

const keysIn = (holder: Holder): readonly string[] =>
  isList(holder) ? holder.map((_, at) => String(at)) : keysOf(holder);

/** A member, and its text with the digits that its holder knows. */
function memberOf(holder: Holder, key: string) {
  if (!Object.hasOwn(holder, key)) return undefined;
  const value = (isList(holder) ? holder[Number(key)] : holder[key]) ?? null;
  return { value, text: () => lostDigitsAt(holder, isList(holder) ? Number(key) : key) ?? stringifyJson(value) };
}
