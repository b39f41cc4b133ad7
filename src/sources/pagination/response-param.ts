import type { ResponseParamOptions } from '../../config/pagination';
import { isBlankData } from '../../json/blank';
import { merge } from '../../json/merge';
import { valueAt } from '../../json/path';
import type { Json } from '../../model';
import type { JobFacts, Paginator, Step } from './paginator';
import { goOn, stop } from './paginator';
import { withParams } from './params';

/**
 * Paging by a value of the response that the next request carries as a parameter (language 5.6), until it is missing or
 * blank. With `scrollRequest` the requests after the first may go elsewhere; the plan knows where.
 */
export function responseParam(options: ResponseParamOptions, job: JobFacts): Paginator {
  const { responseParam: path, queryParam, includeParams, scrollRequest } = options;
  const common = merge(includeParams ? job.params : {}, scrollRequest?.params ?? {});
  const first: Step = { change: { params: job.params }, position: null };
  const paged = (position: Json): Step => ({
    change: { params: withParams(common, [[queryParam, position]]), scroll: scrollRequest !== undefined },
    position,
  });
  return {
    first,
    at: (position) => (isBlankData(position) ? first : paged(position)),
    next: ({ reply }) => {
      const value = valueAt(reply.data, path);
      return value === undefined || isBlankData(value)
        ? stop('No more pages found, stopping pagination.')
        : goOn(paged(value));
    },
  };
}
