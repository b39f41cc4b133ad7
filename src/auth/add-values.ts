import type { Request } from '../model';
import type { AddedValues } from '../plan/authentication-plan';
import type { Secrets } from '../secrets';
import { overlayPairs, parseQuery, splitUrl, withQuery } from '../url/query';

/**
 * Adds values to a request: headers replace those of the same name, query values those of the same name in place
 * (language 4.1). What is secret among them is registered first.
 *
 * @example addValues(request, { headers: { 'x-key': 'k' }, query: [], secrets: ['k'] }, secrets)
 */
export function addValues(request: Request, { headers, query, secrets }: AddedValues, registry: Secrets): Request {
  registry.learn(...secrets);
  const { url } = request;
  return {
    ...request,
    headers: { ...request.headers, ...headers },
    url: query.length === 0 ? url : withQuery(url, overlayPairs(parseQuery(splitUrl(url).query), query)),
  };
}
