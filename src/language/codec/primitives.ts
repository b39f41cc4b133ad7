/** Codecs for the plain values of the language (docs/language/README.md#values). */
import * as t from 'io-ts';
import { isLeft } from 'fp-ts/lib/Either';
import type { JsonObject, JsonScalar } from '../../core/model';
import { isBlank, isScalar, textOf } from '../../core/json/scalars';
import { entriesOf, isList, isObject, objectFrom, ownValue } from '../../core/json/objects';
import { codec, expected, map, refine, unknownWord, withSchema, type Codec, type Input } from './codec';
import { COMMENTS, withoutComments } from './unknown-key';
import { blank, empty, tolerant, type Schema } from './schema';

const NUMERIC = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;

/** Returns the number that a value is, or that a string spells. */
export function numericValue(value: Input): number | undefined {
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  const number = isNumber || (typeof value === 'string' && NUMERIC.test(value)) ? Number(value) : NaN;
  return Number.isFinite(number) ? number : undefined;
}

const STRING: Schema = { type: 'string', minLength: 1 };
/** A number in a string. */
export const NUMERIC_STRING: Schema = {
  type: 'string',
  pattern: '^\\s*[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?\\s*$',
};
const numeral = (number: Schema): Schema => tolerant(number, NUMERIC_STRING);

/** A string that is not empty. */
export const string: Codec<string> = codec('String', STRING, (input, context) =>
  typeof input === 'string' && input !== '' ? t.success(input) : expected('a string', input, context),
);

/** A string that is not empty, or a number as a string. */
export const text: Codec<string> = codec('Text', tolerant(STRING, { type: 'number' }), (input, context) =>
  (typeof input === 'string' && input !== '') || typeof input === 'number' || typeof input === 'bigint'
    ? t.success(textOf(input))
    : expected('a string', input, context),
);

/** A string, a number or a boolean. */
export const scalar: Codec<JsonScalar> = codec(
  'Scalar',
  { type: ['string', 'number', 'boolean', 'null'] },
  (input, context) =>
    isScalar(input) ? t.success(input) : expected('a string, a number or a boolean', input, context),
);

/** A number or a numeric string. */
export const numeric: Codec<number> = codec('Numeric', numeral({ type: 'number' }), (input, context) => {
  const value = numericValue(input);
  return value === undefined ? expected('a number', input, context) : t.success(value);
});

/** An integer or a numeric string of one. */
export const integer: Codec<number> = codec('Integer', numeral({ type: 'integer' }), (input, context) => {
  const value = numericValue(input);
  return Number.isSafeInteger(value) && value !== undefined ? t.success(value) : expected('an integer', input, context);
});

/** Returns the codec of an integer within bounds. */
export const integerFrom = (least: number, most = Number.MAX_SAFE_INTEGER, more = ''): Codec<number> => {
  const range = most === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${most}`;
  const schema: Schema = {
    type: 'integer',
    minimum: least,
    ...(most === Number.MAX_SAFE_INTEGER ? {} : { maximum: most }),
  };
  const within = refine('IntegerWithin', integer, (value, context) =>
    value >= least && value <= most ? t.success(value) : expected(`an integer ${range}`, value, context, more),
  );
  return withSchema(within, () => numeral(schema));
};

/** A boolean and nothing else. */
export const strictBoolean: Codec<boolean> = codec('StrictBoolean', { type: 'boolean' }, (input, context) =>
  t.boolean.is(input) ? t.success(input) : expected('true or false', input, context),
);

/**
 * Returns the codec of a flag: true if not blank, so the string `"false"` is true; the default if missing or `null`.
 */
export const flag = <A extends boolean | undefined>(whenMissing: A): Codec<boolean | A> =>
  codec('Flag', tolerant({ type: 'boolean' }, {}), (input) =>
    t.success(isMissing(input) ? whenMissing : !isBlank(input)),
  );

/** Returns a codec that reads a blank value as the default, but 0 as a value. */
export const zeroCounts = <A>(inner: Codec<A>, whenBlank: A): Codec<A> =>
  codec(
    inner.name,
    () => tolerant(inner.schema(), empty),
    (input, context) =>
      isBlank(input) && numericValue(input) === undefined ? t.success(whenBlank) : inner.validate(input, context),
    inner.notes,
  );

/** Accepts any input; another codec reads it. */
export const anything: Codec<Input> = codec('Anything', {}, (input) => t.success(input));

/**
 * Returns a codec that gives the same value for any input, for a key that has already selected the codec of its object.
 */
export const constant = <A extends string>(value: A): Codec<A> =>
  codec('Constant', { const: value }, () => t.success(value));

/** Returns whether the input is missing or `null`. */
export const isMissing = (input: Input): input is null | undefined => input === undefined || input === null;

/** Returns an object as the language sees it: blank is the empty object, an array has the keys `0`, `1`, …. */
export function asObject(input: Input): JsonObject | undefined {
  if (isObject(input)) return input;
  if (isList(input)) return objectFrom(input.map((value, at) => [String(at), value] as const));
  return isBlank(input) ? {} : undefined;
}

/** A free-form object: any keys, any values. */
export const object: Codec<JsonObject> = codec(
  'Object',
  tolerant({ type: 'object' }, { type: 'array' }, blank),
  (input, context) => {
    const value = asObject(input);
    return value === undefined ? expected('an object', input, context) : t.success(value);
  },
);

/** The schema title for a place that accepts anything, and whose objects have free names. */
export const COLUMNS = 'Columns';

/** A free-form object or a scalar. */
export const objectOrScalar: Codec<JsonObject | JsonScalar> = codec('ObjectOrScalar', { title: COLUMNS }, (input) =>
  t.success(isScalar(input) ? input : (asObject(input) ?? null)),
);

/** Returns the codec of an array whose elements have one codec. Blank is the empty array. */
export const list = <A>(element: Codec<A>, what = 'an array'): Codec<readonly A[]> =>
  codec(
    `ListOf${element.name}`,
    () => tolerant({ type: 'array', items: element.schema() }, blank),
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

/** Returns the codec of one of a few words; a fault suggests a similar word. */
export const oneOf = <const W extends string>(name: string, words: readonly W[]): Codec<W> =>
  codec(name, { enum: words }, (input, context) => {
    const word = words.find((candidate) => candidate === input);
    return word === undefined ? unknownWord(words, input, context) : t.success(word);
  });

/** Returns the codec of names that stand for values; a fault suggests a similar name. */
export const namedOf = <A>(name: string, values: ReadonlyMap<string, A>): Codec<A> =>
  codec(name, { enum: [...values.keys()] }, (input, context) => {
    const value = typeof input === 'string' ? values.get(input) : undefined;
    return value === undefined ? unknownWord([...values.keys()], input, context) : t.success(value);
  });

/** Does the same as {@link oneOf}, ignoring case. */
export const oneOfAnyCase = <const W extends string>(name: string, words: readonly W[]): Codec<W> => {
  const exact = oneOf(name, words);
  const sameWord = (input: Input): Input =>
    words.find((word) => typeof input === 'string' && word.toLowerCase() === input.toLowerCase()) ?? input;
  const anyCase = words.map((word) => Array.from(word, (letter) => `[${letter}${letter.toLowerCase()}]`).join(''));
  return codec(
    name,
    tolerant({ enum: words }, { type: 'string', pattern: `^(${anyCase.join('|')})$` }),
    (input, context) => exact.validate(sameWord(input), context),
  );
};

/** Returns the codec of one or several: a single value is an array of one. */
export const oneOrList = <A>(element: Codec<A>): Codec<readonly A[]> => {
  const several = list(element);
  const one = map(element.name, element, (value): readonly A[] => [value]);
  return codec(
    `OneOrListOf${element.name}`,
    () => ({ anyOf: [element.schema(), { type: 'array', items: element.schema() }] }),
    (input, context) => (isList(input) ? several : one).validate(input, context),
    (input, path) => (isList(input) ? several : one).notes(input, path),
  );
};

/** Returns the value of a key of an object-like input. */
export const valueOf = (input: Input, key: string): Input => {
  const value = asObject(input);
  return value === undefined ? undefined : ownValue(value, key);
};

/**
 * Returns the codec of an object of free names whose values have one codec.
 *
 * @param namesData whether the names come from data, so that none of them is a comment
 */
export const dictionary = <A>(element: Codec<A>, namesData = false): Codec<Readonly<Record<string, A>>> => {
  const namesIn = (input: Input): JsonObject | undefined => {
    const written = asObject(input);
    return written === undefined || namesData ? written : withoutComments(written);
  };
  return codec(
    `DictionaryOf${element.name}`,
    () => {
      const schema = element.schema();
      const object: Schema = { type: 'object', additionalProperties: schema, ...(namesData ? {} : COMMENTS) };
      return tolerant(object, { type: 'array', items: schema }, blank);
    },
    (input, context) => {
      const written = namesIn(input);
      if (written === undefined) return expected('an object', input, context);
      const results = entriesOf(written).map(([key, value]) => {
        const result = element.validate(value, t.appendContext(context, key, element, value));
        return { key, result };
      });
      const errors = results.flatMap(({ result }) => (isLeft(result) ? result.left : []));
      const pairs = results.flatMap(({ key, result }) => (isLeft(result) ? [] : [[key, result.right] as const]));
      return errors.length > 0 ? t.failures(errors) : t.success(Object.fromEntries(pairs));
    },
    (input, path) => entriesOf(namesIn(input) ?? {}).flatMap(([key, value]) => element.notes(value, [...path, key])),
  );
};
