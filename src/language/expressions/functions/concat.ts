import { allTexts, SCALARS } from './arguments';
import { defineFunction } from './define';

/** The function `concat` (docs/language/functions.md#concat). */
export const concat = defineFunction({
  name: 'concat',
  summary: 'Strings joined.',
  use: 'A bearer token, an address, a string to be signed.',
  arguments: [{ name: 'values', about: 'Any number of values.', type: 'scalars', optional: true, repeated: true }],
  result: 'A string; without arguments an empty one.',
  rules: [SCALARS],
  examples: [
    { args: ['Bearer ', 'b7d1'], result: 'Bearer b7d1' },
    { args: [], result: '' },
  ],
  call: (args) => allTexts(args).join(''),
});
