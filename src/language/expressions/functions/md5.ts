import { textAt, SCALARS } from './arguments';
import { defineFunction } from './define';
import { hash } from './hashing';

/** The function `md5` (docs/language/functions.md#md5). */
export const md5 = defineFunction({
  name: 'md5',
  summary: 'The MD5 digest of a string.',
  use: 'A signature, or a short key for something long, where the API asks for MD5.',
  arguments: [{ name: 'text', about: 'What is digested, as UTF-8.' }],
  result: '32 lowercase hexadecimal digits.',
  rules: [SCALARS],
  examples: [{ args: ['river'], result: 'a5b03048ebe345c488e0ca30eff6ab0c' }],
  call: (args) => hash('md5', textAt(args, 0)),
});
