/**
 * Checks, a value or the list of its faults, and the codecs of this language: io-ts decoders that also report input without effect. Both
 * functions of a codec are pure: `validate` returns the value or all faults, `notes` returns the warnings.
 */
import * as E from 'fp-ts/Either';
import type { Either } from 'fp-ts/Either';
import * as A from 'fp-ts/ReadonlyArray';
import { sequenceS } from 'fp-ts/lib/Apply';
import { getSemigroup } from 'fp-ts/lib/Array';
import { getApplicativeValidation, isLeft, left, map as mapRight } from 'fp-ts/lib/Either';
import { pipe } from 'fp-ts/lib/function';
import * as t from 'io-ts';
import type { ValidationError } from 'io-ts';
import { FatalError } from '../../core/errors/errors';
import type { Fault } from '../../core/errors/errors';
import { nameOnly } from '../../core/headers';
import type { Json } from '../../core/model';
import { isSecretPlace, likelyMeant, plain, shown } from './finding';
import type { Finding, Path } from './finding';
import type { Schema } from './schema';

/** A value, or all faults. */
export type Checked<T, F = Fault> = Either<readonly F[], T>;

/** Combines checks so that the faults of all are reported, not those of the first alone. */
export const validation = E.getApplicativeValidation(A.getSemigroup<Fault>());

/** All values, or the faults of all checks. */
export const allOf: <T>(checks: readonly Checked<T>[]) => Checked<readonly T[]> = A.sequence(validation);

/** Returns a check without faults. */
export const valid = <T>(value: T): Checked<T, never> => E.right(value);

/** Returns a check with these faults. */
export const invalid = <F>(...faults: readonly F[]): Checked<never, F> => E.left(faults);

/** Returns a check that has found one fault. */
export const fault = (path: string, message: string): Checked<never> => invalid({ path, message });

/**
 * Combines checks by name: all values, or the faults of all.
 *
 * @example collect({ name: valid('a'), size: fault('api.size', 'required') }) // the fault of size
 */
export function collect<C extends Readonly<Record<string, Checked<unknown, unknown>>>>(
  checks: C,
): Checked<
  { readonly [K in keyof C]: C[K] extends Checked<infer T, unknown> ? T : never },
  C[keyof C] extends Checked<unknown, infer F> ? F : never
> {
  type Failure = C[keyof C] extends Checked<unknown, infer F> ? F : never;
  const faults: Failure[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, check] of Object.entries(checks)) {
    if (E.isLeft(check)) faults.push(...(check.left as readonly Failure[]));
    else values[name] = check.right;
  }
  return faults.length > 0
    ? E.left(faults)
    : E.right(values as { readonly [K in keyof C]: C[K] extends Checked<infer T, unknown> ? T : never });
}

/** Changes the value of a check. */
export const mapValid = <T, U, F>(checked: Checked<T, F>, change: (value: T) => U): Checked<U, F> =>
  E.isLeft(checked) ? checked : E.right(change(checked.right));

/** Checks a value further. */
export const andThen = <T, U, F, G>(checked: Checked<T, F>, next: (value: T) => Checked<U, G>): Checked<U, F | G> =>
  E.isLeft(checked) ? checked : next(checked.right);

/** Returns the result of a function, or the error that it throws as a fault of that place, or of a place inside it. */
export function attempt<T>(path: string, compute: () => T): Checked<T> {
  return E.tryCatch(compute, (error) => {
    if (!(error instanceof FatalError)) throw error;
    return [error.fault ?? { path, message: error.message }];
  });
}

/** Combines decoders: all parts, or the faults of all of them. */
export const together = sequenceS(getApplicativeValidation(getSemigroup<ValidationError>()));

/** The input at a place: JSON, or nothing. */
export type Input = Json | undefined;

/** The function that returns the warnings of a codec. */
export type Notes = Codec<unknown>['notes'];

/** An io-ts decoder from JSON, with warnings, and with the JSON Schema of its input. */
export interface Codec<A> extends t.Decoder<Json | undefined, A> {
  /** Returns the warnings about an input that is at a path. */
  readonly notes: (input: Json | undefined, path: Path) => readonly Finding[];
  /** @internal */
  readonly schema: () => Schema;
}

const noNotes: Notes = () => [];

/**
 * Creates a codec from its parts.
 *
 * @param name the name in io-ts contexts instead of a printed type
 * @param schema the input of `validate` as far as a schema can express it: `validate` refuses everything that the
 *   schema refuses
 */
export function codec<A>(
  name: string,
  schema: Schema | (() => Schema),
  validate: t.Validate<Input, A>,
  notes: Notes = noNotes,
): Codec<A> {
  const self: Codec<A> = {
    name,
    schema: typeof schema === 'function' ? schema : () => schema,
    validate,
    notes,
    decode: (input) => validate(input, [{ key: '', type: self, actual: input }]),
  };
  return self;
}

/** Changes the value of a codec; the input stays the same. */
export const map = <A, B>(name: string, inner: Codec<A>, change: (value: A) => B): Codec<B> =>
  refine(name, inner, (value) => t.success(change(value)));

/** Checks the value of a codec further; the input stays the same. */
export const refine = <A, B>(
  name: string,
  inner: Codec<A>,
  next: (value: A, context: t.Context, input: Input) => t.Validation<B>,
): Codec<B> =>
  codec(
    name,
    inner.schema,
    (input, context) => {
      const result = inner.validate(input, context);
      return isLeft(result) ? result : next(result.right, context, input);
    },
    inner.notes,
  );

/** Combines the value of a codec with values of other places; the faults of all are reported. */
export const join = <A, B, C>(
  name: string,
  inner: Codec<A>,
  other: (value: A | undefined) => Checked<B, Finding>,
  combine: (value: A, other: B) => C,
): Codec<C> =>
  codec(
    name,
    inner.schema,
    (input, context) => {
      const value = inner.validate(input, context);
      const checked = other(isLeft(value) ? undefined : value.right);
      const found: t.Validation<B> = isLeft(checked) ? t.failures(checked.left.map(errorAt)) : checked;
      return pipe(
        together({ value, found }),
        mapRight((both) => combine(both.value, both.found)),
      );
    },
    inner.notes,
  );

const errorAt = ({ path, message }: Finding): t.ValidationError => ({
  value: undefined,
  context: contextAt(path),
  message,
});

/** Reads a value at a path by a codec. */
export function readAt<A>(inner: Codec<A>, value: Input, path: Path): Checked<A, Finding> {
  const result = inner.validate(value, contextAt(path));
  return isLeft(result) ? left(findingsOf(result.left)) : result;
}

/** Returns a codec that chooses another one by the input itself, for example by its `method`. */
export const choose = <A>(
  name: string,
  schema: () => Schema,
  pick: (input: Input, context: t.Context) => Either<t.Errors, Codec<A>>,
): Codec<A> =>
  codec(
    name,
    schema,
    (input, context) => {
      const picked = pick(input, context);
      return isLeft(picked) ? picked : picked.right.validate(input, context);
    },
    (input, path) => {
      const picked = pick(input, contextAt(path));
      return isLeft(picked) ? [] : picked.right.notes(input, path);
    },
  );

/** Adds warnings to a codec. */
export const noting = <A>(inner: Codec<A>, notes: Notes): Codec<A> =>
  codec(inner.name, inner.schema, inner.validate, (input, path) => [
    ...notes(input, path),
    ...inner.notes(input, path),
  ]);

/** Replaces the schema of a codec, by one with more detail or with a name in the document. */
export const withSchema = <A>(inner: Codec<A>, schema: (inner: () => Schema) => Schema): Codec<A> =>
  codec(inner.name, () => schema(inner.schema), inner.validate, inner.notes);

/** Returns a codec that refers to itself; its schema must be a named one. */
export const lazy = <A>(name: string, build: () => Codec<A>): Codec<A> =>
  codec(
    name,
    () => build().schema(),
    (input, context) => build().validate(input, context),
    (input, path) => build().notes(input, path),
  );

/** Returns the place of an io-ts context; its first entry is the root. */
export const pathOf = (context: t.Context): Path => context.slice(1).map(({ key }) => key);

/** Returns the io-ts context of a place. */
export const contextAt = (path: Path): t.Context => ['', ...path].map((key) => ({ key, type: t.unknown }));

/** Accepts a value. */
export const accept = <A>(value: A): t.Validation<A> => t.success(value);

/** Returns the io-ts context of a key inside a value. */
export const below = (context: t.Context, key: string, value: Input): t.Context =>
  t.appendContext(context, key, t.unknown, value);

/** Refuses a value. The message is for a person and must not hold secrets. */
export const refuse = (value: Input, context: t.Context, message: string): t.Validation<never> =>
  t.failure(value, context, message);

/** Refuses a value: `expected <what>, found <value><more>`. */
export const expected = (what: string, value: Input, context: t.Context, more = ''): t.Validation<never> =>
  refuse(value, context, `expected ${what}, found ${shown(value, pathOf(context))}${more}`);

/** Returns a similar word; or the longest with which the written one begins: `pagenumber` is `pagenum`. */
const wordMeant = (written: string, words: readonly string[]): string | undefined =>
  likelyMeant(written, words) ??
  words.filter((word) => plain(written).startsWith(plain(word))).sort((a, b) => b.length - a.length)[0];

/**
 * Refuses a word that is not among the allowed words. The message shows a similar word, which is safe because it is one
 * of the allowed ones.
 */
export function unknownWord(words: readonly string[], input: Input, context: t.Context): t.Validation<never> {
  const what = `one of ${words.map(nameOnly).join(', ')}`;
  const meant = typeof input === 'string' && !isSecretPlace(pathOf(context)) ? wordMeant(input, words) : undefined;
  return meant === undefined
    ? expected(what, input, context)
    : refuse(input, context, `expected ${what}, found ${JSON.stringify(input)}; did you mean "${meant}"?`);
}

/** Converts io-ts errors to findings. */
export const findingsOf = (errors: t.Errors): readonly Finding[] =>
  errors.map(({ context, value, message }) => ({
    path: pathOf(context),
    message: message ?? `cannot be used: ${shown(value as Input, pathOf(context))}`,
  }));
