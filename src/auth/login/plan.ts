/** A login (docs/language/authentication/login.md), compiled: data and pure functions. */
import type { FatalError } from '../../core/errors/errors';
import type { Request, Response } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import type { Expires } from './expiry';
import type { LoginPlace, LoginValues } from './place';

/** A login that is ready to run. */
export interface LoginPlan {
  /**
   * The login request: called for each login, where nothing is kept.
   *
   * @throws FatalError EXPRESSION_FAILED
   */
  readonly request: () => LoginRequest;
  readonly format: 'json' | 'text';
  readonly expires: Expires;
  /** Statuses which say that the credentials are stale. */
  readonly refusedStatusCodes: readonly number[];
  /** The error, where a response of any status says that the login is over; see `Credentials`. */
  readonly refusal?: (response: Response, secrets: Secrets) => FatalError | undefined;
  /** Evaluates `apiRequest` against the login response. */
  readonly apply: (given: LoginValues) => AppliedValues;
  /** Places of the login response that `apiRequest` reads: their values are secrets. */
  readonly secretPlaces: readonly LoginPlace[];
  /** Whether only a person can log in: then `request` is never sent, and what that login has kept is refreshed. */
  readonly isByPerson?: boolean;
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
  /** Gives new credentials for kept values, as long as the API takes it. */
  readonly refresh?: {
    /** What has to be there for it. */
    readonly names: readonly string[];
    /** As `request`. */
    readonly request: (values: ReadonlyMap<string, string>) => LoginRequest;
  };
  /** Whether a login may give nothing to keep, without a warning. */
  readonly isOptional?: boolean;
  /** Names, and places in the login response. */
  readonly places: Readonly<Record<string, LoginPlace>>;
  /** What is to be kept of a login response, without what it does not have. */
  readonly values: (given: LoginValues) => ReadonlyMap<string, string>;
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
