import type { Job } from '../config/configuration';
import { FatalError } from '../errors';
import { endpointUrl } from '../url/address';
import { isTrusted } from '../url/origin';
import { fillEndpoint, namesItsHost } from './endpoint';
import { headerTexts } from './headers';
import type { JobSurroundings } from './job-surroundings';
import type { BoundJob } from './plan';
import { buildRequest } from './request-template';

/**
 * A job with the placeholders of one call filled in (language 2.3, 6.6).
 *
 * @throws FatalError EXPRESSION_FAILED when the values make no URL
 */
export function bindEndpoint(
  job: Job,
  { api, baseUrl, headers }: JobSurroundings,
  texts: ReadonlyMap<string, string>,
): BoundJob {
  const url = urlOf(job, baseUrl, texts);
  const own = headerTexts(job.headers);
  const withDefaults = { ...headers, ...own };
  const template = {
    url,
    // Values come from responses: they must not lead elsewhere.
    home: namesItsHost(job.endpoint) ? url : baseUrl,
    provenance: texts.size === 0 ? ('configured' as const) : ('received' as const),
    method: job.method ?? api.http.defaultMethod ?? 'GET',
    defaultParams: api.http.defaultParams,
    // Default headers may be credentials: they go where credentials may go.
    headers: (target: string) => (isTrusted(target, baseUrl, api.http.allowedHosts) ? withDefaults : own),
    purpose: { kind: 'page' as const, job: job.id },
  };
  return { url, request: (change) => buildRequest(template, change) };
}

function urlOf(job: Job, baseUrl: string, texts: ReadonlyMap<string, string>): string {
  const endpoint = fillEndpoint(job.endpoint, texts);
  try {
    return endpointUrl(baseUrl, endpoint);
  } catch (cause) {
    const found = `with its placeholders filled it is ${JSON.stringify(endpoint)}, which makes no URL`;
    throw new FatalError('EXPRESSION_FAILED', `${job.path}.endpoint: ${found}`, { cause });
  }
}
