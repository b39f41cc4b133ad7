import { isLeft, map as mapRight, right, type Either } from 'fp-ts/lib/Either';
import { pipe } from 'fp-ts/lib/function';
import * as t from 'io-ts';
import { isBlank } from '../json/blank';
import { isList, isObject, keysOf } from '../json/keys';
import { choose, codec, expected, type Codec, type Input } from '../codec/codec';
import type { Pagination, Scroller, ScrollerMethod } from './pagination';
import { asObject, constant, dictionary, oneOf, valueOf } from '../codec/primitives';
import { always, optional, record, required } from '../codec/record';
import { methodNames, noMethod, scrollerMethods, keysOfMethod } from './scroller-methods';
import { stops } from './stops';
import { together } from '../codec/together';

/** Reads the same object twice: for the method, and for the stops that stand beside it. */
const withStops = <A extends object>(method: Codec<A>): Codec<A & { readonly stops: Scroller['stops'] }> =>
  codec(
    method.name,
    (input, context) =>
      pipe(
        together({ options: method.validate(input, context), stops: stops.validate(input, context) }),
        mapRight((both) => ({ ...both.options, stops: both.stops })),
      ),
    (input, path) => [...method.notes(input, path), ...stops.notes(input, path)],
  );

const named = <W extends string>(words: readonly W[], input: Input, context: t.Context): Either<t.Errors, W> => {
  const method = valueOf(input, 'method');
  const word = oneOf('PaginationMethod', words);
  return word.validate(method, t.appendContext(context, 'method', word, method));
};

const namesOf = (written: Input): readonly string[] => keysOf(asObject(valueOf(written, 'scrollers')) ?? {});

const isUnset = (input: Input): boolean => isBlank(valueOf(input, 'method'));

/** One pagination object that is not `multiple`. */
const scroller: Codec<Scroller> = withStops<ScrollerMethod>(
  choose('Scroller', (input, context) => {
    if (!isObject(input) && !isList(input)) return expected('an object', input, context);
    if (isUnset(input)) return right(noMethod(input));
    return pipe(
      named(methodNames, input, context),
      mapRight((method): Codec<ScrollerMethod> => scrollerMethods[method]),
    );
  }),
);

const multiple = (names: readonly string[]): Codec<Pagination> =>
  withStops(
    record(
      'Multiple',
      {
        method: always(constant('multiple')),
        scrollers: required(dictionary(scroller), 'at least one scroller'),
        default: optional(oneOf('DefaultScroller', names)),
      },
      keysOfMethod('method multiple'),
    ),
  );

/** `api.pagination` (specification 4.3, language 5). A blank method means one request a job. */
export const pagination: Codec<Pagination> = choose('Pagination', (input, context) => {
  if (asObject(input) === undefined) return expected('an object', input, context);
  if (isUnset(input)) return right<t.Errors, Codec<Pagination>>(withStops(noMethod(input)));
  const method = named([...methodNames, 'multiple'], input, context);
  if (isLeft(method)) return method;
  return right(
    method.right === 'multiple' ? multiple(namesOf(input)) : withStops<ScrollerMethod>(scrollerMethods[method.right]),
  );
});

/** The names of the scrollers that a job may choose from; `undefined` when the method is not `multiple`. */
export function scrollerNames(api: Input): readonly string[] | undefined {
  const written = valueOf(api, 'pagination');
  if (valueOf(written, 'method') !== 'multiple') return undefined;
  return namesOf(written);
}
