/** Codecs for the plain values of the language (language 0.2). */
import * as t from 'io-ts';
import { isLeft } from 'fp-ts/lib/Either';
import type { JsonObject, JsonScalar } from '../model';
import { isBlank } from '../json/blank';
import { entriesOf, isList, isObject, objectFrom, ownValue } from '../json/keys';
import { isScalar, textOf } from '../json/text';
import { codec, expected, map, refine, unknownWord, type Codec, type Input } from './codec';

const NUMERIC = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;

/** The number that the value is or, as text, stands for. */
export function numericValue(value: Input): number | undefined {
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  const number = isNumber || (typeof value === 'string' && NUMERIC.test(value)) ? Number(value) : NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** A string that is not empty. */
export const string: Codec<string> = codec('String', (input, context) =>
  typeof input === 'string' && input !== '' ? t.success(input) : expected('a text', input, context),
);

/** A string that is not empty, or a number as text. */
export const text: Codec<string> = codec('Text', (input, context) =>
  (typeof input === 'string' && input !== '') || typeof input === 'number' || typeof input === 'bigint'
    ? t.success(textOf(input))
    : expected('a text', input, context),
);

/** A text, a number or a boolean. */
export const scalar: Codec<JsonScalar> = codec('Scalar', (input, context) =>
  isScalar(input) ? t.success(input) : expected('a text, a number or a boolean', input, context),
);

/** A number or a numeric string. */
export const numeric: Codec<number> = codec('Numeric', (input, context) => {
  const value = numericValue(input);
  return value === undefined ? expected('a number', input, context) : t.success(value);
});

/** An integer or a numeric string of one. */
export const integer: Codec<number> = codec('Integer', (input, context) => {
  const value = numericValue(input);
  return Number.isSafeInteger(value) && value !== undefined ? t.success(value) : expected('an integer', input, context);
});

/** An integer within bounds. */
export const integerFrom = (least: number, most = Number.MAX_SAFE_INTEGER, more = ''): Codec<number> => {
  const range = most === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${most}`;
  return refine('IntegerWithin', integer, (value, context) =>
    value >= least && value <= most ? t.success(value) : expected(`an integer ${range}`, value, context, more),
  );
};

/** A boolean and nothing else. */
export const strictBoolean: Codec<boolean> = codec('StrictBoolean', (input, context) =>
  t.boolean.is(input) ? t.success(input) : expected('true or false', input, context),
);

/** True when not blank, so the text `"false"` is true; the default when missing or `null`. */
export const flag = (whenMissing: boolean): Codec<boolean> =>
  codec('Flag', (input) => t.success(isMissing(input) ? whenMissing : !isBlank(input)));

/** The default when blank; but 0 is a value. */
export const zeroCounts = <A>(inner: Codec<A>, whenBlank: A): Codec<A> =>
  codec(
    inner.name,
    (input, context) =>
      isBlank(input) && numericValue(input) === undefined ? t.success(whenBlank) : inner.validate(input, context),
    inner.notes,
  );

/** Takes whatever stands there; another codec reads it. */
export const anything: Codec<Input> = codec('Anything', (input) => t.success(input));

/** The same value whatever stands there: for a key that has already decided which codec reads its object. */
export const constant = <A extends string>(value: A): Codec<A> => codec('Constant', () => t.success(value));

/** Whether nothing or `null` stands there. */
export const isMissing = (input: Input): input is null | undefined => input === undefined || input === null;

/** An object as the language sees it: blank is the empty object, a list has the keys `0`, `1`, … . */
export function asObject(input: Input): JsonObject | undefined {
  if (isObject(input)) return input;
  if (isList(input)) return objectFrom(input.map((value, at) => [String(at), value] as const));
  return isBlank(input) ? {} : undefined;
}

/** A free-form object: any keys, any values. */
export const object: Codec<JsonObject> = codec('Object', (input, context) => {
  const value = asObject(input);
  return value === undefined ? expected('an object', input, context) : t.success(value);
});

/** An object of free form or a scalar. */
export const objectOrScalar: Codec<JsonObject | JsonScalar> = codec('ObjectOrScalar', (input) =>
  t.success(isScalar(input) ? input : (asObject(input) ?? null)),
);

/** A list, each element by the same codec. Blank is the empty list. */
export const list = <A>(element: Codec<A>, what = 'a list'): Codec<readonly A[]> =>
  codec(
    `ListOf${element.name}`,
    (input, context) => {
      if (!isList(input)) return isBlank(input) ? t.success([]) : expected(what, input, context);
      const results = input.map((value, at) =>
        element.validate(value, t.appendContext(context, String(at), element, value)),
      );
      const errors = results.flatMap((result) => (isLeft(result) ? result.left : []));
      const values = results.flatMap((result) => (isLeft(result) ? [] : [result.right]));
      return errors.length > 0 ? t.failures(errors) : t.success(values);
    },
    (input, path) => (isList(input) ? input.flatMap((value, at) => element.notes(value, [...path, String(at)])) : []),
  );

/** One of a few words; the likely meant one stands in the fault. */
export const oneOf = <const W extends string>(name: string, words: readonly W[]): Codec<W> =>
  codec(name, (input, context) => {
    const word = words.find((candidate) => candidate === input);
    return word === undefined ? unknownWord(words, input, context) : t.success(word);
  });

/** {@link oneOf} in any case. */
export const oneOfAnyCase = <const W extends string>(name: string, words: readonly W[]): Codec<W> => {
  const exact = oneOf(name, words);
  const sameWord = (input: Input): Input =>
    words.find((word) => typeof input === 'string' && word.toLowerCase() === input.toLowerCase()) ?? input;
  return codec(name, (input, context) => exact.validate(sameWord(input), context));
};

/** One or several: a single value is a list of one. */
export const oneOrList = <A>(element: Codec<A>): Codec<readonly A[]> => {
  const several = list(element);
  const one = map(element.name, element, (value): readonly A[] => [value]);
  return codec(
    `OneOrListOf${element.name}`,
    (input, context) => (isList(input) ? several : one).validate(input, context),
    (input, path) => (isList(input) ? several : one).notes(input, path),
  );
};

/** The value of a key of an object-like input. */
export const valueOf = (input: Input, key: string): Input => {
  const value = asObject(input);
  return value === undefined ? undefined : ownValue(value, key);
};

/** An object of free names, each value by the same codec. */
export const dictionary = <A>(element: Codec<A>): Codec<Readonly<Record<string, A>>> =>
  codec(
    `DictionaryOf${element.name}`,
    (input, context) => {
      const written = asObject(input);
      if (written === undefined) return expected('an object', input, context);
      const results = entriesOf(written).map(([key, value]) => {
        const result = element.validate(value, t.appendContext(context, key, element, value));
        return { key, result };
      });
      const errors = results.flatMap(({ result }) => (isLeft(result) ? result.left : []));
      const pairs = results.flatMap(({ key, result }) => (isLeft(result) ? [] : [[key, result.right] as const]));
      return errors.length > 0 ? t.failures(errors) : t.success(Object.fromEntries(pairs));
    },
    (input, path) => entriesOf(asObject(input) ?? {}).flatMap(([key, value]) => element.notes(value, [...path, key])),
  );
