import { accept, codec, expected, refine, refuse, type Codec } from '../../language/codec/codec';
import { isMissing, list, string } from '../../language/codec/primitives';
import { tolerant } from '../../language/codec/schema';
import { isList } from '../../core/json/keys';

/** Whether the first line or row has the names; or the names, when there is no such one. */
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
