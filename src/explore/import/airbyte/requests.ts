/** The requests of a job: address, parameters, headers, body and credentials. */
import {
  entriesOf,
  isList,
  isObject,
  listAt,
  objectFrom,
  ownValue,
  together,
  valueBelow,
} from '../../../core/json/objects';
import type { Json, JsonObject } from '../../../core/model';
import { Untranslatable, componentAt, membersOf, partOf, textAt, typeOf } from './manifest';
import type { Component } from './manifest';
import { textOfScalar } from './values';
import type { Values } from './values';

/** A job that is being put together. */
export interface Draft {
  readonly params: Record<string, Json>;
  readonly headers: Record<string, Json>;
  /** The members of a JSON body; absent: there is none. */
  body?: Record<string, Json>;
  /** The members of a form; absent: there is none. */
  form?: Record<string, Json>;
}

/** Sets a member at the keys that lead to it. */
function setAt(object: Record<string, Json>, [key = '', ...rest]: readonly string[], value: Json): void {
  const inner: Record<string, Json> = {};
  if (rest.length > 0) {
    Object.assign(inner, isObject(object[key]) ? object[key] : {});
    setAt(inner, rest, value);
  }
  object[key] = rest.length === 0 ? value : inner;
}

/** Where a request option puts a value, and the keys of that place. */
export interface OptionPlace {
  readonly into: string;
  readonly keys: readonly string[];
}

export function placeOf(option: Component, values: Values): OptionPlace {
  const path = ownValue(option, 'field_path');
  const keys = isList(path) ? path : [ownValue(option, 'field_name')];
  return {
    into: textAt(option, 'inject_into', 'request_parameter'),
    keys: keys.map((key) => values.text(key, option)),
  };
}

/** Puts a value where a request option says. */
function put(draft: Draft, option: Component, values: Values, value: Json): void {
  const { into, keys } = placeOf(option, values);
  if (into === 'request_parameter') setAt(draft.params, keys, value);
  else if (into === 'header') draft.headers[keys[0] ?? ''] = typeof value === 'number' ? String(value) : value;
  else if (into === 'body_json') setAt((draft.body ??= {}), keys, value);
  else if (into === 'body_data') setAt((draft.form ??= {}), keys, value);
  else throw new Untranslatable(`inject_into ${into}`);
}

/** Puts a value where an option of a component says, if it has the option. */
export function putOption(draft: Draft, component: Component, name: string, values: Values, value: Json): void {
  const option = componentAt(component, name);
  if (option !== undefined) put(draft, option, values, value);
}

/** Returns the base of the address of a requester. */
export const baseUrlOf = (requester: Component, values: Values): string =>
  values.text(ownValue(requester, 'url_base') ?? ownValue(requester, 'url'), requester);

/** Returns the address of a requester: its base and its path, as Python's `urljoin` joins them. */
export function addressOf(requester: Component, values: Values): string {
  const base = baseUrlOf(requester, values);
  const path = values.endpoint(ownValue(requester, 'path'), requester).replace(/^\/+/, '');
  if (/^https?:\/\//.test(path) || path === '') return path === '' ? base : path;
  return base === '' ? path : base.replace(/\/*$/, '/') + path;
}

/** Puts the parameters, headers and the body of a requester into a job. */
export function requestOf(requester: Component, draft: Draft, values: Values): void {
  const members = (name: string): readonly (readonly [string, Json])[] => {
    const written = ownValue(requester, name) ?? {};
    const made = typeof written === 'string' ? values.constant(written, requester, {}) : written;
    if (!isObject(made)) throw new Untranslatable(`${name} as a string`);
    return membersOf(made);
  };
  const putIn = (place: Record<string, Json>, key: string, written: Json): void => {
    const value = values.parameter(written, requester);
    if (value !== null && value !== '') place[values.text(key, requester)] = value;
  };
  if (['query_properties', 'fetch_properties_from_endpoint'].some((name) => ownValue(requester, name) !== undefined))
    throw new Untranslatable('query_properties');
  for (const [key, written] of members('request_parameters')) {
    if (isObject(written)) throw new Untranslatable(typeOf(written, 'an object as a parameter'));
    if (!values.isOfPage(written)) putIn(draft.params, key, written);
  }
  for (const [key, written] of members('request_headers')) {
    if (values.isOfPage(written)) throw new Untranslatable('a header that depends on the page');
    putIn(draft.headers, key, written);
  }
  const body = ownValue(requester, 'request_body');
  const kind = typeOf(body, '');
  if (kind === 'RequestBodyGraphQL' || kind === 'RequestBodyPlainText') throw new Untranslatable(kind);
  const contentOf = (type: string, name: string): Json =>
    (kind === type ? valueBelow(body, 'value') : ownValue(requester, name)) ?? '';
  const json = contentOf('RequestBodyJsonObject', 'request_body_json');
  const form = contentOf('RequestBodyUrlEncodedForm', 'request_body_data');
  if (!isEmpty(json)) {
    const made = values.body(json, requester);
    if (!isObject(made)) throw new Untranslatable('a body that is no object');
    if (Object.hasOwn(made, 'jinja')) throw new Untranslatable('a body that is a template');
    draft.body = Object.fromEntries([...entriesOf(made), ...Object.entries(draft.body ?? {})]);
  }
  if (isEmpty(form)) return;
  if (!isObject(form)) throw new Untranslatable('a body that is a string');
  for (const [key, written] of membersOf(form)) putIn((draft.form ??= {}), key, written);
}

const isEmpty = (written: Json): boolean => written === '' || (isObject(written) && Object.keys(written).length === 0);

/** Returns a draft as options of a job: the method, the parameters, which are in the query, the body and the headers. */
export function optionsOf(method: string, { params, headers, body, form }: Draft) {
  if (form !== undefined && body !== undefined) throw new Untranslatable('a form and a JSON body');
  const isInQuery = method !== 'GET' && body === undefined && form === undefined;
  return {
    ...(method === 'GET' ? {} : { method }),
    ...(Object.keys(params).length === 0 ? {} : { params }),
    ...(body === undefined ? {} : { body }),
    ...(form === undefined ? {} : { body: form, bodyAs: 'form' }),
    ...(isInQuery ? { paramsIn: 'query' } : {}),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
  };
}

/** Takes a parameter that has no name, as of a page size whose option names none, and returns it as a query. */
export function queryWithoutName({ params }: Draft, address: string): string {
  const { '': value } = params;
  if (value === undefined) return '';
  delete params[''];
  return `${address.includes('?') ? '&' : '?'}=${encodeURIComponent(textOfScalar(value))}`;
}

/** Returns the option for parameters that may be lists, whose elements are sent one by one. */
export const batchStyleOf = ({ params, form = {} }: Draft): JsonObject =>
  [...Object.values(params), ...Object.values(form)].some((value) => isList(value) || isObject(value))
    ? { batchStyle: 'repeat' }
    : {};

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
  const type = typeOf(authenticator, authenticator === undefined ? 'NoAuth' : '');
  if (authenticator === undefined || type === 'NoAuth') return undefined;
  const text = (name: string): string => values.text(ownValue(authenticator, name), authenticator);
  const inHeader = (name: string, key: string): Credentials => {
    draft.headers[name] = key;
    return { in: 'headers', name, authentication: { type: 'apiKey', name, key } };
  };
  switch (type) {
    case 'SelectiveAuthenticator':
      return authenticationOf(selected(authenticator, values), draft, values, logins);
    case 'BearerAuthenticator': {
      const token = text('api_token');
      const credentials = inHeader('Authorization', `Bearer ${token}`);
      return token === '' ? undefined : { ...credentials, authentication: { type: 'bearer', token } };
    }
    case 'BasicHttpAuthenticator': {
      const pair = `${text('username')}:${text('password')}`;
      draft.headers['Authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`;
      return undefined;
    }
    case 'ApiKeyAuthenticator': {
      const token = text('api_token');
      const option = componentAt(authenticator, 'inject_into') ?? { inject_into: 'header', field_name: text('header') };
      put(draft, option, values, token);
      const { into, keys } = placeOf(option, values);
      const [name = '', ...others] = keys;
      if (others.length > 0 || name === '' || token === '') return undefined;
      if (into === 'header') return inHeader(name, token);
      return into === 'request_parameter'
        ? { in: 'params', name, authentication: { type: 'apiKey', name, key: token, in: 'query' } }
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
      if (key !== '') return inHeader(name, key);
      logins.push({
        type: 'login',
        loginRequest: {
          endpoint: text('api_url') + text('login_url'),
          method: 'POST',
          params: { username: text('username'), password: text('password') },
        },
        apiRequest: { headers: { [name]: { response: text('session_token_response_key') } } },
      });
      return undefined;
    }
    default:
      throw new Untranslatable(type);
  }
}

function selected(authenticator: Component, values: Values): Component {
  const path = listAt(authenticator, 'authenticator_selection_path').map(textOfScalar);
  const choice = textOfScalar(valueBelow(values.config, ...path) ?? null);
  const found = valueBelow(authenticator, 'authenticators', choice);
  if (isObject(found)) return found;
  throw new Untranslatable('SelectiveAuthenticator', `there is none for ${choice}`);
}

const withBearer = (token: Json): JsonObject => ({
  headers: { Authorization: { function: 'concat', args: ['Bearer ', token] } },
});

/** Returns the login that asks for an access token. */
function loginOf(authenticator: Component, values: Values): JsonObject {
  const text = (name: string, byDefault = ''): string =>
    values.text(ownValue(authenticator, name), authenticator) || byDefault;
  const members = (name: string): readonly (readonly [string, Json])[] =>
    membersOf(ownValue(authenticator, name)).map(([key, value]) => [key, values.constant(value, authenticator)]);
  const [grant, refresh] = [text('grant_type', 'refresh_token'), text('refresh_token')];
  const scopes = listAt(authenticator, 'scopes');
  const own = objectFrom([
    [text('grant_type_name', 'grant_type'), grant],
    [text('client_id_name', 'client_id'), text('client_id')],
    [text('client_secret_name', 'client_secret'), text('client_secret')],
    ...(grant === 'refresh_token' || refresh !== ''
      ? [[text('refresh_token_name', 'refresh_token'), refresh] as const]
      : []),
    ...(scopes.length > 0 ? [['scopes', scopes] as const] : []),
  ]);
  const params = together(own, objectFrom(members('refresh_request_body')), own);
  const sent = members('refresh_request_headers').map(([name, value]) => [name, textOfScalar(value)] as const);
  return {
    type: 'login',
    loginRequest: {
      endpoint: text('token_refresh_endpoint'),
      method: 'FORM',
      params,
      ...(Object.values(params).some(isList) ? { batchStyle: 'repeat' } : {}),
      ...(sent.length === 0 ? {} : { headers: objectFrom(sent) }),
    },
    apiRequest: withBearer({ response: text('access_token_name', 'access_token') }),
  };
}

/** Returns the login that asks for a token of a session. */
function sessionOf(authenticator: Component, values: Values): JsonObject {
  const requester = partOf(authenticator, 'login_requester', 'HttpRequester');
  const path = listAt(authenticator, 'session_token_path').map((key) => values.text(key, authenticator));
  const token = { response: path.join('.') };
  const use = partOf(authenticator, 'request_authentication', 'Bearer', 'ApiKey');
  const login = { type: 'login', loginRequest: loginRequestOf(requester, values) };
  if (ownValue(use, 'type') === 'Bearer') return { ...login, apiRequest: withBearer(token) };
  const { into, keys } = placeOf(partOf(use, 'inject_into', 'RequestOption'), values);
  const [name = ''] = keys;
  if (into === 'header') return { ...login, apiRequest: { headers: { [name]: token } } };
  if (into === 'request_parameter') return { ...login, apiRequest: { query: { [name]: token } } };
  throw new Untranslatable(`a session token in ${into}`);
}

/** Returns the request of a login. */
function loginRequestOf(requester: Component, values: Values): JsonObject {
  const draft: Draft = { params: {}, headers: {} };
  requestOf(requester, draft, values);
  authenticationOf(componentAt(requester, 'authenticator'), draft, values, []);
  const { params, headers, body, form } = draft;
  const content = body ?? form;
  if (content !== undefined && Object.keys(params).length > 0)
    throw new Untranslatable('a login with parameters and a body');
  return {
    endpoint: addressOf(requester, values),
    method: form !== undefined ? 'FORM' : textAt(requester, 'http_method', 'GET').toUpperCase(),
    params: content ?? params,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
  };
}
