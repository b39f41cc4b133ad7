import * as t from 'io-ts';
import { entriesOf, isList, isObject } from '../../../core/json/keys';
import { isScalar, typeName } from '../../../core/json/text';
import type { Json, JsonObject } from '../../../core/model';
import { refine, type Codec } from '../../codec/codec';
import { object } from '../../codec/primitives';
import { expressions } from '../../values/expressions';

/** Header names may be written in any case. */
export const sameHeader = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

type IsExpression = (value: Json) => boolean;

const namesOneOf =
  (contexts: readonly string[]): IsExpression =>
  (value) =>
    isObject(value) && (Object.hasOwn(value, 'function') || contexts.includes(Object.keys(value).join()));

const badElement = (
  value: Json,
  isExpression: IsExpression,
): { readonly key: readonly string[]; readonly value: Json } | undefined => {
  if (isScalar(value) || isExpression(value)) return undefined;
  if (!isList(value)) return { key: [], value };
  const at = value.findIndex((element) => !isScalar(element) && !isExpression(element));
  return at < 0 ? undefined : { key: [String(at)], value: value[at] ?? null };
};

const headersWith = (isExpression: IsExpression): Codec<JsonObject> =>
  refine('RequestHeaders', expressions, (headers, context) => {
    const errors = entriesOf(headers).flatMap(([name, value]): t.ValidationError[] => {
      const bad = badElement(value, isExpression);
      if (bad === undefined) return [];
      const place = [name, ...bad.key].reduce((outer, key) => t.appendContext(outer, key, object), context);
      const message = `expected a string, a number, a boolean, a function, {"attr": …} or {"time": …}, or an array of these, found type "${typeName(bad.value)}"`;
      return [{ value: bad.value, context: place, message }];
    });
    return errors.length > 0 ? t.failures(errors) : t.success(headers);
  });

/**
 * Headers of all jobs (docs/language/requests.md#headers, layer 3): each value a scalar, `null`, a function or a reference
 * (docs/extensions/functions.md), or an array of these.
 */
export const requestHeaders: Codec<JsonObject> = headersWith(namesOneOf(['attr', 'time']));

/** Headers of a job (layer 4): as those of all jobs, with what divides it (docs/language/jobs.md#windows-and-partitions). */
export const jobHeaders: Codec<JsonObject> = headersWith(namesOneOf(['attr', 'time', 'partition', 'window']));
