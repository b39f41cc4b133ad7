import { defer } from 'rxjs';
import type { CredentialSource, Middleware, Request, Send, SendTimed } from '../model';
import type { LimitsPlan } from '../plan/plan';
import { isTrusted } from '../url/origin';
import { authorize, passLoginFailures } from './middleware/authorize';
import { cached } from './middleware/cache';
import type { CachePolicy } from './middleware/cache';
import type { KeptRates } from './rates/kept-rates';
import type { MiddlewareDefinition } from './middleware/define';
import { createLimits, UNLIMITED } from './rates/limit';
import type { Limits } from './rates/limit';
import { addedStages } from './middleware/added';
import { cookies } from './middleware/cookies';
import { originGuard } from './middleware/origin-guard';
import type { OriginRules } from './middleware/origin-guard';
import { followRedirects } from './middleware/redirects';
import { retry } from './middleware/retry';
import type { RetryPolicy } from './middleware/retry';
import { sign } from './middleware/sign';
import { timed } from './transport/timed';
import { createTransport } from './transport/transport';
import type { TransportOptions } from './transport/transport';

export interface PipelineOptions extends TransportOptions, OriginRules {
  readonly retry: RetryPolicy;
  /** Signs every request, logins included, as the last of all. */
  readonly sign?: (request: Request) => Request;
  /** Whether cookies of responses are kept, and sent with later requests, logins included. */
  readonly cookies?: boolean;
  /** Caps and rates, logins included; absent: none. */
  readonly limits?: { readonly plan: LimitsPlan; readonly rates: KeptRates };
  /** Keeps the responses to all requests but logins. */
  readonly cache?: CachePolicy;
  /** Stages that the application adds, the outermost first. */
  readonly middleware?: readonly MiddlewareDefinition[];
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
  const { baseUrl, credentialHosts, secrets, report, cache, middleware = [] } = options;
  const trusted = (url: string): boolean => isTrusted(url, baseUrl, credentialHosts);
  const { send, close } = createTransport({
    ...options,
    firstConnectionMs: options.retry.firstConnectionSeconds * 1000,
  });
  const retrying = retry(options.retry, { report, secrets });
  const follow = followRedirects({ trusted, secrets });
  const limits = limitsOf(options);
  const keepsCookies = options.cookies === true ? cookies({ trusted, secrets }) : unchanged;
  const guarded = originGuard(options)(keepsCookies(sign(options.sign)(addedStages(middleware, 'attempt')(send))));
  const added = addedStages(middleware, 'request');
  const keeping: Middleware =
    cache === undefined ? unchanged : cached(cache, { retried: options.retry.statusCodes, report, secrets });
  return {
    logins: timed(
      (inner) => added(retrying(inner)),
      (inner) => follow(limits.rates(inner)),
    )(guarded),
    pages: (source) => {
      const authorized = (hold: Middleware): Send => authorize({ source, trusted, follow, hold })(guarded);
      // Credentials expire: they are taken when a request has waited for its turn. What follows in that turn, redirects
      // and a repetition after a refusal, counts for the rates on its own.
      const inTurn: Send =
        limits === UNLIMITED
          ? authorized(unchanged)
          : (request) => defer(() => authorized(afterFirst(limits.rates))(request));
      // Outside of the cache: what a stage of the application makes of a response is not kept, and so not made of it again.
      return added(keeping(passLoginFailures(retrying)(limits.turns(inTurn))));
    },
    close,
  };
}

const limitsOf = ({ limits, baseUrl, retry: { header }, report, secrets }: PipelineOptions): Limits =>
  limits === undefined
    ? UNLIMITED
    : createLimits(limits.plan, { rates: limits.rates, baseUrl, retryHeader: header, report, secrets });

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
