import { flag, text } from '../../codec/primitives';
import { always, required, withDefault } from '../../codec/record';
import { definePagination } from './define';
import { firstPageParams, pageSize, parallel } from './fields';
import type { Step } from './paginator';
import { goOn, stop } from './paginator';
import { integerParam, withoutParam, withParams } from './params';

/**
 * Pagination by item offset and page size (docs/language/pagination/offset.md).
 *
 * @throws FatalError CONFIG_INVALID when the job's own limit or start is no integer
 */
export const offset = definePagination({
  name: 'offset',
  summary: 'Counts items: each request skips those that came before.',
  use: 'The API takes the number of items to skip, and the number of items to give.',
  answer: 'Any answer with an array of items. How many there are tells whether another page follows.',
  options: {
    limit: required(pageSize, 'the page size; offset pagination counts with it', {
      distinctive: true,
      about: 'The page size. It must not be more than the API gives: fewer items than asked for end the pagination.',
      unit: 'items',
      example: 100,
    }),
    limitParam: withDefault(text, 'limit', {
      distinctive: true,
      about: 'The parameter that has the page size.',
      example: 'per_page',
    }),
    offsetParam: withDefault(text, 'offset', {
      distinctive: true,
      about: 'The parameter that has the number of items to skip.',
      example: 'skip',
    }),
    firstPageParams,
    offsetFromJob: always(flag(false), {
      distinctive: true,
      about:
        'Whether a parameter of the job named like `offsetParam` is where the job starts. Else that parameter is left out.',
      example: true,
    }),
    parallel,
  },
  rules: [
    'The first request skips nothing. Each later one skips a page size more than the one before: 0, N, 2N, …',
    'A parameter of the job named like `limitParam` is the page size of that job.',
    'A parameter of the job named like `offsetParam` is where the job starts, if `offsetFromJob` is true.',
    'A page with fewer items than the page size is the last one. A full last page therefore costs one more request.',
    'The items are counted where `dataField` finds them, not in the whole answer.',
  ],
  example: {
    about: 'Five ships, two a page.',
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
  counts: ({ offsetFromJob, limitParam, offsetParam }) => (offsetFromJob ? [limitParam, offsetParam] : [limitParam]),
  parallel: (options) => options.parallel,
  paginator: (options, job) => {
    const { limitParam, offsetParam, offsetFromJob } = options;
    const limit = integerParam(job, limitParam) ?? options.limit;
    const start = offsetFromJob ? (integerParam(job, offsetParam) ?? 0) : 0;
    const plain = offsetFromJob ? job.params : withoutParam(job.params, offsetParam);
    const paged = (position: number): Step => {
      const params = withParams(job.params, [
        [limitParam, limit],
        [offsetParam, position],
      ]);
      return { change: { params }, position };
    };
    const first = options.firstPageParams ? paged(start) : { change: { params: plain }, position: start };
    return {
      by: 'position',
      first,
      at: (position) => (typeof position === 'number' ? paged(position) : first),
      after: ({ position }) => paged(Number(position) + limit),
      pageSize: limit,
      beyond: ({ position }, count) => paged(Number(position) + count),
      next: ({ step: { position }, count }) =>
        count < limit ? stop('Offset limit reached, stopping scrolling.') : goOn(paged(Number(position) + limit)),
    };
  },
});
