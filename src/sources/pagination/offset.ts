import type { OffsetOptions } from '../../config/pagination';
import type { JobFacts, Paginator, Step } from './paginator';
import { goOn, stop } from './paginator';
import { integerParam, withoutParam, withParams } from './params';

/**
 * Paging by item offset and page size (specification 4.3.1, language 5.3): the offsets are 0, N, 2N, …, until a page
 * has fewer items than N.
 *
 * @throws FatalError CONFIG_INVALID when the job's own limit or start is no whole number
 */
export function offset(options: OffsetOptions, job: JobFacts): Paginator {
  const { limitParam, offsetParam, firstPageParams, offsetFromJob } = options;
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
  const first = firstPageParams ? paged(start) : { change: { params: plain }, position: start };
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
}
