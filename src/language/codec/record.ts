import { isLeft } from 'fp-ts/lib/Either';
import * as t from 'io-ts';
import { entriesOf, isList, keysOf, ownValue } from '../../core/json/objects';
import { isBlank } from '../../core/json/scalars';
import type { Json, JsonObject } from '../../core/model';
import { accept, codec, expected, refine, refuse, withSchema } from './codec';
import type { Codec, Input } from './codec';
import { likelyMeant } from './finding';
import { asObject } from './primitives';
import { blank, blankButList, hasValue, tolerant } from './schema';
import type { Schema } from './schema';
import { isComment, unknownKey } from './unknown-key';
import type { UnknownKeyPolicy } from './unknown-key';

/** The documentation of an option: it appears in the schema, in editors and in the manual. */
export interface Documentation {
  /** A description of one sentence or two. */
  readonly about: string;
  /** An example value. */
  readonly example: Json;
  /** The unit of a number, for example `seconds`. */
  readonly unit?: string;
  /** The default in words, if it is not a value of its own. */
  readonly default?: string;
  /** An old spelling: editors do not offer it. */
  readonly isOld?: boolean;
}

/** A field of a record: its codec, the treatment of a blank value, and for people its documentation. */
export type Field<A> = { readonly doc?: Documentation | undefined } & (
  | {
      readonly presence: 'required';
      readonly codec: Codec<A>;
      readonly why: string;
      /** True if an empty array is allowed although it is blank. */
      readonly emptyList?: boolean;
    }
  | { readonly presence: 'unless'; readonly codec: Codec<A>; readonly why: string; readonly other: string }
  | { readonly presence: 'optional'; readonly codec: Codec<A> }
  | { readonly presence: 'default'; readonly codec: Codec<A>; readonly value: A }
  | { readonly presence: 'always'; readonly codec: Codec<A> }
);

/** The keys of a record. */
export type Fields = Readonly<Record<string, Field<unknown>>>;

/** A codec that knows its keys: the manual and the hints for misplaced keys are derived from them. */
export interface RecordCodec<A> extends Codec<A> {
  readonly fields: Fields;
}

/** The decoded value of a record of these fields. */
export type RecordOf<F> = {
  readonly [K in keyof F as F[K] extends { readonly presence: 'optional' | 'unless' } ? never : K]: F[K] extends {
    readonly codec: Codec<infer A>;
  }
    ? A
    : never;
} & {
  readonly [K in keyof F as F[K] extends { readonly presence: 'optional' | 'unless' } ? K : never]?: F[K] extends {
    readonly codec: Codec<infer A>;
  }
    ? A
    : never;
};

/** Returns a field for which a blank value is a fault; `why` says what is missing. */
export const required = <A>(inner: Codec<A>, why: string, doc?: Documentation) =>
  ({ presence: 'required', codec: inner, why, doc }) as const;

/** Returns a field for which a blank value is a fault if the other key is blank, too; otherwise the key is omitted. */
export const requiredUnless = <A>(inner: Codec<A>, other: string, why: string, doc?: Documentation) =>
  ({ presence: 'unless', codec: inner, other, why, doc }) as const;

/** Returns a field that is omitted if its value is blank. */
export const optional = <A>(inner: Codec<A>, doc?: Documentation) =>
  ({ presence: 'optional', codec: inner, doc }) as const;

/** Returns a field for which a blank value means the default. */
export const withDefault = <A>(inner: Codec<A>, value: NoInfer<A>, doc?: Documentation) =>
  ({ presence: 'default', codec: inner, value, doc }) as const;

/** Returns a field whose codec itself decides what blank and missing mean. */
export const always = <A>(inner: Codec<A>, doc?: Documentation) => ({ presence: 'always', codec: inner, doc }) as const;

/**
 * Returns the codec of an object of known keys. Decoding reports the faults of all fields at once; every other key is
 * reported with a similar name, and ignored (docs/language/configuration.md#the-two-forms); `policy` decides whether it
 * is refused.
 *
 * @param policy the complaint about a key that is not a field; by default that it has no effect, with a similar name
 * @example record('Point', { x: required(numeric, 'the x'), label: optional(text) })
 */
export function record<F extends Fields>(
  name: string,
  fields: F,
  policy: UnknownKeyPolicy = unknownKey(),
): RecordCodec<RecordOf<F>> {
  const names = Object.keys(fields);
  const decoder = codec<RecordOf<F>>(
    name,
    () => fieldsSchema(fields),
    (input, context) => {
      const object = asObject(input);
      if (object === undefined) return expected('an object', input, context);
      const errors: t.ValidationError[] = [];
      const values: Record<string, unknown> = {};
      for (const [key, field] of Object.entries(fields)) {
        const value = ownValue(object, key);
        if (field.presence === 'optional' && isBlank(value)) continue;
        if (field.presence === 'unless' && isBlank(value) && !isBlank(ownValue(object, field.other))) continue;
        const result = readField(field, value, t.appendContext(context, key, field.codec, value), () =>
          likelyPlace(object, key, names),
        );
        if (isLeft(result)) errors.push(...result.left);
        else values[key] = result.right;
      }
      return errors.length > 0 ? t.failures(errors) : t.success(values as RecordOf<F>);
    },
    (input, path) =>
      entriesOf(asObject(input) ?? {}).flatMap(([key, value]) => {
        const place = [...path, key];
        if (Object.hasOwn(fields, key)) return fields[key]?.codec.notes(value, place) ?? [];
        const complaint = isComment(key) ? undefined : policy(key, value, names);
        return complaint === undefined ? [] : [{ path: place, ...complaint }];
      }),
  );
  return { ...decoder, fields };
}

/**
 * Returns the schema of an object with these keys. Arrays and blank values are accepted too, and do not have the
 * required keys.
 */
export function fieldsSchema(fields: Fields): Schema {
  const needed = Object.entries(fields).flatMap(([key, field]) => (mustBeThere(field) ? [key] : []));
  const either = Object.entries(fields).flatMap(([key, field]) =>
    field.presence === 'unless' ? [{ anyOf: [key, field.other].map(hasValue) }] : [],
  );
  const object: Schema = {
    type: 'object',
    properties: propertiesSchema(fields),
    ...(needed.length === 0 ? {} : { required: needed }),
    ...(either.length === 0 ? {} : { allOf: either }),
  };
  return needed.length + either.length > 0 ? object : tolerant(object, { type: 'array' }, blank);
}

/** Returns whether the schema requires the key. A codec that also reads a missing key decides itself. */
const mustBeThere = (field: Field<unknown>): boolean =>
  field.presence === 'required' || (field.presence === 'always' && isLeft(field.codec.decode(undefined)));

/** Returns the schemas of the keys alone. */
export const propertiesSchema = (fields: Fields): Readonly<Record<string, Schema>> =>
  Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, schemaOfField(field)]));

function schemaOfField(field: Field<unknown>): Schema {
  const { doc } = field;
  const inner = field.codec.schema();
  const mayBeBlank = ['optional', 'default', 'unless'].includes(field.presence);
  const value = mayBeBlank ? tolerant(inner, blank) : inner;
  const byDefault = defaultOf(field);
  return {
    ...value,
    ...(field.presence === 'required' ? { not: field.emptyList === true ? blankButList : blank } : {}),
    ...(doc === undefined ? {} : { description: describe(doc), examples: [doc.example] }),
    ...(doc?.isOld === true ? { deprecated: true } : {}),
    ...(byDefault === undefined || doc?.default !== undefined ? {} : { default: byDefault }),
  };
}

const describe = ({ about, unit, default: byDefault }: Documentation): string =>
  [
    about,
    ...(unit === undefined ? [] : [`Unit: ${unit}.`]),
    ...(byDefault === undefined ? [] : [`Default: ${byDefault}.`]),
  ].join(' ');

/** Returns the decoded value of a missing field, if that is a plain value. */
function defaultOf(field: Field<unknown>): Json | undefined {
  if (field.presence === 'default') return isJson(field.value) ? field.value : undefined;
  if (field.presence !== 'always') return undefined;
  const read = field.codec.decode(undefined);
  return !isLeft(read) && isJson(read.right) ? read.right : undefined;
}

const isJson = (value: unknown): value is Json =>
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (Array.isArray(value) && value.length > 0 && value.every(isJson));

function readField(field: Field<unknown>, value: Input, context: t.Context, hint: () => string): t.Validation<unknown> {
  if (isBlank(value) && field.presence === 'default') return t.success(field.value);
  if (isBlank(value) && field.presence === 'unless') return refuse(value, context, `required: ${field.why}${hint()}`);
  if (isBlank(value) && field.presence === 'required' && !(field.emptyList === true && isList(value)))
    return refuse(value, context, `required: ${field.why}${hint()}`);
  return field.codec.validate(value, context);
}

/**
 * Returns a hint for a missing required field: a neighbouring key was probably meant, or the field is one level too
 * deep.
 */
function likelyPlace(object: JsonObject, key: string, names: readonly string[]): string {
  const unknown = keysOf(object).filter((written) => !names.includes(written));
  const written = likelyMeant(key, unknown);
  if (written !== undefined) return `; is "${written}" a misspelling of it?`;
  const holder = unknown.find((other) => Object.hasOwn(asObject(object[other]) ?? {}, key));
  return holder === undefined ? '' : `; "${holder}" holds a "${key}": does it belong here?`;
}

/**
 * Reads a record in which exactly one of several keys must be present and not blank.
 *
 * @param inner the record, whose keys are all optional
 * @param meaning returns the value of the record; `undefined` if none of the keys is present
 * @example onlyOneOf('Stop', record('StopAsWritten', { count, field }), ['count', 'field'], ({ count }) => count)
 */
export const onlyOneOf = <A extends object, B>(
  name: string,
  inner: Codec<A>,
  keys: readonly (keyof A & string)[],
  meaning: (written: A) => B | undefined,
): Codec<B> =>
  withSchema(
    refine(name, inner, (value, context, input) => {
      const [first, second] = keys.filter((key) => value[key] !== undefined);
      if (second !== undefined)
        return refuse(input, context, `both "${first}" and "${second}" are given: write only one of them`);
      const meant = meaning(value);
      if (meant !== undefined) return accept(meant);
      const all = keys.map((key) => `"${key}"`);
      return refuse(input, context, `required: one of ${all.slice(0, -1).join(', ')} and ${all.at(-1)}`);
    }),
    (schema) => withOneOf(schema(), keys),
  );

/** Requires one of the keys in the object branch of a schema: blank values have none of the keys. */
function withOneOf(schema: Schema, keys: readonly string[]): Schema {
  const object = schema.anyOf?.[0] ?? schema;
  const pairs = keys.flatMap((key, at) => keys.slice(at + 1).map((other) => [key, other].map(hasValue)));
  const one: readonly Schema[] = [{ anyOf: keys.map(hasValue) }, ...pairs.map((pair) => ({ not: { allOf: pair } }))];
  return { ...object, allOf: [...(object.allOf ?? []), ...one] };
}
