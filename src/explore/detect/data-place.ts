import { entriesOf, isList, isObject, ownValue } from '../../core/json/objects';
import { isScalar } from '../../core/json/scalars';
import type { Json, JsonObject, JsonScalar } from '../../core/model';
import { parseUrl } from '../../core/url/address';
import type { Answer, Detected } from './model';

/** The place of the items in a response. */
export interface DataPlace {
  readonly kind: 'list' | 'map' | 'object';
  /** The keys that lead to the items. */
  readonly keys: readonly string[];
  /** `dataField` of the job; absent: the response is the array. */
  readonly dataField?: string;
  readonly items: readonly Json[];
}

/** A possible place, with its score. */
interface Candidate {
  readonly place: DataPlace;
  readonly score: number;
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
 * @example findData({ total: 2, ships: [{ id: 1 }] }, 'https://h.example/ships').value.dataField // 'ships'
 */
export function findData(data: Json | undefined, url: string): Detected<DataPlace> {
  if (data === undefined) return { value: list([], []), confidence: 'unsure', reason: 'The response is empty.' };
  if (isList(data)) return rootList(data);
  if (!isObject(data)) return single(data, 'unsure', 'The response is a single value.');
  const segments = segmentsOf(url);
  const [best, second] = [...listsIn(data, [], segments), ...mapsIn(data, [], segments)].sort(byScore);
  if (best === undefined || best.score < CONVINCING) {
    if (best !== undefined && !looksLikeItem(data))
      return { value: best.place, confidence: 'unsure', reason: `${nameOf(best.place)} is the only array.` };
    return single(data, 'likely', 'The response is one object: nothing in it looks like a list of items.');
  }
  const { place } = best;
  if (isOwnedBy(place, data))
    return single(data, 'unsure', `The response looks like one item; if its ${nameOf(place)} are meant, name them.`);
  const about = told(place);
  if (second !== undefined && best.score - second.score < CLOSE && second.place.items.length > 0)
    return { value: place, confidence: 'unsure', reason: `${about} ${nameOf(second.place)} may be meant as well.` };
  return { value: place, confidence: place.items.length === 0 ? 'likely' : 'sure', reason: about };
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
    if (sameShape(members) && members.some((each) => entriesOf(each).length > 1))
      return [
        {
          place: { kind: 'map', keys, dataField: eachMemberOf(keys), items: members },
          score: 32 + (keys.length === 0 ? 10 : named(keys, segments)) - 4 * keys.length,
        },
      ];
  }
  return entriesOf(object).flatMap(([key, value]) =>
    isObject(value) && keys.length + 1 < DEEPEST ? mapsIn(value, [...keys, key], segments) : [],
  );
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

const isOwnedBy = ({ keys, kind }: DataPlace, data: JsonObject): boolean =>
  keys.length === 1 && kind === 'list' && looksLikeItem(data) && !GOOD.has(plainName(keys[0] ?? ''));

const nameOf = ({ kind, keys }: DataPlace): string =>
  keys.length === 0 ? 'the response' : `${kind === 'map' ? 'the object' : 'the array'} "${keys.join('.')}"`;

function told(place: DataPlace): string {
  const { kind, items } = place;
  const name = nameOf(place).replace(/^t/, 'T');
  if (kind === 'map') return `${name} has ${items.length} objects of one shape, each under a key of its own.`;
  return items.length === 0
    ? `${name} is empty.`
    : `${name} has ${items.length} ${items.every(isObject) ? 'objects' : 'values'}.`;
}

const segmentsOf = (url: string): readonly string[] =>
  (url.split(/[?#]/, 1)[0] ?? '')
    .split('/')
    .slice(3)
    .map((each) => plainName(each.replace(/\.\w+$/, '')));

/** The names of the values in items that are arrays. */
export interface Columns {
  readonly names: readonly string[];
  /** The key of the array with the names. */
  readonly key: string;
  /** Another address of the same data, where the items are objects. */
  readonly ofObjects?: string;
}

/**
 * Returns the columns of items that are arrays: an array of as many strings beside them.
 *
 * @example columnsOf({ data: { columns: ['id'], rows: [[1]] }, … }, place)?.names // ['id']
 */
export function columnsOf({ url, data = null }: Answer, { keys, items }: DataPlace): Columns | undefined {
  const [first] = items;
  const holder = keys
    .slice(0, -1)
    .reduce<Json | undefined>((at, key) => (isObject(at) ? ownValue(at, key) : undefined), data);
  if (!isObject(holder) || !isList(first) || first.length === 0) return undefined;
  if (!items.every((each) => isList(each) && each.length === first.length)) return undefined;
  const named = entriesOf(holder).flatMap(([key, value]) => {
    const names = isList(value) ? value.filter((each) => typeof each === 'string') : [];
    return key !== keys.at(-1) && isList(value) && names.length === value.length && names.length === first.length
      ? [{ key, names }]
      : [];
  });
  const [found] = named;
  if (found === undefined) return undefined;
  const ofObjects = isDatasette(holder, url) ? withShape(url) : undefined;
  return { ...found, ...(ofObjects === undefined ? {} : { ofObjects }) };
}

const DATASETTE = ['rows', 'columns', 'truncated'];

const isDatasette = (holder: Parameters<typeof ownValue>[0], url: string): boolean =>
  DATASETTE.every((key) => Object.hasOwn(holder, key)) || /\/-\//.test(url);

/** Returns the address with the parameter by which Datasette returns objects. */
function withShape(url: string): string | undefined {
  const address = parseUrl(url);
  if (address === undefined || address.searchParams.get('_shape') === 'objects') return undefined;
  address.searchParams.set('_shape', 'objects');
  return address.href;
}

const MOST_NAMED = 12;

/** Returns sentences for the user about such items. */
export function describeColumns({ names, key, ofObjects }: Columns): string {
  const shown = `${names.slice(0, MOST_NAMED).join(', ')}${names.length > MOST_NAMED ? ', …' : ''}`;
  const hint =
    ofObjects === undefined
      ? 'Look in the manual of the API for a parameter that gives objects.'
      : 'This looks like datasette, which gives objects by the parameter _shape=objects.';
  return `The items are arrays, and "${key}" names their values: ${shown}. A table has them without these names. ${hint}`;
}

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

/** Returns a JSON path to each member behind the keys. */
const eachMemberOf = (keys: readonly string[]): string => `$${keys.map(member).join('')}.*`;

/** Returns a JSON path from the root, with a suffix. */
export const jsonPathText = (keys: readonly string[], rest: string): string => `$${keys.map(member).join('')}${rest}`;

const member = (key: string): string => `['${key.replace(/[\\']/g, '\\$&')}']`;
