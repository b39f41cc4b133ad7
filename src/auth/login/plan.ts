/** A compiled login (docs/language/authentication/login.md): data and pure functions. */
import type { FatalError } from '../../core/errors/errors';
import type { Request, Response } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import type { Expires } from './expiry';
import type { LoginPlace, LoginValues } from './place';

/** A compiled login. */
export interface LoginPlan {
  /**
   * Returns the login request. It is called for each login if no values are kept.
   *
   * @throws FatalError EXPRESSION_FAILED
   */
  readonly request: () => LoginRequest;
  readonly format: 'json' | 'text';
  readonly expires: Expires;
  /** Statuses which say that the credentials are stale. */
  readonly refusedStatusCodes: readonly number[];
  /** Returns the error if a response of any status says that the login has ended; see `Credentials`. */
  readonly refusal?: (response: Response, secrets: Secrets) => FatalError | undefined;
  /** Evaluates `apiRequest` against the login response. */
  readonly apply: (given: LoginValues) => AppliedValues;
  /** The places of the login response that `apiRequest` reads: their values are secrets. */
  readonly secretPlaces: readonly LoginPlace[];
  /**
   * True if only a person can log in: then `request` is never sent, and the kept values of that login are refreshed.
   */
  readonly isByPerson?: boolean;
  /** Set if logins need values of earlier ones. */
  readonly kept?: KeptPlan;
}

/** The values that a login leaves for later ones (docs/language/authentication.md#kept-tokens). */
export interface KeptPlan {
  /** A digest of everything that the configuration logs in with. */
  readonly login: string;
  /**
   * Returns the login request with the kept values, by name.
   *
   * @throws FatalError EXPRESSION_FAILED
   */
  readonly request: (values: ReadonlyMap<string, string>) => LoginRequest;
  /** Exchanges kept values for new credentials, as long as the API accepts them. */
  readonly refresh?: {
    /** The names of the values that it needs. */
    readonly names: readonly string[];
    /** Returns the refresh request, as `request` does. */
    readonly request: (values: ReadonlyMap<string, string>) => LoginRequest;
  };
  /** True if a login may return nothing to keep, without a warning. */
  readonly isOptional?: boolean;
  /** The places in the login response, by name. */
  readonly places: Readonly<Record<string, LoginPlace>>;
  /** Returns the values to keep of a login response; missing ones are omitted. */
  readonly values: (given: LoginValues) => ReadonlyMap<string, string>;
}

/** A login request, and the strings in it that must never be printed. */
export interface LoginRequest {
  readonly request: Request;
  readonly secrets: readonly string[];
}

/** The strings that a login adds to requests. */
export interface AppliedValues {
  readonly headers: readonly (readonly [string, string])[];
  readonly query: readonly (readonly [string, string])[];
}
