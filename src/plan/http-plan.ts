import type { PathRateRule } from '../language/configuration/api/rate';
import type { RetryConfig } from '../language/configuration/api/retry-config';
import type { AwsSignature, RequestableHost } from '../language/configuration/configuration';
import type { GuessedFormat } from '../language/parts/format/define';
import type { RulesPlan } from './rules-plan';

/** How the requests of an iteration travel. */
export interface HttpPlan {
  readonly baseUrl: string;
  /** 0: no limit. */
  readonly connectTimeoutMilliseconds: number;
  /** Whether a person set it: else a transport that is given from outside keeps its own. */
  readonly connectTimeoutGiven: boolean;
  /** 0: no limit. */
  readonly requestTimeoutMilliseconds: number;
  readonly caCertificate?: string;
  readonly clientCertificate?: string;
  readonly retry: RetryConfig;
  readonly ignoreErrors: readonly number[];
  /** What content types say of bodies that are no JSON, where a job has no format. */
  readonly contentTypes: readonly GuessedFormat[];
  /** Whether cookies of responses are kept, and sent with later requests. */
  readonly cookies: boolean;
  /**
   * `api.http.allowedHosts`: hosts that may receive credentials like the origin of the base URL. Requests to them get login
   * values, default headers and default parameters made of secrets, and responses may lead there by next pages and
   * redirects. A host that `requestableHosts` leaves out is refused all the same.
   */
  readonly credentialHosts: readonly string[];
  /**
   * `image_parameters.allowed_hosts`: the only places that may be requested at all, by logins, pages, next pages and
   * redirects; empty: any place. To stand here gives a host no credentials.
   */
  readonly requestableHosts: readonly RequestableHost[];
  /** Signs every request. */
  readonly aws?: AwsSignature;
  readonly cache?: CachePlan;
  readonly limits: LimitsPlan;
  readonly rules?: RulesPlan;
}

/** What requests wait for before they are sent (docs/extensions/rate-limits.md). */
export interface LimitsPlan {
  /** Requests in flight at once. */
  readonly maxRequests?: number;
  /** Requests in flight to one origin; absent: there is no cap for an origin. */
  readonly maxRequestsPerOrigin?: number;
  /** Rate limits; a request counts for each one that it matches. */
  readonly rates: readonly RatePlan[];
}

/** One rate, or what tells of one. */
export interface RatePlan extends PathRateRule {
  /** The id of a job: only its requests count; absent: those of all jobs, and logins. */
  readonly job?: string;
}

/** How long responses are kept (docs/language/configuration.md#cache), and for requests of which configuration. */
export interface CachePlan {
  readonly ttlSeconds: number;
  readonly scope: string;
}
