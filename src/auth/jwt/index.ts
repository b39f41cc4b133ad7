import { andThen, valid } from '../../language/codec/checked';
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
  summary: 'Signs a JSON Web Token with a key, and sends it, or exchanges it for an access token.',
  use: 'The API gave you a key to sign tokens with: a GitHub App, App Store Connect, Zoom. With `exchange`: a Google service account, Salesforce, or any server that takes RFC 7523 or `private_key_jwt`.',
  travels:
    'The header `Authorization: Bearer …` with the signed token, to the host of the base URL and to `api.http.allowedHosts`. With `exchange`, that token goes to `tokenEndpoint`, and the header has the access token. The key itself is never sent.',
  options: {
    algorithm: required(oneOf('JwtAlgorithm', ALGORITHMS), 'the algorithm that the API names, for example "RS256"', {
      about: 'How the token is signed (RFC 7518).',
      example: 'RS256',
    }),
    key: required(secretValue, 'the key, for example {"file": "/run/secrets/key.pem"}', {
      about:
        'A secret that both sides share (`HS…`), or a private key as PEM; the JSON file of a Google service account may stand for one.',
      example: { file: '/run/secrets/key.pem' },
    }),
    keyEncoding: withDefault(oneOf('JwtKeyEncoding', ['utf8', 'hex', 'base64']), 'utf8', {
      about: 'How a shared secret is written: as text, or as bytes in hexadecimal digits or in base64.',
      example: 'base64',
    }),
    keyId: optional(string, {
      about: 'The header `kid`, by which the API finds the key.',
      example: '2X9R4HXF34',
    }),
    claims: always(object, {
      about: 'The claims, such as `iss`, `sub`, `aud` and `scope`: literals, and expressions with `attr`.',
      example: { iss: 'river', aud: 'https://api.example' },
      default: '{}',
    }),
    header: always(object, {
      about: 'More members of the header of the token, likewise.',
      example: { typ: 'at+jwt' },
      default: '{"typ": "JWT"}',
    }),
    lifetime: withDefault(integerFrom(1, 86_400), 300, {
      about: 'How long a signed token is good for: `exp` is so much later than `iat`, the moment it was signed.',
      unit: 'seconds',
      example: 600,
    }),
    jti: always(flag(false), {
      about: 'Whether each token has an id of its own, the claim `jti`.',
      example: true,
      default: 'false',
    }),
    scheme: withDefault(string, 'Bearer', {
      about: 'The word before the token in the header.',
      example: 'Token',
    }),
    exchange: optional(exchange, {
      about: 'Where an access token is given for the signed one. Absent: the signed one is sent itself.',
      example: { tokenEndpoint: 'https://oauth2.googleapis.com/token' },
    }),
    margin: always(margin, {
      about: 'How long before its end the token that is sent is renewed.',
      example: 10,
      unit: 'seconds',
      default: 'a tenth of its life, at most 30 seconds',
    }),
    refusedStatusCodes: always(codesOr([401], integerFrom(400, 599)), {
      about: 'Statuses which say that the token is stale: it is renewed once, and the request is repeated once.',
      example: [401, 403],
      default: '[401]',
    }),
  },
  needs: {},
  instead: { expires: 'lifetime' },
  rules: [
    'A key that does not fit the algorithm is a fault before the first request: no private key, one of another kind or curve, RSA with less than 2048 bits, or PEM where a secret is shared.',
    'A PEM of one line, as environments have it, may say `\\n` where a line ends.',
    'Headwater says `iat` and `exp` itself, by the clock of this machine.',
    'All requests share one token. It is renewed by a margin before its end, and once after a 401.',
    'Of the JSON file of a service account, `private_key` is the key, and `private_key_id`, `client_email` and `token_uri` are `kid`, `iss` and `aud`, where the configuration has none.',
    'With `exchange`, each request to `tokenEndpoint` is a form with a new signed token, and a response without `access_token` is an error. Without `expires_in` there is one access token a run, unless it is refused.',
    'In `exchange`, `tokenEndpoint` is where the token goes, `as` says what it is there: the `grant` itself (RFC 7523 section 2.1), or the proof of the `client` (section 2.2); `scope` and `params` are sent with it.',
    'The signed token, the access token and claims made of secrets are masked wherever Headwater prints something.',
  ],
  example: {
    about: 'A token that is signed with a shared secret. It differs by the time it was signed.',
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
