import type { ScrollerMethod } from '../../config/pagination';
import { cursor } from './cursor';
import { none } from './none';
import { offset } from './offset';
import { pagenum } from './pagenum';
import type { JobFacts, Paginator } from './paginator';
import { responseLink } from './response-link';
import { responseParam } from './response-param';
import { responseUrl } from './response-url';
import { zendeskResponseUrl } from './zendesk-response-url';

type Factory<Options> = (options: Options, job: JobFacts) => Paginator;

/** Every pagination method and what makes its paginator (specification 4.3, language 5). */
const methods = {
  none: (_options, job) => none(job),
  offset,
  pagenum,
  'response.url': responseUrl,
  'response.link': responseLink,
  'response.param': responseParam,
  cursor,
  'zendesk.response.url': zendeskResponseUrl,
} satisfies { readonly [M in ScrollerMethod['method']]: Factory<Extract<ScrollerMethod, { method: M }>> };

/** The paginator of one job run. */
export function paginatorFor(options: ScrollerMethod, job: JobFacts): Paginator {
  switch (options.method) {
    case 'none':
      return methods.none(options, job);
    case 'offset':
      return methods.offset(options, job);
    case 'pagenum':
      return methods.pagenum(options, job);
    case 'response.url':
      return methods['response.url'](options, job);
    case 'response.link':
      return methods['response.link'](options, job);
    case 'response.param':
      return methods['response.param'](options, job);
    case 'cursor':
      return methods.cursor(options, job);
    case 'zendesk.response.url':
      return methods['zendesk.response.url'](options, job);
  }
}
