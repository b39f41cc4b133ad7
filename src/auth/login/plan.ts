/** A login (docs/language/authentication/login.md), compiled: data and pure functions. */
import type { JsonScalar, Request } from '../../model';
import type { Expires } from './expires';

/** A login that is ready to run. */
export interface LoginPlan {
  readonly request: Request;
  readonly format: 'json' | 'text';
  readonly expires: Expires;
  /** Statuses which say that the credentials are stale. */
  readonly refusedStatusCodes: readonly number[];
  /** Evaluates `apiRequest` against the flattened login response. */
  readonly apply: (response: LoginValues) => AppliedValues;
  /** Paths of the login response that `apiRequest` reads: their values are secrets. */
  readonly secretPaths: readonly string[];
  /** Present when logins need what earlier ones gave. */
  readonly kept?: KeptPlan;
}

/** The values of a login response by their flattened names. */
export type LoginValues = ReadonlyMap<string, JsonScalar>;

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
  /** What is to be kept of a login response, without what it does not have. */
  readonly values: (response: LoginValues) => ReadonlyMap<string, string>;
}

/** A login request, and the strings in it that must never be printed. */
export interface LoginRequest {
  readonly request: Request;
  readonly secrets: readonly string[];
}

/** What a login adds to requests, as strings. */
export interface AppliedValues {
  readonly headers: readonly (readonly [string, string])[];
  readonly query: readonly (readonly [string, string])[];
}
