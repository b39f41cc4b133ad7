import { path } from '../../language/codec/values';
import { flag, text } from '../../language/codec/primitives';
import { always, optional, withDefault } from '../../language/codec/record';
import { FatalError } from '../../core/errors/errors';
import { isBlankData, shortened, typeName } from '../../core/json/scalars';
import { isObject } from '../../core/json/objects';
import type { Json } from '../../core/model';
import { isAddress, nextAddress, checkQuery, NoAddress } from '../../core/url/address';
import type { RelativeTo } from '../../core/url/address';
import { responseValue } from '../response-values';
import { definePagination } from '../../language/parts/pagination/pagination';
import { addressed, headerOfResponse, includeParams, relativeTo } from './options';
import type { Arrival, JobFacts, Paginator, Step } from '../../language/parts/pagination/paginator';
import { goOn, stop } from '../../language/parts/pagination/paginator';

/** Options of methods that follow an address in the response. */
export const urlFields = {
  urlKey: withDefault(path, 'next_page', {
    about: 'The path of the address in the response.',
    example: 'links.next',
  }),
  paramIsQuery: always(flag(false), {
    about: 'Whether the value is only a query (`page=2&size=10`) for the endpoint of the job.',
    example: true,
  }),
  includeParams,
  relativeTo: relativeTo('endpoint'),
};

/** The options of {@link followUrl}. */
export interface UrlOptions {
  readonly urlKey: string;
  /** The header that contains the address, instead of the body. */
  readonly urlHeader?: string | undefined;
  readonly delimiter: string;
  readonly paramIsQuery: boolean;
  readonly includeParams: boolean | 'beside';
  readonly relativeTo: RelativeTo;
}

/**
 * Pagination by an address in the response (docs/language/pagination/response.url.md).
 *
 * @throws FatalError NEXT_PAGE when the value is no string, or leads to no http or https address
 */
export const responseUrl = definePagination({
  name: 'response.url',
  summary: 'Follows the address of the next page in the body or in a header.',
  use: 'Use it for an address, or its query, in the response. For the header `Link`, take [`response.link`](response.link.md).',
  options: {
    ...urlFields,
    urlHeader: optional(headerOfResponse, {
      about: 'The header with the address, in place of `urlKey`.',
      example: 'Next-Page',
    }),
    delimiter: withDefault(text, '.', { about: 'The delimiter of the keys in `urlKey`.', example: '/' }),
  },
  rules: [
    'Pagination ends when the value is missing, `null`, `false`, or an empty string or object. Any other value, such as a number, is the error `NEXT_PAGE`.',
    'Neither default parameters nor those of the job are added to the address, unless `includeParams` is true.',
  ],
  example: {
    about: 'The address is in `links.next`:',
    config: {
      api: { pagination: { method: 'response.url', urlKey: 'links.next' } },
      config: { jobs: [{ endpoint: 'ships', dataField: 'ships' }] },
    },
    exchanges: [
      { request: 'GET /ships', response: { ships: [{ id: 1 }], links: { next: '/ships?after=1' } } },
      { request: 'GET /ships?after=1', response: { ships: [{ id: 2 }], links: { next: null } } },
    ],
    items: [{ id: 1 }, { id: 2 }],
  },
  paginator: followUrl,
});

/** Returns the paginator of methods that follow an address in the response. */
export function followUrl(options: UrlOptions, job: JobFacts): Paginator {
  const { urlKey, urlHeader, delimiter, paramIsQuery, relativeTo } = options;
  const place = urlHeader === undefined ? `urlKey "${urlKey}"` : `urlHeader "${urlHeader}"`;
  const valueIn = ({ reply }: Arrival): Json | undefined =>
    urlHeader === undefined
      ? responseValue(reply, urlKey, delimiter)
      : [reply.response.headers[urlHeader.toLowerCase()] ?? []].flat()[0];
  const include = options.includeParams;
  const positionFrom = (value: string, { reply }: Arrival): string => {
    const places = { base: job.baseUrl, endpoint: job.endpointUrl, request: reply.response.request.url };
    try {
      if (!paramIsQuery) return nextAddress(value, places, relativeTo);
      checkQuery(value);
      return value.replace(/^\?/, '');
    } catch (error) {
      if (!(error instanceof NoAddress)) throw error;
      throw unusable(job, place, `the text ${shortened(JSON.stringify(value))}, which leads to none: ${error.message}`);
    }
  };
  const first: Step = { change: { params: job.params }, position: null };
  /** @param position a query or an absolute address */
  const paged = (position: string): Step => ({
    change: paramIsQuery
      ? { params: include === false ? {} : job.params, received: position }
      : addressed(job, include, position),
    position,
  });
  return {
    by: 'address',
    first,
    at: (position) => (typeof position === 'string' && (paramIsQuery || isAddress(position)) ? paged(position) : first),
    next: (arrival) => {
      const value = valueIn(arrival);
      if (isBlankData(value) || (isObject(value) && Object.keys(value).length === 0))
        return stop('No more pages, stopping pagination.');
      if (typeof value !== 'string') throw unusable(job, place, `a value of type ${typeName(value)}`);
      return goOn(paged(positionFrom(value, arrival)));
    },
  };
}

const unusable = (job: JobFacts, place: string, found: string): FatalError =>
  new FatalError(
    'NEXT_PAGE',
    `${job.path}: api.pagination.${place} should lead to the address of the next page, found ${found}`,
  );
