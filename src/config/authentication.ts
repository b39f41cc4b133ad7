import { chain, map as mapRight, right, type Either } from 'fp-ts/lib/Either';
import { pipe } from 'fp-ts/lib/function';
import * as t from 'io-ts';
import { isBlank } from '../json/blank';
import { ownValue } from '../json/keys';
import type { JsonObject } from '../model';
import { keysOfType, keysWithoutType } from './authentication-keys';
import { choose, contextAt, expected, join, noting, refine, refuse, type Codec, type Input } from '../codec/codec';
import type { Parts } from './parts';
import { together } from '../codec/together';
import type { Authentication } from './configuration';
import { login } from './login';
import { oauth10Credentials, oauthCredentials, parsedData, parsedDataObject } from './oauth-credentials';
import { asObject, constant, object, oneOf, text } from '../codec/primitives';
import { always, record, withDefault } from '../codec/record';

/** What the authentication takes from elsewhere in the configuration. */
export interface Surroundings {
  readonly parts: Parts;
  /** The effective `config` of the run. */
  readonly config: JsonObject;
  readonly authorization: Input;
  /** The deprecated `api.query`. */
  readonly apiQuery: Input;
}

type Factory = (around: Surroundings) => Codec<Authentication>;

const none = (isSwitchedOff: boolean): Codec<Authentication> =>
  record('NoAuthentication', { type: always(constant('none')) }, keysWithoutType(isSwitchedOff));

/** The first of two spellings that is not blank (language 4.2). */
function attribute(config: JsonObject, plain: string, secret: string): t.Validation<string> {
  const key = [plain, secret].find((candidate) => !isBlank(ownValue(config, candidate)));
  return key === undefined
    ? refuse(undefined, contextAt(['config', secret]), `required by basic authentication: "${secret}" (or "${plain}")`)
    : text.validate(ownValue(config, key), contextAt(['config', key]));
}

const basic: Factory = ({ config }) =>
  join(
    'BasicAuthentication',
    record('Basic', { type: always(constant('basic')) }, keysOfType('basic')),
    together({
      username: attribute(config, 'username', '#username'),
      password: attribute(config, 'password', '#password'),
    }),
    (written, credentials) => ({ ...written, ...credentials }),
  );

const query: Factory = ({ apiQuery }) =>
  noting(
    refine(
      'QueryAuthentication',
      record('Query', { type: always(constant('query')), query: always(object) }, keysOfType('query')),
      ({ type, query: own }, context) => {
        if (!isBlank(own)) return t.success({ type, query: own, path: 'api.authentication.query' });
        if (isBlank(apiQuery))
          return refuse(
            own,
            t.appendContext(context, 'query', object, own),
            'required: the parameters that query authentication adds, for example {"key": {"attr": "#token"}}',
          );
        return pipe(
          object.validate(apiQuery, contextAt(['api', 'query'])),
          mapRight((old) => ({ type, query: old, path: 'api.query' })),
        );
      },
    ),
    (input, path) =>
      ownValue(asObject(input) ?? {}, 'type') === 'url.query'
        ? [{ path: [...path, 'type'], message: 'deprecated: "url.query" is now called "query"' }]
        : [],
  );

const oauth10: Factory = ({ authorization }) =>
  join(
    'Oauth10',
    record('Oauth10AsWritten', { type: always(constant('oauth10')) }, keysOfType('oauth10')),
    pipe(oauthCredentials(authorization), chain(oauth10Credentials)),
    (written, credentials) => ({ ...written, credentials }),
  );

const oauth20AsWritten = record(
  'Oauth20AsWritten',
  {
    type: always(constant('oauth20')),
    format: withDefault(oneOf('OauthFormat', ['text', 'json']), 'text'),
    headers: always(object),
    query: always(object),
  },
  keysOfType('oauth20'),
);

const oauth20: Factory = ({ authorization }) =>
  refine(
    'Oauth20',
    join('Oauth20WithCredentials', oauth20AsWritten, oauthCredentials(authorization), (written, credentials) => ({
      ...written,
      credentials,
    })),
    (value) =>
      pipe(
        value.format === 'json' ? parsedData(value.credentials.data) : right(null),
        mapRight(() => value),
      ),
  );

const oauth20Login: Factory = ({ authorization }) =>
  join(
    'Oauth20Login',
    login,
    pipe(
      oauthCredentials(authorization),
      chain(({ data, appKey, appSecret }) =>
        pipe(
          parsedDataObject(data),
          mapRight((user) => ({ consumer: { client_id: appKey, client_secret: appSecret }, user })),
        ),
      ),
    ),
    (written, oauth) => ({ ...written, oauth }),
  );

const TYPES = {
  basic,
  query,
  login: () => login,
  oauth10,
  oauth20,
  'oauth20.login': oauth20Login,
  'url.query': query,
} satisfies Record<string, Factory>;

const typeOf = oneOf('AuthenticationType', Object.keys(TYPES) as readonly (keyof typeof TYPES)[]);

/** `api.authentication` (language 4). A blank type means none. */
export const authentication = (around: Surroundings): Codec<Authentication> =>
  choose(
    'Authentication',
    () => ({}),
    (input, context): Either<t.Errors, Codec<Authentication>> => {
      const written = asObject(input);
      if (written === undefined) return expected('an object', input, context);
      const type = ownValue(written, 'type');
      if (isBlank(type)) return right(none(Object.hasOwn(written, 'type')));
      return pipe(
        typeOf.validate(type, t.appendContext(context, 'type', typeOf, type)),
        mapRight((name) => TYPES[name](around)),
      );
    },
  );
