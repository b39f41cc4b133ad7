import { textAt, textsAt } from './arguments';
import { defineFunction } from './define';

/** The function `implode` (docs/language/functions.md#implode). */
export const implode = defineFunction({
  name: 'implode',
  summary: 'The elements of an array, joined with something between.',
  use: 'Several ids in one parameter.',
  arguments: [
    { name: 'glue', about: 'What stands between two elements.' },
    { name: 'values', about: 'The elements; expressions among them are evaluated.', type: 'array of scalars' },
  ],
  result: 'A string.',
  rules: ['An element that is an array or an object is an error.'],
  examples: [{ args: [',', [1, 2, 3]], result: '1,2,3' }],
  call: (args) => textsAt(args, 1).join(textAt(args, 0)),
});
