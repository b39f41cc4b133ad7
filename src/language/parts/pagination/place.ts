/** Where in a request a value of the pagination stands, as configurations write it. */
import { accept, codec, expected, refine, refuse, withSchema, type Codec, type Input } from '../../codec/codec';
import type { OptionFault } from '../../codec/component';
import { onlyOneOf } from '../../codec/only-one-of';
import { list, string, text } from '../../codec/primitives';
import { optional, record, withDefault } from '../../codec/record';
import { didYouMean } from '../../codec/suggest';
import { isList, isObject } from '../../../core/json/keys';
import { isScalar } from '../../../core/json/text';
import { isConnectionHeader, isHeaderName } from '../../../core/url/header-text';

/**
 * A parameter by its name; a member inside a parameter, or inside the body of a job that has one, by its keys; or a template
 * in a header or in one of these.
 */
export type Place =
  | string
  | readonly string[]
  | { readonly header: string; readonly template: string }
  /** Without a template the value is sent as it is. */
  | { readonly param: string | readonly string[]; readonly template?: string };

export type Member = Extract<Place, string | readonly string[]>;
type Templated = Exclude<Place, Member>;

const VALUE = '{value}';
export const PLACEHOLDER = /\{([A-Za-z]+)\}/g;
/** Each shows the value: a template without any of them would send the same for every page. */
const SHOWING: readonly string[] = ['value', 'json', 'from'];
const SHOWS = `\\{(${SHOWING.join('|')})\\}`;

export const isTemplated = (place: Place): place is Templated => typeof place === 'object' && !isList(place);
const placeholdersOf = (template: string): readonly string[] =>
  Array.from(template.matchAll(PLACEHOLDER), ([, name = '']) => name);

const header: Codec<string> = refine('HeaderPlace', text, (name, context) => {
  if (!isHeaderName(name)) return refuse(name, context, 'a header cannot have this name');
  if (isConnectionHeader(name) || name.toLowerCase() === 'host')
    return refuse(name, context, 'this header belongs to the connection: only what sends the request can know it');
  return accept(name.toLowerCase());
});

const keys: Codec<readonly string[]> = list(text, 'the keys that lead to the value, each a string');

const member: Codec<Member> = codec<Member>(
  'ParameterPlace',
  () => ({ anyOf: [text.schema(), { type: 'array', items: text.schema(), minItems: 1 }] }),
  (input, context) => (isList(input) ? keys : text).validate(input, context),
);

const template = (names: readonly string[]): Codec<string> =>
  withSchema(
    refine('PlaceTemplate', string, (written, context) => {
      const found = placeholdersOf(written);
      const unknown = found.find((name) => !names.includes(name));
      const known = names.map((name) => `{${name}}`).join(', ');
      if (unknown !== undefined)
        return refuse(
          written,
          context,
          `has an unknown placeholder; this template may have ${known}${didYouMean(unknown, names)}`,
        );
      return found.some((name) => SHOWING.includes(name))
        ? accept(written)
        : refuse(written, context, `has no placeholder, so that every page would be the first; it may have ${known}`);
    }),
    () => ({ type: 'string', pattern: SHOWS }),
  );

/**
 * The codec of options that say where a value stands: a string, an array of strings, or an object with `header` or `param`,
 * and `template`.
 *
 * @param more placeholders of templates beside `value` and `json`
 * @example withDefault(place('from', 'to'), 'offset', about)
 */
export function place(...more: readonly string[]): Codec<Place> {
  const written = record('PlaceAsWritten', {
    header: optional(header, { about: 'The header of the request that has the value.', example: 'Range' }),
    param: optional(member, { about: 'The parameter that has the value, or the keys that lead to it.', example: 'q' }),
    template: withDefault(template(['value', 'json', ...more]), VALUE, {
      about: 'The string that is sent, with the value in it.',
      example: '(page:{value},page_size:100)',
    }),
  });
  const templated = onlyOneOf('PlaceObject', written, ['header', 'param'], (value): Place | undefined => {
    const { header: name, param, template: around } = value;
    if (name !== undefined) return { header: name, template: around };
    if (param === undefined) return undefined;
    return around === VALUE ? { param } : { param, template: around };
  });
  return codec<Place>(
    'Place',
    () => ({
      anyOf: [...(member.schema().anyOf ?? []), templated.schema()],
    }),
    (input, context) => {
      if (isObject(input)) return templated.validate(input, context);
      return isList(input) || isScalar(input)
        ? member.validate(input, context)
        : expected('a string, an array of strings, or an object with "header" or "param"', input, context);
    },
    (input, path) => (isObject(input) ? written.notes(input, path) : []),
  );
}

/**
 * A place, or as many as there are values. An array of strings is either; {@link placesFor} says which.
 */
export const placeOrPlaces: Codec<Place | readonly Place[]> = (() => {
  const one = place();
  const several = list(one);
  const chosen = (input: Input): Codec<Place | readonly Place[]> =>
    isList(input) && input.length > 0 && !input.every(isScalar) ? several : one;
  return codec<Place | readonly Place[]>(
    'Places',
    () => ({ anyOf: [one.schema(), { type: 'array', items: one.schema(), minItems: 1 }] }),
    (input, context) => chosen(input).validate(input, context),
    (input, path) => chosen(input).notes(input, path),
  );
})();

/**
 * The places of several values: one that takes them all, or one each. For a single value an array of strings is a place; for
 * several, it is as many parameters.
 *
 * @returns `undefined` where there are neither
 */
export function placesFor(values: number, written: Place | readonly Place[]): readonly Place[] | undefined {
  if (!isList(written)) return [written];
  if (values > 1) return written.length === values || written.length === 1 ? written : undefined;
  const names = written.flatMap((each) => (typeof each === 'string' ? [each] : []));
  if (names.length === written.length) return [names];
  return written.length === 1 ? written : undefined;
}

/** Whether a template shows something beside the value, for example `limit`. */
export const shows = (at: Place, name: string): boolean =>
  isTemplated(at) && placeholdersOf(at.template ?? '').includes(name);

/** Two options that would write to the same place. */
export function clash(places: Readonly<Record<string, Place>>): readonly OptionFault[] {
  const all = Object.entries(places);
  return all.flatMap(([option, one], index) => {
    const other = all.slice(0, index).find(([, before]) => isInside(one, before) || isInside(before, one));
    return other === undefined ? [] : [{ option, message: `takes the same place as ${other[0]}` }];
  });
}

/** Names alone have always been taken, even equal ones. */
const isInside = (one: Place, other: Place): boolean =>
  !(typeof one === 'string' && typeof other === 'string') && keysOf(other).every((key, at) => keysOf(one)[at] === key);

/** Keys that tell places apart. */
function keysOf(at: Place): readonly string[] {
  if (!isTemplated(at)) return ['param', ...[at].flat()];
  return 'header' in at ? ['header', at.header] : keysOf(at.param);
}
