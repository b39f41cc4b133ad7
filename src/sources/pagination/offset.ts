import type { OffsetOptions } from '../../config/pagination';
import type { JsonObject } from '../../model';
import type { JobFacts, Paginator } from './paginator';
import { step, stop } from './paginator';
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
  const at = (position: number): JsonObject =>
    withParams(job.params, [
      [limitParam, limit],
      [offsetParam, position],
    ]);
  const plain = offsetFromJob ? job.params : withoutParam(job.params, offsetParam);
  return {
    first: { change: { params: firstPageParams ? at(start) : plain }, position: start },
    next: ({ step: { position }, items }) => {
      if (items.length < limit) return stop('Offset limit reached, stopping scrolling.');
      const following = Number(position) + limit;
      return step({ params: at(following) }, following);
    },
  };
}
