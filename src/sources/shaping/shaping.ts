/** The items of a job as it delivers them: operations change or drop them, and parts of them are kept as JSON. */
import { createHash } from 'node:crypto';
import { FatalError } from '../../core/errors/errors';
import type { Shaped } from '../../core/evidence';
import { literalAt, memberAt, noteLiterals, objectOf, withMember, keepLiterals } from '../../core/json/literals';
import type { Field, Holder } from '../../core/json/literals';
import { isList, isObject, keysOf, ownValue } from '../../core/json/objects';
import { exactValueAt, keysAt, placeAt } from '../../core/json/path';
import { isBlankData, typeName, isScalar } from '../../core/json/scalars';
import { stringifyAt, stringifyJson } from '../../core/json/stringify';
import type { Item, Json, JsonObject } from '../../core/model';
import type { Unnest } from '../../language/configuration/jobs/shaping';
import type { CallValues, ComputedField, ItemStep, RunTimes, ShapingPlan, ResponseFilter } from '../../plan/plan';
import type { FoundItems } from '../items';
import { OF_ITEMS, recursionFilter } from '../recursion-filter';
import type { SoughtTracker } from './sought-fields';

/** The items of a page as a job delivers them. */
export interface Delivered extends Pick<FoundItems, 'count' | 'items' | 'lines'> {
  /** The counts before; absent if the items are not changed. */
  readonly shaped?: Shaped;
}

/** Makes the delivered items of a job, one page after another. */
export type Shaping = (found: FoundItems) => Delivered;

/**
 * Returns a function that makes the delivered items of one call of a job (docs/language/items.md), by `unnest`, `compute`, `filter`,
 * `exclude`, `unique` and `rename` in this order. Pagination and completeness see the items before.
 *
 * @param path the place of the job in the configuration
 * @param look is called with each item that an operation gets
 * @param isOld whether an item lies before the cursor of the job, and is left out; absent: none is
 * @returns a function that has to be called once for each page, in their order
 * @throws FatalError API_SHAPE, EXPRESSION_FAILED from the function
 */
export function shapingOf(
  plan: ShapingPlan | undefined,
  call: CallValues,
  path: string,
  look: SoughtTracker['look'],
  isOld?: (item: Item) => boolean,
): Shaping {
  if (plan === undefined && isOld === undefined) return (found) => found;
  const operations = operationsOf(plan ?? NO_SHAPING, call, path, isOld);
  return (found) => {
    const dropped = { steps: 0, unnest: 0, filter: 0, exclude: 0, unique: 0 };
    let cells: readonly Cell[] = cellsOf(found.items);
    for (const [name, operation] of operations)
      cells = cells.flatMap((cell) => {
        if (name !== 'steps') look(name, cell.item);
        const made = operation(cell);
        if (made.length === 0 && name !== 'compute' && name !== 'rename') dropped[name] += 1;
        return made;
      });
    return { shaped: { arrived: found.count, delivered: cells.length, dropped }, ...deliveredOf(cells) };
  };
}

const NO_SHAPING: ShapingPlan = { compute: [], filter: [], exclude: [], unique: [], rename: new Map() };

function operationsOf(plan: ShapingPlan, call: CallValues, path: string, isOld?: (item: Item) => boolean) {
  const { times } = call;
  const { unnest, compute, filter, exclude, unique: key, rename } = plan;
  return [
    ...(plan.steps === undefined ? [] : [['steps', stepped(plan.steps(call), path)] as const]),
    ...(isOld === undefined
      ? []
      : [['steps', (cell: Cell): readonly Cell[] => (isOld(cell.item) ? [] : [cell])] as const]),
    ...(unnest === undefined ? [] : [['unnest', unnested(unnest, path)] as const]),
    ...(compute.length === 0 ? [] : [['compute', computed(compute, times, path)] as const]),
    ...(filter.length === 0 ? [] : [['filter', kept(filter)] as const]),
    ...(exclude.length === 0 ? [] : [['exclude', excluded(exclude)] as const]),
    ...(key.length === 0 ? [] : [['unique', unique(key, path)] as const]),
    ...(rename.size === 0 ? [] : [['rename', renamed(rename, path)] as const]),
  ];
}

const cellsOf = (items: readonly Item[]): readonly Cell[] =>
  items.map((item, at) => ({ item, literal: literalAt(items, at) }));

function deliveredOf(cells: readonly Cell[]): Delivered {
  const items = cells.map(({ item }) => item);
  const literals = cells.flatMap(({ literal }, at) => (literal === undefined ? [] : [[String(at), literal] as const]));
  if (literals.length > 0) noteLiterals(items, new Map(literals));
  return {
    count: items.length,
    items,
    lines: (before = '', after = '') =>
      Buffer.from(items.map((_, at) => `${before}${stringifyAt(items, at)}${after}\n`).join('')),
  };
}

/** An item between operations, with the spelling of numbers whose digits JavaScript cannot hold. */
export interface Cell {
  readonly item: Item;
  readonly literal?: string | undefined;
}

/** Replaces an item by none, one or several. */
export type Operation = (cell: Cell) => readonly Cell[];

/**
 * Returns the item as an object.
 *
 * @throws FatalError API_SHAPE for any other
 */
function objectIn({ item }: Cell, option: string, path: string): JsonObject {
  if (isObject(item)) return item;
  throw new FatalError(
    'API_SHAPE',
    `${path}.${option}: needs items that are objects, and one of the items is of the type ${typeName(item)}.`,
  );
}

const compiled = (conditions: string): ReturnType<typeof recursionFilter> => recursionFilter(conditions, OF_ITEMS);

/** `steps` (docs/language/items.md#steps): changes an item, or drops it. */
const stepped =
  (steps: readonly ItemStep[], path: string): Operation =>
  (cell) => {
    let item: JsonObject | undefined = objectIn(cell, 'steps', path);
    for (const step of steps) if (item !== undefined) item = step(item);
    return item === undefined ? [] : [{ item }];
  };

/** `filter` (docs/language/items.md#filter-and-exclude): keeps items that meet all conditions. */
function kept(conditions: readonly string[]): Operation {
  const tests = conditions.map(compiled);
  return (cell) => (tests.every((isMet) => isMet(cell.item)) ? [cell] : []);
}

/** `exclude` (docs/language/items.md#filter-and-exclude): drops items that meet any condition. */
function excluded(conditions: readonly string[]): Operation {
  const tests = conditions.map(compiled);
  return (cell) => (tests.some((isMet) => isMet(cell.item)) ? [] : [cell]);
}

/** The name of the field for an element that is no object. */
const VALUE = 'value';

/**
 * `unnest` (docs/language/items.md#unnest): makes an item of each element of an array, with the other fields of the item. A value that is
 * no array counts as a single element; a blank one as none.
 *
 * @throws FatalError API_SHAPE from the operation, where names meet
 */
const unnested =
  ({ path: place, prefix }: Unnest, path: string): Operation =>
  (cell) => {
    const item = objectIn(cell, 'unnest', path);
    const found = placeAt(item, place);
    if (found === undefined) return [];
    const value = memberAt(found.holder, found.key);
    if (value === undefined || isBlankData(value)) return [];
    const others = fieldsOf(without(item, keysAt(item, place) ?? []), prefix);
    const elements = isList(value) ? value.map((_, at) => [value, at] as const) : [[found.holder, found.key] as const];
    return elements.map(([holder, key]) => ({ item: joined(others, holder, key, path) }));
  };

const fieldsOf = (object: JsonObject, prefix: string): readonly Field[] =>
  keysOf(object).map((from) => ({ key: `${prefix}${from}`, holder: object, from }));

function joined(others: readonly Field[], holder: Holder, key: string | number, path: string): Json {
  const element = memberAt(holder, key);
  const own: readonly Field[] = isObject(element) ? fieldsOf(element, '') : [{ key: VALUE, holder, from: key }];
  const names = new Set(own.map((field) => field.key));
  const both = others.find((field) => names.has(field.key));
  if (both !== undefined)
    throw new FatalError(
      'API_SHAPE',
      `${path}.unnest: it would give an item two fields with the name '${both.key}': set another "prefix".`,
    );
  return objectOf([...others, ...own]);
}

/** Returns the object without the value at a path. */
function without(object: JsonObject, [key = '', ...rest]: readonly string[]): JsonObject {
  const fields = keysOf(object).map((from) => ({ key: from, holder: object, from }));
  const inner = ownValue(object, key);
  if (rest.length === 0 || !isObject(inner)) return objectOf(fields.filter((field) => field.key !== key));
  const holder = { [key]: without(inner, rest) };
  return objectOf(fields.map((field) => (field.key === key ? { ...field, holder } : field)));
}

/** `rename` (docs/language/items.md#rename): fields keep their place, values and digits. */
const renamed = (names: ReadonlyMap<string, string>, path: string): Operation => {
  return (cell) => {
    const item = objectIn(cell, 'rename', path);
    const keys = keysOf(item);
    if (!keys.some((key) => names.has(key))) return [cell];
    const fields = keys.map((from) => ({ key: names.get(from) ?? from, holder: item, from }));
    const taken = new Set<string>();
    for (const { key } of fields) {
      if (taken.has(key))
        throw new FatalError(
          'API_SHAPE',
          `${path}.rename: it would give an item two fields with the name '${key}': choose another name.`,
        );
      taken.add(key);
    }
    return [{ item: objectOf(fields) }];
  };
};

/** `compute` (docs/language/items.md#compute): adds fields; each may use those before it. */
const computed =
  (fields: readonly ComputedField[], times: RunTimes, path: string): Operation =>
  (cell) => {
    const item = objectIn(cell, 'compute', path);
    return [{ item: fields.reduce((made, { name, value }) => withMember(made, name, value(made, times)), item) }];
  };

/** Half of a SHA-256 for each key: a collision is practically impossible. */
const BYTES = 16;
/** The maximum number of keys in a set; it takes about 1 GB. */
const MOST_KEYS = 16_000_000;

/**
 * `unique` (docs/language/items.md#unique): keeps the first of the items with equal keys. An item without a field of the key is kept.
 *
 * @param most the maximum number of keys
 * @throws FatalError API_SHAPE from the operation, beyond that
 */
export function unique(paths: readonly string[], path: string, most = MOST_KEYS): Operation {
  const known = new Set<string>();
  return (cell) => {
    const values = paths.map((each) => exactValueAt(cell.item, each));
    if (!values.every((value): value is Json => value !== undefined && value !== null)) return [cell];
    const digest = createHash('sha256').update(stringifyJson(values)).digest().toString('latin1', 0, BYTES);
    if (known.has(digest)) return [];
    if (known.size >= most)
      throw new FatalError(
        'API_SHAPE',
        `${path}.unique: it knows ${most} keys, which is all that it can remember: let the destination merge by a primary key.`,
      );
    known.add(digest);
    return [cell];
  };
}

const ALL = '[]';

interface Step {
  readonly key: string;
  /** True for `key[]`: every element of the array at the key. */
  readonly each: boolean;
}

/**
 * Returns a function that replaces the values at the paths of a `responseFilter` by their JSON
 * (docs/language/responses.md#keeping-parts-as-json), before children run and tables are built. Items are not changed in place.
 *
 * @returns a function of one item, or `undefined` when there is nothing to filter
 * @throws FatalError API_SHAPE, from the function, where `key[]` meets a value that is no array
 * @example
 * const filter = responseFilter({ paths: ['meta'], delimiter: '.', keepScalars: false });
 * filter?.({ id: 4, meta: { a: 1 } }) // { id: 4, meta: '{"a":1}' }
 */
export function responseFilter(plan: ResponseFilter): ((item: Item) => Item) | undefined {
  if (plan.paths.length === 0) return undefined;
  const encode = plan.keepScalars ? encodeNested : stringifyAt;
  const paths = plan.paths.map((path) => path.split(plan.delimiter).map(stepOf));
  return (item) => paths.reduce((value, steps) => replaceAt([value], 0, steps, 0, encode), item);
}

const stepOf = (text: string): Step =>
  text.endsWith(ALL) ? { key: text.slice(0, -ALL.length), each: true } : { key: text, each: false };

/**
 * Encodes objects and arrays only: compatibility level 2 and below keeps scalars and blank values unchanged
 * (docs/language/responses.md#keeping-parts-as-json).
 */
const encodeNested: Encode = (holder, key) => {
  const value = memberAt(holder, key) as Json;
  return isScalar(value) || isBlankData(value) ? value : stringifyJson(value);
};

/** Returns the value that replaces a member. */
type Encode = (holder: Holder, key: string | number) => Json;

function replaceAt(holder: Holder, key: string | number, steps: readonly Step[], at: number, encode: Encode): Json {
  const step = steps[at];
  if (step === undefined) return encode(holder, key);
  const value = memberAt(holder, key) as Json;
  if (!isObject(value)) return value;
  const inner = ownValue(value, step.key);
  if (inner === undefined) return value;
  if (!step.each) return withMember(value, step.key, replaceAt(value, step.key, steps, at + 1, encode));
  if (!isList(inner))
    throw new FatalError('API_SHAPE', `Error filtering response. '${step.key}' is not an array. Check responseFilter.`);
  const elements = inner.map((_, index) => replaceAt(inner, index, steps, at + 1, encode));
  return withMember(value, step.key, keepLiterals(inner, elements));
}
