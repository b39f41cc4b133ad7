import type { Json } from '../model';
import { hasKeyOrder, isList, isObject, keysOf } from './objects';
import { hasLiterals, literalAt, lostDigitsAt, memberAt } from './literals';
import type { Holder } from './literals';
import { decimalText } from './decimal';

/**
 * Returns minified JSON text. Numbers have all digits, in the spelling of the original text if that is known; keys have
 * the order of that text (docs/language/README.md#json-without-loss).
 *
 * @example stringifyJson({ id: 9007199254740993n }) // '{"id":9007199254740993}'
 */
export const stringifyJson = (value: Json): string =>
  isPlain(value) ? JSON.stringify(value) : writeCarefully(value, literalAt);

/** Does the same as {@link stringifyJson} for a member of an array or object, which knows how the number is spelled. */
export function stringifyAt(holder: Holder, key: string | number): string {
  return literalAt(holder, key) ?? stringifyJson(memberAt(holder, key) as Json);
}

/** Does the same as {@link stringifyJson}, but writes equal numbers alike, regardless of their original spelling. */
export const stringifyValue = (value: Json): string =>
  writeCarefully(value, (holder, key) => {
    const lost = lostDigitsAt(holder, key);
    return lost === undefined ? undefined : decimalText(lost);
  });

/** Returns whether the much faster JSON.stringify writes the value correctly. */
function isPlain(value: Json): boolean {
  if (isList(value)) return !hasLiterals(value) && value.every(isPlain);
  if (isObject(value)) return !hasKeyOrder(value) && !hasLiterals(value) && Object.values(value).every(isPlain);
  return typeof value !== 'bigint';
}

type Spell = (holder: Holder, key: string | number) => string | undefined;

function writeCarefully(value: Json, spell: Spell): string {
  if (typeof value === 'bigint') return value.toString();
  if (isList(value))
    return `[${value.map((element, at) => spell(value, at) ?? writeCarefully(element, spell)).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const member = (key: string): string =>
    `${JSON.stringify(key)}:${spell(value, key) ?? writeCarefully(value[key] as Json, spell)}`;
  return `{${keysOf(value).map(member).join(',')}}`;
}
