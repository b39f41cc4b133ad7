import { createHash } from 'node:crypto';
import type { Challenge } from './challenge';

/** The user who answers a challenge, and the request that the answer is for. */
export interface Asked {
  readonly username: string;
  readonly password: string;
  readonly method: string;
  /** Path and query, as they are sent. */
  readonly uri: string;
  /** How often this nonce was used, this time included. */
  readonly count: number;
  /** The client's own nonce. */
  readonly cnonce: string;
}

const HASHES = { MD5: 'md5', 'SHA-256': 'sha256' } as const;

/**
 * Answers a challenge of digest authentication (RFC 7616 section 3.4).
 *
 * @returns the header `Authorization`, and in it the value that must not be printed
 * @example answer(challenge, { username: 'Mufasa', … }).header // 'Digest username="Mufasa", …'
 */
export function answer(challenge: Challenge, asked: Asked): { readonly header: string; readonly response: string } {
  const { realm, nonce, algorithm, isSession, spelled, opaque, qop, userhash } = challenge;
  const { username, password, method, uri, count, cnonce } = asked;
  const hash = (...parts: readonly string[]): string =>
    createHash(HASHES[algorithm]).update(parts.join(':'), 'utf8').digest('hex');
  const nc = count.toString(16).padStart(8, '0');
  const key = hash(username, realm, password);
  const a1 = isSession ? hash(key, nonce, cnonce) : key;
  const a2 = hash(method, uri);
  const response = qop === undefined ? hash(a1, nonce, a2) : hash(a1, nonce, nc, cnonce, qop, a2);
  const isPlain = /^[\x20-\x7e]*$/.test(username);
  const name = userhash
    ? `username="${hash(username, realm)}", userhash=true`
    : isPlain
      ? `username=${quoted(username)}`
      : `username*=UTF-8''${encodeURIComponent(username).replace(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)}`;
  const parts = [
    name,
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `uri=${quoted(uri)}`,
    ...(spelled === undefined ? [] : [`algorithm=${spelled}`]),
    ...(qop === undefined ? [] : [`qop=${qop}`, `nc=${nc}`]),
    ...(qop === undefined && !isSession ? [] : [`cnonce=${quoted(cnonce)}`]),
    `response="${response}"`,
    ...(opaque === undefined ? [] : [`opaque=${quoted(opaque)}`]),
  ];
  return { header: `Digest ${parts.join(', ')}`, response };
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
