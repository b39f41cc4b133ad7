import { isUtf8 } from 'node:buffer';
import { percentEncode } from '../../../core/url/query';
import { ScriptError } from '../../parts/errors';
import { SCALARS, defineFunction, textAt } from './define';

/** The function `base64_encode` (docs/language/functions.md#base64_encode). */
export const base64Encode = defineFunction({
  name: 'base64_encode',
  summary: 'The base64 form of a string.',
  use: 'A header such as `Authorization: Basic …` that the API wants in a form of its own.',
  arguments: [{ name: 'text', about: 'What is encoded, as UTF-8.' }],
  result: 'Standard base64 with padding.',
  rules: [SCALARS],
  examples: [{ args: ['reader:trout'], result: 'cmVhZGVyOnRyb3V0' }],
  call: (args) => Buffer.from(textAt(args, 0), 'utf8').toString('base64'),
});

/** The standard alphabet or that of URLs, with padding or without. */
const BASE64 = /^(?:[A-Za-z0-9+/]*|[A-Za-z0-9_-]*)={0,2}$/;

/** The function `base64_decode` (docs/language/functions.md#base64_decode). */
export const base64Decode = defineFunction({
  name: 'base64_decode',
  summary: 'The string of which a string is the base64 form.',
  use: 'The API gives keys, values or files in base64, as etcd does.',
  arguments: [
    {
      name: 'text',
      about: 'What is decoded: standard base64 or that of URLs, with padding or without, in one line or several.',
    },
  ],
  result: 'A string; `null` where the bytes are no UTF-8, as those of a picture.',
  rules: [SCALARS, 'A string that is no base64 is an error.', '`base64_encode` is the opposite.'],
  examples: [
    { args: ['cmVhZGVyOnRyb3V0'], result: 'reader:trout' },
    { args: ['_-8'], result: null },
  ],
  call: (args) => {
    const text = textAt(args, 0).replace(/\s/g, '');
    if (!BASE64.test(text) || text.replace(/=+$/, '').length % 4 === 1)
      throw new ScriptError('argument 1 is no base64.');
    const bytes = Buffer.from(text, 'base64');
    return isUtf8(bytes) ? bytes.toString('utf8') : null;
  },
});

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
    'In the base language it stands in placeholders only; here it stands everywhere (docs/language/expressions.md#places).',
  ],
  examples: [{ args: ['mill weir/2'], result: 'mill+weir%2F2' }],
  call: (args) => percentEncode(textAt(args, 0)).replaceAll('%20', '+').replaceAll('~', '%7E'),
});

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
