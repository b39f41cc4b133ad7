import { strangersOfType } from './authentication-keys';
import type { Codec } from './codec';
import type { LoginAuthentication } from './configuration';
import { endpoint } from './endpoint';
import { expires } from './expires';
import { httpMethod } from './http-method';
import { persist } from './persist';
import { constant, object, oneOf } from './primitives';
import { always, optional, record, required, withDefault } from './record';

const loginRequest = record('LoginRequest', {
  endpoint: required(endpoint, 'the path or URL of the login'),
  method: withDefault(httpMethod, 'GET'),
  params: always(object),
  headers: always(object),
});

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
  strangersOfType('login'),
);
