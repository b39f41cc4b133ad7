/** What a job makes of its items before tables are made (docs/language/items.md). */
import { isBlank } from '../../../core/json/blank';
import * as t from 'io-ts';
import { isObject } from '../../../core/json/keys';
import type { JsonObject } from '../../../core/model';
import { codec, expected, noting, refine, refuse, type Codec } from '../../codec/codec';
import { path, pathNotes } from '../../codec/path';
import { dictionary, oneOrList, string, text } from '../../codec/primitives';
import { always, optional, record, required } from '../../codec/record';
import { blank, tolerant } from '../../codec/schema';
import { expressions } from '../../values/expressions';
import { itemFilter } from './recursion-filter';

/** One item for each element of an array. */
export interface Unnest {
  readonly path: string;
  /** What stands before the names of the other fields of the item. */
  readonly prefix: string;
}

/** The operations of a job on its items, as they are written. */
export interface Shaping {
  readonly unnest?: Unnest;
  readonly compute: JsonObject;
  readonly filter: readonly string[];
  readonly exclude: readonly string[];
  readonly unique: readonly string[];
  readonly rename: Readonly<Record<string, string>>;
}

const PREFIX = 'parent_';

/** Any string: an empty one is a prefix, too. */
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

/** What is left of the item has to be known: no JSON path says that. */
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

/** One or a list of them; blank: none. */
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

/** What a job says of its items. */
export const shapingFields = {
  unnest: optional(unnest, {
    distinctive: true,
    about: 'The path in an item of an array: each of its elements becomes an item, with the other fields of the item.',
    example: 'lines',
  }),
  compute: always(expressions, {
    distinctive: true,
    about: 'Fields that are added to each item; values may be expressions, with the context `item`.',
    example: { total: { item: 'amounts.total' } },
  }),
  filter: always(conditions, {
    distinctive: true,
    about: 'Conditions on the fields of an item, as in `recursionFilter`: only items that meet all of them are kept.',
    example: 'status==open&size>10',
  }),
  exclude: always(conditions, {
    distinctive: true,
    about: 'Conditions on the fields of an item: items that meet one of them are dropped.',
    example: ['kind==test', 'name~~tmp%'],
  }),
  unique: always(listOf(path), {
    distinctive: true,
    about: 'The path, or the paths, of the key of an item: of items with equal keys a call of the job keeps the first.',
    example: ['id'],
  }),
  rename: always(rename, {
    distinctive: true,
    about: 'New names of fields, by their names in the item.',
    example: { ident: 'id' },
  }),
};

interface Written extends Omit<Shaping, 'unnest'> {
  readonly unnest?: Unnest;
}

/** The shaping of a job, if it has any, and the other fields. */
export function withShaping<J extends Written>(job: J): Omit<J, keyof Shaping> & { readonly shaping?: Shaping } {
  const { unnest: path, compute, filter, exclude, unique, rename: names, ...others } = job;
  const lists = [filter, exclude, unique, Object.keys(compute), Object.keys(names)];
  if (path === undefined && lists.every(({ length }) => length === 0)) return others;
  const shaping = { compute, filter, exclude, unique, rename: names, ...(path === undefined ? {} : { unnest: path }) };
  return { ...others, shaping };
}
