import { isList } from '../../core/json/objects';
import { accept, codec, expected, refine, refuse } from '../../language/codec/codec';
import type { Codec } from '../../language/codec/codec';
import { isMissing, list, string } from '../../language/codec/primitives';
import { optional } from '../../language/codec/record';
import { tolerant } from '../../language/codec/schema';

const label = refine('Encoding', string, (written, context) => {
  try {
    return accept(new TextDecoder(written).encoding);
  } catch {
    return expected('an encoding such as "windows-1252" or "utf-16le"', written, context);
  }
});

/** The option `encoding` of text formats. */
export const encoding = optional(label, {
  about: 'The encoding, a WHATWG label; other bytes are an error.',
  default: 'byte order mark, else `charset`, else declaration in the body, else UTF-8',
  example: 'windows-1252',
});

/** The option `file` of formats whose bodies may come in a zip archive. */
export const file = optional(string, {
  about: 'The file of a [zip archive](../responses.md#formats), or several by a pattern with `*`.',
  default: 'the only file',
  example: '*.csv',
});

/** True if the first line or row has the names; or the names, if there is no such line. */
export type Header = boolean | readonly string[];

const headerNames: Codec<readonly string[]> = refine('HeaderNames', list(string), (names, context) => {
  const again = names.findIndex((name, at) => names.indexOf(name) < at);
  return again < 0 ? accept(names) : refuse(names[again] ?? null, context, twice(names, again));
});
const twice = (names: readonly string[], again: number): string =>
  `expected names that differ: entries ${names.indexOf(names[again] ?? '')} and ${again} are equal`;
/** The option `header` of formats with columns. */
export const header: Codec<Header> = codec(
  'Header',
  () =>
    tolerant(
      { anyOf: [{ type: 'boolean' }, { type: 'array', items: string.schema(), minItems: 1 }] },
      { type: 'null' },
    ),
  (input, context) => {
    if (isMissing(input)) return accept<Header>(true);
    if (typeof input === 'boolean') return accept<Header>(input);
    return isList(input) && input.length > 0
      ? headerNames.validate(input, context)
      : expected('true, false, or an array of the names of the columns', input, context);
  },
);
