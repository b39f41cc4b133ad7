import { text } from '../../language/codec/primitives';
import { withDefault } from '../../language/codec/record';
import { FatalError } from '../../core/errors/errors';
import { shortened } from '../../core/json/scalars';
import { isAddress, nextAddress, NoAddress } from '../../core/url/address';
import { linkTo } from '../../core/headers';
import { definePagination } from '../../language/parts/pagination/pagination';
import { addressed, includeParams, relativeTo } from './options';
import type { Arrival, Step } from '../../language/parts/pagination/paginator';
import { goOn, stop } from '../../language/parts/pagination/paginator';

/**
 * Pagination by the `Link` header of the response (RFC 8288, docs/language/pagination/response.link.md). The position is the
 * address of the page.
 *
 * @throws FatalError NEXT_PAGE when the link leads to no http or https address
 */
export const responseLink = definePagination({
  name: 'response.link',
  summary: 'Follows the link to the next page in the header `Link` (RFC 8288).',
  use: 'Use it for responses with `Link: <https://api.example/ships?page=2>; rel="next"`.',
  options: {
    rel: withDefault(text, 'next', { about: 'The relation of the link.', example: 'next' }),
    includeParams,
    // RFC 8288 section 3.2: a reference is relative to the resource that was requested.
    relativeTo: relativeTo('request'),
  },
  rules: ['A response without such a link is the last.', 'Links may be in one header or in several.'],
  example: {
    about: 'The second page has no link:',
    config: {
      api: { pagination: { method: 'response.link' } },
      config: { jobs: [{ endpoint: 'ships' }] },
    },
    exchanges: [
      { request: 'GET /ships', headers: { Link: '</ships?page=2>; rel="next"' }, response: [{ id: 1 }] },
      { request: 'GET /ships?page=2', response: [{ id: 2 }] },
    ],
    items: [{ id: 1 }, { id: 2 }],
  },
  paginator: ({ rel, includeParams: include, relativeTo: place }, job) => {
    const first: Step = { change: { params: job.params }, position: null };
    const paged = (address: string): Step => ({ change: addressed(job, include, address), position: address });
    const addressOf = (reference: string, { reply }: Arrival): string => {
      const places = { base: job.baseUrl, endpoint: job.endpointUrl, request: reply.response.request.url };
      try {
        return nextAddress(reference, places, place);
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
  },
});
