import { isUtf8 } from 'node:buffer';
import { ScriptError } from '../script-error';
import { SCALARS, textAt } from './arguments';
import { defineFunction } from './define';

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
