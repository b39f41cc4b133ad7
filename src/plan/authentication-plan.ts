/** How requests are authenticated, as data and pure functions. Stations import its types only. */
import type { LoginAuthentication, Oauth10Credentials } from '../config/configuration';
import type { Expires } from '../config/expires';
import type { Contexts } from '../expressions/expression';
import type { Headers, JsonScalar, Request } from '../model';
import type { QueryPair } from '../url/query';

/** `type` chooses the factory in auth/. */
export type AuthenticationPlan =
  { readonly type: 'none' } | BasicPlan | QueryPlan | LoginPlan | Oauth10Plan | Oauth20Plan;

/** A plan, and the values in it that must never be printed. */
export interface PlannedAuthentication<P extends AuthenticationPlan = AuthenticationPlan> {
  readonly plan: P;
  readonly secrets: readonly string[];
}

/** HTTP basic authentication (language 4.2). */
export interface BasicPlan {
  readonly type: 'basic';
  /** Value of the header. */
  readonly authorization: string;
}

/** Query values that are computed for each request (language 4.3). */
export interface QueryPlan {
  readonly type: 'query';
  /** @throws FatalError EXPRESSION_FAILED */
  readonly values: (request: RequestContexts) => AddedValues;
}

/** OAuth 1.0 (language 4.6). */
export interface Oauth10Plan {
  readonly type: 'oauth10';
  readonly credentials: Oauth10Credentials;
}

/** OAuth 2.0 with a token that is there already (language 4.7). */
export interface Oauth20Plan {
  readonly type: 'oauth20';
  /** @throws FatalError EXPRESSION_FAILED */
  readonly values: (request: RequestContexts, attempt: Attempt) => AddedValues;
}

/** The contexts `query` and `request` (language 7.1) of the request to which values are added. */
export type RequestContexts = Required<Pick<Contexts, 'query' | 'request'>>;

/** What is new in each attempt to send a request. */
export interface Attempt {
  readonly nonce: string;
  /** Unix seconds. */
  readonly timestamp: number;
}

/** What is added to one request. Query values replace those of the same name in place. */
export interface AddedValues {
  readonly headers: Headers;
  readonly query: readonly QueryPair[];
  /** Texts among them that must never be printed. */
  readonly secrets: readonly string[];
}

/** A login (specification 4.1 and 5), compiled. */
export interface LoginPlan {
  readonly type: 'login';
  readonly request: Request;
  readonly format: LoginAuthentication['format'];
  readonly expires: Expires;
  /** Statuses which say that the credentials are stale. */
  readonly refusedStatusCodes: readonly number[];
  /** Evaluates `apiRequest` against the flattened login response. */
  readonly apply: (response: ReadonlyMap<string, JsonScalar>) => LoginValues;
  /** Paths of the login response that `apiRequest` reads: their values are secrets. */
  readonly secretPaths: readonly string[];
  /** Present when logins need what earlier ones gave. */
  readonly kept?: KeptPlan;
}

/** What a login gives to later ones (docs/extensions/kept-credentials.md). */
export interface KeptPlan {
  /** Identifies what the configuration logs in with. */
  readonly login: string;
  /**
   * The login request with the values that were kept, by name.
   *
   * @throws FatalError EXPRESSION_FAILED
   */
  readonly request: (values: ReadonlyMap<string, string>) => LoginRequest;
  /** Names, and paths in the login response. */
  readonly paths: Readonly<Record<string, string>>;
  /** What is to be kept of a login response, which is flattened; without what it does not have. */
  readonly values: (response: ReadonlyMap<string, JsonScalar>) => ReadonlyMap<string, string>;
}

/** A login request, and the texts in it that must never be printed. */
export interface LoginRequest {
  readonly request: Request;
  readonly secrets: readonly string[];
}

/** What a login adds to requests, as text. */
export interface LoginValues {
  readonly headers: readonly (readonly [string, string])[];
  readonly query: readonly (readonly [string, string])[];
}
