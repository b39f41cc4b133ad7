import { ScriptError } from '../script-error';
import { SCALARS, textAt } from './arguments';
import { defineFunction } from './define';

/** The function `replace` (docs/language/functions.md#replace). */
export const replace = defineFunction({
  name: 'replace',
  summary: 'A string in which each occurrence of another one is replaced.',
  use: 'Taking out or changing characters; for patterns there is `regex`.',
  arguments: [
    { name: 'text', about: 'Where is searched.' },
    { name: 'search', about: 'What is searched, character by character; it is not empty.' },
    { name: 'replacement', about: 'What takes its place.' },
  ],
  result: 'A string.',
  rules: [SCALARS, 'Upper and lower case differ. `$` and backslashes mean themselves.'],
  examples: [{ args: ['1 234 567', ' ', ''], result: '1234567' }],
  call: (args) => {
    const search = textAt(args, 1);
    if (search === '') throw new ScriptError('argument 2, what is searched, must not be empty.');
    return textAt(args, 0).split(search).join(textAt(args, 2));
  },
});
