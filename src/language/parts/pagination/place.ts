/** The places of pagination values in a request: their names and codecs, and how values are written to them. */
import { FatalError } from '../../../core/errors/errors';
import { isConnectionHeader, isHeaderName, isHeaderValue } from '../../../core/headers';
import { sameJson, withMember } from '../../../core/json/literals';
import { entriesOf, isList, isObject, objectFrom, ownValue } from '../../../core/json/objects';
import { isScalar, textOf, typeName } from '../../../core/json/scalars';
import { stringifyJson } from '../../../core/json/stringify';
import type { Json, JsonObject } from '../../../core/model';
import { accept, codec, expected, refine, refuse, withSchema } from '../../codec/codec';
import type { Codec, Input } from '../../codec/codec';
import type { OptionFault } from '../../codec/component';
import { didYouMean } from '../../codec/finding';
import { list, string, text } from '../../codec/primitives';
import { onlyOneOf, optional, record, withDefault } from '../../codec/record';
import type { RequestChange } from '../../requests/template';
import type { JobFacts } from './paginator';

/** Names of page sizes in lower case, without word separators. */
export const SIZE_NAMES: ReadonlySet<string> = new Set([
  ...['limit', 'perpage', 'pagesize', 'pagelimit', 'itemsperpage', 'resultsperpage', 'maxresults', 'hitsperpage'],
]);

/** These names, and names that mean a page size in a request but something else in a response. */
const ASKED_NAMES: ReadonlySet<string> = new Set([...SIZE_NAMES, 'size', 'top', 'take', 'rows', 'count', 'first']);

/**
 * Returns whether a parameter has the name of a page size.
 *
 * @example isSizeName('per_page') // true
 */
export const isSizeName = (name: string): boolean => SIZE_NAMES.has(plain(name));

/**
 * Returns whether a request parameter whose value is the number of items asks for that number.
 *
 * @example mayAskForSize('$top') // true
 */
export const mayAskForSize = (name: string): boolean => ASKED_NAMES.has(plain(name));

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** The place of a pagination value in a request, as configurations write it. */

/**
 * The place of a value: a parameter by its name; a member inside a parameter, or inside the body of a job that has one,
 * by its keys; or a template in a header or in one of these.
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
const PLACEHOLDER = /\{([A-Za-z]+)\}/g;
/** Placeholders that show the value: a template without any of them would send the same for every page. */
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
 * Returns the codec of options for the place of a value: a string, an array of strings, or an object with `header` or
 * `param`, and `template`.
 *
 * @param more placeholders of templates in addition to `value` and `json`
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
 * Returns the codec of a place, or of as many places as there are values. An array of strings can be either;
 * {@link placesFor} decides.
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
 * Returns the places of several values: one place for all, or one for each. For a single value an array of strings is a
 * place; for several values, it is as many parameters.
 *
 * @returns `undefined` if the number does not fit
 */
export function placesFor(values: number, written: Place | readonly Place[]): readonly Place[] | undefined {
  if (!isList(written)) return [written];
  if (values > 1) return written.length === values || written.length === 1 ? written : undefined;
  const names = written.flatMap((each) => (typeof each === 'string' ? [each] : []));
  if (names.length === written.length) return [names];
  return written.length === 1 ? written : undefined;
}

/** Returns whether a template shows a placeholder other than the value, for example `limit`. */
export const shows = (at: Place, name: string): boolean =>
  isTemplated(at) && placeholdersOf(at.template ?? '').includes(name);

/** Finds two options that would write to the same place. */
export function clash(places: Readonly<Record<string, Place>>): readonly OptionFault[] {
  const all = Object.entries(places);
  return all.flatMap(([option, one], index) => {
    const other = all.slice(0, index).find(([, before]) => isInside(one, before) || isInside(before, one));
    return other === undefined ? [] : [{ option, message: `takes the same place as ${other[0]}` }];
  });
}

/** Returns whether one place is inside another. Plain names have always been accepted, even equal ones. */
const isInside = (one: Place, other: Place): boolean =>
  !(typeof one === 'string' && typeof other === 'string') && keysOf(other).every((key, at) => keysOf(one)[at] === key);

/** Returns the keys that distinguish places. */
function keysOf(at: Place): readonly string[] {
  if (!isTemplated(at)) return ['param', ...[at].flat()];
  return 'header' in at ? ['header', at.header] : keysOf(at.param);
}

/** Writes pagination values to their places in a request. */

/** The parts of a job that contain a place. */
interface Holder {
  readonly params: JsonObject;
  readonly body?: Json;
  /** Set if the parameters are the variables of a GraphQL document. */
  readonly graphql?: object | true;
}

const VARIABLES = 'variables';

/** A value for a place. */
export interface Placement {
  readonly place: Place;
  readonly value: Json;
  /** The values of other placeholders of a template, by name. */
  readonly beside?: Readonly<Record<string, number>>;
}

/** Returns the keys of a place inside the parameters or the body of a job; `undefined` for a header. */
export function memberOf(at: Place, { graphql }: Pick<Holder, 'graphql'>): Member | undefined {
  const written = !isTemplated(at) ? at : 'param' in at ? at.param : undefined;
  const isInVariables = graphql !== undefined && isList(written) && written.length > 1 && written[0] === VARIABLES;
  return isInVariables ? written.slice(1) : written;
}

/** Does the same as {@link memberOf} for a place without a template around the value. */
const wholeConfigurationOf = (at: Place, job: Holder): Member | undefined =>
  isTemplated(at) && at.template !== undefined ? undefined : memberOf(at, job);

/**
 * Returns the root of a place: a name is a parameter; keys lead into the body if the job has one, else into the
 * parameters.
 */
const rootOf = (at: Member, { body }: Holder): 'params' | 'body' =>
  typeof at !== 'string' && body !== undefined ? 'body' : 'params';

/** Returns the name of the root in the configuration. */
const writtenAs = (root: 'params' | 'body', { graphql }: Holder): string =>
  root === 'params' && graphql !== undefined ? VARIABLES : root;

/** Returns the job's own value at a place without a template, and the path of that value in the configuration. */
export function ownAt(job: Holder, at: Place): { readonly value: Json | undefined; readonly path: string } {
  const wanted = wholeConfigurationOf(at, job);
  if (wanted === undefined) return { value: undefined, path: '' };
  const root = rootOf(wanted, job);
  const steps = [wanted].flat();
  const value = steps.reduce<Json | undefined>(
    (inner, key) => (isObject(inner) ? ownValue(inner, key) : undefined),
    job[root],
  );
  return { value, path: [writtenAs(root, job), ...steps].join('.') };
}

/**
 * Returns the fault of a job that has a value other than an object on the way to a place; `undefined` if it has none.
 */
export function misfit(job: Holder, at: Place): { readonly path: string; readonly message: string } | undefined {
  const wanted = memberOf(at, job);
  if (wanted === undefined || typeof wanted === 'string') return undefined;
  const root = rootOf(wanted, job);
  let value: Json | undefined = job[root];
  for (const [index, key] of wanted.entries()) {
    if (isNothing(value)) return undefined;
    if (!isObject(value)) {
      const message = `pagination sets ${stringifyJson(wanted)} in it, so it has to be an object, found a value of type ${typeName(value)}`;
      return { path: [writtenAs(root, job), ...wanted.slice(0, index)].join('.'), message };
    }
    value = ownValue(value, key);
  }
  return undefined;
}

/**
 * Returns the fault of a job whose string in a parameter or the body a template would replace; `undefined` if there is
 * none.
 */
export function overwritten(job: Holder, at: Place): { readonly path: string; readonly message: string } | undefined {
  if (!isTemplated(at) || at.template === undefined || 'header' in at) return undefined;
  const { value, path } = ownAt(job, { param: at.param });
  if (typeof value !== 'string' || value === '' || madeBy(at.template).test(value)) return undefined;
  const message =
    `the template of the pagination, ${JSON.stringify(at.template)}, takes its place, and pages would be asked for without it: ` +
    'let the template have it, or send it elsewhere';
  return { path, message };
}

/** Returns a pattern for the texts that a template produces. */
const madeBy = (template: string): RegExp =>
  new RegExp(
    `^${template
      .split(/\{[A-Za-z]+\}/)
      .map(escaped)
      .join('.*')}$`,
    's',
  );

const escaped = (text: string): string => text.replace(/[.*+?^$(){}|[\]\\]/g, '\\$&');

/** Returns whether a value counts as missing: some tools write an empty object as an empty array. */
const isNothing = (value: Json | undefined): boolean =>
  value === undefined || value === null || (isList(value) && value.length === 0);

/** @throws FatalError CONFIG_INVALID if a value of the job is in the way of a place */
export function requireRoom(job: Holder & { readonly path: string }, places: readonly Place[]): void {
  for (const at of places) {
    const found = misfit(job, at);
    if (found !== undefined) throw new FatalError('CONFIG_INVALID', `${job.path}.${found.path}: ${found.message}`);
  }
}

/**
 * Returns the parameters, the body and the headers of a request, with values at their places; everything else stays as
 * in the job.
 *
 * @throws FatalError NEXT_PAGE for a value that a header cannot hold
 * @example placed(job, [{ place: ['variables', 'offset'], value: 20 }])
 */
export function placed(
  job: Pick<JobFacts, 'path' | 'params' | 'body' | 'graphql'>,
  values: readonly Placement[],
): Pick<RequestChange, 'params' | 'body' | 'headers'> {
  let { params, body } = job;
  const headers: Record<string, string> = {};
  for (const { place: at, value, beside = {} } of values) {
    const sent = isTemplated(at) && at.template !== undefined ? filled(at.template, value, beside) : value;
    const wanted = memberOf(at, job);
    if (wanted === undefined) Object.assign(headers, headerOf(at, sent, job.path));
    else if (rootOf(wanted, job) === 'body') body = withValue(isObject(body) ? body : {}, [wanted].flat(), sent);
    else params = withValue(params, [wanted].flat(), sent);
  }
  return {
    params,
    ...(body === job.body || body === undefined ? {} : { body }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
  };
}

function withValue(object: JsonObject, [key = '', ...rest]: readonly string[], value: Json): JsonObject {
  if (rest.length === 0) return withMember(object, key, value);
  const inner = ownValue(object, key);
  return withMember(object, key, withValue(isObject(inner) ? inner : {}, rest, value));
}

function headerOf(at: Place, value: Json, path: string): Readonly<Record<string, string>> {
  const name = isTemplated(at) && 'header' in at ? at.header : '';
  if (typeof value === 'string' && isHeaderValue(value)) return { [name]: value };
  const message = `${path}: the value for the next page cannot be sent in the header ${name}: it has a character that HTTP does not allow there`;
  throw new FatalError('NEXT_PAGE', message);
}

function filled(around: string, value: Json, beside: Readonly<Record<string, number>>): string {
  const plain = isScalar(value) ? textOf(value) : stringifyJson(value);
  return around.replace(PLACEHOLDER, (_, name: string) => {
    if (name === 'value' || name === 'from') return plain;
    return name === 'json' ? stringifyJson(value) : String(beside[name]);
  });
}

/** Returns a job without its own value at a place. */
export function withoutPlace(job: Holder, at: Place): Pick<RequestChange, 'params' | 'body'> {
  const { params, body } = job;
  const wanted = wholeConfigurationOf(at, job);
  if (wanted === undefined) return { params };
  const steps = [wanted].flat();
  if (rootOf(wanted, job) === 'params') return { params: withoutKeys(params, steps) };
  const rest = isObject(body) ? withoutKeys(body, steps) : body;
  return rest === undefined || sameJson(rest, body ?? null) ? { params } : { params, body: rest };
}

function withoutKeys(object: JsonObject, [key = '', ...rest]: readonly string[]): JsonObject {
  const inner = ownValue(object, key);
  if (rest.length > 0) return isObject(inner) ? withMember(object, key, withoutKeys(inner, rest)) : object;
  return objectFrom(entriesOf(object).filter(([name]) => name !== key));
}

/** Returns the placement of a value; the elements of an array have one place each. */
export function placementsOf(into: readonly Place[], key: Json): readonly Placement[] {
  const [only] = into;
  if (only !== undefined && into.length === 1) return [{ place: only, value: key }];
  const values = isList(key) ? key : [];
  return into.map((each, at) => ({ place: each, value: values[at] ?? null }));
}
