import { textAt, SCALARS } from './arguments';
import { defineFunction } from './define';
import { hash as digest } from './hashing';

/** The function `hash` (docs/language/functions.md#hash). */
export const hash = defineFunction({
  name: 'hash',
  summary: 'The digest of a string by an algorithm of your choice.',
  use: 'Signatures by SHA-256 and others.',
  arguments: [
    {
      name: 'algorithm',
      type: 'string',
      about:
        'One of md5, sha1, sha224, sha256, sha384, sha512, sha512/224, sha512/256, sha3-224, sha3-256, sha3-384, sha3-512, ripemd160, crc32b; in upper or lower case.',
    },
    { name: 'text', about: 'What is digested, as UTF-8.' },
  ],
  result: 'Lowercase hexadecimal digits.',
  rules: [SCALARS, 'An unknown algorithm is an error that names the likely meant one.'],
  examples: [
    { args: ['sha256', 'river'], result: '5f5a8ed8f139be6df7cf8f4a91d3e4649961a98c82fd521c18d6f292b031a319' },
    { args: ['crc32b', 'river'], result: 'f5e3672b' },
  ],
  call: (args) => digest(textAt(args, 0), textAt(args, 1)),
});
