/** `api.pagination` after decoding (see configuration.ts), and the options for the completeness of jobs (docs/completeness.md). */
import { map as mapRight, right } from 'fp-ts/lib/Either';
import type { Either } from 'fp-ts/lib/Either';
import { pipe } from 'fp-ts/lib/function';
import * as t from 'io-ts';
import { isList, isObject, keysOf } from '../../core/json/objects';
import { isBlank, isCount } from '../../core/json/scalars';
import { choose, codec, expected, map, noting, refine, refuse, together } from '../codec/codec';
import type { Codec, Input } from '../codec/codec';
import { likelyMeant } from '../codec/finding';
import {
  asObject,
  constant,
  dictionary,
  integer,
  isMissing,
  namedOf,
  numeric,
  numericValue,
  oneOf,
  strictBoolean,
  string,
  text,
  valueOf,
} from '../codec/primitives';
import { always, fieldsSchema, onlyOneOf, optional, record, required, requiredUnless } from '../codec/record';
import { anyKey, ignored, mistaken, unknownKey, withoutComments } from '../codec/unknown-key';
import type { Fields } from '../codec/record';
import type { UnknownKeyPolicy } from '../codec/unknown-key';
import { blank, named, tolerant } from '../codec/schema';
import type { Schema } from '../codec/schema';
import { path, path as pathText } from '../codec/values';
import { none } from '../parts/pagination/pagination';
import type { ChosenPagination } from '../parts/pagination/pagination';
import type { Parts } from '../parts/parts';
import type { Completeness } from '../../core/evidence';

/** The place of the total number of items in a response: a path of its body, or a header by lower-case name. */
export type TotalPlace = { readonly path: string } | { readonly header: string };

/** `completeness`, of `config` or of a job. */
export const completeness: Codec<Completeness> = oneOf('Completeness', ['error', 'warn', 'off']);

/** `equalPages` of a job: the treatment of a page that equals the one before it. */
export const equalPages: Codec<'stop' | 'keep'> = oneOf('EqualPages', ['stop', 'keep']);

/** A header that has a total, by lower-case name. */
const totalHeader: Codec<string> = map('TotalHeader', string, (name) => name.trim().toLowerCase());

const written = onlyOneOf(
  'TotalPlaceWritten',
  record('TotalPlaceAsWritten', {
    path: optional(pathText, { about: 'The path of the number.', example: 'meta.total' }),
    header: optional(totalHeader, {
      about: 'The header with the number, alone or behind a slash as in `items 0-24/66`.',
      example: 'X-Total-Count',
    }),
  }),
  ['path', 'header'],
  ({ path, header }): TotalPlace | undefined =>
    path !== undefined ? { path } : header !== undefined ? { header } : undefined,
);

const atPath: Codec<TotalPlace> = map('TotalPath', pathText, (path) => ({ path }));

/** `total`, of a job or of `api.pagination`: a path in the response, or `{"path": …}`, or `{"header": …}`. */
const totalPlace: Codec<TotalPlace> = codec(
  'TotalPlace',
  () => ({ anyOf: [string.schema(), written.schema()] }),
  (input, context) => {
    if (typeof input === 'string') return atPath.validate(input, context);
    return isObject(input)
      ? written.validate(input, context)
      : expected('a path, or an object with "path" or "header"', input, context);
  },
  (input, path) => (isObject(input) ? written : atPath).notes(input, path),
);

/** `total` of a job: {@link totalPlace}, or that a field resembling a total is not one. */
export const jobTotal: Codec<TotalPlace | 'none'> = codec(
  'JobTotal',
  () => totalPlace.schema(),
  (input, context) => (input === 'none' ? t.success<TotalPlace | 'none'>('none') : totalPlace.validate(input, context)),
  (input, path) => (input === 'none' ? [] : totalPlace.notes(input, path)),
);

/** `api.pagination` (docs/language/pagination.md). */
export type Pagination =
  | {
      readonly kind: 'multiple';
      readonly scrollers: Readonly<Record<string, SinglePagination>>;
      readonly default?: string;
      readonly stops: Stops;
    }
  | SinglePagination;

/** A pagination method with its stops. */
export interface SinglePagination {
  readonly kind: 'one';
  readonly pagination: ChosenPagination;
  readonly stops: Stops;
}

/** The common stops (docs/language/stops.md). */
export interface Stops {
  readonly limitStop?: { readonly count: number } | TotalPlace;
  readonly forceStop?: {
    readonly pages?: number;
    /** A time limit: seconds, or a relative time such as `1 hour`. */
    readonly time?: number | string;
    readonly volume?: number;
  };
  /** True if a page without items is the end. */
  readonly stopWhenEmpty?: boolean;
  /** The place of the total number of items in the response (docs/completeness.md). */
  readonly total?: TotalPlace;
  /** A flag for the next page, at a key or a path of the response. */
  readonly nextPageFlag?: {
    readonly field?: string;
    readonly path?: string;
    readonly stopOn: boolean;
    readonly ifNotSet: boolean;
  };
}

type LimitStop = NonNullable<Stops['limitStop']>;

const limitStop: Codec<LimitStop> = onlyOneOf(
  'LimitStop',
  record('LimitStopAsWritten', {
    count: optional(numeric, { about: 'The number of items.', example: 1000 }),
    field: optional(path, {
      about: 'The path of that number in the response.',
      example: 'meta.total',
    }),
    header: optional(totalHeader, {
      about: 'The header with that number, alone or behind a slash as in `items 0-24/66`.',
      example: 'X-Total-Count',
    }),
  }),
  ['count', 'field', 'header'],
  ({ count, field, header }): LimitStop | undefined => {
    if (count !== undefined) return { count };
    if (field !== undefined) return { path: field };
    return header === undefined ? undefined : { header };
  },
);

/** A time limit: seconds, or a relative time such as `1 hour`. */
const time: Codec<number | string> = codec<number | string>(
  'ForceStopTime',
  { type: ['number', 'string'] },
  (input, context) => {
    const seconds = numericValue(input);
    if (seconds !== undefined) return t.success(seconds);
    return typeof input === 'string'
      ? t.success(input)
      : expected('seconds or a string such as "1 hour"', input, context);
  },
);

const forceStop = record('ForceStop', {
  pages: optional(numeric, { about: 'The most pages.', example: 20 }),
  time: optional(time, {
    about: 'The longest time: a number, or words such as `1 hour`.',
    unit: 'seconds',
    example: '1 hour',
  }),
  volume: optional(numeric, {
    about: 'The most bytes of responses.',
    example: 10000000,
  }),
});

const stopOn: Codec<boolean> = codec('StopOn', { type: 'boolean' }, (input, context) =>
  isMissing(input)
    ? refuse(input, context, 'required: true or false; pagination stops when the field has this value')
    : strictBoolean.validate(input, context),
);

const ifNotSet: Codec<boolean | undefined> = codec(
  'IfNotSet',
  tolerant({ type: 'boolean' }, { type: 'null' }),
  (input, context) => (isMissing(input) ? t.success(undefined) : strictBoolean.validate(input, context)),
);

const nextPageFlag: Codec<NonNullable<Stops['nextPageFlag']>> = map(
  'NextPageFlag',
  record('NextPageFlagAsWritten', {
    field: requiredUnless(string, 'path', 'the key of the response that says whether there is a next page', {
      about: 'The key at the root.',
      example: 'has_more',
    }),
    path: optional(path, {
      about: 'A path, in place of `field`.',
      example: 'meta.has_more',
    }),
    stopOn: always(stopOn, {
      about: 'The value that ends the pagination.',
      example: false,
    }),
    ifNotSet: always(ifNotSet, {
      about: 'The value of a missing field.',
      example: true,
      default: 'as `stopOn`',
    }),
  }),
  (flag) => ({ ...flag, ifNotSet: flag.ifNotSet ?? flag.stopOn }),
);

const oldPages: Codec<number> = noting(
  refine('OldPages', integer, (pages, context, input) =>
    typeof input === 'string' && !isCount(input) ? expected('an integer', input, context) : t.success(pages),
  ),
  (input, path) =>
    isBlank(input)
      ? []
      : [{ path, message: 'has no effect: an old key; to stop after some pages use forceStop.pages' }],
);

/** The keys next to the options of any method. */
export const stopFields = {
  limitStop: optional(limitStop, {
    about: 'Stops at a number of items.',
    example: { count: 1000 },
  }),
  forceStop: optional(forceStop, {
    about: 'Stops after pages, a time, or a volume.',
    example: { pages: 20 },
  }),
  nextPageFlag: optional(nextPageFlag, {
    about: 'Stops by a field of the response.',
    example: { field: 'has_more', stopOn: false },
  }),
  stopWhenEmpty: optional(strictBoolean, {
    about: 'Stops at a page without items, for APIs with a token on every page.',
    example: true,
  }),
  total: optional(totalPlace, {
    about: 'The [number of items](stops.md#total): a path, or an object with `path` or `header`.',
    example: 'meta.total',
  }),
};
const oldFields = {
  pages: optional(oldPages, { about: 'An old key without effect.', example: 1, isOld: true }),
};

/** The names of these keys, old ones included. */
const stopNames: readonly string[] = Object.keys({ ...stopFields, ...oldFields });

const stopsAsWritten: Codec<Stops> = record('StopsAsWritten', stopFields, anyKey);
const oldKeys = record('OldKeys', oldFields, anyKey);

/** The common stops (docs/language/stops.md), read from the object that also holds other options. */
const stops: Codec<Stops> = codec(
  'Stops',
  () => stopsAsWritten.schema(),
  (input, context) =>
    pipe(
      together({ written: stopsAsWritten.validate(input, context), old: oldKeys.validate(input, context) }),
      mapRight(({ written }) => written),
    ),
  (input, path) => [...stopsAsWritten.notes(input, path), ...oldKeys.notes(input, path)],
);

/** Complaints about keys of `api.pagination` that are not options of its method. */

/** Keys of the method `multiple` only. */
const MULTIPLE_KEYS: readonly string[] = ['scrollers', 'default'];

/**
 * Returns the policy for keys that are not options of this method; the common stops are read elsewhere.
 *
 * @param method the method for the message, for example `method offset`
 */
const keysOfMethod =
  (method: string, { pagination }: Parts, ofOthers: typeof ignored = ignored): UnknownKeyPolicy =>
  (key, value, names) => {
    if (stopNames.includes(key)) return undefined;
    const owners = [...pagination.values()].filter(({ options }) => Object.hasOwn(options, key));
    const places = MULTIPLE_KEYS.includes(key) ? ['method multiple'] : owners.map(({ name }) => name);
    if (places.length > 0) return ofOthers(`has no effect with ${method}: it is an option of ${places.join(', ')}`);
    const own = [...names, ...stopNames];
    const others = [...pagination.values()].flatMap(({ options }) => Object.keys(options));
    const all = [...new Set([...own, ...others, ...MULTIPLE_KEYS])];
    return unknownKey()(key, value, likelyMeant(key, own) === undefined ? all : own);
  };

/** Reads one object twice: for the method, and for the stops next to its options. */
const withStops = <A extends object>(method: Codec<A>): Codec<A & { readonly stops: Stops }> =>
  codec(
    method.name,
    method.schema,
    (input, context) =>
      pipe(
        together({ options: method.validate(input, context), stops: stops.validate(input, context) }),
        mapRight((both) => ({ ...both.options, stops: both.stops })),
      ),
    (input, path) => [...method.notes(input, path), ...stops.notes(input, path)],
  );

const one = (pagination: Codec<ChosenPagination>): Codec<SinglePagination> =>
  withStops(map(pagination.name, pagination, (chosen) => ({ kind: 'one', pagination: chosen }) as const));

/**
 * Returns the codec without a method: a blank method switches pagination off; a missing one next to options was
 * forgotten or misspelled.
 */
function noMethod(written: Input, parts: Parts): Codec<SinglePagination> {
  const isSwitchedOff = Object.hasOwn(asObject(written) ?? {}, 'method');
  const policy = keysOfMethod('no pagination method', parts, isSwitchedOff ? ignored : mistaken);
  const nothing = record(
    'NoPagination',
    { method: always(constant('none'), { about: 'Blank: there is one request.', example: '' }) },
    policy,
  );
  return one(map('NoPagination', nothing, () => none));
}

const isUnset = (input: Input): boolean => isBlank(valueOf(input, 'method'));

/** Returns the codec that the word in `method` names. */
function byMethod<A>(
  codecs: ReadonlyMap<string, Codec<A>>,
  input: Input,
  context: t.Context,
): Either<t.Errors, Codec<A>> {
  const method = valueOf(input, 'method');
  const word = namedOf('PaginationMethod', codecs);
  return word.validate(method, t.appendContext(context, 'method', word, method));
}

const methodCodecs = (parts: Parts): ReadonlyMap<string, Codec<SinglePagination>> =>
  new Map(
    Array.from(parts.pagination, ([name, { codec: optionsOf }]) => [
      name,
      one(optionsOf(keysOfMethod(`method ${name}`, parts))),
    ]),
  );

/** One pagination object that is not `multiple`. */
const scroller = (parts: Parts): Codec<SinglePagination> =>
  choose(
    'Scroller',
    () => named('scroller', () => anyMethod(parts)),
    (input, context) => {
      if (!isObject(input) && !isList(input)) return expected('an object', input, context);
      return isUnset(input) ? right(noMethod(input, parts)) : byMethod(methodCodecs(parts), input, context);
    },
  );

/** Returns the keys of `multiple`. */
export const multipleFields = (names: readonly string[] | undefined, parts: Parts) => ({
  method: always(constant('multiple'), { about: 'The method.', example: 'multiple' }),
  scrollers: required(dictionary(scroller(parts)), 'at least one scroller', {
    about: 'The methods, by name.',
    example: { list: { method: 'pagenum' }, feed: { method: 'cursor', idKey: 'id', param: 'after' } },
  }),
  default: optional(names === undefined ? text : oneOf('DefaultScroller', names), {
    about: 'The scroller of jobs that name none. Without it, such jobs make one request.',
    example: 'list',
  }),
});

const multiple = (names: readonly string[], parts: Parts): Codec<Pagination> => {
  const options = record('Multiple', multipleFields(names, parts), keysOfMethod('method multiple', parts));
  return withStops(map('Multiple', options, (written) => ({ ...written, kind: 'multiple' }) as const));
};

/** `api.pagination` (docs/language/pagination.md). A blank method means one request for each job. */
export const pagination = (parts: Parts): Codec<Pagination> =>
  choose(
    'Pagination',
    // Unlike an entry of `scrollers`, it may be left blank.
    () => named('pagination', () => tolerant(anyMethod(parts, { multiple: multipleFields(undefined, parts) }), blank)),
    (input, context) => {
      if (asObject(input) === undefined) return expected('an object', input, context);
      if (isUnset(input)) return right<t.Errors, Codec<Pagination>>(noMethod(input, parts));
      const codecs = new Map<string, Codec<Pagination>>(methodCodecs(parts));
      codecs.set('multiple', multiple(namesOf(input), parts));
      return byMethod(codecs, input, context);
    },
  );

/**
 * Returns a schema with one branch for each method, selected by the word in `method`; without one there is no
 * pagination.
 */
function anyMethod(parts: Parts, others: Readonly<Record<string, Fields>> = {}): Schema {
  const fields = [
    ...Array.from(parts.pagination, ([name, { options }]) => [name, options] as const),
    ...Object.entries(others),
  ];
  const branches = fields.map(([name, options]): Schema => {
    const method = required(constant(name), 'the name of the method', { about: 'The method.', example: name });
    return named(`pagination.${name}`, () => fieldsSchema({ method, ...options, ...stopFields }));
  });
  const off: Schema = { type: 'object', properties: { method: blank } };
  return tolerant({ anyOf: branches }, off, { type: 'array' });
}

const namesOf = (written: Input): readonly string[] =>
  keysOf(withoutComments(asObject(valueOf(written, 'scrollers')) ?? {}));

/** Returns the names of the scrollers that a job may choose from; `undefined` if the method is not `multiple`. */
export function scrollerNames(api: Input): readonly string[] | undefined {
  const written = valueOf(api, 'pagination');
  if (valueOf(written, 'method') !== 'multiple') return undefined;
  return namesOf(written);
}
