/** APIs that want to know who asks, or that are asked too often. */
import { json } from '../answers';
import type { Handler, ReceivedRequest } from '../api-server';
import { STATIONS, numberIn, sliceOf, urlOf } from './shape';
import type { Shape } from './shape';

const items = { stations: STATIONS };

function pageOf(request: ReceivedRequest): ReturnType<Handler> {
  const url = urlOf(request);
  const page = numberIn(url, 'page', 1);
  const size = numberIn(url, 'per_page', 20);
  return json({ data: sliceOf(STATIONS, (page - 1) * size, size), total: STATIONS.length });
}

/** Tokens of which each is good for two requests. */
function tokens(): { readonly next: () => string; readonly take: (request: ReceivedRequest) => boolean } {
  const left = new Map<string, number>();
  return {
    next: () => {
      const token = `t${left.size + 1}`;
      left.set(token, 2);
      return token;
    },
    take: ({ headers }) => {
      const token = (headers.authorization ?? '').replace('Bearer ', '');
      const uses = left.get(token) ?? 0;
      left.set(token, uses - 1);
      return uses > 0;
    },
  };
}

const BASIC = `Basic ${Buffer.from('reader:s3cret').toString('base64')}`;

/** OAuth 2, client credentials: a token that has run out is a 401. */
export function clientCredentials(): Shape {
  const { next, take } = tokens();
  return {
    items,
    answers: (request) => {
      if (!request.url.startsWith('/oauth/token'))
        return take(request) ? pageOf(request) : json({ error: 'invalid_token' }, 401);
      return request.headers.authorization === BASIC
        ? json({ access_token: next(), token_type: 'Bearer', expires_in: 3600 })
        : json({ error: 'invalid_client' }, 401);
    },
    slip: { config: { '#clientSecret': 'wrong' } },
    reported: 'API_STATUS',
  };
}

/** A login of the API's own: a token that has run out is an error with a status of success. */
export function expiringLogin(): Shape {
  const { next, take } = tokens();
  return {
    items,
    answers: (request) => {
      if (!request.url.startsWith('/v1/session'))
        return take(request) ? pageOf(request) : json({ ok: false, error: 'session expired' });
      const { user, password } = JSON.parse(request.body) as { readonly user?: string; readonly password?: string };
      return user === 'reader' && password === 's3cret'
        ? json({ token: next(), expires_in: 3600 })
        : json({ ok: false, error: 'wrong password' }, 403);
    },
    slip: { api: { http: { rules: null } } },
    reported: 'ERROR_IN_BODY',
  };
}

/** A key in the query; every other request comes too soon. */
export function keyAndRateLimit(): Shape {
  let asked = 0;
  return {
    items,
    answers: (request) => {
      if (urlOf(request).searchParams.get('api_key') !== 'k3y') return json({ error: 'no key' }, 403);
      asked += 1;
      return asked % 2 === 0 ? json({ error: 'slow down' }, 429, { 'retry-after': '0' }) : pageOf(request);
    },
    slip: { api: { retryConfig: { maxRetries: 0 }, http: { ignoreErrors: [429] } } },
    reported: 'TOTAL_NOT_REACHED',
  };
}
