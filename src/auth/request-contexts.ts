import type { Contexts } from '../language/expressions/expression';
import type { Request } from '../core/model';
import { parseQuery } from '../core/url/query';

/**
 * The contexts `query` and `request` (docs/language/expressions.md#contexts) of the request to which values are added.
 */
export type RequestContexts = Required<Pick<Contexts, 'query' | 'request'>>;

/**
 * The contexts `query` and `request` (docs/language/expressions.md#contexts) of a request, before authentication is
 * added to it. Of a name that the query repeats, the last value counts.
 *
 * @example requestContexts(request).request.get('hostname') // 'api.example'
 */
export function requestContexts({ method, url }: Request): RequestContexts {
  const target = new URL(url);
  target.username = '';
  target.password = '';
  const { href, pathname, search, hostname, port, protocol } = target;
  const impliedPort = protocol === 'https:' ? '443' : '80';
  const pairs = parseQuery(search.slice(1));
  return {
    query: new Map(pairs.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]))),
    request: new Map([
      ['url', href],
      ['path', pathname],
      ['queryString', search.slice(1)],
      ['method', method],
      ['hostname', hostname],
      ['port', port === '' ? impliedPort : port],
      ['resource', pathname + search],
    ]),
  };
}
