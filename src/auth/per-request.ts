/** Authentication without a login: constant secrets, and values that are computed for each request. */
import { randomBytes } from 'node:crypto';
import { of } from 'rxjs';
import { isScalar, textOf } from '../core/json/scalars';
import type { CredentialSource, Headers, JsonObject, JsonScalar, Request } from '../core/model';
import type { Secrets } from '../core/secrets/secrets';
import { overlayPairs, parseQuery, splitUrl, withQuery } from '../core/url/query';
import type { QueryPair } from '../core/url/query';
import { andThen, attempt, fault, valid } from '../language/codec/codec';
import type { Checked } from '../language/codec/codec';
import { compileScalars } from '../language/expressions/entries';
import type { Evaluated } from '../language/expressions/entries';
import { compileExpression } from '../language/expressions/expression';
import type { ContextName, Contexts, Scope } from '../language/expressions/expression';
import type { AuthenticationPlace } from '../language/parts/authentication';

/**
 * Returns a source for authentication without a login: `apply` is called for each attempt and each redirect. Such
 * credentials are never renewed, so a request is not sent again after a 401.
 *
 * @example perRequest((request) => ({ ...request, headers: { ...request.headers, 'x-key': 'k' } }))
 */
export const perRequest = (apply: (request: Request) => Request): CredentialSource => ({
  credentials$: of({ apply, refusedBy: [] }),
  invalidate: () => undefined,
});

/** Compiles a secret that is known before a run and sent as it is: a token or a key. */

/** Characters that a header cannot carry; a pasted token may contain one. */
const UNFIT = /[\0\r\n]/;

/**
 * Returns the secret in the form in which it is sent, before the first request.
 *
 * @param path its path in the configuration
 */
export const staticSecret = (written: string | JsonObject, path: string, place: AuthenticationPlace): Checked<string> =>
  andThen(staticText(written, path, place), (text) =>
    UNFIT.test(text) ? fault(path, 'has a line break or another character that cannot be sent') : valid(text),
  );

/**
 * Does the same as {@link staticSecret} for a secret that is never sent itself: it may have several lines. A string is
 * the secret even if it holds JSON, as key files do.
 */
export function staticText(written: string | JsonObject, path: string, place: AuthenticationPlace): Checked<string> {
  if (typeof written === 'string') return valid(written);
  const { known, ...scope } = place.scope;
  const attr: Contexts = known.attr === undefined ? {} : { attr: known.attr };
  const compiled = compileExpression(written, { path, contexts: ['attr'], ...scope, known: attr });
  return andThen(compiled, ({ evaluate }) =>
    andThen(
      attempt(path, () => evaluate(attr)),
      (value) => {
        const text = isScalar(value) ? textOf(value) : '';
        return text === '' ? fault(path, 'gives no string: the secret is empty') : valid(text);
      },
    ),
  );
}

/** The values that are new in each attempt to send a request. */
export interface Attempt {
  readonly nonce: string;
  /** The time in Unix seconds. */
  readonly timestamp: number;
}

/**
 * Returns a timestamp and a nonce.
 *
 * @param nonceBytes the bytes of the nonce, two lowercase hexadecimal digits for each
 */
export const newAttempt = (nonceBytes: number): Attempt => ({
  nonce: randomBytes(nonceBytes).toString('hex'),
  timestamp: Math.floor(Date.now() / 1000),
});

/**
 * The contexts `query` and `request` (docs/language/expressions.md#contexts) of the request to which values are added.
 */
export type RequestContexts = Required<Pick<Contexts, 'query' | 'request'>>;

/**
 * Returns the contexts `query` and `request` (docs/language/expressions.md#contexts) of a request, before
 * authentication is added to it. If the query repeats a name, the last value counts.
 *
 * @example requestContexts(request).request.get('hostname') // 'api.example'
 */
export function requestContexts({ method, url }: Request): RequestContexts {
  const target = new URL(url);
  target.username = '';
  target.password = '';
  const { href, pathname, search, hostname, port, protocol } = target;
  const impliedPort = protocol === 'https:' ? '443' : '80';
  const pairs = parseQuery(search.slice(1));
  return {
    query: new Map(pairs.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]))),
    request: new Map([
      ['url', href],
      ['path', pathname],
      ['queryString', search.slice(1)],
      ['method', method],
      ['hostname', hostname],
      ['port', port === '' ? impliedPort : port],
      ['resource', pathname + search],
    ]),
  };
}

/**
 * Compiles values that an authentication computes for each request, and adds them to it
 * (docs/language/authentication/query.md, docs/language/authentication/oauth20.md).
 */

/** The values that are added to one request. Query values replace those of the same name in place. */
export interface CredentialValues {
  /** The headers by lower-case name. */
  readonly headers: Headers;
  readonly query: readonly QueryPair[];
  /** Strings among them that must never be printed. */
  readonly secrets: readonly string[];
}

/** The names of the context `request` (docs/language/expressions.md#contexts). */
const REQUEST_NAMES = ['url', 'path', 'queryString', 'method', 'hostname', 'port', 'resource'];
const REQUEST: Contexts = { request: new Map(REQUEST_NAMES.map((name) => [name, ''])) };

/**
 * Compiles values that are added to each request, to be evaluated against it.
 *
 * @param path the path of the object
 * @param context the context that it may refer to in addition to `query` and `request`
 * @param names all names in that context; a reference to any other is a fault before the run
 * @param scope the functions, and the texts that are secrets
 */
export function compileCredentialValues(
  raw: JsonObject,
  path: string,
  context: ContextName,
  names: ReadonlyMap<string, JsonScalar>,
  { functions, secretTexts = new Set() }: Omit<Scope, 'known'>,
): Checked<(contexts: Contexts) => Evaluated> {
  const known: Contexts = { ...REQUEST, [context]: names };
  return compileScalars(raw, { path, contexts: [context, 'query', 'request'], functions, known, secretTexts });
}

/**
 * Adds values to a request: headers replace those of the same name, query values those of the same name in place
 * (docs/language/authentication.md#what-travels-where). Secrets among them are registered first.
 *
 * @example addValues(request, { headers: { 'x-key': 'k' }, query: [], secrets: ['k'] }, secrets)
 */
export function withCredentialValues(
  request: Request,
  { headers, query, secrets }: CredentialValues,
  registry: Secrets,
): Request {
  registry.learn(...secrets);
  const { url } = request;
  return {
    ...request,
    headers: { ...request.headers, ...headers },
    url: query.length === 0 ? url : withQuery(url, overlayPairs(parseQuery(splitUrl(url).query), query)),
  };
}
