import { entriesOf, isList, isObject, merge, objectFrom } from '../../core/json/objects';
import { isScalar, textOf } from '../../core/json/scalars';
import { stringifyJson } from '../../core/json/stringify';
import type { Headers, Json, JsonObject, Purpose, Request } from '../../core/model';
import { endpointUrl } from '../../core/url/address';
import {
  encodePairs,
  overlayPairs,
  paramPairs,
  parseQuery,
  queryPairs,
  splitUrl,
  withQuery,
} from '../../core/url/query';
import type { ListStyle, QueryPair } from '../../core/url/query';
import { fault, valid } from '../codec/codec';
import type { Checked } from '../codec/codec';
import type { Method } from '../codec/values';

/** The changes of a request by a pagination method: everything else comes from the job. */
export interface RequestChange {
  /** The parameters of the job and the pagination, merged. */
  readonly params: JsonObject;
  /** The body of the job with the values of the pagination, which replaces the job's own body. */
  readonly body?: Json;
  /** Headers by lower-case name; they override headers of the job. */
  readonly headers?: Headers;
  /** The absolute address of the next page, if the response gave one. */
  readonly address?: string;
  /** A query from the response that overrides `params`. */
  readonly received?: string;
  /** True for a request to the target of `scrollRequest`. */
  readonly scroll?: boolean;
}

/** Returns the URL of an endpoint, or a fault with its path (docs/language/requests.md#endpoints). */
export function endpointIn(baseUrl: string, endpoint: string, path: string): Checked<string> {
  try {
    return valid(endpointUrl(baseUrl, endpoint));
  } catch {
    return fault(path, 'expected an endpoint that makes a URL with the base URL');
  }
}

/**
 * Merges header layers by name, ignoring case, a later layer over an earlier one (docs/language/requests.md#headers).
 */
export function mergeHeaderLayers(...layers: readonly JsonObject[]): JsonObject {
  return objectFrom(layers.flatMap((layer) => entriesOf(layer).map(([name, value]) => [name.toLowerCase(), value])));
}

/**
 * Returns header values as strings, by lower-case name; `null` is an empty value, an array is sent as several lines.
 */
export function headerTexts(layer: JsonObject): Headers {
  return Object.fromEntries(
    entriesOf(layer).map(([name, value]) => [
      name.toLowerCase(),
      isList(value) ? value.map(scalarText) : scalarText(value),
    ]),
  );
}

const scalarText = (value: Json): string => (isScalar(value) ? textOf(value) : '');

/** The common parts of all requests of a job or a login. */
export interface RequestTemplate {
  /** The absolute URL of the endpoint, with an optional query. */
  readonly url: string;
  readonly method: Method;
  /** A JSON body that is sent with any method: the parameters then go to the query. */
  readonly body?: string;
  /** Set if the body is sent as a form. */
  readonly bodyAs?: 'form';
  /** A GraphQL document that is sent as JSON, with the parameters as its variables. */
  readonly graphql?: { readonly document: string; readonly operationName?: string };
  /**
   * The form of arrays in a query or a form; by default with indexes
   * (docs/language/requests.md#how-a-query-is-written).
   */
  readonly lists?: ListStyle;
  /** Set if parameters go into the query, and the request has no body. */
  readonly paramsIn?: 'query';
  readonly defaultParams: JsonObject;
  /**
   * Returns the headers of a request by lower-case name, with or without those that only an address for credentials
   * gets.
   */
  readonly headers: (url: string) => Headers;
  readonly purpose: Purpose;
  /** A URL at whose origin requests may stay, in addition to the hosts that may receive credentials. */
  readonly home: string;
  /** The origin of the URL: written by a person, or built from values of a response. */
  readonly provenance: Request['provenance'];
  /** Hosts to which responses may also lead requests, without credentials. */
  readonly downloadHosts?: readonly string[];
}

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

/**
 * Builds a request from a template and the changes of the pagination
 * (docs/language/requests.md#how-a-request-is-put-together): the parameters override the defaults, and the method
 * decides whether they become a query, a JSON body or a form; with a body of their own they become a query
 * (docs/language/requests.md#bodies).
 */
export function buildRequest(template: RequestTemplate, change: RequestChange): Request {
  if (template.graphql !== undefined) {
    const { graphql, ...plain } = template;
    return buildRequest(plain, { ...change, params: {}, body: graphqlBody(graphql, change) });
  }
  const url = change.address ?? template.url;
  const received = parseQuery(change.received ?? '');
  const headers = { ...template.headers(url), ...change.headers };
  const body = change.body === undefined ? template.body : bodyText(change.body, template);
  const common = {
    method: template.method === 'FORM' ? ('POST' as const) : template.method,
    purpose: template.purpose,
    home: template.home,
    provenance: change.address === undefined ? template.provenance : ('received' as const),
    ...(template.downloadHosts === undefined ? {} : { downloadHosts: template.downloadHosts }),
  };
  if (body !== undefined) {
    const query = queryOf(template, change, url, received);
    const type = template.bodyAs === 'form' ? FORM_TYPE : JSON_TYPE;
    return {
      url: query.url,
      receivedNames: query.receivedNames,
      headers: { 'content-type': type, ...headers },
      body,
      ...common,
    };
  }
  if (template.method === 'GET' || template.paramsIn === 'query') {
    const query = queryOf(template, change, url, received);
    return { url: query.url, receivedNames: query.receivedNames, headers, ...common };
  }
  const params = withReceived(merge(template.defaultParams, change.params), received);
  return {
    url,
    receivedNames: change.address === undefined ? [] : names(parseQuery(splitUrl(url).query)),
    ...common,
    ...contentOf(template, params, headers),
  };
}

/** Returns a body of its own as it is sent. */
export const bodyText = (body: Json, { bodyAs, lists }: Pick<RequestTemplate, 'bodyAs' | 'lists'>): string =>
  bodyAs === 'form' && isObject(body) ? encodePairs(paramPairs(body, lists)) : stringifyJson(body);

const graphqlBody = (
  { document, operationName }: NonNullable<RequestTemplate['graphql']>,
  { params }: RequestChange,
): JsonObject => ({
  query: document,
  ...(operationName === undefined ? {} : { operationName }),
  ...(Object.keys(params).length === 0 ? {} : { variables: params }),
});

/**
 * Returns the content of a request. "No parameters: body `[]`" (docs/language/requests.md#methods) applies to POST
 * alone.
 */
function contentOf(
  { method, lists }: RequestTemplate,
  params: JsonObject,
  headers: Headers,
): Pick<Request, 'headers' | 'body'> {
  if (method === 'FORM')
    return { headers: { ...headers, 'content-type': FORM_TYPE }, body: encodePairs(paramPairs(params, lists)) };
  const isEmpty = Object.keys(params).length === 0;
  if (method === 'POST')
    return { headers: { ...headers, 'content-type': JSON_TYPE }, body: isEmpty ? '[]' : stringifyJson(params) };
  return isEmpty ? { headers } : { headers: { 'content-type': JSON_TYPE, ...headers }, body: stringifyJson(params) };
}

const names = (pairs: readonly QueryPair[]): string[] => [...new Set(pairs.map(({ name }) => name))];

/**
 * Merges the parameters into the query of the URL (docs/language/requests.md#parameters-and-the-query-of-an-endpoint).
 */
function queryOf(
  template: RequestTemplate,
  change: RequestChange,
  url: string,
  received: readonly QueryPair[],
): Pick<Request, 'url' | 'receivedNames'> {
  const isBare = received.length === 0 && change.address === undefined;
  if (isBare && isEmpty(change.params) && isEmpty(template.defaultParams)) return { url, receivedNames: [] };
  const own = queryPairs(change.params, template.lists);
  const all = overlayPairs(queryPairs(merge(template.defaultParams, change.params), template.lists), received);
  const written = parseQuery(splitUrl(url).query);
  if (change.address === undefined) return { url: merged(url, written, all), receivedNames: names(received) };
  // The next page's address overrides a default; a parameter of the job overrides the address.
  const ownNames = new Set(names(own));
  const addressNames = new Set(names(written));
  const over = all.filter(({ name }) => ownNames.has(name) || !addressNames.has(name));
  return {
    url: merged(url, written, over),
    receivedNames: names([...written, ...received]).filter((name) => !ownNames.has(name)),
  };
}

const isEmpty = (params: JsonObject): boolean => Object.keys(params).length === 0;

/** Adds parameters to an address; without any, the query keeps its exact spelling. */
const merged = (url: string, written: readonly QueryPair[], over: readonly QueryPair[]): string =>
  over.length === 0 ? url : withQuery(url, overlayPairs(written, over));

/** Merges a received query over the parameters of a body; a repeated name becomes an array. */
function withReceived(params: JsonObject, received: readonly QueryPair[]): JsonObject {
  const groups = names(received).map((name) => {
    const values = received.filter((pair) => pair.name === name).map(({ value }) => value ?? '');
    return [name, values.length > 1 ? values : (values[0] ?? '')] as const;
  });
  return groups.length === 0 ? params : objectFrom([...entriesOf(params), ...groups]);
}
