import type { Job } from '../../config/configuration';
import { expressionFailed } from '../../errors';
import { stringifyJson } from '../../json/stringify';
import { endpointUrl } from '../../url/address';
import { mayReceiveCredentials } from '../../url/origin';
import { namesItsHost } from './endpoint';
import { fillEndpoint } from './fill';
import type { JobSurroundings } from './surroundings';
import type { JobValues } from './values';
import type { BoundJob } from '../plan';
import { buildRequest } from '../../requests/template';
import type { RequestTemplate } from '../../requests/template';

/**
 * A job with the values of one call filled in (docs/language/jobs.md#placeholders).
 *
 * @throws FatalError EXPRESSION_FAILED when the values make no URL
 */
export function bindEndpoint(job: Job, { api, baseUrl, headers }: JobSurroundings, values: JobValues): BoundJob {
  const { bindings, defaultHeaders, ownHeaders, defaultParams, body } = values;
  const url = urlOf(job, baseUrl, bindings);
  // Default headers, and parameters made of secrets, may be credentials: they go where credentials may go.
  const isAtHome = (target: string): boolean => mayReceiveCredentials(target, baseUrl, api.http.credentialHosts);
  const withDefaults = { ...headers, ...defaultHeaders, ...ownHeaders };
  const template: RequestTemplate = {
    url,
    // Values come from responses: they must not lead elsewhere.
    home: namesItsHost(job.endpoint) ? url : baseUrl,
    provenance: bindings.size === 0 ? 'configured' : 'received',
    method: job.method ?? api.http.defaultMethod ?? 'GET',
    defaultParams: isAtHome(url) ? defaultParams.all : defaultParams.open,
    headers: (target) => (isAtHome(target) ? withDefaults : ownHeaders),
    purpose: { kind: 'page', job: job.id, path: job.path },
    ...listsOf(job),
    ...(body === undefined ? {} : { body: stringifyJson(body) }),
  };
  const { params, secrets } = values;
  const own = body === undefined ? {} : { body };
  return { url, params, ...own, secrets, request: (change) => buildRequest(template, change) };
}

const listsOf = ({ batch }: Job): Pick<RequestTemplate, 'lists'> =>
  batch?.style === 'repeat' || batch?.style === 'brackets' ? { lists: batch.style } : {};

function urlOf(job: Job, baseUrl: string, bindings: JobValues['bindings']): string {
  const endpoint = fillEndpoint(job.endpoint, bindings);
  try {
    return endpointUrl(baseUrl, endpoint);
  } catch (cause) {
    const message = `with its placeholders filled it is ${JSON.stringify(endpoint)}, which makes no URL`;
    throw expressionFailed({ path: `${job.path}.endpoint`, message }, cause);
  }
}
