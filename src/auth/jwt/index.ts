import { andThen, valid } from '../../language/codec/codec';
import { codesOr, secretValue } from '../../language/codec/values';
import { flag, integerFrom, object, oneOf, string } from '../../language/codec/primitives';
import { always, optional, required, withDefault } from '../../language/codec/record';
import { defineAuthentication } from '../../language/parts/authentication';
import { margin } from '../login/expiry';
import { compileAssertion, ALGORITHMS } from './assertion';
import { bearerSource, exchange, exchanging } from './credentials';

/** Tokens that Headwater signs itself (docs/language/authentication/jwt.md). */
export const jwt = defineAuthentication({
  name: 'jwt',
  summary: 'Signs a JSON Web Token and sends it, or exchanges it for an access token.',
  use: 'Use it for an API that gave you a signing key, such as GitHub Apps and Zoom; with `exchange` for Google service accounts, Salesforce, RFC 7523 and `private_key_jwt`.',
  travels:
    'The header `Authorization: Bearer …` with the signed token or, with `exchange`, the access token. The key is never sent.',
  options: {
    algorithm: required(oneOf('JwtAlgorithm', ALGORITHMS), 'the algorithm that the API names, for example "RS256"', {
      about: 'The signature algorithm (RFC 7518).',
      example: 'RS256',
    }),
    key: required(secretValue, 'the key, for example {"file": "/run/secrets/key.pem"}', {
      about: 'The shared secret (`HS…`), or the private key: PEM, or the JSON file of a Google service account.',
      example: { file: '/run/secrets/key.pem' },
    }),
    keyEncoding: withDefault(oneOf('JwtKeyEncoding', ['utf8', 'hex', 'base64']), 'utf8', {
      about: 'The encoding of the shared secret.',
      example: 'base64',
    }),
    keyId: optional(string, {
      about: 'The header `kid`.',
      example: '2X9R4HXF34',
    }),
    claims: always(object, {
      about: 'Claims such as `iss`, `sub`, `aud`, `scope`: literals, or expressions with `attr`.',
      example: { iss: 'river', aud: 'https://api.example' },
    }),
    header: always(object, {
      about: 'More members of the header of the token, likewise.',
      example: { typ: 'at+jwt' },
      default: '{"typ": "JWT"}',
    }),
    lifetime: withDefault(integerFrom(1, 86_400), 300, {
      about: 'The lifetime of a signed token: `exp` minus `iat`.',
      unit: 'seconds',
      example: 600,
    }),
    jti: always(flag(false), {
      about: 'Whether each token has its own id, the claim `jti`.',
      example: true,
      default: 'false',
    }),
    scheme: withDefault(string, 'Bearer', {
      about: 'The word before the token.',
      example: 'Token',
    }),
    exchange: optional(exchange, {
      about: 'The exchange for an access token. Without it, the signed token itself is sent.',
      example: { tokenEndpoint: 'https://oauth2.googleapis.com/token' },
    }),
    margin: always(margin, {
      about: 'How long before its end the token is renewed.',
      example: 10,
      unit: 'seconds',
      default: 'a tenth of its life, at most 30 seconds',
    }),
    refusedStatusCodes: always(codesOr([401], integerFrom(400, 599)), {
      about: 'Statuses of a stale token, which is [renewed](../authentication.md#renewal) once.',
      example: [401, 403],
      default: '[401]',
    }),
  },
  needs: {},
  instead: { expires: 'lifetime' },
  rules: [
    'A key that does not fit the algorithm is an error before the first request: another kind or curve, RSA below 2048 bits, PEM for `HS…`.',
    'A PEM in one line may have `\\n` as line ends.',
    'Headwater sets `iat` and `exp` by the local clock.',
    'All requests share one token. It is renewed before its end, and once after a 401.',
    'The JSON file of a service account gives the key and, unless the configuration has them, `kid`, `iss` and `aud` (`private_key_id`, `client_email`, `token_uri`).',
    '`exchange` has `tokenEndpoint`, `scope`, `params`, and `as`: `grant` (default, RFC 7523 section 2.1) or `client` (section 2.2).',
    'Each exchange is a form with a new signed token. A response without `access_token` is an error. Without `expires_in`, the access token lasts for the run unless it is refused.',
  ],
  example: {
    about: 'A shared secret signs the token, which differs each time.',
    config: {
      api: {
        authentication: { type: 'jwt', algorithm: 'HS256', key: { attr: '#key' }, claims: { iss: 'river' } },
      },
      config: { '#key': 'a secret that both sides share', jobs: [{ endpoint: 'stations' }] },
    },
    exchanges: [{ request: 'GET /stations', response: [{ id: 1 }] }],
    items: [{ id: 1 }],
  },
  credentials: () => valid({}),
  compile: ({ options, ...place }) =>
    andThen(compileAssertion(options, place), (assertion) =>
      options.exchange === undefined
        ? valid({ secrets: assertion.secrets, source: (runtime) => bearerSource(options, assertion, runtime) })
        : exchanging(options.exchange, options, assertion, place),
    ),
});
