import type { PagenumOptions } from '../../config/pagination';
import type { Json } from '../../model';
import type { JobFacts, Paginator, Step } from './paginator';
import { goOn, stop } from './paginator';
import { integerParam, withParams } from './params';

/**
 * Paging by page number (language 5.4), until a page has fewer items than the page size or, without one, no items.
 *
 * @throws FatalError CONFIG_INVALID when the job's own page size is no whole number
 */
export function pagenum(options: PagenumOptions, job: JobFacts): Paginator {
  const { pageParam, limitParam, firstPage, firstPageParams } = options;
  const limit = integerParam(job, limitParam) ?? options.limit;
  const size: readonly (readonly [string, Json])[] = limit === undefined ? [] : [[limitParam, limit]];
  const paged = (position: number): Step => {
    const params = withParams(job.params, [[pageParam, position], ...size]);
    return { change: { params }, position };
  };
  const first = firstPageParams ? paged(firstPage) : { change: { params: job.params }, position: firstPage };
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
}
