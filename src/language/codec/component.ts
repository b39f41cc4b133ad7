/**
 * The common form of the parts of the language that a configuration can name. Each part is defined once, and everything
 * else is derived from the definition.
 */
import { isLeft } from 'fp-ts/lib/Either';
import * as t from 'io-ts';
import type { Json, JsonObject } from '../../core/model';
import { noting, refine } from './codec';
import type { Codec, Input } from './codec';
import { valueOf } from './primitives';
import { record } from './record';
import type { Fields, RecordOf } from './record';
import type { UnknownKeyPolicy } from './unknown-key';

/** One request and its response in a worked example, as the API sees them. */
export interface ExampleExchange {
  /** Method, path and query, for example `GET /items?limit=2&offset=0`. */
  readonly request: string;
  /** Headers that the request must have. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
  /** The body that the request must have. */
  readonly requestBody?: Json;
  /** The status of the response; default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or the string that is the body. */
  readonly response: Json;
}

/** A configuration and everything that happens when it runs. The manual shows it, and a spec runs it. */
export interface WorkedExample {
  readonly about: string;
  /** The configuration, without `baseUrl`. */
  readonly config: { readonly api: JsonObject; readonly config: JsonObject; readonly authorization?: JsonObject };
  readonly exchanges: readonly ExampleExchange[];
  /** The items that the run delivers. */
  readonly items: readonly Json[];
}

/** The manual page of a part. Without it a part works as well: each member is for people alone. */
export interface ComponentManual {
  /** A summary of one sentence. */
  readonly summary?: string;
  /** When to choose the part. */
  readonly use?: string;
  /** Sentences, in the order in which they are numbered. */
  readonly rules?: readonly string[];
  readonly example?: WorkedExample;
}

/** A part of the language; `kind` says of which kind. */
export interface Component<K extends string = string, N extends string = string> extends ComponentManual {
  readonly kind: K;
  /** The name in configurations. */
  readonly name: N;
  /** The options of the part. */
  readonly options: Fields;
}

/** A fault of options, found after all options have been read. */
export interface OptionFault {
  /** The key of the option; if absent, the object as a whole. */
  readonly option?: string;
  /** The message for a person; it holds no value that could be a secret. */
  readonly message: string;
}

/** The treatment of keys that are not options. */
export interface OtherKeys {
  /** The key next to the options whose value selects the part, for example `method`. */
  readonly selector: string;
  readonly policy: UnknownKeyPolicy;
}

/**
 * Returns the codec of the options of a part, with a check that runs after all of them have been read.
 *
 * @param others the treatment of keys that are not options
 * @param check returns the faults of options that are each valid alone
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

/** Adds warnings about options that are readable but have no effect, or another effect than expected. */
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
