import * as E from 'fp-ts/Either';
import type { Fault } from '../core/errors/errors';
import { isConnectionHeader } from '../core/headers';
import { entriesOf, isList, isObject, keysOf, ownValue } from '../core/json/objects';
import { isCount } from '../core/json/scalars';
import type { Json, JsonObject } from '../core/model';
import { mayReceiveCredentials } from '../core/url/address';
import { parseQuery, splitUrl } from '../core/url/query';
import type { Api, IterationConfiguration, Job } from '../language/configuration/configuration';
import { placeInConfig } from '../language/configuration/iterations';
import type { Pagination } from '../language/configuration/pagination';
import type { ChosenPagination } from '../language/parts/pagination/pagination';
import { isSizeName, memberOf } from '../language/parts/pagination/place';
import { readDocument } from '../language/requests/graphql/operation';
import { namesItsHost } from './jobs/fill';
import { choose } from './jobs/pagination';
import { halfWindow } from './jobs/slices';

const NONE = 'none';
const VARIABLES = 'variables';

/** Warns of GraphQL pages that a job would not get, although it is valid (docs/language/graphql.md). */
function graphqlWarnings(api: Api, job: Job): readonly Fault[] {
  const chosen = choose(api.pagination, job);
  if (E.isLeft(chosen)) return [];
  const { pagination } = chosen.right;
  return job.graphql === undefined
    ? ignoredPlaces(pagination, job)
    : [...unpagedConnection(pagination, job), ...untoldConnections(job)];
}

/** Warns of a connection of which only the first page is read. */
function unpagedConnection({ method }: ChosenPagination, { path, graphql }: Job): readonly Fault[] {
  const connection = graphql?.connection;
  if (connection === undefined || connection.asksForNext || method !== NONE) return [];
  const message = `reads only the first page of ${connection.path.join('.')}: let that have "pageInfo { hasNextPage endCursor }", and a variable as its argument "after"`;
  return [{ path: `${path}.query`, message }];
}

/** Warns of connections within items: an API returns only a first page of each. */
function untoldConnections({ path, graphql }: Job): readonly Fault[] {
  if (graphql?.unpaged === undefined) return [];
  const message = `asks for ${graphql.unpaged.join(', ')} within its items, and nothing will show where the API gives only the first page of that: let it have "pageInfo { hasNextPage }"`;
  return [{ path: `${path}.query`, message }];
}

/**
 * Warns of a document in an ordinary request: an API ignores values that are not variables of it, and returns the first
 * page again.
 */
function ignoredPlaces({ method, places }: ChosenPagination, { path, body, params }: Job): readonly Fault[] {
  const query = ownValue(isObject(body) ? body : params, 'query');
  if (places.length === 0 || typeof query !== 'string' || !/^\s*(\{|query\b|fragment\b|#)/.test(query)) return [];
  const read = readDocument(query);
  if (read.kind === 'broken') return [];
  const variables = new Set(read.operations.flatMap((operation) => operation.variables));
  const ignored = places.flatMap((place) => {
    const [root, name] = [memberOf(place, {}) ?? []].flat();
    return root === undefined || (root === VARIABLES && name !== undefined && variables.has(name))
      ? []
      : [root === VARIABLES && name !== undefined ? `$${name}` : root];
  });
  if (ignored.length === 0) return [];
  const message = `is GraphQL, and pagination (${method}) sends ${ignored.join(' and ')}, which the query does not declare and use as variables: the API would ignore that, and give its first page again. Write the job with "method": "graphql"`;
  return [{ path: `${path}.${body === undefined ? 'params' : 'body'}.query`, message }];
}

/**
 * Warns of a page size that a job sends in addition to the one of its pagination
 * (docs/language/pagination.md#common-rules): if the API uses it, a full page looks like the last one.
 */
function twoPageSizes({ pagination, http }: Api, job: Job): Fault[] {
  const chosen = choose(pagination, job);
  if (E.isLeft(chosen) || job.graphql !== undefined) return [];
  const { options } = chosen.right.pagination;
  if (!('limit' in options && typeof options.limit === 'number')) return [];
  if (!('limitParam' in options && typeof options.limitParam === 'string')) return [];
  const { limit, limitParam } = options;
  const own = ownValue(job.params, limitParam);
  const size = own === undefined ? limit : numberOf(own);
  const query = parseQuery(splitUrl(job.endpoint).query);
  const sent: readonly Sent[] = [
    ...entriesOf(job.params).map(([name, value]) => ({ path: `${job.path}.params`, name, value })),
    ...query.map(({ name, value = '' }) => ({ path: `${job.path}.endpoint`, name, value })),
    ...entriesOf(http.defaultParams)
      .filter(([name]) => ownValue(job.params, name) === undefined)
      .map(([name, value]) => ({ path: job.path, name, value })),
  ];
  return sent.flatMap(({ path, name, value }): Fault[] => {
    const other = numberOf(value);
    if (name === limitParam || !isSizeName(name) || other === undefined || size === undefined || other === size)
      return [];
    const message =
      `${name} is ${other}, and pagination counts by a page size of ${size}, which it sends as "${limitParam}": if the API goes by ${name}, items ` +
      `will be missing. Leave it out, and write "limitParam": "${name}" in the pagination.`;
    return [{ path, message }];
  });
}

interface Sent {
  readonly path: string;
  readonly name: string;
  readonly value: Json;
}

/** Returns a literal number; computed values are known only when the job runs. */
const numberOf = (value: Json): number | undefined =>
  typeof value === 'number' || (typeof value === 'string' && isCount(value)) ? Number(value) : undefined;

/** Returns the warnings about a run before it starts, in addition to those of the decoder. */
export function warningsOf(iteration: IterationConfiguration, baseUrl: string): readonly Fault[] {
  const { api, settings } = iteration;
  const { credentialHosts } = api.http;
  const withHeirs = (job: Job, inherits: boolean): Fault[] => {
    const hasPlaceholders = inherits || Object.keys(job.placeholders).length > 0;
    return [
      ...graphqlWarnings(api, job),
      ...droppedParams(api.pagination, job),
      ...twoPageSizes(api, job),
      ...halfWindow(job, api),
      ...secretColumns(`${job.path}.userData`, job.userData),
      ...credentialsWithheld(job, baseUrl, credentialHosts),
      ...connectionHeaders(`${job.path}.headers`, job.headers),
      ...job.children.flatMap((child) => [
        ...neverCalled(child, hasPlaceholders),
        ...withHeirs(child, hasPlaceholders),
      ]),
    ];
  };
  const layers: readonly (readonly [string, JsonObject])[] = [
    ['api.http.headers', api.http.headers],
    [`${placeInConfig(iteration, 'http')}.headers`, settings.headers],
    ['api.http.defaultOptions.headers', api.http.defaultHeaders],
  ];
  return [
    ...layers.flatMap(([path, headers]) => connectionHeaders(path, headers)),
    ...secretColumns(placeInConfig(iteration, 'userData'), settings.userData),
    ...settings.jobs.flatMap((job) => withHeirs(job, false)),
  ];
}

/**
 * Warns of parameters that only the first request has (docs/language/pagination/response.param.md): an API that needs
 * them returns wrong later pages.
 */
function droppedParams(pagination: Pagination, job: Job): Fault[] {
  const chosen = choose(pagination, job);
  if (E.isLeft(chosen) || !chosen.right.pagination.dropsParams || job.graphql !== undefined) return [];
  const names = keysOf(job.params);
  if (names.length === 0) return [];
  const message =
    `only the first request has ${names.join(', ')}: pagination (${chosen.right.pagination.method}) leaves them out of later ` +
    'ones. Write "includeParams": true beside "method" to send them each time, or false if the value stands for them';
  return [{ path: `${job.path}.params`, message }];
}

/** Warns of headers such as `Connection` and `Content-Length`, which the transport sets. */
const connectionHeaders = (path: string, headers: JsonObject): Fault[] =>
  Object.keys(headers)
    .filter(isConnectionHeader)
    .map((name) => ({
      path: `${path}.${name}`,
      message: 'has no effect: this header is set by what sends the request',
    }));

/** Warns of a job at another host, which gets no credentials. */
function credentialsWithheld({ path, endpoint }: Job, baseUrl: string, credentialHosts: readonly string[]): Fault[] {
  if (!namesItsHost(endpoint) || mayReceiveCredentials(endpoint, baseUrl, credentialHosts)) return [];
  const message =
    `${new URL(endpoint).origin} is not the origin of the base URL: login values, default headers and default ` +
    `parameters made of secrets are not sent there. If they should be, name the host in api.http.allowedHosts.`;
  return [{ path: `${path}.endpoint`, message }];
}

/** Warns of columns with secrets: nothing masks them. */
const secretColumns = (path: string, userData: Json | undefined): Fault[] =>
  userData !== undefined && namesSecret(userData)
    ? [{ path, message: 'names a secret, which would stand in a column of every row: rows are no secrets' }]
    : [];

/** Returns whether a value contains an expression that names a secret attribute. */
function namesSecret(value: Json): boolean {
  if (isList(value)) return value.some(namesSecret);
  if (!isObject(value)) return false;
  return entriesOf(value).some(
    ([key, inner]) => (key === 'attr' && typeof inner === 'string' && /(^|\.)#/.test(inner)) || namesSecret(inner),
  );
}

/** Returns an endpoint without its query, which may contain a key. */
const withoutQuery = (endpoint: string): string => endpoint.replace(/[?#].*$/s, '?…');

/**
 * Warns of a child without any placeholders, own or inherited: it is never called (docs/language/jobs.md#placeholders).
 */
function neverCalled({ path, endpoint, placeholders }: Job, inherits: boolean): Fault[] {
  if (inherits || Object.keys(placeholders).length > 0) return [];
  return [
    {
      path: `${path}.placeholders`,
      message: `No 'placeholders' set for '${withoutQuery(endpoint)}': it is never called`,
    },
  ];
}
