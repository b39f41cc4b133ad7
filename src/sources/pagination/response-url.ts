import type { ResponseUrlOptions } from '../../config/pagination';
import { FatalError } from '../../errors';
import { isBlankData } from '../../json/blank';
import { isObject } from '../../json/keys';
import { shortened, typeName } from '../../json/text';
import { isAddress, nextAddress } from '../../url/address';
import { checkQuery, NoAddress } from '../../url/reference';
import type { Arrival, JobFacts, Paginator, Step } from './paginator';
import { goOn, stop } from './paginator';
import { replyValue } from '../reply-value';

/**
 * Paging by an address in the response (specification 4.3.2, language 5.5), until the address is missing, `null`, empty
 * or `false`.
 *
 * @throws FatalError NEXT_PAGE when the value is no string, or leads to no http or https address
 */
export function responseUrl(options: Omit<ResponseUrlOptions, 'method'>, job: JobFacts): Paginator {
  const { urlKey, delimiter, paramIsQuery, includeParams, relativeTo } = options;
  const params = includeParams ? job.params : {};
  const positionFrom = (value: string, { reply }: Arrival): string => {
    const places = { base: job.baseUrl, endpoint: job.endpointUrl, request: reply.response.request.url };
    try {
      if (!paramIsQuery) return nextAddress(value, places, relativeTo);
      checkQuery(value);
      return value.replace(/^\?/, '');
    } catch (error) {
      if (!(error instanceof NoAddress)) throw error;
      throw unusable(
        job,
        urlKey,
        `the text ${shortened(JSON.stringify(value))}, which leads to none: ${error.message}`,
      );
    }
  };
  const first: Step = { change: { params: job.params }, position: null };
  /** @param position a query or an absolute address */
  const paged = (position: string): Step => ({
    change: paramIsQuery ? { params, received: position } : { params, address: position },
    position,
  });
  return {
    by: 'address',
    first,
    at: (position) => (typeof position === 'string' && (paramIsQuery || isAddress(position)) ? paged(position) : first),
    next: (arrival) => {
      const value = replyValue(arrival.reply, urlKey, delimiter);
      if (isBlankData(value) || (isObject(value) && Object.keys(value).length === 0))
        return stop('No more pages, stopping pagination.');
      if (typeof value !== 'string') throw unusable(job, urlKey, `a value of type ${typeName(value)}`);
      return goOn(paged(positionFrom(value, arrival)));
    },
  };
}

const unusable = (job: JobFacts, urlKey: string, found: string): FatalError =>
  new FatalError(
    'NEXT_PAGE',
    `${job.path}: api.pagination.urlKey "${urlKey}" should lead to the address of the next page, found ${found}`,
  );
