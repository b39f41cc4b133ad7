import { createHash, createHmac } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { ScriptError } from '../../parts/errors';
import { meantOrKnown } from '../../codec/finding';
import { defineFunction, textAt } from './define';

/** The usual names of algorithms, with their names on the platform. */
const ALGORITHMS: ReadonlyMap<string, string> = new Map([
  ['md5', 'md5'],
  ['sha1', 'sha1'],
  ['sha224', 'sha224'],
  ['sha256', 'sha256'],
  ['sha384', 'sha384'],
  ['sha512', 'sha512'],
  ['sha512/224', 'sha512-224'],
  ['sha512/256', 'sha512-256'],
  ['sha3-224', 'sha3-224'],
  ['sha3-256', 'sha3-256'],
  ['sha3-384', 'sha3-384'],
  ['sha3-512', 'sha3-512'],
  ['ripemd160', 'ripemd160'],
]);

const isName = (text: string): boolean => /^[a-z][a-z0-9/-]{0,11}$/i.test(text);

function algorithmOf(name: string, others: readonly string[] = []): string {
  const algorithm = ALGORITHMS.get(name.toLowerCase());
  if (algorithm === undefined)
    // Arguments in the wrong order would show a secret here.
    throw new ScriptError(
      `unknown algorithm${isName(name) ? ` '${name}'` : ''}.${meantOrKnown(name, [...ALGORITHMS.keys(), ...others])}`,
    );
  return algorithm;
}

/** Returns the digest of a string's UTF-8 bytes in lowercase hexadecimal (docs/language/functions.md#hash). */
export function hash(algorithm: string, text: string): string {
  if (algorithm.toLowerCase() === 'crc32b') return crc32(text).toString(16).padStart(8, '0');
  return createHash(algorithmOf(algorithm, ['crc32b']))
    .update(text)
    .digest('hex');
}

/** Returns the keyed digest of a string in lowercase hexadecimal (docs/language/functions.md#hash_hmac). */
export const hashHmac = (algorithm: string, text: string, key: string): string =>
  createHmac(algorithmOf(algorithm), key).update(text).digest('hex');

/** The function `md5` (docs/language/functions.md#md5). */
export const md5 = defineFunction({
  name: 'md5',
  summary: 'Returns the MD5 digest of a string.',
  arguments: [{ name: 'text' }],
  result: '32 lowercase hexadecimal digits.',
  examples: [{ args: ['river'], result: 'a5b03048ebe345c488e0ca30eff6ab0c' }],
  call: (args) => hash('md5', textAt(args, 0)),
});

/** The function `sha1` (docs/language/functions.md#sha1). */
export const sha1 = defineFunction({
  name: 'sha1',
  summary: 'Returns the SHA-1 digest of a string.',
  arguments: [{ name: 'text' }],
  result: '40 lowercase hexadecimal digits.',
  examples: [{ args: ['river'], result: '08fbe5a2e401d3368934c290dfdb6e6ee5baf5d9' }],
  call: (args) => hash('sha1', textAt(args, 0)),
});
