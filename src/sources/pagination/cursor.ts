import { pathHint, exactValueAt } from '../../core/json/path';
import { path } from '../../language/codec/values';
import { flag, integer, zeroCounts } from '../../language/codec/primitives';
import { always, required } from '../../language/codec/record';
import { FatalError } from '../../core/errors/errors';
import { stringifyJson, stringifyValue } from '../../core/json/stringify';
import type { Json } from '../../core/model';
import { definePagination } from '../../language/parts/pagination/pagination';
import { hasFraction, integerOf, jsonInteger } from '../response-values';
import type { JobFacts, Next, Step } from '../../language/parts/pagination/paginator';
import { goOn, stop } from '../../language/parts/pagination/paginator';
import { place, placed } from '../../language/parts/pagination/place';

/**
 * Pagination by the highest `idKey` of all items so far, or the lowest with `reverse` (docs/language/pagination/cursor.md). The position is
 * that value, before the increment.
 *
 * @throws FatalError API_SHAPE when the value of an item is not numeric
 */
export const cursor = definePagination({
  name: 'cursor',
  summary: 'Asks for items beyond the highest number so far.',
  use: 'Use it for items with a growing number, such as an id or a time.',
  options: {
    idKey: required(path, 'the path in an item of the value to count by', {
      about: 'The path of the number in an item.',
      example: 'id',
    }),
    param: required(place(), 'the name of the parameter that carries the cursor', {
      about: 'The [place](../pagination.md#places) of the number in later requests.',
      example: 'since_id',
    }),
    increment: always(zeroCounts(integer, 0), {
      about: 'What is added to the number: 1 if the API gives items from this number on.',
      example: 1,
    }),
    reverse: always(flag(false), {
      about: 'Whether the lowest number counts, for APIs that go backwards.',
      example: true,
    }),
  },
  rules: [
    'The first request has no cursor. Later ones have the highest number of all items so far, or the lowest with `reverse`, plus `increment`.',
    'A page without items is the last.',
    'Every item needs the number; a numeric string counts. Integers of any size keep their digits.',
    'Fractions are cut: 9.6 is sent as 9. If the next page then begins beyond an item, as with `reverse`, the warning `CURSOR_CUT` says so. [`keyset`](keyset.md) sends numbers as they are.',
  ],
  example: {
    about: 'The API gives ids above `since_id`:',
    config: {
      api: { pagination: { method: 'cursor', idKey: 'id', param: 'since_id' } },
      config: { jobs: [{ endpoint: 'ships' }] },
    },
    exchanges: [
      { request: 'GET /ships', response: [{ id: 3 }, { id: 7 }] },
      { request: 'GET /ships?since_id=7', response: [{ id: 9 }] },
      { request: 'GET /ships?since_id=9', response: [] },
    ],
    items: [{ id: 3 }, { id: 7 }, { id: 9 }],
  },
  places: ({ param }) => [param],
  paginator: (options, job) => {
    const { idKey, param, reverse } = options;
    const increment = BigInt(options.increment);
    // A negative increment requests some items again, such as those that came late.
    const goesBack = reverse ? increment > 0n : increment < 0n;
    const furthest = (a: bigint, b: bigint): bigint => (a < b === reverse ? a : b);
    const valueOf = (item: Json): bigint => {
      const value = exactValueAt(item, idKey);
      const number = integerOf(value);
      if (number === undefined) throw notNumeric(job, idKey, value);
      return number;
    };
    const first: Step = { change: { params: job.params }, position: null };
    const paged = (value: bigint): Step => ({
      change: placed(job, [{ place: param, value: jsonInteger(value + increment) }]),
      position: jsonInteger(value),
    });
    /** Returns the fraction that is cut off the furthest item: items between it and the start of the next page would be missed. */
    const cutAt = (items: readonly Json[], reached: bigint) => {
      const sent = reached + increment;
      const from = items
        .map((item) => exactValueAt(item, idKey) ?? null)
        .filter((value) => integerOf(value) === reached)
        .reduce<Json>((a, b) => (a === null || Number(a) < Number(b) !== reverse ? b : a), null);
      const isBeyond = reverse ? Number(from) > Number(sent) : Number(from) < Number(sent);
      return hasFraction(from) && isBeyond ? { cut: { from, to: jsonInteger(sent) } } : {};
    };
    const goOnBehind = (items: readonly Json[], reached: bigint, isMet: boolean): Next => ({
      ...goOn(paged(reached), isMet),
      ...cutAt(items, reached),
    });
    return {
      by: 'position',
      staysAtEnd: true,
      ...(goesBack ? {} : { identityOf: stringifyValue }),
      leavesOut: (items) => {
        const values = items.map(valueOf);
        return values.some((value, at) => at > 0 && furthest(value, values[at - 1] ?? value) !== value);
      },
      first,
      at: (position) => {
        const reached = integerOf(position);
        return reached === undefined ? first : paged(reached);
      },
      next: (arrival) => {
        const { step, count } = arrival;
        if (count === 0) return stop('No data in response, stopping scrolling.');
        const values = arrival.items.map(valueOf);
        const reached = integerOf(step.position);
        if (reached === undefined) return goOnBehind(arrival.items, values.reduce(furthest), false);
        return goOnBehind(arrival.items, [reached, ...values].reduce(furthest), values.includes(reached));
      },
    };
  },
});

const notNumeric = (job: JobFacts, idKey: string, value: Json | undefined): FatalError =>
  new FatalError(
    'API_SHAPE',
    `${job.path}: Cursor value '${stringifyJson(value ?? null)}' is not numeric. ` +
      `Every item needs a number at pagination.idKey "${idKey}".${pathHint(idKey)}`,
  );
