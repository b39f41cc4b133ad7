import { isBlank } from '../../../core/json/scalars';
import { defineFunction } from './define';

/** The function `ifempty` (docs/language/functions.md#ifempty). */
export const ifempty = defineFunction({
  name: 'ifempty',
  summary: 'The first value, unless it is blank; then the second.',
  use: 'A default for an attribute that may be empty.',
  arguments: [
    { name: 'value', about: 'The value that is wanted.', type: 'any' },
    { name: 'fallback', about: 'What is taken in place of a blank value.', type: 'any' },
  ],
  result: 'One of the two, with its type.',
  rules: [
    'Blank are `null`, `false`, 0, `""`, `"0"`, `[]` and `{}`.',
    'An attribute that does not exist is an error also here; an empty one is not.',
  ],
  examples: [
    { args: ['', 'all'], result: 'all' },
    { args: ['ald', 'all'], result: 'ald' },
  ],
  call: ([value, fallback]) => (isBlank(value) ? (fallback ?? null) : (value ?? null)),
});

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
