import * as E from 'fp-ts/Either';
import type { Job, IterationConfiguration } from '../language/configuration/configuration';
import type { Fault } from '../core/errors/errors';
import { entriesOf, isList, isObject, keysOf } from '../core/json/keys';
import type { Pagination } from '../language/configuration/pagination/pagination';
import type { Json, JsonObject } from '../core/model';
import { isConnectionHeader } from '../core/url/header-text';
import { mayReceiveCredentials } from '../core/url/origin';
import { namesItsHost } from './jobs/endpoint';
import { graphqlWarnings } from './jobs/graphql-warnings';
import { choose } from './jobs/pagination';
import { twoPageSizes } from './jobs/page-sizes';
import { halfWindow } from './jobs/slices';

/** What a person should know about a run before it starts, beyond what the decoder has said. */
export function warningsOf({ api, settings }: IterationConfiguration, baseUrl: string): readonly Fault[] {
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
    ['config.http.headers', settings.headers],
    ['api.http.defaultOptions.headers', api.http.defaultHeaders],
  ];
  return [
    ...layers.flatMap(([path, headers]) => connectionHeaders(path, headers)),
    ...secretColumns('config.userData', settings.userData),
    ...settings.jobs.flatMap((job) => withHeirs(job, false)),
  ];
}

/**
 * Parameters that only the first page is asked for with (docs/language/pagination/response.param.md): an API that needs them
 * gives later pages of something else.
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

/** Headers such as `Connection` and `Content-Length` are set by what sends the request. */
const connectionHeaders = (path: string, headers: JsonObject): Fault[] =>
  Object.keys(headers)
    .filter(isConnectionHeader)
    .map((name) => ({
      path: `${path}.${name}`,
      message: 'has no effect: this header is set by what sends the request',
    }));

/** A job elsewhere gets no credentials; its author should hear of it. */
function credentialsWithheld({ path, endpoint }: Job, baseUrl: string, credentialHosts: readonly string[]): Fault[] {
  if (!namesItsHost(endpoint) || mayReceiveCredentials(endpoint, baseUrl, credentialHosts)) return [];
  const message =
    `${new URL(endpoint).origin} is not the origin of the base URL: login values, default headers and default ` +
    `parameters made of secrets are not sent there. If they should be, name the host in api.http.allowedHosts.`;
  return [{ path: `${path}.endpoint`, message }];
}

/** Columns of all rows, of which nothing masks what is secret. */
const secretColumns = (path: string, userData: Json | undefined): Fault[] =>
  userData !== undefined && namesSecret(userData)
    ? [{ path, message: 'names a secret, which would stand in a column of every row: rows are no secrets' }]
    : [];

/** Tells whether a value contains an expression that names a secret attribute. */
function namesSecret(value: Json): boolean {
  if (isList(value)) return value.some(namesSecret);
  if (!isObject(value)) return false;
  return entriesOf(value).some(
    ([key, inner]) => (key === 'attr' && typeof inner === 'string' && /(^|\.)#/.test(inner)) || namesSecret(inner),
  );
}

/** A key may stand in the query. */
const withoutQuery = (endpoint: string): string => endpoint.replace(/[?#].*$/s, '?…');

/** A child without any placeholders, own or inherited, is never called (docs/language/jobs.md#placeholders). */
function neverCalled({ path, endpoint, placeholders }: Job, inherits: boolean): Fault[] {
  if (inherits || Object.keys(placeholders).length > 0) return [];
  return [
    {
      path: `${path}.placeholders`,
      message: `No 'placeholders' set for '${withoutQuery(endpoint)}': it is never called`,
    },
  ];
}
