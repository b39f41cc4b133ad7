import { nestsTooDeep } from '../../json/depth';
import { entriesOf, isList, isObject } from '../../json/keys';
import { isScalar, textOf } from '../../json/text';
import type { Json } from '../../model';

/**
 * The strings below every key that starts with `#` (docs/language/configuration.md#secrets), whatever else is wrong
 * with the configuration. Where such a string is JSON itself (`#data` of an OAuth authorization), the strings in it are
 * secrets too. What nests too deep to be a configuration gives none.
 */
export const secretValues = (input: Json): readonly string[] => (nestsTooDeep(input) ? [] : secretsIn(input, false));

function secretsIn(input: Json, secret: boolean): readonly string[] {
  if (isList(input)) return input.flatMap((element) => secretsIn(element, secret));
  if (isObject(input))
    return entriesOf(input).flatMap(([key, value]) => secretsIn(value, secret || key.startsWith('#')));
  if (!secret || !isScalar(input)) return [];
  const text = textOf(input);
  return text === '' ? [] : [text, ...insideJson(text)];
}

function insideJson(text: string): readonly string[] {
  if (!/^\s*[[{]/.test(text)) return [];
  try {
    const value = JSON.parse(text) as Json;
    return nestsTooDeep(value) ? [] : secretsIn(value, true);
  } catch {
    return [];
  }
}
