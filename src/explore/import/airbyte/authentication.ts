/** Authenticators of Airbyte: headers and parameters of a job, and logins. */
import { entriesOf, isList, isObject, objectFrom, ownValue } from '../../../core/json/objects';
import type { Json, JsonObject } from '../../../core/model';
import { textAt } from './manifest';
import type { Component } from './manifest';
import { endpointOf, requestOf } from './request';
import { componentAt, partOf, placeOf, put } from './draft';
import type { Draft } from './draft';
import { Untranslatable, textOfScalar } from './values';
import type { Values } from './values';

/** A header or a parameter of a job that has its credentials, and the authentication that would add it. */
export interface Credentials {
  readonly in: 'headers' | 'params';
  readonly name: string;
  readonly authentication: JsonObject;
}

/**
 * Puts the credentials of an authenticator into a job, or its login beside the others.
 *
 * @returns the credentials, where a type of authentication adds the same
 */
export function authenticationOf(
  authenticator: Component | undefined,
  draft: Draft,
  values: Values,
  logins: JsonObject[],
): Credentials | undefined {
  const type = authenticator === undefined ? 'NoAuth' : textAt(authenticator, 'type');
  if (authenticator === undefined || type === 'NoAuth') return undefined;
  const text = (name: string): string => values.text(ownValue(authenticator, name), authenticator);
  switch (type) {
    case 'SelectiveAuthenticator':
      return authenticationOf(selected(authenticator, values), draft, values, logins);
    case 'BearerAuthenticator': {
      const token = text('api_token');
      draft.headers['Authorization'] = `Bearer ${token}`;
      if (token === '') return undefined;
      return { in: 'headers', name: 'Authorization', authentication: { type: 'bearer', token } };
    }
    case 'BasicHttpAuthenticator': {
      const pair = `${text('username')}:${text('password')}`;
      draft.headers['Authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`;
      return undefined;
    }
    case 'ApiKeyAuthenticator': {
      const token = text('api_token');
      const option = ownValue(authenticator, 'inject_into');
      const { into, keys } = isObject(option) ? placeOf(option, values) : { into: 'header', keys: [text('header')] };
      if (isObject(option)) put(draft, option, values, token);
      else draft.headers[keys[0] ?? ''] = token;
      const [name = '', ...others] = keys;
      if (others.length > 0 || name === '' || token === '') return undefined;
      const authentication = { type: 'apiKey', name, key: token };
      if (into === 'header') return { in: 'headers', name, authentication };
      return into === 'request_parameter'
        ? { in: 'params', name, authentication: { ...authentication, in: 'query' } }
        : undefined;
    }
    case 'OAuthAuthenticator':
      logins.push(loginOf(authenticator, values));
      return undefined;
    case 'SessionTokenAuthenticator':
      logins.push(sessionOf(authenticator, values));
      return undefined;
    case 'LegacySessionTokenAuthenticator': {
      const [name, key] = [text('header'), text('session_token')];
      if (key === '') logins.push(legacySessionOf(name, text));
      else draft.headers[name] = key;
      return key === '' ? undefined : { in: 'headers', name, authentication: { type: 'apiKey', name, key } };
    }
    default:
      throw new Untranslatable(type);
  }
}

function selected(authenticator: Component, values: Values): Component {
  const path = ownValue(authenticator, 'authenticator_selection_path');
  const choice = (isList(path) ? path : []).reduce<Json | undefined>(
    (value, key) => (isObject(value) ? ownValue(value, textOfScalar(key)) : undefined),
    values.config,
  );
  const all = ownValue(authenticator, 'authenticators');
  const found = isObject(all) ? ownValue(all, textOfScalar(choice ?? null)) : undefined;
  if (!isObject(found))
    throw new Untranslatable('SelectiveAuthenticator', `there is none for ${textOfScalar(choice ?? null)}`);
  return found;
}

/** Returns the login that asks for an access token. */
function loginOf(authenticator: Component, values: Values): JsonObject {
  const text = (name: string, byDefault = ''): string =>
    values.text(ownValue(authenticator, name), authenticator) || byDefault;
  const grant = text('grant_type', 'refresh_token');
  const refresh = text('refresh_token');
  const scopes = ownValue(authenticator, 'scopes');
  const body = ownValue(authenticator, 'refresh_request_body');
  const headers = ownValue(authenticator, 'refresh_request_headers');
  const members = (written: Json | undefined): readonly (readonly [string, Json])[] =>
    isObject(written)
      ? entriesOf(written)
          .filter(([key]) => key !== '$parameters')
          .map(([key, value]) => [key, values.constant(value, authenticator)] as const)
      : [];
  const params = new Map<string, Json>([
    [text('grant_type_name', 'grant_type'), grant],
    [text('client_id_name', 'client_id'), text('client_id')],
    [text('client_secret_name', 'client_secret'), text('client_secret')],
    ...(grant === 'refresh_token' || refresh !== ''
      ? [[text('refresh_token_name', 'refresh_token'), refresh] as const]
      : []),
    ...(isList(scopes) && scopes.length > 0 ? [['scopes', scopes] as const] : []),
  ]);
  for (const [name, value] of members(body)) if (!params.has(name)) params.set(name, value);
  const sent = members(headers).map(([name, value]) => [name, textOfScalar(value)] as const);
  return {
    type: 'login',
    loginRequest: {
      endpoint: text('token_refresh_endpoint'),
      method: 'FORM',
      params: objectFrom(params),
      ...([...params.values()].some(isList) ? { batchStyle: 'repeat' } : {}),
      ...(sent.length === 0 ? {} : { headers: objectFrom(sent) }),
    },
    apiRequest: {
      headers: {
        Authorization: {
          function: 'concat',
          args: ['Bearer ', { response: text('access_token_name', 'access_token') }],
        },
      },
    },
  };
}

/** Returns the login that asks for a token of a session. */
function sessionOf(authenticator: Component, values: Values): JsonObject {
  const requester = partOf(authenticator, 'login_requester', 'HttpRequester');
  const path = ownValue(authenticator, 'session_token_path');
  const token = { response: (isList(path) ? path.map((key) => values.text(key, authenticator)) : []).join('.') };
  const use = partOf(authenticator, 'request_authentication', 'Bearer', 'ApiKey');
  const loginRequest = loginRequestOf(requester, values);
  if (ownValue(use, 'type') === 'Bearer')
    return {
      type: 'login',
      loginRequest,
      apiRequest: { headers: { Authorization: { function: 'concat', args: ['Bearer ', token] } } },
    };
  const { into, keys } = placeOf(partOf(use, 'inject_into', 'RequestOption'), values);
  const [name = ''] = keys;
  if (into === 'header') return { type: 'login', loginRequest, apiRequest: { headers: { [name]: token } } };
  if (into !== 'request_parameter') throw new Untranslatable(`a session token in ${into}`);
  return { type: 'login', loginRequest, apiRequest: { query: { [name]: token } } };
}

/** Returns the login by a name and a password whose response has the token for a header. */
const legacySessionOf = (header: string, text: (name: string) => string): JsonObject => ({
  type: 'login',
  loginRequest: {
    endpoint: text('api_url') + text('login_url'),
    method: 'POST',
    params: { username: text('username'), password: text('password') },
  },
  apiRequest: { headers: { [header]: { response: text('session_token_response_key') } } },
});

/** Returns the request of a login. */
function loginRequestOf(requester: Component, values: Values): JsonObject {
  const draft: Draft = { params: {}, headers: {} };
  requestOf(requester, draft, values);
  authenticationOf(componentAt(requester, 'authenticator'), draft, values, []);
  const { params, headers, body, form } = draft;
  const method = textAt(requester, 'http_method', 'GET').toUpperCase();
  const base = values.text(ownValue(requester, 'url_base') ?? ownValue(requester, 'url'), requester);
  const hasBody = body !== undefined || form !== undefined;
  if (hasBody && Object.keys(params).length > 0) throw new Untranslatable('a login with parameters and a body');
  return {
    endpoint: endpointOf(base, values.endpoint(ownValue(requester, 'path'), requester)),
    method: form !== undefined ? 'FORM' : method,
    params: body ?? form ?? params,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
  };
}
