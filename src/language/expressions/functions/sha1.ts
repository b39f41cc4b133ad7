import { textAt, SCALARS } from './arguments';
import { defineFunction } from './define';
import { hash } from './hashing';

/** The function `sha1` (docs/language/functions.md#sha1). */
export const sha1 = defineFunction({
  name: 'sha1',
  summary: 'The SHA-1 digest of a string.',
  use: 'A signature where the API asks for SHA-1.',
  arguments: [{ name: 'text', about: 'What is digested, as UTF-8.' }],
  result: '40 lowercase hexadecimal digits.',
  rules: [SCALARS],
  examples: [{ args: ['river'], result: '08fbe5a2e401d3368934c290dfdb6e6ee5baf5d9' }],
  call: (args) => hash('sha1', textAt(args, 0)),
});
