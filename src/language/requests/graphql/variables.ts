import { entriesOf, isList, objectFrom } from '../../../core/json/keys';
import type { Json, JsonObject } from '../../../core/model';
import type { VariableType } from './operation';

/** How texts look that are values of a type; what has more digits would lose some. */
const SPELLED: Readonly<Record<VariableType, RegExp>> = {
  Int: /^-?\d{1,15}$/,
  Float: /^-?(?=[\d.]{1,16}(?:[eE]|$))\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/,
  Boolean: /^(?:true|false)$/,
};

/**
 * Variables with values of the types that the document declares (docs/language/graphql.md#variables): what a placeholder or an
 * attribute gives as text is a number or a boolean where the API takes no text. Any other text stays.
 *
 * @example typedVariables({ id: '7' }, new Map([['id', 'Int']])) // { id: 7 }
 */
export function typedVariables(variables: JsonObject, types: ReadonlyMap<string, VariableType>): JsonObject {
  if (types.size === 0) return variables;
  return objectFrom(
    entriesOf(variables).map(([name, value]) => {
      const type = types.get(name);
      return [name, type === undefined ? value : typed(value, type)] as const;
    }),
  );
}

function typed(value: Json, type: VariableType): Json {
  if (isList(value)) return value.map((element) => typed(element, type));
  if (typeof value !== 'string' || !SPELLED[type].test(value)) return value;
  return type === 'Boolean' ? value === 'true' : Number(value);
}
