import { defer } from 'rxjs';
import type { CredentialSource, Middleware, Request, Send, SendTimed } from '../model';
import type { LimitsPlan } from '../plan/plan';
import { isTrusted } from '../url/origin';
import { authorize, passLoginFailures } from './authorize';
import { cached } from './cache';
import type { CachePolicy } from './cache';
import type { KeptRates } from './kept-rates';
import { createLimits, UNLIMITED } from './limit';
import { originGuard } from './origin-guard';
import type { OriginRules } from './origin-guard';
import { followRedirects } from './redirects';
import { retry } from './retry';
import type { RetryPolicy } from './retry';
import { sign } from './sign';
import { timed } from './timed';
import { createTransport } from './transport';
import type { TransportOptions } from './transport';

export interface PipelineOptions extends TransportOptions, OriginRules {
  readonly retry: RetryPolicy;
  /** Signs every request, logins included, as the last of all. */
  readonly sign?: (request: Request) => Request;
  /** Caps and rates, logins included; absent: none. */
  readonly limits?: { readonly plan: LimitsPlan; readonly rates: KeptRates };
  /** Keeps the responses to all requests but logins. */
  readonly cache?: CachePolicy;
}

export interface Pipeline {
  /** For login requests: without credentials. */
  readonly logins: SendTimed;
  /** For all other requests, once there is something to give them credentials. */
  readonly pages: (source: CredentialSource | undefined) => Send;
  readonly close: () => Promise<void>;
}

/** Composes the request pipeline: what stands first sees a request first and its response last. */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { baseUrl, trustedHosts, secrets, report, cache } = options;
  const trusted = (url: string): boolean => isTrusted(url, baseUrl, trustedHosts);
  const { send, close } = createTransport({
    ...options,
    firstConnectionMs: options.retry.firstConnectionSeconds * 1000,
  });
  const retrying = retry(options.retry, { report, secrets });
  const follow = followRedirects({ trusted, secrets });
  const limits =
    options.limits === undefined
      ? UNLIMITED
      : createLimits(options.limits.plan, {
          rates: options.limits.rates,
          baseUrl,
          retryHeader: options.retry.header,
          report,
          secrets,
        });
  const guarded = originGuard(options)(sign(options.sign)(send));
  const keeping: Middleware =
    cache === undefined ? unchanged : cached(cache, { retried: options.retry.statusCodes, report, secrets });
  return {
    logins: timed(retrying, (inner) => follow(limits.rates(inner)))(guarded),
    pages: (source) => {
      const authorized = (hold: Middleware): Send => authorize({ source, trusted, follow, hold })(guarded);
      // Credentials expire: they are taken when a request has waited for its turn. What follows in that turn, redirects
      // and a repetition after a refusal, counts for the rates on its own.
      const inTurn: Send =
        limits === UNLIMITED
          ? authorized(unchanged)
          : (request) => defer(() => authorized(afterFirst(limits.rates))(request));
      return keeping(passLoginFailures(retrying)(limits.turns(inTurn)));
    },
    close,
  };
}

/** A stage for all requests but the first. */
const afterFirst =
  (stage: Middleware): Middleware =>
  (send) => {
    const others = stage(send);
    let isFirst = true;
    return (request) =>
      defer(() => {
        const way = isFirst ? send : others;
        isFirst = false;
        return way(request);
      });
  };

const unchanged: Middleware = (send) => send;
