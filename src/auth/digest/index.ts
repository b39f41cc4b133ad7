import { defer, of } from 'rxjs';
import { collect, valid } from '../../language/codec/checked';
import { FatalError } from '../../core/errors/errors';
import type { Credentials, CredentialSource, Request } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import { newAttempt } from '../attempt';
import { defineAuthentication } from '../../language/parts/authentication/define';
import { answer } from './answer';
import { challengeIn, type Challenge } from './challenge';

/** 32 hexadecimal digits. */
const NONCE_BYTES = 16;

/** HTTP digest authentication (docs/language/authentication/digest.md). */
export const digest = defineAuthentication({
  name: 'digest',
  summary: 'Answers the challenge of the API with a hash of name and password, anew for each request.',
  use: 'The API has HTTP digest authentication (RFC 7616, or the older RFC 2617 and 2069).',
  travels:
    'The header `Authorization: Digest …`, to the host of the base URL and to `api.http.allowedHosts`. The password itself is never sent.',
  options: {},
  needs: {
    'config.#username': { about: 'The name. `username` wins over it.', example: 'reader' },
    'config.#password': {
      about: 'The password. `password` wins over it; both are masked wherever Headwater prints something.',
      example: 'trout',
    },
  },
  rules: [
    'The first request is sent without credentials: the 401 that it gets holds the challenge, and the request is repeated once. Requests that follow answer the same challenge, each with a count of its own.',
    'A 401 with a new challenge, as of a nonce that is stale, is answered once for each request. A second 401 is an error like any other.',
    'The algorithms are MD5 and SHA-256, also with `-sess`; SHA-256 wins. The quality of protection is `auth`, or none. A challenge of another kind is the error `LOGIN_RESPONSE`.',
    'Each origin has a challenge of its own. The header replaces one named `Authorization` that the configuration writes.',
  ],
  example: {
    about: 'The first request is answered with a challenge, and repeated with what answers it.',
    config: {
      api: { authentication: { type: 'digest' } },
      config: { username: 'reader', '#password': 'trout', jobs: [{ endpoint: 'stations' }] },
    },
    exchanges: [
      {
        request: 'GET /stations',
        status: 401,
        headers: { 'www-authenticate': 'Digest realm="rivers", nonce="n1"' },
        response: { error: 'who are you?' },
      },
      {
        request: 'GET /stations',
        requestHeaders: {
          authorization:
            'Digest username="reader", realm="rivers", nonce="n1", uri="/stations", response="787df289d3093393df665fc4755ebec5"',
        },
        response: [{ id: 1 }],
      },
    ],
    items: [{ id: 1 }],
  },
  credentials: (around) =>
    collect({
      username: around.attribute('username', '#username'),
      password: around.attribute('password', '#password'),
    }),
  compile: ({ credentials }) =>
    valid({ secrets: [credentials.password], source: ({ secrets }) => digestSource(credentials, secrets) }),
});

interface User {
  readonly username: string;
  readonly password: string;
}

/** A challenge, and how often its nonce was used. */
interface Current {
  readonly challenge: Challenge;
  count: number;
}

/** Credentials that learn from a refusal what the next request has to say. */
function digestSource(user: User, secrets: Secrets): CredentialSource {
  const byOrigin = new Map<string, Current>();
  const apply = (request: Request): Request => {
    const { origin, pathname, search } = new URL(request.url);
    const current = byOrigin.get(origin);
    if (current === undefined) return request;
    current.count += 1;
    const { header, response } = answer(current.challenge, {
      ...user,
      method: request.method,
      uri: pathname + search,
      count: current.count,
      cnonce: newAttempt(NONCE_BYTES).nonce,
    });
    secrets.learn(response);
    return { ...request, headers: { ...request.headers, authorization: header } };
  };
  return {
    credentials$: defer(() => of<Credentials>({ apply, refusedBy: [401] })),
    invalidate: (_, { headers, request }) => {
      const challenge = challengeIn([headers['www-authenticate'] ?? []].flat());
      const { origin } = new URL(request.url);
      if (challenge === undefined) throw unanswerable(request, secrets);
      byOrigin.set(origin, { challenge, count: 0 });
    },
  };
}

const unanswerable = ({ method, url }: Request, secrets: Secrets): FatalError =>
  new FatalError(
    'LOGIN_RESPONSE',
    `api.authentication: [401] ${method} ${secrets.mask(url)}: the response has no digest challenge that can be answered ` +
      '(WWW-Authenticate: Digest with MD5 or SHA-256, and qop "auth" or none). Check whether the API has another type of authentication.',
  );
