import { integer, text, zeroCounts } from '../../codec/primitives';
import { always, optional, withDefault } from '../../codec/record';
import type { Json } from '../../model';
import { definePagination } from './define';
import { firstPageParams, pageSize, parallel } from './fields';
import type { Step } from './paginator';
import { goOn, stop } from './paginator';
import { integerParam, withParams } from './params';

/**
 * Pagination by page number (docs/language/pagination/pagenum.md).
 *
 * @throws FatalError CONFIG_INVALID when the job's own page size is no integer
 */
export const pagenum = definePagination({
  name: 'pagenum',
  summary: 'Counts pages: 1, 2, 3, …',
  use: 'The API takes the number of a page.',
  answer: 'Any answer with an array of items. An empty array, or one shorter than the page size, is the last page.',
  options: {
    pageParam: withDefault(text, 'page', {
      distinctive: true,
      about: 'The parameter that has the number of the page.',
      example: 'p',
    }),
    limit: optional(pageSize, {
      about: 'The page size. Without it no page size is sent, and pagination goes on until a page has no items.',
      unit: 'items',
      example: 100,
    }),
    limitParam: withDefault(text, 'limit', {
      about: 'The parameter that has the page size, if there is a `limit`.',
      example: 'per_page',
    }),
    firstPage: always(zeroCounts(integer, 1), {
      distinctive: true,
      about: 'The number of the first page.',
      example: 0,
    }),
    firstPageParams,
    parallel,
  },
  rules: [
    'Each request asks for the page after the one before.',
    'With a page size, a page with fewer items is the last one; without, a page with no items is.',
    'A parameter of the job named like `limitParam` is the page size of that job.',
    'A parameter of the job named like `pageParam` is replaced by the number of the page.',
  ],
  example: {
    about: 'Pages are counted from 0 here, and hold two ships each.',
    config: {
      api: { pagination: { method: 'pagenum', firstPage: 0, limit: 2, limitParam: 'size' } },
      config: { jobs: [{ endpoint: 'ships' }] },
    },
    exchanges: [
      { request: 'GET /ships?page=0&size=2', response: [{ id: 1 }, { id: 2 }] },
      { request: 'GET /ships?page=1&size=2', response: [{ id: 3 }] },
    ],
    items: [{ id: 1 }, { id: 2 }, { id: 3 }],
  },
  counts: ({ limitParam }) => [limitParam],
  parallel: (options) => options.parallel,
  paginator: (options, job) => {
    const { pageParam, limitParam, firstPage } = options;
    const limit = integerParam(job, limitParam) ?? options.limit;
    const size: readonly (readonly [string, Json])[] = limit === undefined ? [] : [[limitParam, limit]];
    const paged = (position: number): Step => {
      const params = withParams(job.params, [[pageParam, position], ...size]);
      return { change: { params }, position };
    };
    const first = options.firstPageParams ? paged(firstPage) : { change: { params: job.params }, position: firstPage };
    return {
      by: 'position',
      first,
      at: (position) => (typeof position === 'number' ? paged(position) : first),
      after: ({ position }) => paged(Number(position) + 1),
      ...(limit === undefined ? {} : { pageSize: limit }),
      beyond: ({ position }) => paged(Number(position) + 1),
      next: ({ step: { position }, count }) => {
        if (limit === undefined && count === 0) return stop('Pagination stopped, response is empty.');
        if (limit !== undefined && count < limit) return stop('Pagination stopped, response is smaller than limit.');
        return goOn(paged(Number(position) + 1));
      },
    };
  },
});
