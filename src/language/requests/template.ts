import { entriesOf, isList, merge, objectFrom } from '../../core/json/objects';
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
import { fault, valid } from '../codec/checked';
import type { Checked } from '../codec/checked';
import type { Method } from '../codec/values';

/** What a pagination method says of a request: everything else comes from the job. */
export interface RequestChange {
  /** Parameters of the job and of pagination, merged. */
  readonly params: JsonObject;
  /** The body of the job with what pagination sets in it, in place of the one that the job has. */
  readonly body?: Json;
  /** Headers by lower-case name; they win over those of the job. */
  readonly headers?: Headers;
  /** The address of the next page, absolute, where the response gave one. */
  readonly address?: string;
  /** A query from the response that overrides `params`. */
  readonly received?: string;
  /** True for a request that goes where `scrollRequest` says. */
  readonly scroll?: boolean;
}

/** The URL of an endpoint, or a fault that says where it stands (docs/language/requests.md#endpoints). */
export function endpointIn(baseUrl: string, endpoint: string, path: string): Checked<string> {
  try {
    return valid(endpointUrl(baseUrl, endpoint));
  } catch {
    return fault(path, 'expected an endpoint that makes a URL with the base URL');
  }
}

/**
 * Merges header layers by name whatever their case, a later layer over an earlier one
 * (docs/language/requests.md#headers).
 */
export function mergeHeaderLayers(...layers: readonly JsonObject[]): JsonObject {
  return objectFrom(layers.flatMap((layer) => entriesOf(layer).map(([name, value]) => [name.toLowerCase(), value])));
}

/** Header values as strings, by lower-case name; `null` is an empty value, an array is sent as several lines. */
export function headerTexts(layer: JsonObject): Headers {
  return Object.fromEntries(
    entriesOf(layer).map(([name, value]) => [
      name.toLowerCase(),
      isList(value) ? value.map(scalarText) : scalarText(value),
    ]),
  );
}

const scalarText = (value: Json): string => (isScalar(value) ? textOf(value) : '');

/** What all requests of one job, or a login, have in common. */
export interface RequestTemplate {
  /** Absolute URL of the endpoint, perhaps with a query. */
  readonly url: string;
  readonly method: Method;
  /** JSON that is sent with any method: then the parameters go to the query. */
  readonly body?: string;
  /** A GraphQL document that is sent as JSON, with the parameters as its variables. */
  readonly graphql?: { readonly document: string; readonly operationName?: string };
  /**
   * How arrays stand in a query or a form; absent: by their indexes (docs/language/requests.md#how-a-query-is-written).
   */
  readonly lists?: ListStyle;
  readonly defaultParams: JsonObject;
  /**
   * Gives the headers of a request by lower-case name: those for an address that may carry credentials, or those for
   * any other.
   */
  readonly headers: (url: string) => Headers;
  readonly purpose: Purpose;
  /** A URL at whose origin requests may stay, beside the hosts that may receive credentials. */
  readonly home: string;
  /** Whether the URL was written by a person or made with values of a response. */
  readonly provenance: Request['provenance'];
  /** Hosts where responses may lead requests as well, without credentials. */
  readonly downloadHosts?: readonly string[];
}

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

/**
 * A request from a template and what pagination changes (docs/language/requests.md#how-a-request-is-put-together): the
 * defaults lie below the parameters, and the method decides whether they become a query, a JSON body or a form; beside
 * a body of its own they become a query (docs/extensions/request-bodies.md).
 */
export function buildRequest(template: RequestTemplate, change: RequestChange): Request {
  const { graphql, ...plain } = template;
  if (graphql !== undefined) return buildRequest(plain, { ...change, params: {}, body: graphqlBody(graphql, change) });
  const url = change.address ?? template.url;
  const received = parseQuery(change.received ?? '');
  const headers = { ...template.headers(url), ...change.headers };
  const body = change.body === undefined ? template.body : stringifyJson(change.body);
  const common = {
    method: template.method === 'FORM' ? ('POST' as const) : template.method,
    headers,
    purpose: template.purpose,
    home: template.home,
    provenance: change.address === undefined ? template.provenance : ('received' as const),
    ...(template.downloadHosts === undefined ? {} : { downloadHosts: template.downloadHosts }),
  };
  if (body !== undefined) {
    const query = queryOf(template, change, url, received);
    return { ...common, ...query, headers: { 'content-type': JSON_TYPE, ...headers }, body };
  }
  if (template.method === 'GET') return { ...common, ...queryOf(template, change, url, received) };
  const params = withReceived(merge(template.defaultParams, change.params), received);
  return {
    ...common,
    ...contentOf(template, params, headers),
    url,
    receivedNames: change.address === undefined ? [] : names(parseQuery(splitUrl(url).query)),
  };
}

const graphqlBody = (
  { document, operationName }: NonNullable<RequestTemplate['graphql']>,
  { params }: RequestChange,
): JsonObject => ({
  query: document,
  ...(operationName === undefined ? {} : { operationName }),
  ...(Object.keys(params).length === 0 ? {} : { variables: params }),
});

/** "No parameters: body `[]`" (docs/language/requests.md#methods) is for POST alone. */
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
 * The parameters merged into the query of the URL (docs/language/requests.md#parameters-and-the-query-of-an-endpoint).
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
  // A default lies below what the next page's address says; a parameter of the job lies above it.
  const ownNames = new Set(names(own));
  const addressNames = new Set(names(written));
  const over = all.filter(({ name }) => ownNames.has(name) || !addressNames.has(name));
  return {
    url: merged(url, written, over),
    receivedNames: names([...written, ...received]).filter((name) => !ownNames.has(name)),
  };
}

const isEmpty = (params: JsonObject): boolean => Object.keys(params).length === 0;

/** Adds parameters to an address; without any, the query stays exactly as it was written. */
const merged = (url: string, written: readonly QueryPair[], over: readonly QueryPair[]): string =>
  over.length === 0 ? url : withQuery(url, overlayPairs(written, over));

/** A received query over the parameters of a body; a name that comes several times becomes an array. */
function withReceived(params: JsonObject, received: readonly QueryPair[]): JsonObject {
  const groups = names(received).map((name) => {
    const values = received.filter((pair) => pair.name === name).map(({ value }) => value ?? '');
    return [name, values.length > 1 ? values : (values[0] ?? '')] as const;
  });
  return groups.length === 0 ? params : objectFrom([...entriesOf(params), ...groups]);
}
