import { percentEncode } from '../../../core/url/query';
import { textAt } from './arguments';
import { defineFunction } from './define';

/** The function `rawurlencode` (docs/language/functions.md#rawurlencode): percent-encoding by RFC 3986. */
export const rawurlencode = defineFunction({
  name: 'rawurlencode',
  summary: 'A string encoded for the path of a URL.',
  use: 'A placeholder in an endpoint whose values hold spaces: most APIs answer with 404 to the `+` that `urlencode` makes of them.',
  arguments: [{ name: 'text', about: 'What is encoded, as UTF-8.' }],
  result: 'A string; letters, digits and `-._~` stay, everything else is `%XX`, a space `%20`.',
  rules: ['Parameters are encoded when a query is written: they need no encoding of their own.'],
  examples: [{ args: ['mill weir/2'], result: 'mill%20weir%2F2' }],
  call: (args) => percentEncode(textAt(args, 0)),
});
