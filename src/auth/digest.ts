import { createHash } from 'node:crypto';
import { defer, of } from 'rxjs';
import { FatalError } from '../core/errors/errors';
import type { CredentialSource, Credentials, Request } from '../core/model';
import type { Secrets } from '../core/secrets/secrets';
import { collect, valid } from '../language/codec/codec';
import { defineAuthentication } from '../language/parts/authentication';
import { newAttempt } from './per-request';

/** The bytes of a nonce: 32 hexadecimal digits. */
const NONCE_BYTES = 16;

/** HTTP digest authentication (docs/language/authentication/digest.md). */
export const digest = defineAuthentication({
  name: 'digest',
  summary: 'Answers the challenge of the API with a hash of user name and password.',
  use: 'Use it for HTTP digest authentication (RFC 7616, 2617 and 2069).',
  travels: 'The header `Authorization: Digest …`, never the password.',
  options: {},
  needs: {
    'config.#username': { about: 'The user name. `username` wins over it.', example: 'reader' },
    'config.#password': {
      about: 'The password. `password` wins over it.',
      example: 'trout',
    },
  },
  rules: [
    'The first request has no credentials. The 401 has the challenge, and the request is repeated once. Later requests answer the same challenge.',
    'A request answers one more challenge, for example after a stale nonce. A second 401 is an error.',
    'Algorithms: MD5 and SHA-256 (preferred), also with `-sess`; `qop`: `auth` or none. Any other challenge is the error `LOGIN_RESPONSE`.',
    'Each origin has its own challenge. The header replaces `Authorization` of the configuration.',
  ],
  example: {
    about: 'The first response is the challenge.',
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
      username: around.attribute('#username'),
      password: around.attribute('#password'),
    }),
  compile: ({ credentials }) =>
    valid({ secrets: [credentials.password], source: ({ secrets }) => digestSource(credentials, secrets) }),
});

interface User {
  readonly username: string;
  readonly password: string;
}

/** A challenge, and the number of uses of its nonce. */
interface Current {
  readonly challenge: Challenge;
  count: number;
}

/** Creates credentials that learn from a refusal how to authenticate the next request. */
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

/** A challenge that digest authentication can answer (RFC 7616 section 3.3). */
export interface Challenge {
  readonly realm: string;
  readonly nonce: string;
  readonly algorithm: 'MD5' | 'SHA-256';
  /** True if the key includes the first nonces (`-sess`). */
  readonly isSession: boolean;
  /** The algorithm in the server's spelling; absent if the server names none. */
  readonly spelled?: string;
  readonly opaque?: string;
  /** The quality of protection; absent for a server of RFC 2069, without counts of nonces. */
  readonly qop?: 'auth';
  /** True if the user name is sent as a hash. */
  readonly userhash: boolean;
}

const PARAMETER = /[\s,]*([\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/y;
const SCHEME = /[\s,]*([\w-]+)(?=\s|,|$)/y;
/** Matches any other text, such as the token of another scheme. */
const OTHER = /[\s,]*[^\s,]+/y;

interface Written {
  readonly scheme: string;
  readonly parameters: Map<string, string>;
}

/**
 * Returns the strongest digest challenge in the headers `WWW-Authenticate` of a response.
 *
 * @returns `undefined` if there is none that can be answered: MD5 or SHA-256, with `qop` `auth` or none
 * @example challengeIn(['Digest realm="r", nonce="n", qop="auth"'])?.algorithm // 'MD5'
 */
export function challengeIn(headers: readonly string[]): Challenge | undefined {
  const found = headers.flatMap(challengesOf).flatMap(asDigest);
  return found.find(({ algorithm }) => algorithm === 'SHA-256') ?? found[0];
}

/** Splits a header, which may hold several challenges of several schemes. */
function challengesOf(header: string): readonly Written[] {
  const found: Written[] = [];
  let at = 0;
  const next = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(header);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  while (at < header.length) {
    const parameter = next(PARAMETER);
    if (parameter !== null) {
      const [, name = '', quoted, token = ''] = parameter;
      found.at(-1)?.parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? token);
      continue;
    }
    const scheme = next(SCHEME)?.[1];
    if (scheme !== undefined) found.push({ scheme: scheme.toLowerCase(), parameters: new Map() });
    else if (next(OTHER) === null) break;
  }
  return found;
}

function asDigest({ scheme, parameters }: Written): readonly Challenge[] {
  const realm = parameters.get('realm');
  const nonce = parameters.get('nonce');
  const spelled = parameters.get('algorithm');
  const [, name = '', session] = /^(MD5|SHA-256)(-SESS)?$/.exec((spelled ?? 'MD5').toUpperCase()) ?? [];
  const qop = parameters.get('qop');
  const isAuth = qop?.split(',').some((word) => word.trim().toLowerCase() === 'auth') ?? false;
  if (scheme !== 'digest' || realm === undefined || nonce === undefined) return [];
  if ((name !== 'MD5' && name !== 'SHA-256') || (qop !== undefined && !isAuth)) return [];
  const opaque = parameters.get('opaque');
  return [
    {
      realm,
      nonce,
      algorithm: name,
      isSession: session !== undefined,
      ...(spelled === undefined ? {} : { spelled }),
      ...(opaque === undefined ? {} : { opaque }),
      ...(isAuth ? { qop: 'auth' as const } : {}),
      userhash: parameters.get('userhash')?.toLowerCase() === 'true',
    },
  ];
}

/** The user who answers a challenge, and the request of the answer. */
export interface Asked {
  readonly username: string;
  readonly password: string;
  readonly method: string;
  /** Path and query as sent. */
  readonly uri: string;
  /** The number of uses of this nonce, this one included. */
  readonly count: number;
  /** The client's own nonce. */
  readonly cnonce: string;
}

const HASHES = { MD5: 'md5', 'SHA-256': 'sha256' } as const;

/**
 * Answers a challenge of digest authentication (RFC 7616 section 3.4).
 *
 * @returns the header `Authorization`, and the value in it that must not be printed
 * @example answer(challenge, { username: 'Mufasa', … }).header // 'Digest username="Mufasa", …'
 */
export function answer(challenge: Challenge, asked: Asked): { readonly header: string; readonly response: string } {
  const { realm, nonce, algorithm, isSession, spelled, opaque, qop, userhash } = challenge;
  const { username, password, method, uri, count, cnonce } = asked;
  const hash = (...parts: readonly string[]): string =>
    createHash(HASHES[algorithm]).update(parts.join(':'), 'utf8').digest('hex');
  const nc = count.toString(16).padStart(8, '0');
  const key = hash(username, realm, password);
  const a1 = isSession ? hash(key, nonce, cnonce) : key;
  const a2 = hash(method, uri);
  const response = qop === undefined ? hash(a1, nonce, a2) : hash(a1, nonce, nc, cnonce, qop, a2);
  const isPlain = /^[\x20-\x7e]*$/.test(username);
  const name = userhash
    ? `username="${hash(username, realm)}", userhash=true`
    : isPlain
      ? `username=${quoted(username)}`
      : `username*=UTF-8''${encodeURIComponent(username).replace(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)}`;
  const parts = [
    name,
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `uri=${quoted(uri)}`,
    ...(spelled === undefined ? [] : [`algorithm=${spelled}`]),
    ...(qop === undefined ? [] : [`qop=${qop}`, `nc=${nc}`]),
    ...(qop === undefined && !isSession ? [] : [`cnonce=${quoted(cnonce)}`]),
    `response="${response}"`,
    ...(opaque === undefined ? [] : [`opaque=${quoted(opaque)}`]),
  ];
  return { header: `Digest ${parts.join(', ')}`, response };
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
