import { map as mapRight, right, type Either } from 'fp-ts/lib/Either';
import { pipe } from 'fp-ts/lib/function';
import * as t from 'io-ts';
import { choose, codec, expected, map, type Codec, type Input } from '../../codec/codec';
import { withoutComments } from '../../codec/comments';
import { asObject, constant, dictionary, namedOf, oneOf, text, valueOf } from '../../codec/primitives';
import { always, fieldsSchema, optional, record, required, type Fields } from '../../codec/record';
import { blank, named, tolerant, type Schema } from '../../codec/schema';
import { together } from '../../codec/together';
import { ignored, mistaken } from '../../codec/unknown-key';
import { isBlank } from '../../../core/json/blank';
import { isList, isObject, keysOf } from '../../../core/json/keys';
import type { ChosenPagination } from '../../parts/pagination/define';
import { none } from '../../parts/pagination/none';
import type { Pagination, SinglePagination, Stops } from './pagination';
import { keysOfMethod } from './keys';
import type { Parts } from '../../parts/parts';
import { stopFields, stops } from './stops';

/** Reads the same object twice: for the method, and for the stops that stand beside it. */
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
 * A blank method switches pagination off; one that is absent was forgotten, or misspelled, where options stand beside
 * it.
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

/** The codec that the word in `method` names. */
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
    () => named('scroller', () => anyMethod(parts, {})),
    (input, context) => {
      if (!isObject(input) && !isList(input)) return expected('an object', input, context);
      return isUnset(input) ? right(noMethod(input, parts)) : byMethod(methodCodecs(parts), input, context);
    },
  );

/** The keys of `multiple`. */
export const multipleFields = (names: readonly string[] | undefined, parts: Parts) => ({
  method: always(constant('multiple'), { about: 'The method.', example: 'multiple' }),
  scrollers: required(dictionary(scroller(parts)), 'at least one scroller', {
    distinctive: true,
    about: 'The pagination of jobs, by a name that jobs choose it by.',
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

/** `api.pagination` (docs/language/pagination.md). A blank method means one request a job. */
export const pagination = (parts: Parts): Codec<Pagination> =>
  choose(
    'Pagination',
    () => named('pagination', () => anyMethod(parts, { multiple: multipleFields(undefined, parts) })),
    (input, context) => {
      if (asObject(input) === undefined) return expected('an object', input, context);
      if (isUnset(input)) return right<t.Errors, Codec<Pagination>>(noMethod(input, parts));
      const codecs = new Map<string, Codec<Pagination>>(methodCodecs(parts));
      codecs.set('multiple', multiple(namesOf(input), parts));
      return byMethod(codecs, input, context);
    },
  );

/** A branch a method, told apart by the word in `method`; without one there is no pagination. */
function anyMethod(parts: Parts, others: Readonly<Record<string, Fields>>): Schema {
  const fields = [
    ...Array.from(parts.pagination, ([name, { options }]) => [name, options] as const),
    ...Object.entries(others),
  ];
  const branches = fields.map(([name, options]): Schema => {
    const method = required(constant(name), 'the name of the method', { about: 'The method.', example: name });
    return named(`pagination.${name}`, () => fieldsSchema({ method, ...options, ...stopFields }));
  });
  const off: Schema = { type: 'object', properties: { method: blank } };
  return tolerant({ anyOf: branches }, off, { type: 'array' }, blank);
}

const namesOf = (written: Input): readonly string[] =>
  keysOf(withoutComments(asObject(valueOf(written, 'scrollers')) ?? {}));

/** The names of the scrollers that a job may choose from; `undefined` when the method is not `multiple`. */
export function scrollerNames(api: Input): readonly string[] | undefined {
  const written = valueOf(api, 'pagination');
  if (valueOf(written, 'method') !== 'multiple') return undefined;
  return namesOf(written);
}
