import * as t from 'io-ts';
import { isObject } from '../json/keys';
import type { JsonObject } from '../model';
import { keysOfType } from './authentication-keys';
import { codec, noting, type Codec } from './codec';
import type { LoginAuthentication } from './configuration';
import { endpoint } from './endpoint';
import { expires } from './expires';
import { loginMethod } from './http-method';
import { literalListNotes } from './literal-lists';
import { persist } from './persist';
import { constant, flag, object, oneOf } from './primitives';
import { always, optional, record, required, withDefault } from './record';

/** An endpoint, or an expression that gives one, which stays as it is (docs/extensions/functions.md). */
const computedEndpoint: Codec<string | JsonObject> = codec<string | JsonObject>('ComputedEndpoint', (input, context) =>
  isObject(input) ? t.success(input) : endpoint.validate(input, context),
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

/** `api.authentication` of type `login` (specification 5, language 4.5). */
export const login: Codec<LoginAuthentication> = record(
  'Login',
  {
    type: always(constant('login')),
    loginRequest: required(loginRequest, 'the login request; without it login authentication cannot log in'),
    format: withDefault(oneOf('LoginFormat', ['json', 'text']), 'json'),
    apiRequest: always(apiRequest),
    expires: always(expires),
    persist: optional(persist),
  },
  keysOfType('login'),
);
