import type { ParamSource, ResponseParamOptions } from '../../config/pagination';
import { isBlankData } from '../../json/blank';
import { merge } from '../../json/merge';
import type { Json, Reply } from '../../model';
import type { JobFacts, Paginator, Step } from './paginator';
import { goOn, stop } from './paginator';
import { withParams } from './params';
import { exactReplyValue } from '../reply-value';

/**
 * Paging by a value of the response, or of one of its headers, that the next request carries as a parameter (language
 * 5.6, docs/extensions/response-headers.md), until it is missing or blank. With `scrollRequest` the requests after the first may go elsewhere; the plan knows where.
 */
export function responseParam(options: ResponseParamOptions, job: JobFacts): Paginator {
  const { source, queryParam, includeParams, scrollRequest } = options;
  const common = merge(includeParams ? job.params : {}, scrollRequest?.params ?? {});
  const first: Step = { change: { params: job.params }, position: null };
  const paged = (position: Json): Step => ({
    change: { params: withParams(common, [[queryParam, position]]), scroll: scrollRequest !== undefined },
    position,
  });
  return {
    by: 'token',
    first,
    at: (position) => (isBlankData(position) ? first : paged(position)),
    next: ({ reply }) => {
      const value = valueOf(source, reply);
      return value === undefined || isBlankData(value)
        ? stop('No more pages found, stopping pagination.')
        : goOn(paged(value));
    },
  };
}

function valueOf(source: ParamSource, reply: Reply): Json | undefined {
  return 'path' in source
    ? exactReplyValue(reply, source.path)
    : [reply.response.headers[source.header] ?? []].flat()[0];
}
