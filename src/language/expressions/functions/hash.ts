import { defineFunction, textAt } from './define';
import { hash as digest, hashHmac as keyedDigest } from './digests';

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
