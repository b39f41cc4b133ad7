import * as t from 'io-ts';
import { entriesOf, isList } from '../json/keys';
import { isScalar, typeName } from '../json/text';
import type { Json, JsonObject } from '../model';
import { refine, type Codec } from './codec';
import { object } from './primitives';

/** Header names may be written in any case. */
export const sameHeader = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

const badElement = (value: Json): { readonly key: readonly string[]; readonly value: Json } | undefined => {
  if (isScalar(value)) return undefined;
  if (!isList(value)) return { key: [], value };
  const at = value.findIndex((element) => !isScalar(element));
  return at < 0 ? undefined : { key: [String(at)], value: value[at] ?? null };
};

/** Literal headers (language 2.5, layers 3 and 4): each value a scalar, `null` or a list of scalars. */
export const literalHeaders: Codec<JsonObject> = refine('LiteralHeaders', object, (headers, context) => {
  const errors = entriesOf(headers).flatMap(([name, value]): t.ValidationError[] => {
    const bad = badElement(value);
    if (bad === undefined) return [];
    const place = [name, ...bad.key].reduce((outer, key) => t.appendContext(outer, key, object), context);
    const message = `expected a text, a number, a boolean or a list of these, found type "${typeName(bad.value)}"; functions are not evaluated in these headers, only in api.http.headers and config.http.headers`;
    return [{ value: bad.value, context: place, message }];
  });
  return errors.length > 0 ? t.failures(errors) : t.success(headers);
});
