import { isLeft } from 'fp-ts/lib/Either';
import * as t from 'io-ts';
import { isObject } from '../json/keys';
import type { JsonObject } from '../model';
import { keysOfType } from './authentication-keys';
import { codec, contextAt, noting, pathOf, refine, refuse, type Codec, type Notes } from '../codec/codec';
import type { LoginAuthentication } from './configuration';
import { endpoint } from '../codec/endpoint';
import { expires, margin, type Expires } from './expires';
import { loginMethod } from '../codec/http-method';
import { literalListNotes } from './literal-lists';
import { persist } from './persist';
import { constant, flag, integerFrom, object, oneOf, valueOf } from '../codec/primitives';
import { always, optional, record, required, withDefault } from '../codec/record';
import { codesOr } from './retry';

/** An endpoint, or an expression that gives one, which stays as it is (docs/extensions/functions.md). */
const computedEndpoint: Codec<string | JsonObject> = codec<string | JsonObject>(
  'ComputedEndpoint',
  () => ({ anyOf: [endpoint.schema(), { type: 'object' }] }),
  (input, context) => (isObject(input) ? t.success(input) : endpoint.validate(input, context)),
);

const loginRequest = noting(
  record('LoginRequest', {
    endpoint: required(computedEndpoint, 'the path or URL of the login'),
    method: withDefault(loginMethod, 'GET'),
    params: always(object),
    functionsInLists: always(flag(false)),
    headers: always(object),
  }),
  literalListNotes,
);

const apiRequest = record('ApiRequest', { headers: always(object), query: always(object) });

/** What says by default that credentials are stale (docs/extensions/credentials.md). */
const REFUSED_STATUS_CODES: readonly number[] = [401];

const asWritten = record(
  'LoginAsWritten',
  {
    type: always(constant('login')),
    loginRequest: required(loginRequest, 'the login request; without it login authentication cannot log in'),
    format: withDefault(oneOf('LoginFormat', ['json', 'text']), 'json'),
    apiRequest: always(apiRequest),
    expires: always(expires),
    margin: always(margin),
    refusedStatusCodes: always(codesOr(REFUSED_STATUS_CODES, integerFrom(400, 599))),
    persist: optional(persist),
  },
  keysOfType('login'),
);

const hasEnd = (life: Expires): life is Extract<Expires, { kind: 'after' | 'response' }> =>
  life.kind === 'after' || life.kind === 'response';

/** A margin that nothing ends after, or that is cut (docs/extensions/credentials.md). */
const marginNotes: Notes = (input, path) => {
  const read = asWritten.decode(input);
  if (isLeft(read) || read.right.margin === undefined) return [];
  const { expires: life, margin: seconds } = read.right;
  const place = [...path, 'margin'];
  if (!hasEnd(life)) return [{ path: place, message: 'has no effect: "expires" does not say when credentials end' }];
  return life.kind === 'after' && seconds > life.seconds / 2
    ? [{ path: place, message: `counts as ${life.seconds / 2} seconds: at most half of "expires"` }]
    : [];
};

/** `api.authentication` of type `login` (specification 5, language 4.5; docs/extensions/credentials.md). */
export const login: Codec<LoginAuthentication> = noting(
  refine('Login', asWritten, ({ margin: seconds, ...written }, context, input) => {
    const { expires: life } = written;
    if (seconds === undefined || !hasEnd(life)) return t.success(written);
    if (life.margin !== undefined)
      return refuse(valueOf(input, 'margin'), contextAt([...pathOf(context), 'margin']), 'stands in "expires" already');
    return t.success({ ...written, expires: { ...life, margin: seconds } });
  }),
  marginNotes,
);
