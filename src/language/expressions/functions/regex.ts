import { firstMatch, replaced } from '../patterns/pattern';
import { SCALARS, textAt } from './arguments';
import { defineFunction } from './define';

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
