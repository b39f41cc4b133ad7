/** `api.authentication`: the credentials that a type reads from elsewhere, complaints about its keys, and its codec. */
import { map as mapRight, right } from 'fp-ts/lib/Either';
import type { Either } from 'fp-ts/lib/Either';
import { pipe } from 'fp-ts/lib/function';
import * as t from 'io-ts';
import { ownValue } from '../../core/json/objects';
import { isBlank } from '../../core/json/scalars';
import type { JsonObject } from '../../core/model';
import { andThen, invalid, mapValid, choose, expected, map, noting, readAt } from '../codec/codec';
import type { Checked, Codec, Input } from '../codec/codec';
import { likelyMeant } from '../codec/finding';
import type { Finding, Path } from '../codec/finding';
import { asObject, constant, namedOf, text, valueOf } from '../codec/primitives';
import { always, fieldsSchema, record, required } from '../codec/record';
import { anyKey, ignored, mistaken, unknownKey } from '../codec/unknown-key';
import { blank, named, tolerant } from '../codec/schema';
import type { Schema } from '../codec/schema';
import type { UnknownKeyPolicy } from '../codec/unknown-key';
import { given } from '../codec/values';
import type {
  AuthenticationDefinition,
  ChosenAuthentication,
  OauthCredentials,
  Surroundings,
} from '../parts/authentication';
import type { Parts } from '../parts/parts';

const CREDENTIALS = ['authorization', 'oauth_api', 'credentials'];
const DATA = [...CREDENTIALS, '#data'];

const credentials: Codec<OauthCredentials> = map(
  'OauthCredentials',
  record(
    'OauthCredentialsAsWritten',
    {
      '#data': always(given('the OAuth tokens'), {
        about: 'The tokens, as a string; for most types it holds JSON.',
        example: '{"access_token": "…"}',
      }),
      appKey: always(given('the key (client id) of the OAuth application'), {
        about: 'The client id of the application.',
        example: 'app-1',
      }),
      '#appSecret': always(given('the secret of the OAuth application'), {
        about: 'The client secret of the application.',
        example: '…',
      }),
    },
    anyKey,
  ),
  (written) => ({ data: written['#data'], appKey: written.appKey, appSecret: written['#appSecret'] }),
);

/** Reads `authorization.oauth_api.credentials` (docs/language/configuration.md#authorization). */
export function oauthCredentials(authorization: Input): Checked<OauthCredentials, Finding> {
  const written = valueOf(valueOf(authorization, 'oauth_api'), 'credentials');
  return isBlank(written)
    ? invalid({
        path: CREDENTIALS,
        message: 'required: the OAuth credentials; this type of authentication needs them',
      })
    : readAt(credentials, written, CREDENTIALS);
}

/** Does the same as {@link oauthCredentials}, and decodes the string in `#data`. */
const oauthWith = <D>(authorization: Input, data: Codec<D>): Checked<OauthCredentials<D>, Finding> =>
  andThen(oauthCredentials(authorization), (read) =>
    mapValid(readAt(data, read.data, DATA), (inside) => ({ ...read, data: inside })),
  );

/** The surroundings of `api.authentication`. */
export interface Around {
  readonly parts: Parts;
  /** The whole configuration. */
  readonly document: JsonObject;
  /** The effective `config` of the run. */
  readonly config: JsonObject;
}

/**
 * Returns the values that a type of authentication may read from elsewhere.
 *
 * @param type its name, for messages
 */
function surroundingsOf(type: string, { document, config }: Around): Surroundings {
  const at = ([first = '', ...rest]: Path): Input =>
    rest.reduce<Input>((place, key) => valueOf(place, key), first === 'config' ? config : ownValue(document, first));
  return {
    at: (path, inner) => readAt(inner, at(path), path),
    oauth: (data) => oauthWith(ownValue(document, 'authorization'), data),
    attribute: (name) => {
      const plain = name.replace(/^#/, '');
      const key = [plain, `#${plain}`].find((each) => !isBlank(ownValue(config, each)));
      if (key !== undefined) return readAt(text, ownValue(config, key), ['config', key]);
      const other = name === plain ? `#${plain}` : plain;
      return invalid({
        path: ['config', name],
        message: `required by ${type} authentication: "${name}" (or "${other}")`,
      });
    },
  };
}

/** Complaints about keys of `api.authentication` that are not options of its type. */

/** Returns the policy for keys of `api.authentication` that its type does not read. */
const keysOfType =
  (type: string, parts: Parts): UnknownKeyPolicy =>
  (key, value, names) => {
    const owners = ownersOf(key, parts);
    if (owners !== undefined) return ignored(`has no effect with type ${type}: it is an option of ${owners}`);
    return unknownKey()(key, value, namesFor(key, names, parts));
  };

const NO_TYPE = 'has no effect: api.authentication.type is not set';

/**
 * Returns the policy for keys without a type: a blank type switches the authentication off; a missing type was
 * forgotten or misspelled.
 */
const keysWithoutType =
  (isSwitchedOff: boolean, parts: Parts): UnknownKeyPolicy =>
  (key, value, names) => {
    if (isSwitchedOff) return ignored(NO_TYPE);
    return ownersOf(key, parts) === undefined
      ? unknownKey()(key, value, namesFor(key, names, parts))
      : mistaken(NO_TYPE);
  };

/**
 * Returns a message that names the types with an option of this name, and the options that other types have instead.
 */
function ownersOf(key: string, { authentication }: Parts): string | undefined {
  const types = [...authentication.values()];
  const owners = types.filter(({ options }) => Object.hasOwn(options, key)).map(({ name }) => name);
  if (owners.length === 0) return undefined;
  const instead = types.flatMap(({ name, instead: others = {} }) =>
    Object.hasOwn(others, key) ? [`${name} has ${others[key]}`] : [],
  );
  return [inWords(owners), ...instead].join('; ');
}

const inWords = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/** Returns the names that a key may misspell: names of its own type first. */
function namesFor(key: string, names: readonly string[], { authentication }: Parts): readonly string[] {
  if (likelyMeant(key, names) !== undefined) return names;
  return [...new Set([...names, ...[...authentication.values()].flatMap(({ options }) => Object.keys(options))])];
}

const none = (isSwitchedOff: boolean, parts: Parts): Codec<undefined> =>
  map(
    'NoAuthentication',
    record(
      'BlankType',
      { type: always(constant('none'), { about: 'Blank: there is no authentication.', example: '' }) },
      keysWithoutType(isSwitchedOff, parts),
    ),
    () => undefined,
  );

/** Returns the old names of types, in the order of their names. */
const aliasesOf = ({ authentication }: Parts): readonly (readonly [string, AuthenticationDefinition])[] =>
  [...authentication.values()].flatMap((type) => (type.aliases ?? []).map((alias) => [alias, type] as const));

const typesOf = (parts: Parts): ReadonlyMap<string, AuthenticationDefinition> =>
  new Map([...parts.authentication, ...aliasesOf(parts)]);

/** Returns whether the type reads an option from its old place, `api.<key>`, because it is nowhere else. */
export function isOldPlaceUsed(written: Input, key: string, parts: Parts): boolean {
  const name = valueOf(written, 'type');
  const type = typeof name === 'string' ? typesOf(parts).get(name) : undefined;
  return Object.entries(type?.oldPlaces ?? {}).some(
    ([option, place]) => place === key && isBlank(valueOf(written, option)),
  );
}

/** Returns the codec of a type, with a warning if `type` has an old name. */
const chosen = (type: AuthenticationDefinition, around: Around): Codec<ChosenAuthentication> =>
  noting(type.codec(keysOfType(type.name, around.parts), surroundingsOf(type.name, around)), (input, path) => {
    const written = valueOf(input, 'type');
    return written === type.name
      ? []
      : [{ path: [...path, 'type'], message: `deprecated: ${JSON.stringify(written)} is now called "${type.name}"` }];
  });

/** `api.authentication` (docs/language/authentication.md). A blank type means none. */
export const authentication = (around: Around): Codec<ChosenAuthentication | undefined> =>
  choose<ChosenAuthentication | undefined>(
    'Authentication',
    () => named('authentication', () => anyType(around.parts)),
    (input, context): Either<t.Errors, Codec<ChosenAuthentication | undefined>> => {
      const written = asObject(input);
      if (written === undefined) return expected('an object', input, context);
      const type = ownValue(written, 'type');
      if (isBlank(type)) return right(none(Object.hasOwn(written, 'type'), around.parts));
      const word = namedOf('AuthenticationType', typesOf(around.parts));
      return pipe(
        word.validate(type, t.appendContext(context, 'type', word, type)),
        mapRight((definition) => chosen(definition, around)),
      );
    },
  );

/**
 * Returns a schema with one branch for each type, selected by the word in `type`; without a type there is no
 * authentication.
 */
function anyType({ authentication: types }: Parts): Schema {
  const branches = [...types.values()].map(({ name, summary, options, aliases = [] }): Schema => {
    const type = required(constant(name), 'the name of the type', { about: 'The type.', example: name });
    const branch = fieldsSchema({ type, ...options });
    const words = tolerant({ const: name }, ...aliases.map((alias) => ({ const: alias })));
    const names = { ...words, description: 'The type.', examples: [name] };
    const properties = { ...branch.properties, ...(aliases.length === 0 ? {} : { type: names }) };
    return named(`authentication.${name}`, () => ({
      ...(summary === undefined ? {} : { description: summary }),
      ...branch,
      properties,
    }));
  });
  const off: Schema = { type: 'object', properties: { type: blank } };
  return tolerant({ anyOf: branches }, off, { type: 'array' }, blank);
}
