import type { PagingPlan } from '../../plan/plan';
import { none } from './none';
import { offset } from './offset';
import type { JobFacts, Paginator } from './paginator';
import { responseUrl } from './response-url';

type Factory<Options> = (options: Options, job: JobFacts) => Paginator;

/** Every pagination method and what makes its paginator (specification 4.3). */
const methods = {
  none: (_options, job) => none(job),
  offset,
  'response.url': responseUrl,
} satisfies { readonly [M in PagingPlan['method']]: Factory<Extract<PagingPlan, { method: M }>> };

/** The paginator of one job run. */
export function paginatorFor(options: PagingPlan, job: JobFacts): Paginator {
  switch (options.method) {
    case 'none':
      return methods.none(options, job);
    case 'offset':
      return methods.offset(options, job);
    case 'response.url':
      return methods['response.url'](options, job);
  }
}
