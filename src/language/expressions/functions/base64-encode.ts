import { textAt, SCALARS } from './arguments';
import { defineFunction } from './define';

/** The function `base64_encode` (docs/language/functions.md#base64_encode). */
export const base64Encode = defineFunction({
  name: 'base64_encode',
  summary: 'The base64 form of a string.',
  use: 'A header such as `Authorization: Basic …` that the API wants in a form of its own.',
  arguments: [{ name: 'text', about: 'What is encoded, as UTF-8.' }],
  result: 'Standard base64 with padding.',
  rules: [SCALARS],
  examples: [{ args: ['reader:trout'], result: 'cmVhZGVyOnRyb3V0' }],
  call: (args) => Buffer.from(textAt(args, 0), 'utf8').toString('base64'),
});
