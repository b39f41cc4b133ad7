import { ScriptError } from '../script-error';
import { SCALARS, textAt } from './arguments';
import { defineFunction } from './define';

/** The function `split` (docs/language/functions.md#split). */
export const split = defineFunction({
  name: 'split',
  summary: 'An array of the parts of a string.',
  use: 'Several values in one field, which shall become an array; with `unnest`, an item for each of them.',
  arguments: [
    { name: 'text', about: 'What is split.' },
    { name: 'separator', about: 'What stands between the parts; it is not empty.' },
  ],
  result: 'An array of strings; an empty string gives an empty array.',
  rules: [SCALARS, 'Parts keep their white space, and may be empty.', '`implode` is the opposite.'],
  examples: [
    { args: ['ald,bro,cam', ','], result: ['ald', 'bro', 'cam'] },
    { args: ['', ','], result: [] },
  ],
  call: (args) => {
    const [text, separator] = [textAt(args, 0), textAt(args, 1)];
    if (separator === '') throw new ScriptError('argument 2, the separator, must not be empty.');
    return text === '' ? [] : text.split(separator);
  },
});
