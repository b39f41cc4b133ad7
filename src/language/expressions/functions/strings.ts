import { ScriptError } from '../../parts/errors';
import { firstMatch, replaced } from '../pattern';
import { sprintf as formatted } from '../sprintf';
import { SCALARS, allTexts, defineFunction, scalarAt, textAt, textsAt } from './define';

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

/** The function `regex` (docs/language/functions.md#regex). */
export const regex = defineFunction({
  name: 'regex',
  summary: 'What a regular expression finds in a string, or the string with that replaced.',
  use: 'A number or an id inside a string or a URL.',
  arguments: [
    { name: 'text', about: 'Where is searched.' },
    {
      name: 'pattern',
      type: 'string',
      about: 'A regular expression in the syntax of RE2, of 1000 characters at most.',
    },
    {
      name: 'replacement',
      about:
        'What takes the place of each match: `$1` or `${name}` is a group, and a backslash makes the next character literal.',
      optional: true,
    },
  ],
  result:
    'With a replacement, the changed string. Without, the first group of the first match, or the whole match where the pattern has no groups; `null` where nothing matches.',
  rules: [
    SCALARS,
    'The time it takes grows with the length of the string only, whatever the pattern: look-ahead, look-behind and back-references do not exist.',
    '`(?i)` at the beginning takes upper and lower case as equal.',
    'In JSON a backslash is written twice: `"\\\\d+"`.',
  ],
  examples: [
    { args: ['/stations/ald-17', '-(\\d+)$'], result: '17' },
    { args: ['+44 (0)20-7946', '[^0-9+]', ''], result: '+440207946' },
    { args: ['ald', '\\d+'], result: null },
  ],
  call: (args) =>
    args.length > 2
      ? replaced(textAt(args, 0), textAt(args, 1), textAt(args, 2))
      : firstMatch(textAt(args, 0), textAt(args, 1)),
});

/** The function `sprintf` (docs/language/functions.md#sprintf). */
export const sprintf = defineFunction({
  name: 'sprintf',
  summary: 'Values laid into a format.',
  use: 'Padding, decimals, and strings with several values in them.',
  arguments: [
    { name: 'format', about: 'A string with places such as `%s`, `%05d`, `%2$s`.' },
    { name: 'values', about: 'The values, in order.', type: 'scalars', optional: true, repeated: true },
  ],
  result: 'A string.',
  rules: ['Fewer values than places are an error; more are not.', 'A plain percent sign is written `%%`.'],
  examples: [
    { args: ['%05d of %s', 42, 'many'], result: '00042 of many' },
    { args: ['%.2f', 3.5], result: '3.50' },
  ],
  call: (args) => {
    const [format, ...values] = args.map((_value, at) => scalarAt(args, at));
    return formatted(String(format), values);
  },
});
