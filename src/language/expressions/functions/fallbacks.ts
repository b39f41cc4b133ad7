import { isBlank } from '../../../core/json/scalars';
import { defineFunction } from './define';

/** The function `ifempty` (docs/language/functions.md#ifempty). */
export const ifempty = defineFunction({
  name: 'ifempty',
  summary: 'Returns `value`, unless it is blank; then `fallback`.',
  arguments: [
    { name: 'value', type: 'any' },
    { name: 'fallback', type: 'any' },
  ],
  rules: [
    'Blank are `null`, `false`, 0, `""`, `"0"`, `[]` and `{}`.',
    'A missing attribute is an error; an empty one is not.',
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
  summary: 'Returns the first value that is not `null`.',
  use: 'Unlike `ifempty`, it keeps 0, `false` and empty strings.',
  arguments: [
    { name: 'value', type: 'any' },
    {
      name: 'others',
      type: 'any',
      repeated: true,
      optional: true,
    },
  ],
  rules: [
    'A missing field of an item is `null`, and so is [`regex`](#regex) without a match. A missing attribute is an error.',
  ],
  examples: [
    { args: [null, 'ald'], result: 'ald' },
    { args: [null, 0, 7], result: 0 },
    { args: [null], result: null },
  ],
  call: (args) => args.find((value) => value !== null) ?? null,
});
