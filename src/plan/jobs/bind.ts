import type { Job } from '../../language/configuration/configuration';
import { expressionFailed } from '../../core/errors/errors';
import type { Purpose } from '../../core/model';
import { endpointUrl, mayReceiveCredentials } from '../../core/url/address';
import { namesItsHost, fillEndpoint } from './fill';
import type { JobSurroundings } from '../defaults';
import type { JobValues } from './values';
import type { BoundJob } from '../plan';
import { bodyText, buildRequest } from '../../language/requests/template';
import type { RequestTemplate } from '../../language/requests/template';

/** The members of a job for its address and its requests. */
export type JobAddress = Pick<
  Job,
  'id' | 'path' | 'endpoint' | 'method' | 'lists' | 'paramsIn' | 'bodyAs' | 'asynchronous' | 'graphql'
>;

/**
 * Returns a function that fills the values of one call into a job (docs/language/jobs.md#placeholders). What is the same for all
 * calls is made once: a run may have a million of them.
 *
 * @returns a function that throws FatalError EXPRESSION_FAILED if the values do not form a URL
 */
export function endpointBinder(
  job: JobAddress,
  { api, baseUrl, headers }: JobSurroundings,
  step?: 'submit' | 'poll',
): (values: JobValues) => BoundJob {
  // Default headers, and parameters computed from secrets, may be credentials: they are sent only to hosts for
  // credentials.
  const isAtHome = (target: string): boolean => mayReceiveCredentials(target, baseUrl, api.http.credentialHosts);
  const hosts = job.asynchronous?.downloadHosts ?? [];
  // The rules of a job also apply to its submit and poll requests.
  const path = step === undefined ? job.path : job.path.slice(0, -`.asynchronous.${step}`.length);
  const purpose: Purpose = { kind: 'page', job: job.id, path, ...(step === undefined ? {} : { step }) };
  const hasOwnHost = namesItsHost(job.endpoint);
  const method = job.method ?? api.http.defaultMethod ?? 'GET';
  const common = {
    ...(hosts.length === 0 ? {} : { downloadHosts: hosts }),
    ...(job.lists === undefined ? {} : { lists: job.lists }),
    ...(job.paramsIn === undefined ? {} : { paramsIn: job.paramsIn }),
    ...(job.bodyAs === undefined ? {} : { bodyAs: job.bodyAs }),
    ...(job.graphql === undefined ? {} : { graphql: job.graphql }),
  };
  return ({ bindings, defaultHeaders, ownHeaders, defaultParams, body, params, secrets }) => {
    const url = urlOf(job, baseUrl, bindings);
    const isHome = isAtHome(url);
    // Such a host gets the address alone: it usually contains a signature, and credentials of others do not belong there.
    const isElsewhere = bindings.size > 0 && !hasOwnHost;
    if (hosts.length > 0 && !isHome && (isElsewhere || mayReceiveCredentials(url, baseUrl, hosts))) {
      const to = { url, home: baseUrl, provenance: 'received', purpose, downloadHosts: hosts } as const;
      const bare: RequestTemplate = { ...to, method: 'GET', defaultParams: {}, headers: () => ({}) };
      return { url, params: {}, secrets, request: () => buildRequest(bare, { params: {} }) };
    }
    const withDefaults = { ...headers, ...defaultHeaders, ...ownHeaders };
    const template: RequestTemplate = {
      url,
      // The values come from responses: they must not lead to another host.
      home: hasOwnHost ? url : baseUrl,
      provenance: bindings.size === 0 ? 'configured' : 'received',
      method,
      defaultParams: isHome ? defaultParams.all : defaultParams.open,
      headers: (target) => ((target === url ? isHome : isAtHome(target)) ? withDefaults : ownHeaders),
      purpose,
      ...common,
      ...(body === undefined ? {} : { body: bodyText(body, job) }),
    };
    const own = body === undefined ? {} : { body };
    return { url, params, secrets, request: (change) => buildRequest(template, change), ...own };
  };
}

function urlOf(job: JobAddress, baseUrl: string, bindings: JobValues['bindings']): string {
  const endpoint = fillEndpoint(job.endpoint, bindings);
  try {
    return endpointUrl(baseUrl, endpoint);
  } catch (cause) {
    const message = `with its placeholders filled it is ${JSON.stringify(endpoint)}, which makes no URL`;
    throw expressionFailed({ path: `${job.path}.endpoint`, message }, cause);
  }
}
