import { createHash } from 'node:crypto';
import { FatalError } from '../../core/errors/errors';
import { sameJson, withAllDigits } from '../../core/json/literals';
import { isList, isObject, ownValue } from '../../core/json/objects';
import { pathHint, exactValueAt } from '../../core/json/path';
import { isScalar, typeName } from '../../core/json/scalars';
import { stringifyValue } from '../../core/json/stringify';
import type { Json } from '../../core/model';
import type { OptionFault } from '../../language/codec/component';
import { flag, oneOrList } from '../../language/codec/primitives';
import { always, optional, required, withDefault } from '../../language/codec/record';
import { path } from '../../language/codec/values';
import { definePagination } from '../../language/parts/pagination/pagination';
import { goOn, stop } from '../../language/parts/pagination/paginator';
import type { Arrival, JobFacts, Next, Step } from '../../language/parts/pagination/paginator';
import { clash, place, placeOrPlaces, placed, placementsOf, placesFor } from '../../language/parts/pagination/place';
import type { Placement } from '../../language/parts/pagination/place';
import { jsonInteger } from '../response-values';
import { integerParam, pageSize, shortPage } from './options';

/**
 * Pagination by the key of the last item (docs/language/pagination/keyset.md). The position is that key, or an array of several keys. Where
 * pages begin at the key, it also records which items with that key have come, so that only these are dropped.
 *
 * @throws FatalError API_SHAPE when an item has no key, or a page does not advance
 */
export const keyset = definePagination({
  name: 'keyset',
  summary: 'Asks for items behind the key of the last item.',
  use: 'Use it for an API that sorts by a key of any kind and takes the last one: `starting_after`, `max_id`, `startkey`, `search_after`.',
  options: {
    key: required(oneOrList(path), 'the path in an item of the value that the API sorts by', {
      about: 'The path of the key in an item; an array if several values make the key.',
      example: ['updated_at', 'id'],
    }),
    param: required(placeOrPlaces, 'where the next request has the key', {
      about:
        'The [place](../pagination.md#places) of the key. For several paths: as many places, or one for the array of values.',
      example: 'starting_after',
    }),
    inclusive: always(flag(false), {
      about: 'Whether a page begins at the key, not behind it. Items that came before are dropped.',
      example: true,
    }),
    limit: optional(pageSize, {
      about:
        'The page size, at most what the API gives. Without it no page size is sent, and a page with nothing new is the last.',
      example: 100,
    }),
    limitParam: withDefault(place(), 'limit', {
      about: 'The place of the page size, if there is a `limit`.',
      example: 'per_page',
    }),
    shortPage,
  },
  rules: [
    'The first request has no key. Later ones have that of the last item: a string, a number with all digits, or an array of these.',
    'An item without the key is the error `API_SHAPE`.',
    'A page without items is the last. With a `limit`, so is a page with fewer items, unless `shortPage` is `capped` or `filtered` (the same here).',
    'Keys must be unique, or items between two pages are lost. These are errors: an item with the key that its page was asked for, and equal keys beside each other, unless all items are on one page. Add a second key, such as the id.',
    'Numbers and times that are not in order are an error.',
    '`inclusive` drops the items with the key that were on the page before. A changed item counts as the old one if no other has its key; otherwise it is an error. So is a full page of one key.',
  ],
  example: {
    about: 'Three rivers by name, two per page:',
    config: {
      api: { pagination: { method: 'keyset', key: 'name', param: 'starting_after', limit: 2 } },
      config: { jobs: [{ endpoint: 'rivers' }] },
    },
    exchanges: [
      { request: 'GET /rivers?limit=2', response: [{ name: 'Ald' }, { name: 'Esk' }] },
      { request: 'GET /rivers?limit=2&starting_after=Esk', response: [{ name: 'Wye' }] },
    ],
    items: [{ name: 'Ald' }, { name: 'Esk' }, { name: 'Wye' }],
  },
  check: ({ key, param, inclusive, limit, limitParam }): readonly OptionFault[] => {
    const into = placesFor(key.length, param);
    const message = `has to be a place, or as many as there are paths in key, which are ${key.length}`;
    if (into === undefined) return [{ option: 'param', message }];
    const all = Object.fromEntries(into.map((each, at) => [`place ${at + 1} of param`, each]));
    return [
      ...clash({ ...all, ...(limit === undefined ? {} : { limitParam }) }).map((fault) =>
        fault.option === 'limitParam' ? fault : { ...fault, option: 'param' },
      ),
      ...(inclusive && limit === 1 ? [TOO_SMALL] : []),
    ];
  },
  places: ({ key, param, limit, limitParam }) => [
    ...(placesFor(key.length, param) ?? []),
    ...(limit === undefined ? [] : [limitParam]),
  ],
  counts: ({ limitParam }) => [limitParam],
  paginator: (options, job) => {
    const { key: paths, inclusive, limitParam } = options;
    const into = placesFor(paths.length, options.param) ?? [];
    const limit = integerParam(job, limitParam) ?? options.limit;
    const least = options.shortPage === 'last' ? limit : undefined;
    const size: readonly Placement[] = limit === undefined ? [] : [{ place: limitParam, value: limit }];
    const first: Step = { change: placed(job, size), position: null };
    const at = (key: Json, position: Json): Step => ({
      change: placed(job, [...size, ...placementsOf(into, key)]),
      position,
    });
    const keyOf = (item: Json): Json => {
      const values = paths.map((path) => keyValue(job, path, item));
      return paths.length === 1 ? (values[0] ?? null) : values;
    };

    /** Returns the step after the last of these items, which the pages before did not have. */
    const behind = (step: Step, items: readonly Json[], count: number): Step => {
      const key = keyOf(items.at(-1) ?? null);
      if (!inclusive) return at(key, key);
      const before = seenIn(step.position);
      const own = items.filter((item) => sameJson(keyOf(item), key)).map(digestOf);
      const seen = before !== undefined && sameJson(before.key, key) ? [...before.seen, ...own] : own;
      return at(key, { key, seen, size: Math.max(count, before?.size ?? 0) });
    };

    const nextBehind = ({ step, items, count }: Arrival): Next => {
      const keys = items.map(keyOf);
      if (step.position !== null && keys.some((key) => sameJson(key, step.position)))
        throw notAdvancing(
          job,
          'it has an item with the key that it was to begin behind. If the API begins at the key, set "inclusive": true; ' +
            'if items have equal keys, add another path to pagination.key; else check pagination.param',
        );
      const isLast = least !== undefined && count < least;
      // A single page: no page has ended between items of equal keys.
      if (!(isLast && step.position === null) && keys.some((key, at) => at > 0 && sameJson(key, keys[at - 1])))
        throw notAdvancing(
          job,
          'it has items with equal keys, and where a page ends between such items, those behind it would be missing. Add ' +
            'another path to pagination.key, such as the id, or set "inclusive": true if the API can begin at a key',
        );
      if (isLast) return stop('Pagination stopped, response is smaller than limit.');
      return goOn(behind(step, items, count));
    };

    const nextAt = (arrival: Arrival): Next => {
      const { step, items, count } = arrival;
      items.forEach(keyOf);
      const dropped = new Set(repeated(arrival));
      const fresh = items.filter((_, index) => !dropped.has(index));
      const before = seenIn(step.position);
      if (least !== undefined && count < least) return stop('Pagination stopped, response is smaller than limit.');
      if (fresh.length > 0) return goOn(behind(step, fresh, count));
      // A page of the same size as all before may be full of equal keys with more of them behind; a page of one item is the last.
      if (least === undefined && (count === 1 || count < (before?.size ?? 0)))
        return stop('Pagination stopped, response has nothing new.');
      throw notAdvancing(
        job,
        'all of its items have come already, so more items have equal keys than a page holds. ' +
          'Set a larger pagination.limit, or add another path to pagination.key',
      );
    };

    /** Returns the items that the page before had: those with the key of its last item that equal an item that had come. */
    const repeated = ({ step, items }: Pick<Arrival, 'step' | 'items'>): readonly number[] => {
      const before = seenIn(step.position);
      if (before === undefined) return [];
      const own = items.flatMap((item, index) => (sameJson(keyOf(item), before.key) ? [index] : []));
      const left = [...before.seen];
      const equal = own.filter((index) => {
        const at = left.indexOf(digestOf(items[index] ?? null));
        return at >= 0 && left.splice(at, 1).length > 0;
      });
      const isInView = own.length < items.length || items.length < (limit ?? before.size);
      if (left.length === 0 || equal.length === own.length || !isInView) return equal;
      // All items with the key are here, and no more than had come: they have changed, such as an address that is signed again.
      if (own.length <= before.seen.length) return own;
      throw notAdvancing(
        job,
        'items with the key that it begins at have changed since the page before, and others have the same key, so that ' +
          'nothing shows which of them have come. Add another path to pagination.key, such as the id',
      );
    };

    /** Returns the key that the page was to begin at or behind, followed by the keys of the page. */
    const keysFrom = ({ step: { position }, items }: Arrival): readonly Json[] => {
      const from = inclusive ? seenIn(position)?.key : position;
      return [...(from === undefined || from === null ? [] : [from]), ...items.map(keyOf)];
    };

    return {
      by: 'position',
      first,
      at: (position) => {
        const key = inclusive ? seenIn(position)?.key : position;
        return key !== undefined && isKey(key, paths.length) ? at(key, position) : first;
      },
      ...(limit === undefined || inclusive ? {} : { pageSize: limit }),
      ...(inclusive ? { repeated } : { identityOf: (item) => stringifyValue(keyOf(item)) }),
      beyond: (step, count, { items }) => behind(step, items, count),
      next: (arrival) => {
        if (arrival.count === 0) return stop('Pagination stopped, response is empty.');
        if (isOutOfOrder(keysFrom(arrival)))
          throw notAdvancing(
            job,
            'its items are not in the order of their keys, so that others would be missing. Let the API sort by ' +
              'pagination.key, or choose the key that it sorts by',
          );
        return inclusive ? nextAt(arrival) : nextBehind(arrival);
      },
    };
  },
});

const TOO_SMALL: OptionFault = {
  option: 'limit',
  message: 'has to be 2 or more with inclusive: a page of one item could only repeat it',
};

/** Returns whether a value is a string, a number, or an array of scalars, which some APIs use as a key. */
const isValue = (value: Json | undefined): value is Json =>
  typeof value === 'string' ||
  typeof value === 'number' ||
  typeof value === 'bigint' ||
  (isList(value) && value.length > 0 && value.every(isScalar));

const isKey = (key: Json, paths: number): boolean =>
  paths === 1 ? isValue(key) : isList(key) && key.length === paths && key.every(isValue);

function keyValue(job: JobFacts, path: string, item: Json): Json {
  const value = exactValueAt(item, path);
  if (typeof value === 'bigint') return jsonInteger(value);
  if (isValue(value)) return isList(value) ? withAllDigits(value) : value;
  const remedy = isList(item) ? ' The items are arrays: "$[0]" is the path of the first element.' : pathHint(path);
  throw new FatalError(
    'API_SHAPE',
    `${job.path}: an item has no key to page by: at pagination.key "${path}" it has ${typeName(value)}, where a string or a number is needed.${remedy}`,
  );
}

const notAdvancing = (job: JobFacts, why: string): FatalError =>
  new FatalError('API_SHAPE', `${job.path}: pagination does not advance with this page: ${why}.`);

/** Dates and times in machine form, and digits: with equal lengths and zones, their order is the order of their characters. */
const MOMENT = /^(?:\d{4}-\d\d(?:-\d\d(?:[T ][\d:.]+)?)?|\d+)(Z|[+-]\d\d:?\d\d)?$/;

/**
 * Returns whether keys go up in one place and down in another, so that the API sorts by something else. Keys whose order depends on the
 * alphabet of the API are not compared; of a key with several values only the first is compared.
 *
 * @param keys the keys of one page, in its order
 * @example isOutOfOrder([1, 3, 2]) // true
 */
export function isOutOfOrder(keys: readonly Json[]): boolean {
  const signs = keys.slice(1).map((key, at) => order(firstOf(keys[at] ?? null), firstOf(key)));
  return signs.some((sign) => sign < 0) && signs.some((sign) => sign > 0);
}

const firstOf = (key: Json): Json => (isList(key) ? (key[0] ?? null) : key);

/** Returns the order of two keys; 0 also for keys that cannot be compared. */
function order(left: Json, right: Json): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left !== 'string' || typeof right !== 'string' || left.length !== right.length) return 0;
  const [before, after] = [MOMENT.exec(left), MOMENT.exec(right)];
  if (before === null || after === null || before[1] !== after[1]) return 0;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The position of a job whose pages begin at the last key. */
interface Seen {
  readonly key: Json;
  /** Digests of the items with that key that have come. */
  readonly seen: readonly string[];
  /** The number of items of the largest page so far. */
  readonly size: number;
}

/** Returns such a position; `undefined` for any other. */
function seenIn(position: Json): Seen | undefined {
  if (!isObject(position)) return undefined;
  const [key, seen, size] = ['key', 'seen', 'size'].map((name) => ownValue(position, name));
  const isRead = key !== undefined && isList(seen) && seen.every((each) => typeof each === 'string');
  return isRead && typeof size === 'number' ? { key, seen, size } : undefined;
}

/** Returns a digest that is equal for items with equal values, however their numbers are spelled. */
const digestOf = (item: Json): string => createHash('sha1').update(stringifyValue(item)).digest('base64');
