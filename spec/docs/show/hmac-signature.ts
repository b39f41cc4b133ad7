import { createHmac } from 'node:crypto';
import { collect, defineAuthentication, oneOf, perRequest, string, valid, withDefault } from '../../../src/components';

/**
 * What is signed, by whoever sends and whoever verifies.
 *
 * @param path with the query
 * @param time milliseconds since the epoch
 */
export const signatureOf = (algorithm: string, secret: string, method: string, path: string, time: string): string =>
  createHmac(algorithm, secret).update([method, path, time].join('\n')).digest('hex');

/** A type of authentication that an application brings: it signs method, path and time. */
export const hmacSignature = defineAuthentication({
  name: 'hmac',
  summary: 'Signs the method, the path and the time of each request by HMAC.',
  use: 'The API gives a key and a secret, and wants a signature in a header.',
  travels: 'The headers `X-Key`, `X-Time` and that of the signature, to the host of the base URL; never the secret.',
  options: {
    header: withDefault(string, 'X-Signature', {
      about: 'The header that carries the signature.',
      example: 'X-Api-Signature',
    }),
    algorithm: withDefault(oneOf('HmacAlgorithm', ['sha256', 'sha512']), 'sha256', {
      about: 'The hash function of the signature.',
      example: 'sha512',
    }),
  },
  needs: {
    'config.keyId': { about: 'The name of the key.', example: 'k1' },
    'config.#hmacSecret': { about: 'The secret that signs.', example: 'trout' },
  },
  rules: [
    'Signed are the method, the path with its query, and the time in milliseconds, one a line.',
    'Each attempt and each redirect has a time and a signature of its own.',
  ],
  example: {
    about: 'Time and signature differ each time.',
    config: {
      api: { authentication: { type: 'hmac' } },
      config: { keyId: 'k1', '#hmacSecret': 'trout', jobs: [{ endpoint: 'stations' }] },
    },
    exchanges: [
      {
        request: 'GET /stations',
        requestHeaders: { 'x-key': 'k1', 'x-time': '…', 'x-signature': '…' },
        response: [{ id: 1 }],
      },
    ],
    items: [{ id: 1 }],
  },
  check: ({ header }) =>
    ['x-key', 'x-time'].includes(header.toLowerCase())
      ? [{ option: 'header', message: 'is taken: this header carries the key or the time' }]
      : [],
  credentials: (around) => collect({ key: around.attribute('keyId'), secret: around.attribute('#hmacSecret') }),
  compile: ({ options: { header, algorithm }, credentials: { key, secret } }) =>
    valid({
      secrets: [secret],
      source: ({ secrets }) =>
        perRequest((request) => {
          const { pathname, search } = new URL(request.url);
          const time = String(Date.now());
          const signature = signatureOf(algorithm, secret, request.method, pathname + search, time);
          secrets.learn(signature);
          const signed = { 'x-key': key, 'x-time': time, [header.toLowerCase()]: signature };
          return { ...request, headers: { ...request.headers, ...signed } };
        }),
    }),
});
