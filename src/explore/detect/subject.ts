/** The request whose data the user wants, without its secrets. */
import { FatalError } from '../../core/errors/errors';
import { isList, isObject, objectFrom, ownValue } from '../../core/json/objects';
import { jsonIn } from '../../core/json/parse';
import type { HttpMethod, Json, JsonObject } from '../../core/model';
import { asksForPage } from './paging/names';
import { isSecretHeader, isSecretParam, schemeOf, secretsOfBody, variableOf } from './secrets';

/** A request as a user wrote it, or as a browser sent it. */
export interface WrittenRequest {
  readonly method: HttpMethod;
  /** Absolute. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Further credentials that it needs; an unknown secret is empty. */
  readonly credentials?: readonly Credential[];
}

/** A secret of a request: its kind, and the attribute of `config` that holds it. */
export type Credential =
  | { readonly kind: 'basic'; readonly username: string; readonly secret: string }
  | { readonly kind: 'bearer'; readonly scheme: string; readonly attribute: string; readonly secret: string }
  | {
      readonly kind: 'header';
      readonly name: string;
      /** The scheme before the secret, with a blank between them. */
      readonly scheme?: string;
      readonly attribute: string;
      readonly secret: string;
    }
  | { readonly kind: 'query'; readonly name: string; readonly attribute: string; readonly secret: string }
  | { readonly kind: 'body'; readonly name: string; readonly attribute: string; readonly secret: string }
  | {
      /** OAuth 2.0 with the client credentials grant. */
      readonly kind: 'client';
      readonly tokenEndpoint: string;
      readonly scope?: string;
      readonly clientId: string;
      readonly secret: string;
    };

/** A request without its secrets. */
export interface Subject {
  readonly method: HttpMethod;
  readonly url: string;
  /** The headers by lower-case name, without those that clients add by themselves. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body: JSON, or the parameters of a form; with its secrets, since it is sent. */
  readonly body?: Json;
  /** True if the body is sent as a form. */
  readonly isForm?: boolean;
  readonly credentials: readonly Credential[];
}

/** Headers that browsers and clients send by themselves. */
const NOISE =
  /^(?:accept-encoding|accept-language|user-agent|connection|host|content-length|origin|referer|priority|dnt|te|pragma|cache-control|if-none-match|if-modified-since|upgrade-insecure-requests|sec-.*|:.*)$/;

/**
 * Takes the secrets out of a request.
 *
 * @param taken the secrets of parameters of other requests in the same configuration, by variable; those of this one are added
 * @throws TypeError when its address is no URL; FatalError CONFIG_INVALID for a body that no configuration can have
 * @example subjectOf({ method: 'GET', url: 'https://me:pw@h.example/a', headers: {} }).url // 'https://h.example/a'
 */
export function subjectOf(
  { method, url, headers, body, credentials = [] }: WrittenRequest,
  taken: Map<string, string> = new Map(),
): Subject {
  const address = new URL(url);
  const basic = basicOf(address);
  address.username = '';
  address.password = '';
  address.hash = '';
  const named = [...address.searchParams].filter(([name, value]) => isSecretParam(name, value));
  for (const [name] of named) address.searchParams.delete(name);
  const inQuery = named.map(([name, secret]): Credential => ({
    kind: 'query',
    name,
    attribute: attributeFor(name),
    secret,
  }));
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const isSecret = ([name, value]: readonly [string, string]): boolean => isSecretHeader(name, value);
  const inHeaders = lower.filter(isSecret).map(([name, value]) => ofHeader(name, value));
  const type = lower.find(([name]) => name === 'content-type')?.[1];
  const parsed = body === undefined || body === '' ? undefined : bodyOf(body, type, method);
  return {
    method,
    url: address.href,
    headers: Object.fromEntries(
      lower.filter((each) => !isSecret(each) && !NOISE.test(each[0]) && each[0] !== 'content-type'),
    ),
    ...parsed,
    credentials: apart(
      [...(basic === undefined ? [] : [basic]), ...inQuery, ...inHeaders, ...inBody(parsed?.body), ...credentials],
      taken,
    ),
  };
}

const inBody = (body: Json | undefined): readonly Credential[] =>
  body === undefined
    ? []
    : secretsOfBody(body).map(({ name, secret }) => ({ kind: 'body', name, attribute: attributeFor(name), secret }));

/**
 * Returns the credentials with different variables for different secrets, however similar their names are. Among several requests this
 * holds for parameters only: a header carries a login, whose token may have been renewed in between.
 */
function apart(credentials: readonly Credential[], shared: Map<string, string>): readonly Credential[] {
  const taken = new Map([
    ...shared,
    ...credentials.flatMap(({ kind, secret }): [string, string][] =>
      kind === 'basic'
        ? [[variableOf('#password'), secret]]
        : kind === 'client'
          ? [[variableOf('#clientSecret'), secret]]
          : [],
    ),
  ]);
  return credentials.map((each) => {
    if (each.kind === 'basic' || each.kind === 'client') return each;
    let { attribute } = each;
    for (let number = 2; (taken.get(variableOf(attribute)) ?? each.secret) !== each.secret; number += 1)
      attribute = `${each.attribute}${number}`;
    taken.set(variableOf(attribute), each.secret);
    if (each.kind === 'query' || each.kind === 'body') shared.set(variableOf(attribute), each.secret);
    return { ...each, attribute };
  });
}

function basicOf({ username, password }: URL): Credential | undefined {
  if (username === '' && password === '') return undefined;
  return { kind: 'basic', username: decodeURIComponent(username), secret: decodeURIComponent(password) };
}

function ofHeader(name: string, value: string): Credential {
  const [scheme = '', ...rest] = value.split(' ');
  const secret = rest.join(' ');
  if (name === 'authorization' && /^basic$/i.test(scheme)) {
    const [username = '', ...password] = Buffer.from(secret, 'base64').toString('utf8').split(':');
    return { kind: 'basic', username, secret: password.join(':') };
  }
  if (name === 'authorization' && /^[\w-]+$/.test(scheme) && secret !== '')
    return { kind: 'bearer', scheme, attribute: '#token', secret };
  const own = { kind: 'header', name, attribute: attributeFor(name) } as const;
  return schemeOf(value) === undefined ? { ...own, secret: value } : { ...own, scheme, secret: secret.trim() };
}

/** Returns the attribute of `config` for a secret: `X-Api-Key` → `#apiKey`. */
export function attributeFor(name: string): string {
  const words = name
    .replace(/^x-/i, '')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
  const [first = 'secret', ...others] = words;
  return `#${first.charAt(0).toLowerCase()}${first.slice(1)}${others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}`;
}

/**
 * Returns whether parameters of a job with such a request are sent in its body, so that those of the address have to stay in the endpoint.
 */
export const sendsParams = ({ method, body, isForm }: Pick<Subject, 'method' | 'body' | 'isForm'>): boolean =>
  isForm === true || (method !== 'GET' && body === undefined);

/**
 * Returns whether repeating the request is harmless: reading requests, queries of GraphQL, and bodies that ask for a page or were answered
 * with one.
 *
 * @param hasNext whether its response names a next page
 */
export function isRead({ method, body }: Subject, hasNext: boolean): boolean {
  if (method === 'GET') return true;
  if (method !== 'POST' || !isObject(body)) return false;
  const query = ownValue(body, 'query');
  return asksForPage(body) || (typeof query === 'string' ? !/\b(?:mutation|subscription)\b/.test(query) : hasNext);
}

/** The body of a request in the form of a configuration. */
export interface SentBody {
  readonly body: Json;
  /** True if it is a form: then `body` has its parameters. */
  readonly isForm?: true;
}

const isJsonType = (type: string): boolean => /[/+]json\b/i.test(type);
const isFormType = (type: string): boolean => /^application\/x-www-form-urlencoded\b/i.test(type.trim());

/**
 * Returns a body as JSON or as a form. An object or array of JSON is never a form, whatever its content type: `curl -d` sends the type of a
 * form.
 *
 * @param type the header Content-Type
 * @throws FatalError CONFIG_INVALID for anything else, and for a form that is not sent by POST
 * @example bodyOf('river=ALD&limit=10', undefined, 'POST') // { body: { river: 'ALD', limit: '10' }, isForm: true }
 */
export function bodyOf(text: string, type: string | undefined, method: HttpMethod): SentBody {
  const json = jsonIn(text);
  if (json !== undefined && (isList(json) || isObject(json) || isJsonType(type ?? ''))) return { body: json };
  if (type !== undefined && isJsonType(type)) throw refused('it is no JSON, though its Content-Type says so');
  if (type !== undefined && !isFormType(type))
    throw refused(
      `its Content-Type is ${type.slice(0, 60)}: only JSON and forms can be sent${/xml/i.test(type) ? '. XML, such as that of SOAP, is sent by a middleware of your own (docs/components.md)' : ''}`,
    );
  if (method !== 'POST')
    throw refused(`a form is sent by POST, and not by ${method}: for parameters of the address use -G`);
  return { body: formOf(text), isForm: true };
}

function formOf(text: string): JsonObject {
  const pairs = [...new URLSearchParams(text)];
  const repeated = pairs.map(([name]) => name).find((name, at, all) => all.indexOf(name) !== at);
  if (repeated !== undefined) throw refused(`its form has "${repeated.slice(0, 60)}" several times`);
  return objectFrom(pairs);
}

const refused = (why: string): FatalError =>
  new FatalError('CONFIG_INVALID', `The body of the request cannot be written in a configuration: ${why}.`);

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
/** The machine itself, and addresses in private networks, few of which have a certificate. */
const NEARBY =
  /^(?:localhost|[\w-]+\.localhost|127(?:\.\d+){3}|0\.0\.0\.0|10(?:\.\d+){3}|192\.168(?:\.\d+){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d+){2}|\[::1\])(?=[:/?#]|$)/i;

/**
 * Returns an address that a user may have written without its scheme: with `https`, or with `http` for the machine itself and private
 * networks.
 *
 * @example writtenAddress('localhost:8000/ships') // 'http://localhost:8000/ships'
 */
export const writtenAddress = (text: string): string =>
  SCHEME.test(text) ? text : `${NEARBY.test(text) ? 'http' : 'https'}://${text}`;
