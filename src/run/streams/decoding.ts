import { catchError, concat, map, of, pipe, throwError } from 'rxjs';
import type { MonoTypeOperatorFunction } from 'rxjs';
import { InvalidItemError } from '../../core/errors/errors';
import type { RunEvent } from '../../core/events';
import { keepLiterals } from '../../core/json/literals';
import { entriesOf, isList, isObject, objectFrom } from '../../core/json/objects';
import type { Item, JobRef, Json, Page } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import type { IterationPlan } from '../../plan/plan';
import { chosenJobs } from './chosen-jobs';

/** Decoding of items by the application: a schema of zod, valibot or ArkType, a codec of io-ts, or a function. */

/** A schema by the Standard Schema (standardschema.dev), such as those of zod 3.24, valibot 1 and ArkType 2; synchronous. */
export interface StandardDecoder<T> {
  readonly '~standard': {
    readonly validate: (value: unknown) => StandardResult<T> | Promise<StandardResult<T>>;
    readonly types?: { readonly output: T } | undefined;
  };
}

export type StandardResult<T> =
  { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

/** The reason that a value does not decode, and its place in the value. */
export interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Anything with a `parse` that throws for invalid values. */
export interface ParsingDecoder<T> {
  readonly parse: (value: unknown) => T;
}

/** Anything with a `decode` that returns an Either, such as the codecs of io-ts. */
export interface EitherDecoder<T> {
  readonly decode: (
    value: unknown,
  ) => { readonly _tag: 'Left'; readonly left: unknown } | { readonly _tag: 'Right'; readonly right: T };
}

/** Decodes an item to a `T`. */
export type Decoder<T> = StandardDecoder<T> | ParsingDecoder<T> | EitherDecoder<T>;

/** The type that a decoder returns. */
export type DecodedBy<D> =
  D extends StandardDecoder<infer T>
    ? T
    : D extends ParsingDecoder<infer T>
      ? T
      : D extends EitherDecoder<infer T>
        ? T
        : never;

/** The result for an item. */
export type Decoding<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reasons: readonly string[] };

/**
 * Returns the function of a decoder. A Standard Schema is used as such, even if it also has `parse` or `decode`.
 *
 * @param name the name of the decoder in messages
 * @throws TypeError when it is no decoder; the function throws one for a schema that is asynchronous or returns no result
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

/** Returns a ValidationError of io-ts without the value, which is data and may be long. */
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

/** The form of integers beyond 2^53 in items: the `bigint` itself, its digits, or an equal number. */
export type Bigints = 'bigint' | 'string' | 'number';

/** An item without bigints, or the places of those without an equal number. */
export type WithoutBigints =
  { readonly ok: true; readonly value: Item } | { readonly ok: false; readonly reasons: readonly string[] };

/**
 * Replaces the bigints of an item. An item without any stays the same object, with its digits.
 *
 * @example withoutBigints({ id: 9007199254740993n }, 'string') // { ok: true, value: { id: '9007199254740993' } }
 */
export function withoutBigints(item: Item, bigints: Exclude<Bigints, 'bigint'>): WithoutBigints {
  const reasons: string[] = [];
  const replace = (value: bigint, path: string): Json => {
    if (bigints === 'string') return value.toString();
    const number = Number(value);
    if (Number.isFinite(number) && BigInt(number) === value) return number;
    reasons.push(`${path === '' ? '' : `${path}: `}no number is equal to this integer: take bigints: 'string'`);
    return number;
  };
  const visit = (value: Json, path: string): Json => {
    if (typeof value === 'bigint') return replace(value, path);
    const below = (key: string | number): string => (path === '' ? String(key) : `${path}.${key}`);
    if (isList(value)) {
      const list = value.map((element, at) => visit(element, below(at)));
      return list.every((element, at) => element === value[at]) ? value : keepLiterals(value, list);
    }
    if (!isObject(value)) return value;
    const before = entriesOf(value);
    const after = before.map(([key, member]) => [key, visit(member, below(key))] as const);
    return after.every(([, member], at) => member === before[at]?.[1]) ? value : keepLiterals(value, objectFrom(after));
  };
  const value = visit(item, '');
  return reasons.length > 0 ? { ok: false, reasons } : { ok: true, value };
}

/** An item that does not decode. */
export interface InvalidItem {
  readonly job: JobRef;
  /** The number of its page in its call of the job, from 0. */
  readonly page: number;
  /** Its place in the page, from 0. */
  readonly position: number;
  /** The item before decoding. */
  readonly item: Item;
  /** Why it does not decode, with secrets masked: `id: expected number, found a string`. */
  readonly reasons: readonly string[];
}

/** Receives the items that do not decode: a function, or a Subject. */
export type OnInvalid = ((invalid: InvalidItem) => void) | { readonly next: (invalid: InvalidItem) => void };

/** How the items of an extraction are decoded. */
export interface ItemDecodingPlan {
  /** The decoders of each job, by its id. */
  readonly byJob: ReadonlyMap<string, (value: unknown) => Decoding<unknown>>;
  readonly bigints: Bigints;
  readonly onInvalid?: OnInvalid | undefined;
}

/** Decodes the items of one run. */
export interface ItemDecoding {
  /**
   * Passes the events of a job on, with decoded items in pages. Fails with an InvalidItemError unless `onInvalid` receives invalid items.
   */
  readonly decode: MonoTypeOperatorFunction<RunEvent>;
  /** Returns the events for the end of the run: how many items of each job were invalid. */
  readonly invalid: () => readonly RunEvent[];
}

type Invalid = Extract<RunEvent, { readonly type: 'items.invalid' }>;

/**
 * @param secrets of the run
 * @example createItemDecoding({ byJob: new Map([['1', decode]]), bigints: 'bigint' }, secrets).decode(event)
 */
export function createItemDecoding({ byJob, bigints, onInvalid }: ItemDecodingPlan, secrets: Secrets): ItemDecoding {
  const invalid = new Map<string, Invalid>();
  const decodeItem = (item: Item, decode: ((value: unknown) => Decoding<unknown>) | undefined): Decoding<unknown> => {
    const plain = bigints === 'bigint' ? ({ ok: true, value: item } as const) : withoutBigints(item, bigints);
    return plain.ok && decode !== undefined ? decode(plain.value) : plain;
  };
  const refuse = ({ job, index }: Page, position: number, item: Item, because: readonly string[]): void => {
    const reasons = because.map((reason) => secrets.mask(reason));
    if (onInvalid === undefined) throw new InvalidItemError(job, index, position, reasons);
    const known = invalid.get(job.id) ?? { type: 'items.invalid', job: withoutPlaceholders(job), items: 0 };
    invalid.set(job.id, { ...known, items: known.items + 1 });
    const found: InvalidItem = { job, page: index, position, item, reasons };
    if (typeof onInvalid === 'function') onInvalid(found);
    else onInvalid.next(found);
  };
  const decodePage = (page: Page): Page => {
    const decode = byJob.get(page.job.id);
    if (decode === undefined && bigints === 'bigint') return page;
    const items: unknown[] = [];
    for (const [position, item] of page.items.entries()) {
      const result = decodeItem(item, decode);
      if (result.ok) items.push(result.value);
      else refuse(page, position, item, result.reasons);
    }
    // Copied with its getters: reading them here would make values that may never be used.
    const properties = { ...Object.getOwnPropertyDescriptors(page), items: { value: items, enumerable: true } };
    return Object.defineProperties({} as Page, properties);
  };
  return {
    decode: pipe(
      map((event) => (event.type === 'page.extracted' ? { ...event, page: decodePage(event.page) } : event)),
      catchError((error: unknown) => {
        const failure = throwError(() => error);
        if (!(error instanceof InvalidItemError) || error.job === undefined) return failure;
        return concat(of<RunEvent>({ type: 'job.failed', job: error.job, error: error.toJSON() }), failure);
      }),
    ),
    invalid: () => [...invalid.values()],
  };
}

const withoutPlaceholders = ({ id, path, endpoint, dataType }: JobRef): JobRef => ({ id, path, endpoint, dataType });

/** Decoders by the names of jobs: their `id`, or else their `dataType`, or else their endpoint. */
export type ItemDecoders = Readonly<Record<string, Decoder<unknown>>>;

/** No job has a decoder. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- it has no keys, which Record<never, …> would lose
export type NoDecoders = {};

/** The items of an extraction with these decoders; items of jobs without one stay JSON. */
export type ItemOf<D extends ItemDecoders> = [keyof D] extends [never] ? Item : Item | DecodedBy<D[keyof D]>;

/** The items of a job. */
export type ItemOfJob<D extends ItemDecoders, Name extends string> = Name extends keyof D ? DecodedBy<D[Name]> : Item;

/** The options for decoding items. */
export interface ItemOptions<D extends ItemDecoders = NoDecoders> {
  /**
   * Decoders for the items of jobs, by the `id` of the job, or else its `dataType`, or else its endpoint: schemas of zod, valibot
   * or ArkType, codecs of io-ts, anything with `parse` or `decode`. Items of other jobs stay JSON.
   */
  readonly items?: D;
  /**
   * Receives the items that do not decode, as a function or a Subject; they are left out of pages, and counted in the event
   * `items.invalid`. Default: the first one ends the run with an `InvalidItemError`.
   */
  readonly onInvalid?: OnInvalid;
  /**
   * The form of integers beyond 2^53, before items are decoded: a `bigint`, a `string` of its digits, or a `number`, for which an item with
   * an integer without an equal number is invalid. Default `bigint`.
   */
  readonly bigints?: Bigints;
}

/**
 * Returns how the items of a run are decoded; `undefined`: they stay unchanged.
 *
 * @throws RangeError when no job has the name; TypeError for an invalid decoder
 */
export function decodingOf(
  iterations: readonly IterationPlan[],
  { items = {}, onInvalid, bigints = 'bigint' }: ItemOptions<ItemDecoders>,
): ItemDecodingPlan | undefined {
  const byJob = new Map(
    Object.entries(items).flatMap(([name, decoder]) => {
      const place = `options.items[${JSON.stringify(name)}]`;
      const decode = decoding(decoder, place);
      return [...chosenJobs(iterations, name, place).ids].map((id) => [id, decode] as const);
    }),
  );
  return byJob.size === 0 && bigints === 'bigint' ? undefined : { byJob, bigints, onInvalid };
}
