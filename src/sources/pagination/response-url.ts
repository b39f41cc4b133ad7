import type { ResponseUrlOptions } from '../../config/pagination';
import { FatalError } from '../../errors';
import { isBlankData } from '../../json/blank';
import { isObject } from '../../json/keys';
import { valueAt } from '../../json/path';
import { typeName } from '../../json/text';
import { nextAddress } from '../../url/address';
import type { Arrival, JobFacts, Paginator } from './paginator';
import { step, stop } from './paginator';

/**
 * Paging by an address in the response (specification 4.3.2, language 5.5), until the address is missing, `null`, empty
 * or `false`.
 *
 * @throws FatalError NEXT_PAGE when the value is no text, or leads to no address
 */
export function responseUrl(options: ResponseUrlOptions, job: JobFacts): Paginator {
  const { urlKey, delimiter, paramIsQuery, includeParams, relativeTo } = options;
  const params = includeParams ? job.params : {};
  const addressFrom = (value: string, { reply }: Arrival): string => {
    const places = { base: job.baseUrl, endpoint: job.endpointUrl, request: reply.response.request.url };
    try {
      return nextAddress(value, places, relativeTo);
    } catch (cause) {
      throw unusable(job, urlKey, `the text ${JSON.stringify(value)}, which leads to no address`, { cause });
    }
  };
  return {
    first: { change: { params: job.params }, position: null },
    next: (arrival) => {
      const value = valueAt(arrival.reply.data, urlKey, delimiter);
      if (isBlankData(value) || (isObject(value) && Object.keys(value).length === 0))
        return stop('No more pages, stopping pagination.');
      if (typeof value !== 'string') throw unusable(job, urlKey, `a value of type ${typeName(value)}`);
      if (paramIsQuery) return step({ params, received: value.replace(/^\?/, '') }, value);
      const address = addressFrom(value, arrival);
      return step({ params, address }, address);
    },
  };
}

const unusable = (job: JobFacts, urlKey: string, found: string, options?: { readonly cause: unknown }): FatalError =>
  new FatalError(
    'NEXT_PAGE',
    `${job.path}: api.pagination.urlKey "${urlKey}" should lead to the address of the next page, found ${found}`,
    options,
  );
