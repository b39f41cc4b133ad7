import { isBlank } from '../../../core/json/blank';
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
