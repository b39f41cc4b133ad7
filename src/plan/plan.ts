/** The plan: an immutable description of a run, made of data and pure functions. Stations import its types only. */
import type { AllowedHost, Expires, LoginAuthentication, RetryConfig } from '../config/configuration';
import type { ScrollerMethod } from '../config/pagination';
import type { JsonObject, JsonScalar, Request } from '../model';

/** One run: one iteration of the configuration. */
export interface RunPlan {
  readonly http: HttpPlan;
  readonly authentication: AuthenticationPlan;
  readonly jobs: readonly JobPlan[];
  /** Values known before the run that must never be printed. */
  readonly secrets: readonly string[];
  readonly debug: boolean;
}

/** How requests travel. */
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
  /** Hosts beside that of the base URL that credentials may go to. */
  readonly allowedHosts: readonly string[];
  /** Hosts that may be called at all; empty: any. */
  readonly whitelist: readonly AllowedHost[];
}

/** How requests are authenticated; `type` chooses the factory in auth/. */
export type AuthenticationPlan = { readonly type: 'none' } | LoginPlan;

/** A login (specification 4.1 and 5), compiled. */
export interface LoginPlan {
  readonly type: 'login';
  readonly request: Request;
  readonly format: LoginAuthentication['format'];
  readonly expires: Expires;
  /** Evaluates `apiRequest` against the flattened login response. */
  readonly apply: (response: ReadonlyMap<string, JsonScalar>) => LoginValues;
  /** Paths of the login response that `apiRequest` reads: their values are secrets. */
  readonly secretPaths: readonly string[];
}

/** What a login adds to requests, as text. */
export interface LoginValues {
  readonly headers: readonly (readonly [string, string])[];
  readonly query: readonly (readonly [string, string])[];
}

/** One job, ready to run. */
export interface JobPlan {
  readonly id: string;
  readonly path: string;
  readonly endpoint: string;
  readonly dataType: string;
  /** The job's own parameters, evaluated when the job run starts (language 6.2); `secrets` must not be printed. */
  readonly params: (times: RunTimes) => { readonly values: JsonObject; readonly secrets: readonly string[] };
  /** Builds a request of this job (language 2.3, section 3). */
  readonly request: (change: RequestChange) => Request;
  /** Absolute URL of the endpoint, without paging. */
  readonly url: string;
  readonly items: ItemSelector;
  readonly paging: PagingPlan;
  readonly requestLimit: number;
}

/** The pagination methods that a plan can hold. */
export type PagingPlan = Extract<ScrollerMethod, { readonly method: 'none' | 'offset' | 'response.url' }>;

/** Where the items of a response are (language 6.3); absent path: they are detected. */
export interface ItemSelector {
  readonly path?: string;
  readonly delimiter: string;
}

/** The context `time` (language 7.1), Unix seconds. */
export interface RunTimes {
  readonly previousStart: number;
  readonly currentStart: number;
}

/** What a pagination method says of a request: everything else comes from the job. */
export interface RequestChange {
  /** Parameters of the job and of paging, merged. */
  readonly params: JsonObject;
  /** The address of the next page, absolute, where the response gave one. */
  readonly address?: string;
  /** A query from the response that overrides `params` (`paramIsQuery`). */
  readonly received?: string;
}
