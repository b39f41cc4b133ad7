import type { Checked } from '../../codec/checked';
import { join, type Codec } from '../../codec/codec';
import type { Component, ComponentManual, OptionFault } from '../../codec/component';
import type { Documentation } from '../../codec/documentation';
import type { Finding } from '../../codec/finding';
import { optionsCodec, withWarnings } from '../../codec/options';
import type { Fields, RecordOf } from '../../codec/record';
import type { UnknownKeyPolicy } from '../../codec/unknown-key';
import type { AuthenticationPlace, AuthenticationPlan, ChosenAuthentication } from './authentication';
import type { Surroundings } from './surroundings';

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
