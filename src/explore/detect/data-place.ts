import { entriesOf, isList, isObject } from '../../core/json/keys';
import { isScalar } from '../../core/json/text';
import type { Json, JsonObject } from '../../core/model';
import type { Detected } from './detected';
import { plainName } from './leaves';
import { eachMemberOf, jsonPathText, pathText } from './path-text';

/** Where a response has its items. */
export interface DataPlace {
  readonly kind: 'list' | 'map' | 'object';
  /** The keys that lead to what has the items. */
  readonly keys: readonly string[];
  /** `dataField` of the job; absent: the response is the array. */
  readonly dataField?: string;
  readonly items: readonly Json[];
}

/** A place that may be the one, with what speaks for it. */
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
/** Below this nothing speaks for an array but that it is one. */
const CONVINCING = 30;
const CLOSE = 8;

/**
 * Finds the place of the data of a response.
 *
 * @param url the address that was requested: an array that is called as its last segment is likely the one
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

/** Objects whose members are all objects of one shape: `{"7": {…}, "9": {…}}`. */
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

/** Half of all keys are in every member. */
function sameShape(members: readonly JsonObject[]): boolean {
  const all = new Set(members.flatMap((each) => Object.keys(each)));
  const common = [...all].filter((key) => members.every((each) => Object.hasOwn(each, key)));
  return common.length > 0 && common.length * 2 >= all.size && !all.has('href');
}

/** An object with an id of its own and other scalars, so that its arrays are parts of it. */
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
