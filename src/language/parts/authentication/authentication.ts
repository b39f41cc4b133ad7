/** What the engine knows of an authentication, whatever its type: no name of a type stands outside this folder. */
import type { Observable, SchedulerLike } from 'rxjs';
import type { Checked } from '../../codec/checked';
import type { Report } from '../../../core/events';
import type { Scope } from '../../expressions/expression';
import type { CredentialSource, CredentialStore, Json, Response, SendTimed } from '../../../core/model';
import type { Secrets } from '../../../core/secrets/secrets';

/** The authentication that a configuration has chosen. All but `compile` is data, and tells one user from another. */
export interface ChosenAuthentication {
  /** The name of the type. */
  readonly type: string;
  /** The options with all defaults. */
  readonly options: object;
  /** This is true where cookies are the credentials: they are kept as with `api.http.cookies`. */
  readonly keepsCookies: boolean;
  /** What the type took from elsewhere in the configuration. */
  readonly credentials: object;
  /** Finds what can be wrong with it in one run. */
  readonly compile: (place: AuthenticationPlace) => Checked<AuthenticationPlan>;
}

/** Where an authentication is to work. */
export interface AuthenticationPlace {
  /** Absolute. */
  readonly baseUrl: string;
  /**
   * What expressions may call, and what is known before the run: the attributes of the user.
   *
   * @internal
   */
  readonly scope: Scope;
}

/** An authentication that is ready to run. */
export interface AuthenticationPlan {
  /** Values known before the run that must never be printed. */
  readonly secrets: readonly string[];
  /**
   * Of a login that keeps values for later ones: the digest under which they are kept.
   *
   * @internal
   */
  readonly keeps?: string;
  /**
   * Lets a person log in: what later runs need is kept in the store. Absent: no person is needed.
   *
   * @internal
   */
  readonly logIn?: (runtime: InteractiveRuntime) => Promise<void>;
  /**
   * The credential stream of one run (docs/language/authentication.md#logging-in), shared by all of its jobs. Nothing
   * is sent before it is subscribed. The engine asks it only for requests to places that may have credentials.
   */
  readonly source: (runtime: AuthenticationRuntime) => CredentialSource;
}

/** What one run gives to its authentication. */
export interface AuthenticationRuntime {
  /** Sends a request for credentials, retries included; default headers and parameters are not in it. */
  readonly send: SendTimed;
  /** Reads the body of a login response; fails for a status of 400 and above. Empty JSON is `undefined`. */
  readonly decode: (response: Response, format: 'json' | 'text') => Json | undefined;
  readonly report: Report;
  /** Whatever must not be printed has to be registered here before it is sent. */
  readonly secrets: Secrets;
  /**
   * What earlier logins gave.
   *
   * @internal
   */
  readonly store: CredentialStore;
  /** Whether cookies that a login sets are sent with later requests: then it gives credentials even if it adds nothing. */
  readonly cookies?: boolean;
  /**
   * Whether a cookie is kept that may go to the API.
   *
   * @internal
   */
  readonly hasCookies?: () => boolean;
  /**
   * The names of cookies of the session that responses to others than logins have taken away.
   *
   * @internal
   */
  readonly droppedCookies?: () => ReadonlySet<string>;
  /**
   * Forgets the cookies of the session so far, right before a login begins a new one.
   *
   * @internal
   */
  readonly forgetCookies?: () => void;
  /**
   * Is given each login that begins, when it is subscribed. Who subscribes to it as well has it go on when nobody waits for
   * it any more.
   *
   * @internal
   */
  readonly loginBegins?: (login$: Observable<unknown>) => void;
  /** If true, credentials are renewed by a margin before their end, also where the configuration names none. */
  readonly renewEarly: boolean;
  /** Keeps the time; `asyncScheduler` unless given. */
  readonly scheduler?: SchedulerLike;
}

/** What a login by a person gets from whoever runs it. */
export interface InteractiveRuntime extends Pick<AuthenticationRuntime, 'send' | 'decode' | 'secrets'> {
  /** @internal */
  readonly store: CredentialStore;
  /** Tells the person what to do. */
  readonly tell: (text: string) => void;
  /** Waits; fails with the reason of the signal when that aborts. */
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly signal: AbortSignal;
  /** The port on 127.0.0.1 that the browser comes back to; 0: any that is free. */
  readonly port: number;
}

/** How the body of a login response is read. */
export type DecodeLogin = AuthenticationRuntime['decode'];
