/** Digests, keyed digests, signed tokens and unique names. */
import { createHash, createHmac, createPrivateKey, createSign, randomUUID } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { isObject, objectFrom, entriesOf } from '../../../core/json/objects';
import { typeName } from '../../../core/json/scalars';
import { stringifyJson } from '../../../core/json/stringify';
import type { JsonObject } from '../../../core/model';
import { meantOrKnown } from '../../codec/finding';
import { ScriptError } from '../../parts/errors';
import { defineFunction, textAt } from './define';
import type { Arguments } from './define';

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
function digest(algorithm: string, text: string): string {
  if (algorithm.toLowerCase() === 'crc32b') return crc32(text).toString(16).padStart(8, '0');
  return createHash(algorithmOf(algorithm, ['crc32b']))
    .update(text)
    .digest('hex');
}

/** Returns the keyed digest of a string in lowercase hexadecimal (docs/language/functions.md#hash_hmac). */
const keyedDigest = (algorithm: string, text: string, key: string): string =>
  createHmac(algorithmOf(algorithm), key).update(text).digest('hex');

/** The function `md5` (docs/language/functions.md#md5). */
export const md5 = defineFunction({
  name: 'md5',
  summary: 'Returns the MD5 digest of a string.',
  arguments: [{ name: 'text' }],
  result: '32 lowercase hexadecimal digits.',
  examples: [{ args: ['river'], result: 'a5b03048ebe345c488e0ca30eff6ab0c' }],
  call: (args) => digest('md5', textAt(args, 0)),
});

/** The function `sha1` (docs/language/functions.md#sha1). */
export const sha1 = defineFunction({
  name: 'sha1',
  summary: 'Returns the SHA-1 digest of a string.',
  arguments: [{ name: 'text' }],
  result: '40 lowercase hexadecimal digits.',
  examples: [{ args: ['river'], result: '08fbe5a2e401d3368934c290dfdb6e6ee5baf5d9' }],
  call: (args) => digest('sha1', textAt(args, 0)),
});

/** The function `hash` (docs/language/functions.md#hash). */
export const hash = defineFunction({
  name: 'hash',
  summary: 'Returns the digest of a string.',
  arguments: [
    {
      name: 'algorithm',
      type: 'string',
      about:
        'md5, sha1, sha224, sha256, sha384, sha512, sha512/224, sha512/256, sha3-224, sha3-256, sha3-384, sha3-512, ripemd160 or crc32b; in upper or lower case.',
    },
    { name: 'text' },
  ],
  result: 'Lowercase hexadecimal digits.',
  examples: [
    { args: ['sha256', 'river'], result: '5f5a8ed8f139be6df7cf8f4a91d3e4649961a98c82fd521c18d6f292b031a319' },
    { args: ['crc32b', 'river'], result: 'f5e3672b' },
  ],
  call: (args) => digest(textAt(args, 0), textAt(args, 1)),
});

/** The function `hash_hmac` (docs/language/functions.md#hash_hmac). */
export const hashHmac = defineFunction({
  name: 'hash_hmac',
  summary: 'Returns the keyed digest (HMAC) of a string.',
  arguments: [
    { name: 'algorithm', type: 'string', about: 'As for `hash`, without crc32b.' },
    { name: 'text' },
    { name: 'key' },
  ],
  result: 'Lowercase hexadecimal digits.',
  examples: [
    {
      args: ['sha256', 'GET /stations', 's3cret'],
      result: '4e546b6d09cf3143dc6653ce51db3a7f7b475fcbc1531ca18ccd2c4b3ad7e1f5',
    },
  ],
  call: (args) => keyedDigest(textAt(args, 0), textAt(args, 1), textAt(args, 2)),
});

type Sign = (content: string, key: string) => string;

const SIGNATURES: ReadonlyMap<string, Sign> = new Map<string, Sign>([
  ['HS256', (content, key) => createHmac('sha256', key).update(content).digest('base64url')],
  ['RS256', (content, key) => createSign('sha256').update(content).sign(rsaKey(key), 'base64url')],
]);

/** Reads a key in PEM, whose line ends may be written as `\n`, as in key files of Google's service accounts. */
function rsaKey(written: string): KeyObject {
  const key = attempt(() => createPrivateKey(written.replaceAll('\\n', '\n')));
  if (key?.asymmetricKeyType === 'rsa') return key;
  // The message of the platform may show a part of the key.
  throw new ScriptError('argument 2 must be an RSA private key in PEM ("-----BEGIN PRIVATE KEY-----") for RS256.');
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function objectAt(args: Arguments, at: number): JsonObject {
  const value = args[at] ?? [];
  if (isObject(value)) return value;
  if (Array.isArray(value) && value.length === 0) return {};
  throw new ScriptError(`argument ${at + 1} must be an object, given '${typeName(value)}'.`);
}

const encoded = (part: JsonObject): string => Buffer.from(stringifyJson(part)).toString('base64url');

/** The function `jwt` (docs/language/functions.md#jwt). */
export const jwt = defineFunction({
  name: 'jwt',
  summary: 'Signs a JSON Web Token (RFC 7519).',
  arguments: [
    { name: 'claims', type: 'object', about: 'The values may be expressions.' },
    { name: 'key', about: 'The secret of HS256, or the private key of RS256 in PEM.' },
    { name: 'algorithm', type: 'string', about: '`HS256` (default) or `RS256`.', optional: true },
    {
      name: 'header',
      type: 'object',
      about: 'More members of the header, such as `kid`.',
      optional: true,
    },
  ],
  rules: [
    'Nothing is added to the claims: `{ "function": "now", "args": ["unix", "+5 minutes"] }` makes an `exp`.',
    'A parameter is computed once for all pages of a job: the token must live as long.',
    'The token is masked if the key is secret.',
  ],
  examples: [
    {
      args: [{ sub: 'ald' }, 's3cret'],
      result: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhbGQifQ.v56rsN9zLyvNGl1M4MqH0sFAcyRWuJID0sug3C_bk2c',
    },
  ],
  call: (args) => {
    const algorithm = args.length > 2 ? textAt(args, 2) : 'HS256';
    const sign = SIGNATURES.get(algorithm);
    if (sign === undefined) throw new ScriptError(`argument 3 must be one of ${[...SIGNATURES.keys()].join(', ')}.`);
    const key = textAt(args, 1);
    if (key === '') throw new ScriptError('argument 2, the key, is empty.');
    const header = objectFrom([
      ['alg', algorithm],
      ['typ', 'JWT'],
      ...entriesOf(objectAt(args, 3)).filter(([name]) => name !== 'alg'),
    ]);
    const content = `${encoded(header)}.${encoded(objectAt(args, 0))}`;
    return `${content}.${sign(content, key)}`;
  },
});

/** The namespace of URLs (RFC 9562, appendix A). */
const NAMESPACE = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex');

/** Returns a UUID of version 5: the same name always has the same one. */
function named(name: string): string {
  const bytes = createHash('sha1').update(NAMESPACE).update(name).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The function `uuid` (docs/language/functions.md#uuid). */
export const uuid = defineFunction({
  name: 'uuid',
  summary: 'Returns a UUID (RFC 9562).',
  arguments: [
    {
      name: 'name',
      about:
        'The same name always gives the same UUID (version 5, namespace of URLs). Without it the UUID is random (version 4).',
      optional: true,
    },
  ],
  rules: ['A parameter is computed once for all pages of a job: they share a random UUID.'],
  examples: [{ args: ['https://api.example/ald'], result: 'e59f8b9c-9f8e-5c1c-9b1e-16327d306c5a' }],
  call: (args) => (args.length === 0 ? randomUUID() : named(textAt(args, 0))),
});
