import { keysOf } from '../../core/json/objects';
import { accept, below, noting, refine, refuse } from '../../language/codec/codec';
import type { Codec } from '../../language/codec/codec';
import { dictionary, flag, integerFrom, object, oneOf } from '../../language/codec/primitives';
import { always, optional, record, required, withDefault } from '../../language/codec/record';
import type { RecordOf } from '../../language/codec/record';
import { codesOr, computedEndpoint, loginMethod } from '../../language/codec/values';
import { literalListNotes } from '../../language/configuration/request';
import { expires, margin } from './expiry';
import { loginPlace } from './place';
import type { LoginPlace } from './place';

/**
 * `api.authentication.persist`: names for the context `state`, each with the place of its value in the login response.
 */
const persist: Codec<Readonly<Record<string, LoginPlace>>> = refine(
  'Persist',
  dictionary(loginPlace),
  (names, context) => {
    const marked = keysOf(names).find((name) => name.startsWith('#'));
    if (marked === undefined) return accept(names);
    const message = `write the name without "#": what is kept of a login is always a secret`;
    return refuse(null, below(context, marked, null), message);
  },
);

/**
 * Returns the options of `login` and `oauth20.login` (docs/language/authentication/login.md,
 * docs/language/authentication.md#renewal).
 */

const loginRequest = noting(
  record('LoginRequest', {
    endpoint: required(computedEndpoint, 'the path or URL of the login', {
      about: 'Where the login goes: a path, a URL (of any host), or an expression with `attr`.',
      example: 'oauth/token',
    }),
    method: withDefault(loginMethod, 'GET', {
      about: 'Where the parameters go: to the query (`GET`), a JSON body (`POST`) or a form (`FORM`).',
      example: 'FORM',
    }),
    params: always(object, {
      about: 'The parameters: scalars, and expressions with `attr`.',
      example: { user: { attr: 'user' } },
    }),
    functionsInLists: always(flag(false), {
      about: 'Whether arrays in `params` are searched for expressions.',
      example: true,
      default: 'false',
    }),
    batchStyle: optional(oneOf('LoginLists', ['repeat', 'brackets']), {
      about:
        'How arrays in `params` are written, as [`batchStyle`](../jobs.md#batches) of a job. Default: with indexes.',
      example: 'repeat',
    }),
    headers: always(object, {
      about: 'The headers: scalars, and expressions with `attr`. The login has no others.',
      example: { 'X-Client': 'river' },
    }),
  }),
  literalListNotes,
);

const apiRequest = record('ApiRequest', {
  headers: always(object, {
    about:
      'Headers of all other requests: a string is a path in the response of the login, an object is an expression with `response`, `responseHeader` and `attr`.',
    example: { 'X-Token': 'token' },
    default: '{}',
  }),
  query: always(object, {
    about: 'Parameters in the URL of all other requests, likewise.',
    example: { session: 'id' },
    default: '{}',
  }),
});

/** The default statuses that mark credentials as stale (docs/language/authentication.md#renewal). */
const REFUSED_STATUS_CODES: readonly number[] = [401];

export const loginFields = {
  loginRequest: required(loginRequest, 'the login request; without it login authentication cannot log in', {
    about: 'The request that logs in.',
    example: { endpoint: 'session' },
  }),
  format: withDefault(oneOf('LoginFormat', ['json', 'text']), 'json', {
    about: 'The format of the login response. With `text` the body is `data`.',
    example: 'text',
  }),
  apiRequest: always(apiRequest, {
    about: 'What the login adds to other requests.',
    example: { headers: { 'X-Token': 'token' } },
  }),
  expires: always(expires, {
    about: 'The [lifetime](../authentication.md#renewal) of the credentials. 0: a login before each request.',
    example: 3600,
    unit: 'seconds',
    default: 'the run',
  }),
  margin: always(margin, {
    about: 'How long before their end credentials are renewed.',
    example: 10,
    unit: 'seconds',
    default: 'a tenth of their life, at most 30 seconds',
  }),
  refusedStatusCodes: always(codesOr(REFUSED_STATUS_CODES, integerFrom(400, 599)), {
    about: 'Statuses of stale credentials, which are [renewed](../authentication.md#renewal) once.',
    example: [401, 403],
    default: '[401]',
  }),
  refreshRequest: optional(loginRequest, {
    about: 'The request that [refreshes](../authentication.md#refreshing) credentials, in place of `loginRequest`.',
    example: { endpoint: 'refresh', method: 'POST', params: { token: { state: 'refreshToken' } } },
  }),
  persist: optional(persist, {
    about: 'What later logins need of the response, by name: `{"state": name}` is its value.',
    example: { refreshToken: { response: 'refresh_token' } },
  }),
};

/** The options of a login, decoded. */
export type LoginWritten = RecordOf<typeof loginFields>;
