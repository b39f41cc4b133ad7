import type { ResponseLinkOptions } from '../../config/pagination';
import { FatalError } from '../../errors';
import { shortened } from '../../json/text';
import { isAddress, nextAddress } from '../../url/address';
import { linkTo } from '../../url/link-header';
import { NoAddress } from '../../url/reference';
import type { Arrival, JobFacts, Paginator, Step } from './paginator';
import { goOn, stop } from './paginator';

/**
 * Paging by the `Link` header of the response (RFC 8288, docs/extensions/response-headers.md), until it has no link to
 * a next page. The position is the address of the page.
 *
 * @throws FatalError NEXT_PAGE when the link leads to no http or https address
 */
export function responseLink(options: ResponseLinkOptions, job: JobFacts): Paginator {
  const { rel, includeParams, relativeTo } = options;
  const params = includeParams ? job.params : {};
  const first: Step = { change: { params: job.params }, position: null };
  const paged = (address: string): Step => ({ change: { params, address }, position: address });
  const addressOf = (reference: string, { reply }: Arrival): string => {
    const places = { base: job.baseUrl, endpoint: job.endpointUrl, request: reply.response.request.url };
    try {
      return nextAddress(reference, places, relativeTo);
    } catch (error) {
      if (!(error instanceof NoAddress)) throw error;
      const found = `the header Link leads to ${shortened(JSON.stringify(reference))} with rel="${rel}", which is no address to follow`;
      throw new FatalError('NEXT_PAGE', `${job.path}: ${found}: ${error.message}`);
    }
  };
  return {
    by: 'address',
    first,
    at: (position) => (typeof position === 'string' && isAddress(position) ? paged(position) : first),
    next: (arrival) => {
      const reference = linkTo(rel, arrival.reply.response.headers['link'] ?? []);
      return reference === undefined
        ? stop('No more pages, stopping pagination.')
        : goOn(paged(addressOf(reference, arrival)));
    },
  };
}
