import { createHash } from 'node:crypto';
import type { Configuration, IterationConfiguration } from '../language/configuration/configuration';
import type { Fault } from '../core/errors/errors';
import type { CachePlan } from './http-plan';

/** Keys of `config` that no request is made of. All others may be attributes of a login, a header or a parameter. */
const WITHOUT_INFLUENCE: ReadonlySet<string> = new Set(['mappings', 'primaryKeys', 'debug']);

/**
 * How responses are kept (docs/language/configuration.md#cache). The scope stands for what the configuration says about
 * credentials and the way to the API, as a hash: another user must not get these responses. What a login gives is not
 * part of it, since that changes from run to run.
 */
export function cacheOf(
  { api, attributes }: IterationConfiguration,
  configuration: Configuration,
): CachePlan | undefined {
  const { cache, aws, sshProxy } = configuration;
  // A response from the cache would set no cookie, and the next request would be one without a session.
  if (cache === undefined || api.http.cookies) return undefined;
  const own = Object.entries(attributes).filter(([key]) => !WITHOUT_INFLUENCE.has(key));
  const identity = [api.authentication, api.clientCertificate ?? null, aws ?? null, sshProxy ?? null, own];
  return { ttlSeconds: cache.ttlSeconds, scope: createHash('sha256').update(textOf(identity)).digest('hex') };
}

/** A cache that is switched off by something else. */
export const cacheWarnings = ({ api }: IterationConfiguration, { cache }: Configuration): readonly Fault[] =>
  cache !== undefined && api.http.cookies
    ? [{ path: 'cache', message: 'has no effect with api.http.cookies: a cached response would set no cookie' }]
    : [];

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? String(part) : part));
