import { nestsTooDeep } from '../../core/json/depth';
import { entriesOf, isList, isObject } from '../../core/json/keys';
import { isScalar, textOf } from '../../core/json/text';
import type { Json } from '../../core/model';

/**
 * The strings below every key that starts with `#` (docs/language/configuration.md#secrets), whatever else is wrong
 * with the configuration. Where such a string is JSON itself (`#data` of an OAuth authorization), the strings in it are
 * secrets too. What nests too deep to be a configuration gives none.
 *
 * @param isReference tells the objects that name a variable or a file: that name is no secret; absent: there are none
 */
export const secretValues = (input: Json, isReference: IsReference = () => false): readonly string[] =>
  nestsTooDeep(input) ? [] : secretsIn(input, false, isReference);

type IsReference = (value: Json) => boolean;

function secretsIn(input: Json, secret: boolean, isReference: IsReference): readonly string[] {
  if (isList(input)) return input.flatMap((element) => secretsIn(element, secret, isReference));
  if (isObject(input))
    return secret && isReference(input)
      ? []
      : entriesOf(input).flatMap(([key, value]) => secretsIn(value, secret || key.startsWith('#'), isReference));
  if (!secret || !isScalar(input)) return [];
  const text = textOf(input);
  return text === '' ? [] : [text, ...insideJson(text)];
}

function insideJson(text: string): readonly string[] {
  if (!/^\s*[[{]/.test(text)) return [];
  try {
    const value = JSON.parse(text) as Json;
    return nestsTooDeep(value) ? [] : secretsIn(value, true, () => false);
  } catch {
    return [];
  }
}
