/** The definition of a type of authentication: its surroundings, its interface to the engine, and its manual page. */
import type { Observable, SchedulerLike } from 'rxjs';
import type { Report } from '../../core/events';
import type { CredentialSource, CredentialStore, Json, Response, SendTimed } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import type { Checked, Codec } from '../codec/codec';
import { join } from '../codec/codec';
import { optionsCodec, withWarnings } from '../codec/component';
import type { Component, ComponentManual, OptionFault } from '../codec/component';
import type { Finding, Path } from '../codec/finding';
import type { Documentation, Fields, RecordOf } from '../codec/record';
import type { UnknownKeyPolicy } from '../codec/unknown-key';
import type { Scope } from '../expressions/expression';
import { named } from './errors';

/**
 * Values that a type of authentication may read from elsewhere in the configuration; a fault has the place where the
 * value belongs.
 */
export interface Surroundings {
  /**
   * Returns the value of a key of `config` as a string. With and without `#` the key is the same; if both are there, the one without
   * counts. If both are blank, a fault names the key.
   */
  readonly attribute: (name: string) => Checked<string, Finding>;
  /** Returns the value at a place, for example `['api', 'query']`, read by a codec. */
  readonly at: <A>(path: Path, codec: Codec<A>) => Checked<A, Finding>;
  /**
   * Reads `authorization.oauth_api.credentials` (docs/language/configuration.md#authorization), all of which must be
   * present.
   *
   * @param data reads the string in `#data`
   */
  readonly oauth: <A>(data: Codec<A>) => Checked<OauthCredentials<A>, Finding>;
}

/** The OAuth credentials that a run gets from its host. */
export interface OauthCredentials<D = string> {
  readonly data: D;
  readonly appKey: string;
  readonly appSecret: string;
}

/** The interface between the engine and a type of authentication: no name of a type occurs outside this folder. */

/** The authentication that a configuration has chosen. All members except `compile` are data that distinguish users. */
export interface ChosenAuthentication {
  /** The name of the type. */
  readonly type: string;
  /** The options with all defaults. */
  readonly options: object;
  /** True if cookies are the credentials: they are kept as with `api.http.cookies`. */
  readonly keepsCookies: boolean;
  /** The values that the type read from elsewhere in the configuration. */
  readonly credentials: object;
  /** Compiles it for one run, and finds its faults. */
  readonly compile: (place: AuthenticationPlace) => Checked<AuthenticationPlan>;
}

/** The place where an authentication works. */
export interface AuthenticationPlace {
  /** The absolute base URL. */
  readonly baseUrl: string;
  /**
   * The functions for expressions, and the values known before the run: the attributes of the user.
   *
   * @internal
   */
  readonly scope: Scope;
}

/** A compiled authentication. */
export interface AuthenticationPlan {
  /** Values known before the run that must never be printed. */
  readonly secrets: readonly string[];
  /**
   * The digest under which a login keeps its values for later logins.
   *
   * @internal
   */
  readonly keeps?: string;
  /**
   * Lets a person log in, and keeps the values for later runs in the store. Absent if no person is needed.
   *
   * @internal
   */
  readonly logIn?: (runtime: InteractiveRuntime) => Promise<void>;
  /**
   * Returns the credential stream of one run (docs/language/authentication.md#logging-in), shared by all of its jobs.
   * Nothing is sent before a subscription. The engine uses it only for requests to places that may receive credentials.
   */
  readonly source: (runtime: AuthenticationRuntime) => CredentialSource;
}

/** The services that a run gives to its authentication. */
export interface AuthenticationRuntime {
  /** Sends a request for credentials, with retries; default headers and parameters are not added. */
  readonly send: SendTimed;
  /** Reads the body of a login response; fails for a status of 400 and above. Empty JSON is `undefined`. */
  readonly decode: (response: Response, format: 'json' | 'text') => Json | undefined;
  readonly report: Report;
  /** The register of secrets: values that must not be printed have to be registered before they are sent. */
  readonly secrets: Secrets;
  /**
   * The values of earlier logins.
   *
   * @internal
   */
  readonly store: CredentialStore;
  /**
   * True if cookies that a login sets are sent with later requests: then it has credentials even if it adds nothing.
   */
  readonly cookies?: boolean;
  /**
   * Returns whether a cookie for the API is kept.
   *
   * @internal
   */
  readonly hasCookies?: () => boolean;
  /**
   * Returns the names of session cookies that responses other than logins have deleted.
   *
   * @internal
   */
  readonly droppedCookies?: () => ReadonlySet<string>;
  /**
   * Drops the cookies of the session, right before a login starts a new one.
   *
   * @internal
   */
  readonly forgetCookies?: () => void;
  /**
   * Is called with each login that begins, when it is subscribed to. A subscription to it keeps the login running when
   * no request waits for it any more.
   *
   * @internal
   */
  readonly loginBegins?: (login$: Observable<unknown>) => void;
  /** True if credentials are renewed a margin before their end, even if the configuration does not name one. */
  readonly renewEarly: boolean;
  /** The clock; `asyncScheduler` by default. */
  readonly scheduler?: SchedulerLike;
}

/** The services for a login by a person. */
export interface InteractiveRuntime extends Pick<AuthenticationRuntime, 'send' | 'decode' | 'secrets'> {
  /** @internal */
  readonly store: CredentialStore;
  /** Shows the person what to do. */
  readonly print: (text: string) => void;
  /** Waits; fails with the reason of the signal if that aborts. */
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly signal: AbortSignal;
  /** The port on 127.0.0.1 for the browser's redirect; 0 for any free one. */
  readonly port: number;
}

/** Reads the body of a login response. */
export type DecodeLogin = AuthenticationRuntime['decode'];

/** The manual page of a type of authentication. */
export interface AuthenticationManual extends ComponentManual {
  /** The values that are sent over the network, and where they go. */
  readonly travels?: string;
  /** The values required elsewhere in the configuration, by path, for example `config.#password`. */
  readonly needs?: Readonly<Record<string, Documentation>>;
  /** Old names: they are accepted with a warning. */
  readonly aliases?: readonly string[];
  /** Options that may be in an old place, `api.<key>`: the old key by option. */
  readonly oldPlaces?: Readonly<Record<string, string>>;
  /** Options of other types that this type has elsewhere: the path of the equivalent option. */
  readonly instead?: Readonly<Record<string, string>>;
}

/** A type of authentication. */
export interface AuthenticationDefinition<N extends string = string>
  extends Component<'authentication', N>, AuthenticationManual {
  /**
   * @internal
   * @param policy the treatment of keys that are not options of the type
   */
  readonly codec: (policy: UnknownKeyPolicy, around: Surroundings) => Codec<ChosenAuthentication>;
}

/** The input of a type's `compile`: its decoded options, its values from elsewhere, and its place. */
export interface CompileInput<F extends Fields, C> extends AuthenticationPlace {
  readonly options: RecordOf<F>;
  readonly credentials: C;
}

/** The parts of a type of authentication. */
export interface AuthenticationParts<
  N extends string,
  F extends Fields,
  C extends object,
> extends AuthenticationManual {
  readonly name: N;
  readonly options: F;
  /** True if cookies are the credentials: they are kept as with `api.http.cookies`. */
  readonly keepsCookies?: boolean;
  /** Returns the faults of options that are each valid alone. */
  readonly check?: (options: RecordOf<F>) => readonly OptionFault[];
  /** Returns warnings about options without effect, or with an unexpected effect. */
  readonly warnings?: (options: RecordOf<F>) => readonly OptionFault[];
  /**
   * Reads values from elsewhere as plain data; `() => valid({})` reads nothing.
   *
   * @param options absent if they have faults: all faults are reported together
   */
  readonly credentials: (around: Surroundings, options: RecordOf<F> | undefined) => Checked<C, Finding>;
  /** Compiles the authentication of one run, and finds its faults before the first request. */
  readonly compile: (input: CompileInput<F, C>) => Checked<AuthenticationPlan>;
}

/**
 * Defines a type of authentication (docs/language/authentication.md). Its name is in `api.authentication.type`, its
 * options are next to it.
 *
 * @returns the definition, for a registry or for the option `components`
 * @example
 * defineAuthentication({
 *   name: 'key',
 *   options: { header: withDefault(string, 'x-key') },
 *   credentials: (around) => collect({ key: around.attribute('#key') }),
 *   compile: ({ options: { header }, credentials: { key } }) =>
 *     valid({
 *       secrets: [key],
 *       source: () => perRequest((request) => ({ ...request, headers: { ...request.headers, [header]: key } })),
 *     }),
 * });
 */
export function defineAuthentication<const N extends string, F extends Fields, C extends object>(
  parts: AuthenticationParts<N, F, C>,
): AuthenticationDefinition<N> & Pick<AuthenticationParts<N, F, C>, 'compile'> {
  const {
    check,
    warnings,
    keepsCookies = false,
    credentials,
    compile,
    ...manual
  } = named({ kind: 'authentication', name: parts.name }, parts);
  const { name, options: fields } = parts;
  return {
    kind: 'authentication',
    ...manual,
    compile,
    codec: (policy, around) =>
      join(
        name,
        withWarnings(optionsCodec(name, fields, { selector: 'type', policy }, check), warnings),
        (options) => credentials(around, options),
        (options, taken) => ({
          type: name,
          options,
          keepsCookies,
          credentials: taken,
          compile: (place) => compile({ options, credentials: taken, ...place }),
        }),
      ),
  };
}
