import { flag } from '../../language/codec/primitives';
import { always, required, withDefault } from '../../language/codec/record';
import { definePagination } from '../../language/parts/pagination/pagination';
import { firstPageParams, pageSize, parallel, shortPage, integerParam, unsizedBy } from './options';
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
  check: ({ limitParam, offsetParam }) => {
    if (!showsSize(offsetParam)) return clash({ limitParam, offsetParam });
    const message = 'has no effect beside a template of offsetParam that has the page size';
    return limitParam === LIMIT ? [] : [{ option: 'limitParam', message }];
  },
  places: ({ limitParam, offsetParam }) => (showsSize(offsetParam) ? [offsetParam] : [limitParam, offsetParam]),
  counts: ({ offsetFromJob, limitParam, offsetParam }) => (offsetFromJob ? [limitParam, offsetParam] : [limitParam]),
  parallel: (options) => options.parallel,
  paginator: (options, job) => {
    const { limitParam, offsetParam, offsetFromJob, shortPage: meaning } = options;
    const limit = integerParam(job, limitParam) ?? options.limit;
    const start = offsetFromJob ? (integerParam(job, offsetParam) ?? 0) : 0;
    const size: readonly Placement[] = showsSize(offsetParam) ? [] : [{ place: limitParam, value: limit }];
    const paged = (position: number): Step => {
      const beside = { limit, to: position + limit - 1 };
      return { change: placed(job, [...size, { place: offsetParam, value: position, beside }]), position };
    };
    const plain = offsetFromJob ? { params: job.params } : withoutPlace(job, offsetParam);
    const first = options.firstPageParams ? paged(start) : { change: plain, position: start };
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
        return goOn(paged(Number(position) + (meaning === 'capped' ? Math.min(count, limit) : limit)));
      },
    };
  },
});
