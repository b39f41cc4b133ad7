import { percentEncode } from '../../../core/url/query';
import { textAt } from './arguments';
import { defineFunction } from './define';

/**
 * The function `urlencode` (docs/language/functions.md#urlencode): form encoding, where a space is `+`, and only
 * letters, digits and `-._` stay.
 */
export const urlencode = defineFunction({
  name: 'urlencode',
  summary: 'A string encoded for a URL.',
  use: 'A placeholder in an endpoint whose values hold `/`, `?` or spaces; a value inside a string that becomes an address.',
  arguments: [{ name: 'text', about: 'What is encoded, as UTF-8.' }],
  result: 'A string; letters, digits and `-._` stay, a space is `+`, everything else is `%XX`.',
  rules: [
    'Parameters are encoded when a query is written: they need no encoding of their own.',
    'In the base language it stands in placeholders only; here it stands everywhere (docs/extensions/functions.md).',
  ],
  examples: [{ args: ['mill weir/2'], result: 'mill+weir%2F2' }],
  call: (args) => percentEncode(textAt(args, 0)).replaceAll('%20', '+').replaceAll('~', '%7E'),
});
