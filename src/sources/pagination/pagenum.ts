import { integer, zeroCounts } from '../../language/codec/primitives';
import { always, optional, withDefault } from '../../language/codec/record';
import { definePagination } from '../../language/parts/pagination/pagination';
import { firstPageParams, pageSize, parallel, sendLimit, shortPage, integerParam, unsizedBy } from './options';
import type { Step } from '../../language/parts/pagination/paginator';
import { goOn, stop } from '../../language/parts/pagination/paginator';
import { clash, place, shows, placed, type Placement } from '../../language/parts/pagination/place';

const LIMIT = 'limit';

/**
 * Pagination by page number (docs/language/pagination/pagenum.md).
 *
 * @throws FatalError CONFIG_INVALID when the job's own page size is no integer
 */
export const pagenum = definePagination({
  name: 'pagenum',
  summary: 'Counts pages: 1, 2, 3, …',
  use: 'Use it for an API that takes a page number.',
  options: {
    pageParam: withDefault(place('limit'), 'page', {
      about: 'The [place](../pagination.md#places) of the page number. Its template may have `{limit}`.',
      example: 'p',
    }),
    limit: optional(pageSize, {
      about: 'The page size. Without it no page size is sent, and only a page without items is the last.',
      example: 100,
    }),
    limitParam: withDefault(place(), LIMIT, {
      about: 'The place of the page size, if there is a `limit`.',
      example: 'per_page',
    }),
    firstPage: always(zeroCounts(integer, 1), {
      about: 'The number of the first page.',
      example: 0,
    }),
    firstPageParams,
    sendLimit,
    shortPage,
    parallel,
  },
  rules: [
    'With a `limit`, a page with fewer items is the last, unless `shortPage` is `capped` or `filtered` (the same here).',
    'If the template of `pageParam` has `{limit}`, the page size is sent only there.',
  ],
  example: {
    about: 'The first page is 0, and a page has two ships:',
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
  check: ({ limit, limitParam, pageParam, sendLimit }) => {
    if (!sendLimit) return [];
    if (!shows(pageParam, 'limit')) return clash({ pageParam, limitParam });
    const none = { option: 'limit', message: 'required: the template of pageParam has {limit}' };
    const message = 'has no effect beside a template of pageParam that has the page size';
    return [
      ...(limit === undefined ? [none] : []),
      ...(limitParam === LIMIT ? [] : [{ option: 'limitParam', message }]),
    ];
  },
  places: ({ pageParam, limitParam, sendLimit }) =>
    shows(pageParam, 'limit') || !sendLimit ? [pageParam] : [pageParam, limitParam],
  counts: ({ limitParam, sendLimit }) => (sendLimit ? [limitParam] : []),
  parallel: (options) => options.parallel,
  paginator: (options, job) => {
    const { pageParam, limitParam, firstPage, sendLimit, shortPage: meaning } = options;
    const limit = (sendLimit ? integerParam(job, limitParam) : undefined) ?? options.limit;
    const isApart = sendLimit && limit !== undefined && !shows(pageParam, 'limit');
    const size: readonly Placement[] = isApart ? [{ place: limitParam, value: limit }] : [];
    const beside = limit === undefined ? {} : { limit };
    const paged = (position: number): Step => ({
      change: placed(job, [{ place: pageParam, value: position, beside }, ...size]),
      position,
    });
    const first: Step =
      options.firstPageParams === true
        ? paged(firstPage)
        : { change: placed(job, options.firstPageParams === 'limit' ? size : []), position: firstPage };
    return {
      by: 'position',
      first,
      at: (position) => (typeof position === 'number' ? paged(position) : first),
      after: ({ position }) => paged(Number(position) + 1),
      ...(limit === undefined ? {} : { pageSize: limit, ...unsizedBy(job, options, limitParam) }),
      beyond: ({ position }) => paged(Number(position) + 1),
      next: ({ step: { position }, count }) => {
        const least = meaning === 'last' ? limit : undefined;
        if (least === undefined && count === 0) return stop('Pagination stopped, response is empty.');
        if (least !== undefined && count < least) return stop('Pagination stopped, response is smaller than limit.');
        return goOn(paged(Number(position) + 1));
      },
    };
  },
});
