import { constants, createHmac, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { merge } from '../../core/json/merge';
import { stringifyJson } from '../../core/json/stringify';
import type { JsonObject } from '../../core/model';

/** The algorithms of RFC 7518 and RFC 8037 that sign. */
export const ALGORITHMS = [
  ...(['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512'] as const),
  ...(['PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const),
] as const;

export type Algorithm = (typeof ALGORITHMS)[number];

/**
 * A JSON Web Token (RFC 7519) that is signed (RFC 7515), in its compact form.
 *
 * @param key one that fits the algorithm
 * @example signedToken('HS256', createSecretKey(Buffer.from('s3')), { typ: 'JWT' }, { sub: 'reader' })
 */
export function signedToken(algorithm: Algorithm, key: KeyObject, header: JsonObject, claims: JsonObject): string {
  const signed = `${part(merge({ alg: algorithm }, header))}.${part(claims)}`;
  return `${signed}.${signatureOf(algorithm, key, Buffer.from(signed)).toString('base64url')}`;
}

const part = (content: JsonObject): string => Buffer.from(stringifyJson(content)).toString('base64url');

function signatureOf(algorithm: Algorithm, key: KeyObject, data: Buffer): Buffer {
  if (algorithm === 'EdDSA') return sign(null, data, key);
  const hash = `sha${algorithm.slice(2)}`;
  switch (algorithm.slice(0, 2)) {
    case 'HS':
      return createHmac(hash, key).update(data).digest();
    case 'PS':
      return sign(hash, data, {
        ...{ key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
      });
    case 'ES':
      // A pair of numbers of fixed length, as RFC 7518 section 3.4 has it; the default is DER.
      return sign(hash, data, { key, dsaEncoding: 'ieee-p1363' });
    default:
      return sign(hash, data, key);
  }
}
