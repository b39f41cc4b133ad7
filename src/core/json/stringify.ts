import type { Json } from '../model';
import { hasKeyOrder, isList, isObject, keysOf } from './objects';
import { hasLiterals, literalAt, lostDigitsAt, memberAt } from './literals';
import type { Holder } from './literals';
import { decimalText } from './decimal';

/**
 * Minified JSON text: every digit of a number, as the text it came from spells it where that is known; keys in the
 * order of that text (docs/language/README.md#json-without-loss).
 *
 * @example stringifyJson({ id: 9007199254740993n }) // '{"id":9007199254740993}'
 */
export const stringifyJson = (value: Json): string =>
  isPlain(value) ? JSON.stringify(value) : writeCarefully(value, literalAt);

/** As {@link stringifyJson}, for a member of an array or an object: that knows how a number is spelled. */
export function stringifyAt(holder: Holder, key: string | number): string {
  return literalAt(holder, key) ?? stringifyJson(memberAt(holder, key) as Json);
}

/** As {@link stringifyJson}, but equal numbers are written alike, however they were spelled. */
export const stringifyValue = (value: Json): string =>
  writeCarefully(value, (holder, key) => {
    const lost = lostDigitsAt(holder, key);
    return lost === undefined ? undefined : decimalText(lost);
  });

/** Whether the much faster JSON.stringify writes the value as it is. */
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
