import { flag, oneOf } from '../../language/codec/primitives';
import { always, required, withDefault } from '../../language/codec/record';
import { definePagination } from '../../language/parts/pagination/pagination';
import { firstPageParams, pageSize, parallel, sendLimit, shortPage, integerParam, unsizedBy } from './options';
import type { Step } from '../../language/parts/pagination/paginator';
import { goOn, stop } from '../../language/parts/pagination/paginator';
import {
  clash,
  place,
  shows,
  type Place,
  placed,
  withoutPlace,
  type Placement,
} from '../../language/parts/pagination/place';

const LIMIT = 'limit';
/** Returns whether one string contains both the number of items to skip and the page size. */
const showsSize = (at: Place): boolean => shows(at, 'to') || shows(at, 'limit');

/**
 * Pagination by item offset and page size (docs/language/pagination/offset.md).
 *
 * @throws FatalError CONFIG_INVALID when the job's own limit or start is no integer
 */
export const offset = definePagination({
  name: 'offset',
  summary: 'Skips the items that came before.',
  use: 'Use it for an API that takes an offset and a page size.',
  options: {
    limit: required(pageSize, 'the page size; offset pagination counts with it', {
      about: 'The page size, at most what the API gives: a page with fewer items is the last.',
      example: 100,
    }),
    limitParam: withDefault(place(), LIMIT, {
      about: 'The [place](../pagination.md#places) of the page size.',
      example: 'per_page',
    }),
    offsetParam: withDefault(place('from', 'to', 'limit'), 'offset', {
      about: 'The place of the offset. Its template may have `{from}`, `{to}` (the last item) and `{limit}`.',
      example: 'skip',
    }),
    firstPageParams,
    sendLimit,
    advance: withDefault(oneOf('Advance', ['limit', 'items']), 'limit', {
      about:
        'How much further the next page begins: by the page size, or by the `items` that came, for an API that may give more than it is asked for.',
      example: 'items',
    }),
    offsetFromJob: always(flag(false), {
      about: 'Whether a parameter of the job named like `offsetParam` is the start. Otherwise it is left out.',
      example: true,
    }),
    shortPage,
    parallel,
  },
  rules: [
    'The offset grows by the page size: 0, N, 2N, …',
    'A full last page costs one more request.',
    'With `capped` or `filtered`, only a page without items is the last.',
    'If the template of `offsetParam` has `{to}` or `{limit}`, the page size is sent only there.',
    'The items at `dataField` count.',
  ],
  example: {
    about: 'Five ships, two per page:',
    config: {
      api: { pagination: { method: 'offset', limit: 2 } },
      config: { jobs: [{ endpoint: 'ships' }] },
    },
    exchanges: [
      { request: 'GET /ships?limit=2&offset=0', response: [{ id: 1 }, { id: 2 }] },
      { request: 'GET /ships?limit=2&offset=2', response: [{ id: 3 }, { id: 4 }] },
      { request: 'GET /ships?limit=2&offset=4', response: [{ id: 5 }] },
    ],
    items: [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }, { id: 5 }],
  },
  check: ({ limitParam, offsetParam, sendLimit, advance, parallel }) => {
    if (advance === 'items' && parallel > 1)
      return [{ option: 'parallel', message: 'cannot be more than 1 where pages begin behind the items that came' }];
    if (!sendLimit) return [];
    if (!showsSize(offsetParam)) return clash({ limitParam, offsetParam });
    const message = 'has no effect beside a template of offsetParam that has the page size';
    return limitParam === LIMIT ? [] : [{ option: 'limitParam', message }];
  },
  places: ({ limitParam, offsetParam, sendLimit }) =>
    showsSize(offsetParam) || !sendLimit ? [offsetParam] : [limitParam, offsetParam],
  counts: ({ offsetFromJob, limitParam, offsetParam, sendLimit }) => [
    ...(sendLimit ? [limitParam] : []),
    ...(offsetFromJob ? [offsetParam] : []),
  ],
  parallel: (options) => options.parallel,
  paginator: (options, job) => {
    const { limitParam, offsetParam, offsetFromJob, shortPage: meaning } = options;
    const limit = (options.sendLimit ? integerParam(job, limitParam) : undefined) ?? options.limit;
    const start = offsetFromJob ? (integerParam(job, offsetParam) ?? 0) : 0;
    const size: readonly Placement[] =
      showsSize(offsetParam) || !options.sendLimit ? [] : [{ place: limitParam, value: limit }];
    const paged = (position: number): Step => {
      const beside = { limit, to: position + limit - 1 };
      return { change: placed(job, [...size, { place: offsetParam, value: position, beside }]), position };
    };
    const plain = offsetFromJob ? { params: job.params } : withoutPlace(job, offsetParam);
    const first: Step =
      options.firstPageParams === true
        ? paged(start)
        : {
            change: options.firstPageParams === 'limit' ? { ...plain, ...placed({ ...job, ...plain }, size) } : plain,
            position: start,
          };
    const behind = (count: number): number => {
      if (meaning === 'capped' && count < limit) return count;
      return options.advance === 'items' && count > limit ? count : limit;
    };
    return {
      by: 'position',
      first,
      at: (position) => (typeof position === 'number' ? paged(position) : first),
      after: ({ position }) => paged(Number(position) + limit),
      pageSize: limit,
      ...unsizedBy(job, options, limitParam),
      beyond: ({ position }, count) => paged(Number(position) + count),
      next: ({ step: { position }, count }) => {
        if (count < limit && meaning === 'last') return stop('Offset limit reached, stopping scrolling.');
        if (count === 0) return stop('Pagination stopped, response is empty.');
        return goOn(paged(Number(position) + behind(count)));
      },
    };
  },
});
