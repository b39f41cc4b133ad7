import { textAt, SCALARS } from './arguments';
import { defineFunction } from './define';
import { hashHmac as keyedDigest } from './hashing';

/** The function `hash_hmac` (docs/language/functions.md#hash_hmac). */
export const hashHmac = defineFunction({
  name: 'hash_hmac',
  summary: 'The keyed digest (HMAC) of a string.',
  use: 'Signatures of requests with a secret key.',
  arguments: [
    { name: 'algorithm', type: 'string', about: 'As for `hash`, without crc32b.' },
    { name: 'text', about: 'What is signed.' },
    { name: 'key', about: 'The secret key.' },
  ],
  result: 'Lowercase hexadecimal digits.',
  rules: [SCALARS],
  examples: [
    {
      args: ['sha256', 'GET /stations', 's3cret'],
      result: '4e546b6d09cf3143dc6653ce51db3a7f7b475fcbc1531ca18ccd2c4b3ad7e1f5',
    },
  ],
  call: (args) => keyedDigest(textAt(args, 0), textAt(args, 1), textAt(args, 2)),
});
