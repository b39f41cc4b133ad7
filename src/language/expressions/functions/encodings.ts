import { isUtf8 } from 'node:buffer';
import { percentEncode } from '../../../core/url/query';
import { ScriptError } from '../../parts/errors';
import { defineFunction, textAt } from './define';

/** The function `base64_encode` (docs/language/functions.md#base64_encode). */
export const base64Encode = defineFunction({
  name: 'base64_encode',
  summary: 'Encodes a string in base64.',
  arguments: [{ name: 'text' }],
  result: 'Standard base64 with padding.',
  examples: [{ args: ['reader:trout'], result: 'cmVhZGVyOnRyb3V0' }],
  call: (args) => Buffer.from(textAt(args, 0), 'utf8').toString('base64'),
});

/** The standard alphabet or that of URLs, with padding or without. */
const BASE64 = /^(?:[A-Za-z0-9+/]*|[A-Za-z0-9_-]*)={0,2}$/;

/** The function `base64_decode` (docs/language/functions.md#base64_decode). */
export const base64Decode = defineFunction({
  name: 'base64_decode',
  summary: 'Decodes base64.',
  arguments: [
    {
      name: 'text',
      about: 'Standard base64 or that of URLs, with or without padding, in one line or several.',
    },
  ],
  result: 'A string; `null` if the bytes are no UTF-8.',
  rules: ['A string that is no base64 is an error.'],
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
  summary: 'Encodes a string for a URL.',
  use: 'Use it in a placeholder of an endpoint, or for a value in an address. Parameters need no encoding.',
  arguments: [{ name: 'text' }],
  result: 'Letters, digits and `-._` stay, a space is `+`, everything else is `%XX`.',
  examples: [{ args: ['mill weir/2'], result: 'mill+weir%2F2' }],
  call: (args) => percentEncode(textAt(args, 0)).replaceAll('%20', '+').replaceAll('~', '%7E'),
});

/** The function `rawurlencode` (docs/language/functions.md#rawurlencode): percent-encoding by RFC 3986. */
export const rawurlencode = defineFunction({
  name: 'rawurlencode',
  summary: 'Encodes a string for the path of a URL.',
  use: 'Most APIs answer with 404 to the `+` of `urlencode`.',
  arguments: [{ name: 'text' }],
  result: 'Letters, digits and `-._~` stay, everything else is `%XX`, a space `%20`.',
  examples: [{ args: ['mill weir/2'], result: 'mill%20weir%2F2' }],
  call: (args) => percentEncode(textAt(args, 0)),
});
