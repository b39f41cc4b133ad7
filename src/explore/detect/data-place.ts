import { entriesOf, isList, isObject, ownValue, valueBelow } from '../../core/json/objects';
import { isScalar, textOf } from '../../core/json/scalars';
import type { Json, JsonObject, JsonScalar } from '../../core/model';
import { isMessage, isErrorList } from '../../sources/completeness/words';
import { rowsOf } from '../../sources/rows';
import type { Detected } from './model';

/** The place of the items in a response. */
export interface DataPlace {
  readonly kind: 'list' | 'map' | 'columns' | 'object';
  /** The keys that lead to the items. */
  readonly keys: readonly string[];
  /** `dataField` of the job; absent: the response is the array. */
  readonly dataField?: string;
  /** `rows` of the job, where it is no list of objects. */
  readonly rows?: JsonObject;
  readonly items: readonly Json[];
  /** An object whose members may be the items, each under its key; taken as one object all the same. */
  readonly mayBe?: DataPlace;
}

/** A possible place, with its score. */
interface Candidate {
  readonly place: DataPlace;
  readonly score: number;
  /** True for a map whose objects have one field each. */
  readonly isThin?: boolean;
}

const GOOD = new Set(
  ['data', 'item', 'items', 'result', 'results', 'record', 'records', 'value', 'values', 'rows', 'entries', 'elements']
    .concat(['nodes', 'edges', 'content', 'hits', 'docs', 'list', 'objects', 'collection', 'resources', 'member'])
    .concat(['members', 'hydramember', 'feed', 'response', 'embedded', 'entry']),
);
const BAD = new Set(
  ['included', 'include', 'link', 'links', 'error', 'errors', 'warning', 'warnings', 'meta', 'metadata', 'facets']
    .concat(['columns', 'fields', 'headers', 'filters', 'sort', 'pagination', 'paging', 'messages', 'schema', 'expand'])
    .concat(['aggregations', 'sorts', 'breadcrumbs', 'actions', 'debug']),
);
const DEEPEST = 5;
/** An array with a lower score may be anything. */
const CONVINCING = 30;
const CLOSE = 8;

/**
 * Finds the place of the data of a response.
 *
 * @param url the requested address: an array with the name of its last segment is probably the right one
 * @param keyed whether an object of objects is items under their keys; absent: if these look alike
 * @example findData({ total: 2, ships: [{ id: 1 }] }, 'https://h.example/ships').value.dataField // 'ships'
 */
export function findData(data: Json | undefined, url: string, keyed?: boolean): Detected<DataPlace> {
  if (data === undefined) return { value: list([], []), confidence: 'unsure', reason: 'The response is empty.' };
  if (isList(data)) return rootList(data);
  const members = isObject(data) ? entriesOf(data).flatMap(([, value]) => (isObject(value) ? [value] : [])) : [];
  if (keyed === true && isObject(data) && members.length > 0) {
    const place: DataPlace = { kind: 'map', ...byKeys(data, members), keys: [], dataField: '.' };
    return { value: place, confidence: 'sure', reason: described(place) };
  }
  if (!isObject(data)) return single(data, 'unsure', 'The response is a single value.');
  const segments = segmentsOf(url);
  if (isMessage(data) && !entriesOf(data).some(([key, value]) => isList(value) && segments.at(-1) === plainName(key)))
    return single(data, 'unsure', 'The response has nothing but a message of the API.');
  const maps = [...(keyed === false ? [] : mapsIn(data, [], segments))].sort(byScore);
  const [best, second] = [
    ...listsIn(data, [], segments),
    ...maps.filter(({ isThin }) => isThin !== true),
    ...columnsIn(data, [], segments),
  ].sort(byScore);
  if (best === undefined || best.score < CONVINCING) {
    if (best !== undefined && !looksLikeItem(data))
      return { value: best.place, confidence: 'unsure', reason: `Nothing but ${nameOf(best.place)} may have items.` };
    const [thin] = maps;
    if (thin !== undefined && !looksLikeItem(data)) return oneOrMany(data, thin.place);
    return single(data, 'likely', 'The response is one object: nothing in it looks like a list of items.');
  }
  const place = withNames(best.place, data);
  if (isOwnedBy(place, data, segments))
    return single(data, 'unsure', `The response looks like one item; if ${nameOf(place)} is meant, name it.`);
  const about = described(place);
  if (second !== undefined && best.score - second.score < CLOSE && second.place.items.length > 0)
    return { value: place, confidence: 'unsure', reason: `${about} ${nameOf(second.place)} may be meant as well.` };
  const isGuess = place.items.length === 0 || place.rows !== undefined;
  return { value: place, confidence: isGuess ? 'likely' : 'sure', reason: about };
}

const byScore = (a: Candidate, b: Candidate): number => b.score - a.score;

const rootList = (items: readonly Json[]): Detected<DataPlace> => ({
  value: { kind: 'list', keys: [], items },
  confidence: 'sure',
  reason: items.length === 0 ? 'The response is an array, which is empty.' : 'The response is an array.',
});

const single = (data: Json, confidence: 'likely' | 'unsure', reason: string): Detected<DataPlace> => ({
  value: { kind: 'object', keys: [], dataField: '.', items: [data] },
  confidence,
  reason,
});

/** Objects with one field each, under keys of their own, are as often the parts of one object as they are items. */
function oneOrMany(data: Json, place: DataPlace): Detected<DataPlace> {
  const job = { ...(place.dataField === '.' ? {} : { dataField: place.dataField }), rows: place.rows ?? {} };
  const members = Object.entries(job).map((member) => JSON.stringify(Object.fromEntries([member])).slice(1, -1));
  const one = single(
    data,
    'unsure',
    `The response is taken as one object. If each of the ${place.items.length} members of ${nameOf(place)} is an item, write into the job ${members.map((member) => `\`${member}\``).join(' and ')}.`,
  );
  return { ...one, value: { ...one.value, mayBe: place } };
}

function list(items: readonly Json[], keys: readonly string[]): DataPlace {
  const edges = items.length > 0 && items.every((item) => isObject(item) && isObject(item['node'] ?? null));
  if (edges)
    return {
      kind: 'list',
      keys,
      dataField: jsonPathText(keys, '[*].node'),
      items: items.map((item) => (isObject(item) ? (item['node'] ?? null) : null)),
    };
  return { kind: 'list', keys, ...(keys.length === 0 ? {} : { dataField: pathText(keys) }), items };
}

function listsIn(object: JsonObject, keys: readonly string[], segments: readonly string[]): readonly Candidate[] {
  return entriesOf(object).flatMap(([key, value]) => {
    const path = [...keys, key];
    if (isErrorList(object, key) && segments.at(-1) !== plainName(key)) return [];
    if (isList(value)) return [{ place: list(value, path), score: scoreOf(value, path, segments) }];
    return isObject(value) && path.length < DEEPEST ? listsIn(value, path, segments) : [];
  });
}

function scoreOf(items: readonly Json[], keys: readonly string[], segments: readonly string[]): number {
  const content = items.length === 0 ? 12 : items.every(isObject) ? 50 : items.every(isList) ? 35 : 6;
  return content + named(keys, segments) - 4 * keys.length + Math.min(items.length, 6);
}

function named(keys: readonly string[], segments: readonly string[]): number {
  const names = keys.map(plainName);
  const last = names.at(-1) ?? '';
  const bad = names.some((name) => BAD.has(name)) ? -60 : 0;
  const asked = segments.includes(last) ? 30 : 0;
  return bad + Math.max(asked, GOOD.has(last) ? 25 : 0);
}

/** Returns objects whose members are all objects of one shape: `{"7": {…}, "9": {…}}`. */
function mapsIn(object: JsonObject, keys: readonly string[], segments: readonly string[]): readonly Candidate[] {
  const values = entriesOf(object).map(([, value]) => value);
  if (values.length > 1 && values.every(isObject) && !keys.some((key) => BAD.has(plainName(key)))) {
    const members = values.filter(isObject);
    if (sameShape(members))
      return [
        {
          place: { kind: 'map', ...byKeys(object, members), keys, dataField: fieldOf(keys) },
          score: 32 + (keys.length === 0 ? 10 : named(keys, segments)) - 4 * keys.length,
          isThin: members.every((each) => entriesOf(each).length === 1),
        },
      ];
  }
  return inObjects(object, keys, (inner, path) => mapsIn(inner, path, segments));
}

/** Returns what is found in the objects below one, unless they are too deep for data. */
const inObjects = (
  object: JsonObject,
  keys: readonly string[],
  found: (inner: JsonObject, path: readonly string[]) => readonly Candidate[],
): readonly Candidate[] =>
  entriesOf(object).flatMap(([key, value]) =>
    isObject(value) && keys.length + 1 < DEEPEST ? found(value, [...keys, key]) : [],
  );

/** The column of the keys of a map is the one whose values repeat them, if there is one; else `id`, where that is free. */
function byKeys(map: JsonObject, members: readonly JsonObject[]): Pick<DataPlace, 'rows' | 'items'> {
  const names = [...new Set(members.flatMap((each) => Object.keys(each)))];
  const repeats = (name: string): boolean =>
    entriesOf(map).every(([key, member]) => {
      const value = valueBelow(member, name);
      return isScalar(value) && textOf(value) === key;
    });
  const column = names.find(repeats) ?? ['id', 'key', 'map_key'].find((name) => !names.includes(name)) ?? 'key_of_map';
  return { rows: { keys: column }, items: rowsOf([map], map, { method: { kind: 'keys', column }, add: {} }, '.') };
}

/** Returns objects whose members are arrays of scalars, as many in each: `{"time": […], "level": […]}`. */
function columnsIn(object: JsonObject, keys: readonly string[], segments: readonly string[]): readonly Candidate[] {
  const lists = entriesOf(object).flatMap(([, value]) => (isList(value) ? [value] : []));
  const [first, ...others] = lists;
  const isTable =
    first !== undefined &&
    first.length > 1 &&
    others.length > 0 &&
    others.every(({ length }) => length === first.length) &&
    lists.every((each) => each.every((value) => value === null || isScalar(value)));
  if (isTable)
    return [
      {
        place: {
          ...{ kind: 'columns', keys, dataField: fieldOf(keys), rows: { columns: true } },
          items: rowsOf([object], object, { method: { kind: 'columns' }, add: {} }, '.'),
        },
        score: 37 + named(keys, segments) - 4 * keys.length,
      },
    ];
  return inObjects(object, keys, (inner, path) => columnsIn(inner, path, segments));
}

/** Returns whether at least half of all keys are in every member. */
function sameShape(members: readonly JsonObject[]): boolean {
  const all = new Set(members.flatMap((each) => Object.keys(each)));
  const common = [...all].filter((key) => members.every((each) => Object.hasOwn(each, key)));
  return common.length > 0 && common.length * 2 >= all.size && !all.has('href');
}

/** Returns whether an object has an id and other scalars, so that its arrays are parts of it. */
function looksLikeItem(data: JsonObject): boolean {
  const scalars = entriesOf(data).filter(([, value]) => isScalar(value));
  return scalars.length > 1 && scalars.some(([key]) => /^_?id$|^uuid$/i.test(key));
}

/** Returns whether an array is a part of one item: neither its name nor the end of the address says that it is what was asked for. */
function isOwnedBy({ keys, kind }: DataPlace, data: JsonObject, segments: readonly string[]): boolean {
  const [name = '', ...others] = keys.map(plainName);
  return kind === 'list' && others.length === 0 && looksLikeItem(data) && !GOOD.has(name) && segments.at(-1) !== name;
}

const nameOf = ({ kind, keys }: DataPlace): string =>
  keys.length === 0
    ? 'the response'
    : `${kind === 'map' || kind === 'columns' ? 'the object' : 'the array'} "${keys.join('.')}"`;

function described(place: DataPlace): string {
  const { kind, items, rows } = place;
  const name = nameOf(place).replace(/^t/, 'T');
  if (kind === 'map')
    return `${name} has ${items.length} objects of one shape, each under a key of its own, which is the column ${JSON.stringify(rows?.['keys'])}. If it is one object, leave out rows.`;
  if (kind === 'columns') return `${name} has an array for each column, ${items.length} values long.`;
  if (rows?.['header'] === true) return `${name} has ${items.length} arrays behind one that seems to have their names.`;
  if (rows !== undefined)
    return `${name} has ${items.length} arrays, whose names stand at ${JSON.stringify(rows['names'])}.`;
  return items.length === 0
    ? `${name} is empty.`
    : `${name} has ${items.length} ${items.every(isObject) ? 'objects' : 'values'}.`;
}

/** Returns the place of arrays with their names: those beside them, of as many strings, or a first array of strings above other values. */
function withNames(place: DataPlace, data: JsonObject): DataPlace {
  const { kind, keys, items } = place;
  const [first, ...others] = items;
  if (kind !== 'list' || !isList(first) || !items.every(isList)) return place;
  const above = keys.slice(0, -1);
  const holder = valueBelow(data, ...above);
  const beside = isObject(holder)
    ? entriesOf(holder).find(([key, value]) => key !== keys.at(-1) && areNames(value, first))
    : undefined;
  if (beside !== undefined) {
    const names = pathText([...above, beside[0]]);
    return {
      ...place,
      rows: { names },
      items: rowsOf(items, data, { method: { kind: 'names', names }, add: {} }, '.'),
    };
  }
  const isHeader =
    areNames(first, first) && others.some((row) => isList(row) && row.some((cell) => typeof cell !== 'string'));
  const fits = isHeader && others.every((row) => isList(row) && row.length <= first.length);
  return fits
    ? { ...place, rows: { header: true }, items: rowsOf(items, data, { method: { kind: 'header' }, add: {} }, '.') }
    : place;
}

/** Returns whether a value has a different name for each cell of a row. */
function areNames(value: Json, row: readonly Json[]): boolean {
  if (!isList(value) || value.length !== row.length || value.length === 0) return false;
  const names = value.map((each) => (isObject(each) ? ownValue(each, 'name') : each));
  return names.every((name) => typeof name === 'string') && new Set(names).size === names.length;
}

/** `dataField` of the value at the keys. */
const fieldOf = (keys: readonly string[]): string => (keys.length === 0 ? '.' : pathText(keys));

const segmentsOf = (url: string): readonly string[] =>
  (url.split(/[?#]/, 1)[0] ?? '')
    .split('/')
    .slice(3)
    .map((each) => plainName(each.replace(/\.\w+$/, '')));

/** A scalar that a response has beside its items. */
export interface Leaf {
  readonly keys: readonly string[];
  readonly value: JsonScalar;
}

/** The maximum depth of metadata: it is near the root of a response. */
const DEEPEST_LEAF = 6;
/** The maximum number of values beside the items; more are data and no signs. */
const MOST_LEAVES = 2_000;

/**
 * Returns the scalars of a response outside of arrays and of `items`: its metadata.
 *
 * @param items the keys that lead to the items
 * @example leavesOutsideItems({ data: [1], meta: { next: 'x' } }, ['data']) // [{ keys: ['meta', 'next'], value: 'x' }]
 */
export function leavesOutsideItems(data: Json | undefined, items: readonly string[]): readonly Leaf[] {
  const found: Leaf[] = [];
  const visit = (value: Json, keys: readonly string[]): void => {
    if (found.length >= MOST_LEAVES) return;
    if (isScalar(value)) found.push({ keys, value });
    else if (isObject(value) && keys.length < DEEPEST_LEAF && !(items.length > 0 && isAt(keys, items)))
      for (const [key, inner] of entriesOf(value)) visit(inner, [...keys, key]);
  };
  if (data !== undefined && !isList(data)) visit(data, []);
  return found.filter(({ keys }) => keys.length > 0);
}

const isAt = (keys: readonly string[], place: readonly string[]): boolean =>
  keys.length === place.length && keys.every((key, at) => key === place[at]);

/** Returns a name without case and separators: `nextPageToken`, `next_page_token` and `next-page-token` are one. */
export const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/**
 * Returns keys as a path of the language: joined by points, or as a JSON path if a key has a point or looks like one.
 *
 * @example pathText(['@odata.nextLink']) // "$['@odata.nextLink']"
 */
export function pathText(keys: readonly string[]): string {
  const isPlain = keys.every((key) => key !== '' && !key.includes('.') && !key.startsWith('$'));
  return isPlain ? keys.join('.') : `$${keys.map(member).join('')}`;
}

/** Returns a JSON path from the root, with a suffix. */
export const jsonPathText = (keys: readonly string[], rest: string): string => `$${keys.map(member).join('')}${rest}`;

const member = (key: string): string => `['${key.replace(/[\\']/g, '\\$&')}']`;
