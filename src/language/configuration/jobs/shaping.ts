/** The filters of a job, and its operations on items (docs/language/items.md). */
import * as t from 'io-ts';
import { isObject } from '../../../core/json/objects';
import { isBlank } from '../../../core/json/scalars';
import type { JsonObject } from '../../../core/model';
import { codec, expected, noting, refine, refuse, withSchema } from '../../codec/codec';
import type { Codec } from '../../codec/codec';
import { dictionary, oneOrList, string, text } from '../../codec/primitives';
import { always, optional, record, required } from '../../codec/record';
import { blank, tolerant } from '../../codec/schema';
import { path, pathNotes } from '../../codec/values';
import { expressions } from '../request';

const OPERATORS = ['==', '!=', '>=', '<=', '>', '<', '~~', '!~'];

const DOUBLED = 'expected conditions joined by one "&" or one "|"';

const hasOperator = (condition: string): boolean => OPERATORS.some((operator) => condition.includes(operator));

const CONDITION = `[^|&]*(?:${OPERATORS.join('|')})[^|&]*`;

/** Conditions (docs/language/jobs.md#recursionfilter): each of them needs an operator. They are compiled later. */
const joinedConditions: Codec<string> = withSchema(
  refine('RecursionFilter', string, (filter, context) => {
    const broken = filter.split(/[|&]/).findIndex((condition) => !hasOperator(condition));
    if (broken < 0) return t.success(filter);
    if (/&&|\|\|/.test(filter)) return refuse(filter, context, DOUBLED);
    const what = `an operator (one of ${OPERATORS.join(', ')}) in every condition`;
    return refuse(filter, context, `expected ${what}, found none in condition ${broken + 1}`);
  }),
  () => ({ type: 'string', pattern: `^${CONDITION}(?:[|&]${CONDITION})*$` }),
);

/** Matches two operators in one condition with a word between them that was probably meant to join two conditions. */
const JOINED = new RegExp(`\\s(?:and|or)\\s.*(?:${OPERATORS.join('|')})`, 'i');
const OPERATOR = new RegExp(OPERATORS.join('|'));

/** Returns the mistake in a filter that follows the syntax of other languages and would be read literally. */
function mistakeIn(filter: string): string | undefined {
  for (const condition of filter.split(/[|&]/)) {
    const found = OPERATOR.exec(condition);
    if (found === null) continue;
    const [operator] = found;
    const [path, value] = [condition.slice(0, found.index), condition.slice(found.index + operator.length)];
    const meant = `${path.trim()}${operator}${bare(value)}`;
    if (operator === '<' && value.startsWith('>'))
      return `expected the operator "!=" in place of "<>": ${JSON.stringify(`${path.trim()}!=${bare(value.slice(1))}`)}`;
    if (JOINED.test(value))
      return 'expected conditions joined by "&" or "|": the words "and" and "or" would belong to the value';
    if (value.trim() !== bare(value))
      return `expected a value without quotes, which would belong to it: ${JSON.stringify(meant)}`;
    if (path !== path.trim() || value !== value.trim())
      return `expected no spaces around the operator, which would belong to the field or the value: ${JSON.stringify(meant)}`;
    const unsorted = /[<>]/.test(operator) && !SORTED_DATE.test(value) ? ANY_DATE.exec(value) : null;
    if (unsorted !== null)
      return `expected a date as in "2024-03-01", since texts are compared by their characters, not ${JSON.stringify(unsorted[0])}`;
  }
  return undefined;
}

const ANY_DATE = /^\d{1,4}([-./])\d{1,2}\1\d{1,4}/;
/** A date whose order is the order of its characters. */
const SORTED_DATE = /^\d{4}([-./])\d\d\1\d\d(?!\d)/;

const bare = (value: string): string => value.trim().replace(/^(["'])(.*)\1$/s, '$2');

/**
 * The conditions of `filter` and `exclude` (docs/language/items.md#filter-and-exclude): conditions without the likely
 * mistakes.
 */
const itemFilter: Codec<string> = withSchema(
  refine('ItemFilter', joinedConditions, (filter, context) => {
    const mistake = mistakeIn(filter);
    return mistake === undefined ? t.success(filter) : refuse(filter, context, mistake);
  }),
  () => ({ type: 'string', pattern: `^${CONDITION}(?:[|&]${CONDITION})*$` }),
);

/** `recursionFilter`: the language accepts the likely mistakes, so they are only worth a warning. */
export const recursionFilter: Codec<string> = noting(joinedConditions, (input, path) => {
  const mistake = typeof input === 'string' ? mistakeIn(input) : undefined;
  return mistake === undefined ? [] : [{ path, message: mistake }];
});

/** The operations of a job on its items before tables are made (docs/language/items.md). */

/** Makes one item from each element of an array. */
export interface Unnest {
  readonly path: string;
  /** The prefix for the names of the other fields of the item. */
  readonly prefix: string;
}

/** The operations of a job on its items, as written. */
export interface Shaping {
  /** Changes of each item in their order, as written. */
  readonly steps: readonly JsonObject[];
  readonly unnest?: Unnest;
  readonly compute: JsonObject;
  readonly filter: readonly string[];
  readonly exclude: readonly string[];
  readonly unique: readonly string[];
  readonly rename: Readonly<Record<string, string>>;
}

const PREFIX = 'parent_';

/** Any string: the empty string is a valid prefix. */
const prefix: Codec<string> = codec('Prefix', tolerant({ type: 'string' }, { type: 'null' }), (input, context) => {
  if (input === undefined || input === null) return t.success(PREFIX);
  return typeof input === 'string' ? t.success(input) : expected('a string', input, context);
});

const withPrefix = record('UnnestObject', {
  path: required(noting(text, pathNotes), 'the path of the array in an item', {
    about: 'The path in an item of the array.',
    example: 'lines',
  }),
  prefix: always(prefix, {
    about: 'What stands before the names of the other fields of the item.',
    example: 'order_',
    default: PREFIX,
  }),
});

/**
 * Returns whether a path is a JSON path. It is not allowed here, because the rest of the item could not be determined.
 */
const isJsonPath = (path: string): boolean => /^\$[.[]/.test(path);

const unnest: Codec<Unnest> = codec(
  'Unnest',
  () => ({ anyOf: [string.schema(), withPrefix.schema()] }),
  (input, context) => {
    const path = isObject(input) ? input['path'] : input;
    if (typeof path === 'string' && isJsonPath(path))
      return expected('a path of keys, which no JSON path is', input, context);
    if (typeof input === 'string' && input !== '') return t.success({ path: input, prefix: PREFIX });
    return isObject(input)
      ? withPrefix.validate(input, context)
      : expected('the path of an array, or an object with "path"', input, context);
  },
  (input, path) => (isObject(input) ? withPrefix.notes(input, path) : pathNotes(input, path)),
);

/** Returns the codec of one value or a list; blank is the empty list. */
export const listOf = <A>(one: Codec<A>): Codec<readonly A[]> => {
  const more = oneOrList(one);
  return codec(
    `ListOf${one.name}`,
    () => tolerant(more.schema(), blank),
    (input, context) => (isBlank(input) ? t.success([]) : more.validate(input, context)),
    more.notes,
  );
};

const conditions = listOf(itemFilter);

const rename: Codec<Readonly<Record<string, string>>> = refine(
  'Rename',
  dictionary(text, true),
  (names, context, input) => {
    const given = Object.values(names);
    const again = given.find((name, at) => given.indexOf(name) < at);
    return again === undefined
      ? t.success(names)
      : refuse(input, context, `expected names that differ: two fields would be called ${JSON.stringify(again)}`);
  },
);

/** A step is never blank, unlike other objects. */
const step: Codec<JsonObject> = codec('Step', { type: 'object' }, (input, context) =>
  isObject(input) ? t.success(input) : expected('an object', input, context),
);

/** The keys of item operations in a job. */
export const shapingFields = {
  steps: always(listOf(step), {
    about: '[Steps](items.md#steps) that change each item.',
    example: [{ remove: ['internal'] }],
  }),
  unnest: optional(unnest, {
    about: 'The path of an array: each element becomes an item.',
    example: 'lines',
  }),
  compute: always(expressions, {
    about: 'Computed fields; expressions may use `item`.',
    example: { total: { item: 'amounts.total' } },
  }),
  filter: always(conditions, {
    about: 'Keeps items that meet all of these conditions.',
    example: 'status==open&size>10',
  }),
  exclude: always(conditions, {
    about: 'Drops items that meet one of these conditions.',
    example: ['kind==test', 'name~~tmp%'],
  }),
  unique: always(listOf(path), {
    about: 'One or more key paths: keeps the first item with each key.',
    example: ['id'],
  }),
  rename: always(rename, {
    about: 'New names of fields, by their old names.',
    example: { ident: 'id' },
  }),
};

interface Written extends Omit<Shaping, 'unnest'> {
  readonly unnest?: Unnest;
}

/** Returns the shaping of a job, if it has any, and the other fields. */
export function withShaping<J extends Written>(job: J): Omit<J, keyof Shaping> & { readonly shaping?: Shaping } {
  const { steps, unnest: path, compute, filter, exclude, unique, rename: names, ...others } = job;
  const lists = [steps, filter, exclude, unique, Object.keys(compute), Object.keys(names)];
  if (path === undefined && lists.every(({ length }) => length === 0)) return others;
  const shaping = {
    steps,
    compute,
    filter,
    exclude,
    unique,
    rename: names,
    ...(path === undefined ? {} : { unnest: path }),
  };
  return { ...others, shaping };
}
