import type { Job, RunConfiguration } from '../config/configuration';
import type { Fault } from '../errors';
import { isTrusted } from '../url/origin';
import { namesItsHost } from './endpoint';

/** What a person should know about a run before it starts, beyond what the decoder has said. */
export function warningsOf({ api, settings }: RunConfiguration, baseUrl: string): readonly Fault[] {
  const { allowedHosts } = api.http;
  const withHeirs = (job: Job, inherits: boolean): Fault[] => {
    const hasPlaceholders = inherits || Object.keys(job.placeholders).length > 0;
    return [
      ...credentialsWithheld(job, baseUrl, allowedHosts),
      ...job.children.flatMap((child) => [
        ...neverCalled(child, hasPlaceholders),
        ...withHeirs(child, hasPlaceholders),
      ]),
    ];
  };
  return settings.jobs.flatMap((job) => withHeirs(job, false));
}

/** A job elsewhere gets no credentials; its author should hear of it. */
function credentialsWithheld({ path, endpoint }: Job, baseUrl: string, allowedHosts: readonly string[]): Fault[] {
  if (!namesItsHost(endpoint) || isTrusted(endpoint, baseUrl, allowedHosts)) return [];
  const message =
    `${new URL(endpoint).origin} is not the origin of the base URL: login values, default headers and default ` +
    `parameters made of secrets are not sent there. If they should be, name the host in api.http.allowedHosts.`;
  return [{ path: `${path}.endpoint`, message }];
}

/** Language 6.6 rule 6. */
function neverCalled({ path, endpoint, placeholders }: Job, inherits: boolean): Fault[] {
  if (inherits || Object.keys(placeholders).length > 0) return [];
  return [{ path: `${path}.placeholders`, message: `No 'placeholders' set for '${endpoint}': it is never called` }];
}
