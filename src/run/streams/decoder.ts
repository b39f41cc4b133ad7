/** What an application may decode items with: a schema of zod, valibot or ArkType, a codec of io-ts, or a function of its own. */

/** A schema by the Standard Schema (standardschema.dev), as those of zod 3.24, valibot 1 and ArkType 2 are; synchronous. */
export interface StandardDecoder<T> {
  readonly '~standard': {
    readonly validate: (value: unknown) => StandardResult<T> | Promise<StandardResult<T>>;
    readonly types?: { readonly output: T } | undefined;
  };
}

export type StandardResult<T> =
  { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

/** Why a value does not decode, and where in it. */
export interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Anything with a `parse` that throws for what it does not take. */
export interface ParsingDecoder<T> {
  readonly parse: (value: unknown) => T;
}

/** Anything with a `decode` that gives an Either, as codecs of io-ts do. */
export interface EitherDecoder<T> {
  readonly decode: (
    value: unknown,
  ) => { readonly _tag: 'Left'; readonly left: unknown } | { readonly _tag: 'Right'; readonly right: T };
}

/** Decodes an item to a `T`. */
export type Decoder<T> = StandardDecoder<T> | ParsingDecoder<T> | EitherDecoder<T>;

/** The type that a decoder gives. */
export type DecodedBy<D> =
  D extends StandardDecoder<infer T>
    ? T
    : D extends ParsingDecoder<infer T>
      ? T
      : D extends EitherDecoder<infer T>
        ? T
        : never;

/** What came of an item. */
export type Decoding<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reasons: readonly string[] };

/**
 * The function that a decoder stands for. A Standard Schema is used as such, although it may have `parse` or `decode` as well.
 *
 * @param name how messages call the decoder
 * @throws TypeError when it is no decoder; the function throws one for a schema that is asynchronous or gives no result
 * @example decoding({ parse: Number }, 'items.a')('7') // { ok: true, value: 7 }
 */
export function decoding<T>(decoder: Decoder<T>, name: string): (value: unknown) => Decoding<T> {
  const known: unknown = decoder;
  if (isFunctionIn(known, '~standard', 'validate'))
    return (value) => standard(decoder as StandardDecoder<T>, value, name);
  if (isFunctionIn(known, 'parse')) return (value) => parsed(decoder as ParsingDecoder<T>, value, name);
  if (isFunctionIn(known, 'decode')) return (value) => either(decoder as EitherDecoder<T>, value, name);
  throw new TypeError(`${name}: expected a decoder: an object with \`~standard\`, \`parse\` or \`decode\``);
}

function isFunctionIn(value: unknown, ...path: readonly string[]): boolean {
  let at: unknown = value;
  for (const key of path) {
    if ((typeof at !== 'object' && typeof at !== 'function') || at === null) return false;
    at = Reflect.get(at, key);
  }
  return typeof at === 'function';
}

function standard<T>(decoder: StandardDecoder<T>, value: unknown, name: string): Decoding<T> {
  const result = decoder['~standard'].validate(value);
  if (result instanceof Promise) {
    result.catch(() => undefined);
    throw new TypeError(`${name}: the schema is asynchronous, and items are decoded at once`);
  }
  if (!isResult(result)) throw new TypeError(`${name}: \`validate\` gave no result: neither a value nor issues`);
  if (result.issues !== undefined) return { ok: false, reasons: result.issues.map(reasonOf) };
  return { ok: true, value: result.value };
}

const isResult = (value: unknown): boolean => typeof value === 'object' && value !== null;

function parsed<T>(decoder: ParsingDecoder<T>, value: unknown, name: string): Decoding<T> {
  const result = tried(() => decoder.parse(value));
  if (result.ok && isFunctionIn(result.value, 'then')) {
    Promise.resolve(result.value).catch(() => undefined);
    throw new TypeError(`${name}: \`parse\` is asynchronous, and items are decoded at once`);
  }
  return result;
}

function tried<T>(parse: () => T): Decoding<T> {
  try {
    return { ok: true, value: parse() };
  } catch (error) {
    const issues: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'issues') : undefined;
    if (Array.isArray(issues) && issues.every(isIssue)) return { ok: false, reasons: issues.map(reasonOf) };
    return { ok: false, reasons: [error instanceof Error ? error.message : String(error)] };
  }
}

function either<T>(decoder: EitherDecoder<T>, value: unknown, name: string): Decoding<T> {
  const result = decoder.decode(value) as ReturnType<EitherDecoder<T>['decode']> | undefined;
  if (result?._tag === 'Right') return { ok: true, value: result.right };
  if (result?._tag !== 'Left') throw new TypeError(`${name}: \`decode\` gave no Either: neither Left nor Right`);
  const { left } = result;
  if (Array.isArray(left)) return { ok: false, reasons: left.map(failureOf) };
  return { ok: false, reasons: [left instanceof Error ? left.message : String(left)] };
}

const isIssue = (value: unknown): value is Issue => typeof value === 'object' && value !== null && 'message' in value;

const reasonOf = ({ path = [], message }: Issue): string =>
  placed(
    path.map((step) => String(typeof step === 'object' ? step.key : step)),
    message,
  );

const placed = (path: readonly string[], message: string): string =>
  path.length === 0 ? message : `${path.join('.')}: ${message}`;

/** A ValidationError of io-ts, without the value: that may be long, and it is data. */
function failureOf(failure: unknown): string {
  if (typeof failure !== 'object' || failure === null) return String(failure);
  const { context, message, value } = failure as { context?: unknown; message?: unknown; value?: unknown };
  const entries = (Array.isArray(context) ? context : []) as readonly { key: string; type: { name: string } }[];
  const expected = typeof message === 'string' ? message : `expected ${entries.at(-1)?.type.name ?? 'another value'}`;
  const path = entries.map(({ key }) => key).filter((key) => key !== '');
  return placed(path, typeof message === 'string' ? message : `${expected}, found ${kindOf(value)}`);
}

const kindOf = (value: unknown): string =>
  value === undefined ? 'nothing' : value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
