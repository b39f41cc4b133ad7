/** Functions of strings: parts, patterns, encodings, and what stands in for a blank one. */
import { isUtf8 } from 'node:buffer';
import { isBlank } from '../../../core/json/scalars';
import { percentEncode } from '../../../core/url/query';
import { ScriptError } from '../../parts/errors';
import { firstMatch, replaced } from '../pattern';
import { sprintf as formatted } from '../sprintf';
import { allTexts, defineFunction, scalarAt, textAt, textsAt } from './define';

/** The function `concat` (docs/language/functions.md#concat). */
export const concat = defineFunction({
  name: 'concat',
  summary: 'Joins strings.',
  arguments: [{ name: 'values', type: 'scalars', optional: true, repeated: true }],
  result: 'A string; empty without arguments.',
  examples: [{ args: ['Bearer ', 'b7d1'], result: 'Bearer b7d1' }],
  call: (args) => allTexts(args).join(''),
});

/** The function `implode` (docs/language/functions.md#implode). */
export const implode = defineFunction({
  name: 'implode',
  summary: 'Joins the elements of an array.',
  arguments: [
    { name: 'glue', about: 'The string between two elements.' },
    { name: 'values', about: 'Expressions among them are evaluated.', type: 'array of scalars' },
  ],
  rules: ['An element that is an array or an object is an error.'],
  examples: [{ args: [',', [1, 2, 3]], result: '1,2,3' }],
  call: (args) => textsAt(args, 1).join(textAt(args, 0)),
});

/** The function `split` (docs/language/functions.md#split). */
export const split = defineFunction({
  name: 'split',
  summary: 'Splits a string into an array; with `unnest`, into items.',
  arguments: [{ name: 'text' }, { name: 'separator', about: 'Not empty.' }],
  result: 'An array of strings; empty for an empty string.',
  rules: ['Parts keep their white space, and may be empty.'],
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
  summary: 'Replaces each occurrence of a string; for patterns there is [`regex`](#regex).',
  arguments: [
    { name: 'text' },
    { name: 'search', about: 'Not empty. Upper and lower case differ; `$` and backslashes mean themselves.' },
    { name: 'replacement' },
  ],
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
  summary: 'Finds a regular expression in a string, or replaces it.',
  arguments: [
    { name: 'text' },
    {
      name: 'pattern',
      type: 'string',
      about: 'In the syntax of RE2, at most 1000 characters.',
    },
    {
      name: 'replacement',
      about:
        'Takes the place of each match. `$1` or `${name}` is a group; a backslash makes the next character literal.',
      optional: true,
    },
  ],
  result:
    'With `replacement`, the changed string. Otherwise the first group of the first match, or the whole match without groups; `null` without a match.',
  rules: [
    'There is no look-ahead, look-behind or back-reference: the time grows only with the length of the string.',
    '`(?i)` at the beginning ignores case.',
    'JSON needs two backslashes: `"\\\\d+"`.',
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
  summary: 'Puts values into a [format](sprintf.md).',
  arguments: [
    { name: 'format', about: 'A string with places such as `%s`, `%05d`, `%2$s`; `%%` is a percent sign.' },
    { name: 'values', type: 'scalars', optional: true, repeated: true },
  ],
  rules: ['Fewer values than places are an error; more are not.'],
  examples: [
    { args: ['%05d of %s', 42, 'many'], result: '00042 of many' },
    { args: ['%.2f', 3.5], result: '3.50' },
  ],
  call: (args) => {
    const [format, ...values] = args.map((_value, at) => scalarAt(args, at));
    return formatted(String(format), values);
  },
});

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

/** The function `ifempty` (docs/language/functions.md#ifempty). */
export const ifempty = defineFunction({
  name: 'ifempty',
  summary: 'Returns `value`, unless it is blank; then `fallback`.',
  arguments: [
    { name: 'value', type: 'any' },
    { name: 'fallback', type: 'any' },
  ],
  rules: [
    'Blank are `null`, `false`, 0, `""`, `"0"`, `[]` and `{}`.',
    'A missing attribute is an error; an empty one is not.',
  ],
  examples: [
    { args: ['', 'all'], result: 'all' },
    { args: ['ald', 'all'], result: 'ald' },
  ],
  call: ([value, fallback]) => (isBlank(value) ? (fallback ?? null) : (value ?? null)),
});

/** The function `coalesce` (docs/language/functions.md#coalesce). */
export const coalesce = defineFunction({
  name: 'coalesce',
  summary: 'Returns the first value that is not `null`.',
  use: 'Unlike `ifempty`, it keeps 0, `false` and empty strings.',
  arguments: [
    { name: 'value', type: 'any' },
    {
      name: 'others',
      type: 'any',
      repeated: true,
      optional: true,
    },
  ],
  rules: [
    'A missing field of an item is `null`, and so is [`regex`](#regex) without a match. A missing attribute is an error.',
  ],
  examples: [
    { args: [null, 'ald'], result: 'ald' },
    { args: [null, 0, 7], result: 0 },
    { args: [null], result: null },
  ],
  call: (args) => args.find((value) => value !== null) ?? null,
});
