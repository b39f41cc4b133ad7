/** Strings that hold JSON, such as `#data` of OAuth credentials. What stands in them is never shown. */
import * as t from 'io-ts';
import { isObject } from '../../core/json/keys';
import { parseJson } from '../../core/json/parse';
import { textOf, typeName } from '../../core/json/text';
import type { Json, JsonObject } from '../../core/model';
import { codec, expected, refine, refuse, type Codec } from './codec';
import { isMissing, object } from './primitives';

/** A string or a number that is there, even if empty. */
export const given = (why: string): Codec<string> =>
  codec('Given', { type: ['string', 'number'] }, (input, context) => {
    if (isMissing(input)) return refuse(input, context, `required: ${why}`);
    return typeof input === 'string' || typeof input === 'number' || typeof input === 'bigint'
      ? t.success(textOf(input))
      : expected('a string', input, context);
  });

/** JSON of any kind in a string. */
export const jsonString: Codec<Json> = refine('JsonString', given('JSON in a string'), (text, context) => {
  try {
    return t.success(parseJson(text));
  } catch {
    return refuse(text, context, 'expected JSON in a string, found a string that is not valid JSON');
  }
});

/** A JSON object in a string, read by a codec. */
export function objectString<A>(inner: Codec<A>): Codec<A> {
  return refine('ObjectString', jsonString, (value, context) =>
    isObject(value)
      ? inner.validate(value, context)
      : refuse(value, context, `expected a JSON object in a string, found JSON of type "${typeName(value)}"`),
  );
}

/** A JSON object of any keys in a string. */
export const anyObjectString: Codec<JsonObject> = objectString(object);

/** A string, even if empty, or a number as one. */
export const anyString: Codec<string> = given('a string');
