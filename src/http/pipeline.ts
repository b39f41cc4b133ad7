import type { CredentialSource, Middleware, Request, Send } from '../model';
import { isTrusted } from '../url/origin';
import { authorize } from './authorize';
import { cached } from './cache';
import type { CachePolicy } from './cache';
import { originGuard } from './origin-guard';
import type { OriginRules } from './origin-guard';
import { followRedirects } from './redirects';
import { retry } from './retry';
import type { RetryPolicy } from './retry';
import { sign } from './sign';
import { createTransport } from './transport';
import type { TransportOptions } from './transport';

export interface PipelineOptions extends TransportOptions, OriginRules {
  readonly retry: RetryPolicy;
  /** Signs every request, logins included, as the last of all. */
  readonly sign?: (request: Request) => Request;
  /** Keeps the responses to all requests but logins. */
  readonly cache?: CachePolicy;
}

export interface Pipeline {
  /** For login requests: without credentials. */
  readonly logins: Send;
  /** For all other requests, once there is something to give them credentials. */
  readonly pages: (source: CredentialSource | undefined) => Send;
  readonly close: () => Promise<void>;
}

/** Composes the request pipeline: what stands first sees a request first and its response last. */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { baseUrl, trustedHosts, secrets, report, cache } = options;
  const trusted = (url: string): boolean => isTrusted(url, baseUrl, trustedHosts);
  const { send, close } = createTransport(options);
  const retrying = retry(options.retry, { report, secrets });
  const follow = followRedirects({ trusted, secrets });
  const guarded = originGuard(options)(sign(options.sign)(send));
  const keeping: Middleware =
    cache === undefined ? (send) => send : cached(cache, { retried: options.retry.statusCodes, report, secrets });
  return {
    logins: retrying(follow(guarded)),
    pages: (source) => keeping(retrying(authorize({ source, trusted, follow })(guarded))),
    close,
  };
}
