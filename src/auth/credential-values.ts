/**
 * Values that an authentication computes for each request, and adds to it (docs/language/authentication/query.md,
 * docs/language/authentication/oauth20.md).
 */
import type { Checked } from '../language/codec/checked';
import type { Evaluated } from '../language/expressions/entries';
import type { ContextName, Contexts, Scope } from '../language/expressions/expression';
import { compileScalars } from '../language/expressions/scalar-entries';
import type { Headers, JsonObject, JsonScalar, Request } from '../core/model';
import type { Secrets } from '../core/secrets/secrets';
import { overlayPairs, parseQuery, splitUrl, withQuery, type QueryPair } from '../core/url/query';

/** What is added to one request. Query values replace those of the same name in place. */
export interface CredentialValues {
  /** By lower-case name. */
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
 * @param path where the object stands
 * @param context what it may refer to beside `query` and `request`
 * @param names all names in that context; a reference to any other is a fault before the run
 * @param scope what may be called, and which texts are secrets
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
 * (docs/language/authentication.md#what-travels-where). What is secret among them is registered first.
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
