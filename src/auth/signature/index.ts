import { collect, mapValid, valid } from '../../language/codec/checked';
import type { OptionFault } from '../../language/codec/component';
import { anything, list, object, oneOf, string } from '../../language/codec/primitives';
import { always, required, withDefault } from '../../language/codec/record';
import { entriesOf } from '../../core/json/keys';
import { withCredentialValues } from '../credential-values';
import { defineAuthentication } from '../../language/parts/authentication/define';
import { perRequest } from '../per-request';
import { compileSignature } from './compile';
import { momentOf, NONCES, TIMESTAMPS } from './moment';
import { namesKeyId, templateFault } from './template';

/** Signatures by HMAC of whatever an API wants to be signed (docs/language/authentication/signature.md). */
export const signature = defineAuthentication({
  name: 'signature',
  summary: 'Signs each request by HMAC with a secret key, and sends the signature in a header.',
  use: 'The API wants a keyed digest of parts of each request, such as its method, its path and the time. A signature in the query is a matter of `query`; AWS has a scheme of its own.',
  travels:
    'The header with the signature, and those of `headers`, to the host of the base URL and to `api.http.allowedHosts`. The key itself is never sent.',
  options: {
    parts: required(list(anything), 'what is signed: an array of strings and expressions', {
      distinctive: true,
      about:
        'What is signed, in this order: strings, and expressions with `attr`, `query`, `request` and `signature` (`timestamp`, `nonce`).',
      example: [{ request: 'method' }, { request: 'resource' }, { signature: 'timestamp' }],
    }),
    separator: withDefault(string, '\n', {
      distinctive: true,
      about: 'What stands between two parts.',
      example: '.',
    }),
    algorithm: withDefault(oneOf('SignatureAlgorithm', ['sha256', 'sha1', 'sha384', 'sha512', 'md5']), 'sha256', {
      distinctive: true,
      about: 'The hash function of the HMAC, and of `bodyHash`.',
      example: 'sha512',
    }),
    keyEncoding: withDefault(oneOf('SignatureKeyEncoding', ['utf8', 'hex', 'base64']), 'utf8', {
      distinctive: true,
      about: 'How the key is written: as text, or as bytes in hexadecimal digits or in base64.',
      example: 'base64',
    }),
    encoding: withDefault(oneOf('SignatureEncoding', ['hex', 'base64', 'base64url']), 'hex', {
      distinctive: true,
      about: 'How the signature is written, and `bodyHash`. Hexadecimal digits are lowercase.',
      example: 'base64',
    }),
    header: withDefault(string, 'Authorization', {
      about: 'The header that has the signature.',
      example: 'X-Signature',
    }),
    template: withDefault(string, '{signature}', {
      distinctive: true,
      about:
        'The text of that header, with `{signature}`, and `{timestamp}`, `{nonce}` and `{keyId}` where it has them.',
      example: 'HMAC {keyId}:{signature}',
    }),
    timestamp: withDefault(oneOf('SignatureTimestamp', TIMESTAMPS), 'seconds', {
      distinctive: true,
      about:
        'How the time is written: Unix `seconds` or `milliseconds`, `iso` (`2026-01-31T10:00:00.000Z`) or as in the header `Date` (`httpdate`).',
      example: 'httpdate',
    }),
    nonce: withDefault(oneOf('SignatureNonce', NONCES), 'hex', {
      distinctive: true,
      about: 'How the nonce is written: 32 hexadecimal digits (`hex`), or a `uuid`.',
      example: 'uuid',
    }),
    headers: always(object, {
      about:
        'More headers, each a scalar or an expression with the same contexts; `{"signature": "value"}` is the signature.',
      example: { 'X-Timestamp': { signature: 'timestamp' } },
      default: '{}',
    }),
  },
  needs: {
    'config.#signatureKey': {
      about: 'The secret key. It is masked wherever Headwater prints something.',
      example: 's3',
    },
    'config.keyId': {
      about: 'The id of the key, if `template` has `{keyId}`. `#keyId` is read as well.',
      example: 'river',
    },
  },
  rules: [
    'A signature covers the request as it is sent: with all parameters, and after each redirect anew. Each attempt has a time, a nonce and a signature of its own, the same in all parts and headers.',
    'Beside the usual names, the context `request` has `body` (empty where there is none), `bodyHash` (its hash by `algorithm`, in `encoding`), `contentType`, and `sortedQuery` (the query in strict percent-encoding, its parameters sorted).',
    'Parts are strings, numbers or booleans; `null` is an empty string. An object or an array is an error.',
    'The headers replace those of the same name. The signature is a secret.',
  ],
  example: {
    about: 'Method and path are signed. With a time among the parts, the signature differs each time.',
    config: {
      api: {
        authentication: {
          type: 'signature',
          parts: [{ request: 'method' }, { request: 'resource' }],
          template: 'HMAC {keyId}:{signature}',
        },
      },
      config: { keyId: 'river', '#signatureKey': 's3cret', jobs: [{ endpoint: 'stations', params: { page: 2 } }] },
    },
    exchanges: [
      {
        request: 'GET /stations?page=2',
        requestHeaders: {
          authorization: 'HMAC river:8da1fe7f25863b49d74c963fc07c8628b3a44df092756736e64caeb2633cc144',
        },
        response: [{ id: 1 }],
      },
    ],
    items: [{ id: 1 }],
  },
  check: ({ template, header, headers }): readonly OptionFault[] => {
    const inTemplate = templateFault(template);
    return [
      ...(inTemplate === undefined ? [] : [{ option: 'template', message: inTemplate }]),
      ...(/^[\w!#$%&'*+.^`|~-]+$/.test(header) ? [] : [{ option: 'header', message: 'is no name of a header' }]),
      ...(entriesOf(headers).some(([name]) => name.toLowerCase() === header.toLowerCase())
        ? [{ option: 'headers', message: 'has the header of the signature, which "header" and "template" make' }]
        : []),
    ];
  },
  credentials: (around, options) =>
    collect({
      key: around.attribute('signatureKey', '#signatureKey'),
      keyId: namesKeyId(options?.template ?? '') ? around.attribute('#keyId', 'keyId') : valid(''),
    }),
  compile: ({ options, credentials, scope }) =>
    mapValid(compileSignature(options, credentials, scope), (sign) => ({
      secrets: [credentials.key],
      source: ({ secrets }) =>
        perRequest((request) => withCredentialValues(request, sign(request, momentOf(options)), secrets)),
    })),
});
