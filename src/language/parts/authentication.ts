import type { Observable, SchedulerLike } from 'rxjs';
import type { Report } from '../../core/events';
import type { CredentialSource, CredentialStore, Json, Response, SendTimed } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import type { Checked } from '../codec/checked';
import { join } from '../codec/codec';
import type { Codec } from '../codec/codec';
import { optionsCodec, withWarnings } from '../codec/component';
import type { Component, ComponentManual, OptionFault } from '../codec/component';
import type { Finding, Path } from '../codec/finding';
import type { Documentation, Fields, RecordOf } from '../codec/record';
import type { UnknownKeyPolicy } from '../codec/unknown-key';
import type { Scope } from '../expressions/expression';

/** What a type of authentication may take from elsewhere in the configuration; a fault stands where the value belongs. */
export interface Surroundings {
  /** The value of the first of these keys of `config` that is not blank, as a string. Where all are, a fault names the last. */
  readonly attribute: (...names: readonly [string, ...string[]]) => Checked<string, Finding>;
  /** Whatever stands at a place, for example `['api', 'query']`, read by a codec. */
  readonly at: <A>(path: Path, codec: Codec<A>) => Checked<A, Finding>;
  /**
   * `authorization.oauth_api.credentials` (docs/language/configuration.md#authorization), all of which must be there.
   *
   * @param data reads the string in `#data`
   */
  readonly oauth: <A>(data: Codec<A>) => Checked<OauthCredentials<A>, Finding>;
}

/** The OAuth credentials that the host of a run gives it. */
export interface OauthCredentials<D = string> {
  readonly data: D;
  readonly appKey: string;
  readonly appSecret: string;
}

/** What the engine knows of an authentication, whatever its type: no name of a type stands outside this folder. */

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

/** What a person should know of a type of authentication. */
export interface AuthenticationManual extends ComponentManual {
  /** What goes over the network, and where it goes. */
  readonly travels: string;
  /** What must stand elsewhere in the configuration, by its path, for example `config.#password`. */
  readonly needs: Readonly<Record<string, Documentation>>;
  /** Old names: they are taken with a warning. */
  readonly aliases?: readonly string[];
  /** Options that may stand in an old place, `api.<key>`: the key by the option. */
  readonly oldPlaces?: Readonly<Record<string, string>>;
  /** Options of other types that this one has elsewhere: the path of the option that does the same. */
  readonly instead?: Readonly<Record<string, string>>;
}

/** A type of authentication. */
export interface AuthenticationDefinition<N extends string = string>
  extends Component<'authentication', N>, AuthenticationManual {
  /**
   * @internal
   * @param policy says what becomes of keys that are no options of the type
   */
  readonly codec: (policy: UnknownKeyPolicy, around: Surroundings) => Codec<ChosenAuthentication>;
}

/** What a type compiles: its decoded options, what it took from elsewhere, and where it is to work. */
export interface CompileInput<F extends Fields, C> extends AuthenticationPlace {
  readonly options: RecordOf<F>;
  readonly credentials: C;
}

/** What a type of authentication is made of. */
export interface AuthenticationParts<
  N extends string,
  F extends Fields,
  C extends object,
> extends AuthenticationManual {
  readonly name: N;
  readonly options: F;
  /** This is true where cookies are the credentials: they are kept as with `api.http.cookies`. */
  readonly keepsCookies?: boolean;
  /** What is wrong with options that are right each by itself. */
  readonly check?: (options: RecordOf<F>) => readonly OptionFault[];
  /** Options that do nothing, or not what they seem to. */
  readonly warnings?: (options: RecordOf<F>) => readonly OptionFault[];
  /**
   * Takes what stands elsewhere, as plain data; `() => valid({})` takes nothing.
   *
   * @param options absent where they have faults: those of both are reported
   */
  readonly credentials: (around: Surroundings, options: RecordOf<F> | undefined) => Checked<C, Finding>;
  /** Compiles the authentication of one run: what can be wrong is found here, before the first request. */
  readonly compile: (input: CompileInput<F, C>) => Checked<AuthenticationPlan>;
}

/**
 * Defines a type of authentication (docs/language/authentication.md). Its name stands in `api.authentication.type`, its
 * options stand beside that.
 *
 * @returns the definition, for a registry or for the option `components`
 * @example
 * defineAuthentication({
 *   name: 'key',
 *   summary: 'Sends a key in a header.',
 *   use: 'The API wants a key in a header of its own.',
 *   travels: 'The header, to the host of the base URL.',
 *   options: { header: withDefault(string, 'x-key', { about: 'The header, in lower case.', example: 'x-api-key' }) },
 *   needs: { 'config.#key': { about: 'The key.', example: 'k1' } },
 *   rules: ['The header replaces one of the same name.'],
 *   example,
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
  const { check, warnings, keepsCookies = false, credentials, compile, ...manual } = parts;
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
