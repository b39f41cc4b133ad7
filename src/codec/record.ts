import { isLeft } from 'fp-ts/lib/Either';
import * as t from 'io-ts';
import { isBlank } from '../json/blank';
import { entriesOf, isList, keysOf, ownValue } from '../json/keys';
import type { JsonObject } from '../model';
import { codec, expected, refuse, type Codec, type Input } from './codec';
import { asObject } from './primitives';
import { likelyMeant } from './suggest';
import { unknownKey, type KeyJudge } from './unknown-key';

/** A field of a record: how to read it, and what happens when it is blank. */
export type Field<A> =
  | {
      readonly presence: 'required';
      readonly codec: Codec<A>;
      readonly why: string;
      /** Whether an empty list may stand there, although it is blank. */
      readonly emptyList?: boolean;
    }
  | { readonly presence: 'optional'; readonly codec: Codec<A> }
  | { readonly presence: 'default'; readonly codec: Codec<A>; readonly value: A }
  | { readonly presence: 'always'; readonly codec: Codec<A> };

type Fields = Readonly<Record<string, Field<unknown>>>;
type ValueOf<F> = F extends { readonly codec: Codec<infer A> } ? A : never;
type OptionalNames<F> = { [K in keyof F]: F[K] extends { readonly presence: 'optional' } ? K : never }[keyof F];

/** What a record of these fields decodes to. */
export type RecordOf<F> = { readonly [K in Exclude<keyof F, OptionalNames<F>>]: ValueOf<F[K]> } & {
  readonly [K in OptionalNames<F>]?: ValueOf<F[K]>;
};

/** A blank value is a fault; `why` says what is missing. */
export const required = <A>(inner: Codec<A>, why: string) => ({ presence: 'required', codec: inner, why }) as const;

/** A blank value leaves the key out. */
export const optional = <A>(inner: Codec<A>) => ({ presence: 'optional', codec: inner }) as const;

/** A blank value means the default. */
export const withDefault = <A>(inner: Codec<A>, value: NoInfer<A>) =>
  ({ presence: 'default', codec: inner, value }) as const;

/** The codec itself decides what blank and missing mean. */
export const always = <A>(inner: Codec<A>) => ({ presence: 'always', codec: inner }) as const;

/**
 * An object of known keys. Decoding reports the faults of all fields at once; every other key is noted, with the
 * likely meant name (language 1.2: unknown keys are ignored); `judge` decides whether it is refused.
 *
 * @param judge what to say about a key that is no field; default: that it has no effect, and what was likely meant
 * @example record('Point', { x: required(numeric, 'the x'), label: optional(text) })
 */
export function record<F extends Fields>(name: string, fields: F, judge: KeyJudge = unknownKey()): Codec<RecordOf<F>> {
  const names = Object.keys(fields);
  return codec(
    name,
    (input, context) => {
      const object = asObject(input);
      if (object === undefined) return expected('an object', input, context);
      const errors: t.ValidationError[] = [];
      const values: Record<string, unknown> = {};
      for (const [key, field] of Object.entries(fields)) {
        const value = ownValue(object, key);
        if (field.presence === 'optional' && isBlank(value)) continue;
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
        const complaint = judge(key, value, names);
        return complaint === undefined ? [] : [{ path: place, ...complaint }];
      }),
  );
}

function readField(field: Field<unknown>, value: Input, context: t.Context, hint: () => string): t.Validation<unknown> {
  if (isBlank(value) && field.presence === 'default') return t.success(field.value);
  if (isBlank(value) && field.presence === 'required' && !(field.emptyList === true && isList(value)))
    return refuse(value, context, `required: ${field.why}${hint()}`);
  return field.codec.validate(value, context);
}

/** A required field is missing: perhaps a key beside it was meant, or it stands one level too deep. */
function likelyPlace(object: JsonObject, key: string, names: readonly string[]): string {
  const unknown = keysOf(object).filter((written) => !names.includes(written));
  const written = likelyMeant(key, unknown);
  if (written !== undefined) return `; is "${written}" a misspelling of it?`;
  const holder = unknown.find((other) => Object.hasOwn(asObject(object[other]) ?? {}, key));
  return holder === undefined ? '' : `; "${holder}" holds a "${key}": does it belong here?`;
}
