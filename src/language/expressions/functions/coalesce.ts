import { defineFunction } from './define';

/** The function `coalesce` (docs/language/functions.md#coalesce). */
export const coalesce = defineFunction({
  name: 'coalesce',
  summary: 'The first value that is not `null`.',
  use: 'One of several fields of an item, whichever is there; a default that leaves 0, `false` and empty strings alone, unlike `ifempty`.',
  arguments: [
    { name: 'value', about: 'The value that is wanted.', type: 'any' },
    {
      name: 'others',
      about: 'What is taken in its place, the first first.',
      type: 'any',
      repeated: true,
      optional: true,
    },
  ],
  result: 'One of the values, with its type; `null` where all are.',
  rules: [
    'A field that an item does not have is `null`; an attribute that does not exist is an error also here.',
    'What [`regex`](#regex) gives where nothing matches is `null`, too.',
  ],
  examples: [
    { args: [null, 'ald'], result: 'ald' },
    { args: [null, 0, 7], result: 0 },
    { args: [null], result: null },
  ],
  call: (args) => args.find((value) => value !== null) ?? null,
});
