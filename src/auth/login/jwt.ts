import { isObject } from '../../core/json/keys';
import { parseJson } from '../../core/json/parse';
import type { JsonObject } from '../../core/model';

/** Header, claims and signature of a JSON Web Token in compact form; an unsecured one has an empty signature. */
const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]*)$/;

/**
 * The claims of a JSON Web Token (RFC 7519). Its signature is not verified: that is up to the API which takes the token, and
 * what is read here decides about nothing but when to log in again.
 *
 * @returns `undefined` for what is no such token
 * @example claimsOf('eyJhbGciOiJub25lIn0.eyJleHAiOjE3MDAwMDAwMDB9.') // { exp: 1700000000 }
 */
export function claimsOf(token: string): JsonObject | undefined {
  const [, header = '', claims = ''] = COMPACT.exec(token.trim()) ?? [];
  return objectIn(header) === undefined ? undefined : objectIn(claims);
}

function objectIn(encoded: string): JsonObject | undefined {
  try {
    const value = parseJson(Buffer.from(encoded, 'base64url').toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
