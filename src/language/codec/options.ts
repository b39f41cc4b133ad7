import { isLeft } from 'fp-ts/lib/Either';
import * as t from 'io-ts';
import { noting, refine, type Codec, type Input } from './codec';
import type { OptionFault } from './component';
import { valueOf } from './primitives';
import { record, type Fields, type RecordOf } from './record';
import type { UnknownKeyPolicy } from './unknown-key';

/** What becomes of keys that are no options. */
export interface OtherKeys {
  /** The key beside the options whose word has chosen the part, for example `method`. */
  readonly selector: string;
  readonly policy: UnknownKeyPolicy;
}

/**
 * The codec of the options of a part, with what is checked once all of them were read.
 *
 * @param others what becomes of keys that are no options
 * @param check gives what is wrong with options that are right each by itself
 * @example optionsCodec('Range', { from: required(integer, 'the start'), to: optional(integer) }, { selector: 'type', policy: anyKey }, () => [])
 */
export function optionsCodec<F extends Fields>(
  name: string,
  fields: F,
  { selector, policy }: OtherKeys,
  check: ((options: RecordOf<F>) => readonly OptionFault[]) | undefined,
): Codec<RecordOf<F>> {
  const plain = record(name, fields, (key, value, names) =>
    key === selector ? undefined : policy(key, value, [...names, selector]),
  );
  if (check === undefined) return plain;
  return refine(name, plain, (options, context, input) => {
    const faults = check(options);
    return faults.length === 0 ? t.success(options) : t.failures(faults.map((fault) => errorOf(fault, context, input)));
  });
}

/** Adds what is said about options that can be read, but do not do what they seem to. */
export function withWarnings<A>(
  inner: Codec<A>,
  warnings: ((value: A) => readonly OptionFault[]) | undefined,
): Codec<A> {
  if (warnings === undefined) return inner;
  return noting(inner, (input, path) => {
    const read = inner.decode(input);
    if (isLeft(read)) return [];
    return warnings(read.right).map(({ option, message }) => ({
      path: option === undefined ? path : [...path, option],
      message,
    }));
  });
}

function errorOf({ option, message }: OptionFault, context: t.Context, input: Input): t.ValidationError {
  if (option === undefined) return { value: input, context, message };
  const value = valueOf(input, option);
  return { value, context: t.appendContext(context, option, t.unknown, value), message };
}
