import { cacheHint } from '../../core/errors/response-facts';
import type { CutLists, Doubt } from '../../core/evidence';
import { entriesOf, isList, isObject, keysOf, ownValue } from '../../core/json/objects';
import { isBlank, isScalar, typeName } from '../../core/json/scalars';
import type { Json, JsonObject, Reply } from '../../core/model';
import type { JobPlan } from '../../plan/plan';
import type { FoundItems } from '../items';
import type { JobRun } from '../job-run';
import { aroundItems } from '../reply-value';
import { errorSign, isMessage } from './error-signs';
import type { Known, PageOutcome } from './known';
import { listsIn, placeText, plainKey } from './metadata';
import { nextPageSign } from './page-signs';

const FAILURE = 400;

/**
 * Returns the failure of a page without an array of items after pages with one, although the API does not report a failure: the array
 * became an object or a string, which would count as an item, it is elsewhere, or the body says that it is an error (docs/completeness.md).
 *
 * @param pages the number of pages of the call before this one
 * @param before the response before; absent in a resumed call
 * @returns the failure in words; `undefined` for a page like the ones before
 */
export function shapeFault(
  plan: JobPlan,
  pages: number,
  known: Known,
  reply: Reply,
  found: FoundItems,
  before: Reply | undefined,
): string | undefined {
  // A failure that the configuration ignores is no page.
  if (!known.hasLists || reply.response.status >= FAILURE) return undefined;
  const nothing = nullBetween(plan, pages, known, reply, found);
  if (nothing !== undefined) return nothing;
  const change = changeOf(plan, known, reply, found, before);
  if (change === undefined) return undefined;
  const where = plan.items.path === undefined ? 'the place of the items' : `dataField "${plan.items.path}"`;
  return (
    `${plan.path}: page ${pages + 1} of ${plan.endpoint} has ${change} at ${where}, where the pages before had lists. ` +
    `Pagination cannot go on safely; "completeness": "off" in the job takes such a page as it is.` +
    cacheHint(reply.response)
  );
}

/**
 * Returns the failure of a `null`, which means that there are no more items, unless the API says otherwise or the page behind it has some.
 */
function nullBetween(
  { path, endpoint, items }: JobPlan,
  pages: number,
  { last }: Known,
  reply: Reply,
  { place, count }: FoundItems,
): string | undefined {
  const where = items.path === undefined ? 'at the place of the items' : `at dataField "${items.path}"`;
  const remedy = 'Items may be missing; "completeness": "off" in the job takes such a page as it is.';
  if (isNull(last?.place) && count > 0)
    return `${path}: page ${pages} of ${endpoint} had null ${where}, and page ${pages + 1} has items again. ${remedy}`;
  const sign = isNull(place) ? nextPageSign(reply, []) : undefined;
  if (sign?.isFlag !== true) return undefined;
  return `${path}: page ${pages + 1} of ${endpoint} has null ${where}, although the API says with ${sign.where} that there is more. ${remedy}`;
}

const isNull = (place: FoundItems['place'] | undefined): boolean => place?.kind === 'blank' && place.isNull;

function changeOf(
  plan: JobPlan,
  { last }: Known,
  reply: Reply,
  { place, count }: FoundItems,
  before: Reply | undefined,
): string | undefined {
  switch (place.kind) {
    case 'list': {
      if (count === 0 || plan.items.path !== undefined || last?.place.kind !== 'list' || last.count === 0)
        return undefined;
      const [here, there] = [place.path.join('.'), last.place.path.join('.')];
      return here === there ? undefined : `another array (${JSON.stringify(here)})`;
    }
    case 'empty':
      return undefined;
    case 'value':
      // XML has no arrays: a single item is an element like any other.
      return singleStandsAlone(plan, reply) ? undefined : 'a single value';
    case 'blank':
      // APIs that are written in Go write null for an empty array.
      return place.isNull ? undefined : 'a blank value';
    case 'missing':
      return absence(reply.data, before?.data, last?.place.kind === 'list' ? last.place.path : []);
  }
}

const singleStandsAlone = ({ format }: JobPlan, { response }: Reply): boolean =>
  format?.singleStandsAlone === true || /\bxml\b/i.test(String(response.headers['content-type'] ?? ''));

/** Many APIs leave an empty array out; the rest of the body is then as before. */
function absence(data: Json | undefined, before: Json | undefined, path: readonly string[]): string | undefined {
  if (!isObject(data)) return isList(data) ? undefined : `nothing (the body is a ${typeName(data)})`;
  const error = errorSign(data);
  if (error?.isSure === true) return `nothing, but an error (${placeText(error.path)})`;
  const keys = keysOf(data);
  const lists = listsIn(data);
  if (lists.length > 0) return `nothing, but items at ${lists.map((place) => `"${place}"`).join(', ')}`;
  const isKnown = isObject(before) && keys.every((key) => Object.hasOwn(before, key));
  if (!isKnown && isMessage(data)) return 'nothing, but a message';
  const strange = isList(before) ? keysThatSay(data) : newKeys(data, before, path);
  return strange.length === 0 ? undefined : `nothing, but something else (${strange.join(', ')})`;
}

/** Returns the keys of an object that shares none with the one before, at the root or on the way to the items. */
function newKeys(data: JsonObject, before: Json | undefined, path: readonly string[]): readonly string[] {
  if (!isObject(before) || keysOf(before).length === 0) return [];
  if (!keysOf(data).some((key) => Object.hasOwn(before, key))) return keysThatSay(data);
  const [key = '', ...rest] = path;
  const inner = ownValue(data, key);
  return isObject(inner) ? newKeys(inner, ownValue(before, key), rest) : [];
}

/** Keys of a response that describes a list, and may leave the list out where it is empty. */
const LIST_KEYS: ReadonlySet<string> = new Set(
  'kind page pages pagesize perpage size limit offset start total totalcount count'.split(' '),
);

/**
 * Returns the keys that have a meaning. An object of blank values means that there is nothing, whatever its keys; an object that describes
 * a list has no items.
 */
function keysThatSay(data: JsonObject): readonly string[] {
  const isSilent = entriesOf(data).every(([key, value]) => isBlank(value) || LIST_KEYS.has(plainKey(key)));
  const keys = keysOf(data).slice(0, MOST_KEYS);
  return isSilent ? [] : keys.map((key) => placeText([key]));
}

const MOST_KEYS = 3;

/** Keys whose value `true` means that the list beside them has more elements, in the spellings of APIs. */
const SPELLINGS = ['has_more', 'hasMore', 'has_next', 'hasNext', 'has_next_page', 'hasNextPage'];
const MORE_KEYS: ReadonlySet<string> = new Set(SPELLINGS.map(plainKey));
/** Objects beside a list that describe it. */
const HOLDERS: ReadonlySet<string> = new Set(['pageinfo', 'paging', 'pagination', 'meta', 'page']);
/** The bytes of most items contain none of these, and need no further look. */
const MARKS = SPELLINGS.map((key) => `"${key}"`);
/** All marks begin so, which means that most pages are scanned at most once. */
const BEGINNING = '"has';

/**
 * Returns the items that hold a list of which the API sent only the first page (docs/completeness.md): `has_more` beside it, or the
 * `pageInfo` of a connection, says so.
 *
 * @returns `undefined` when there is no such item
 * @example cutLists(found, reply) // { items: 2, where: '"lines.has_more"' }
 */
export function cutLists(found: Pick<FoundItems, 'items' | 'count'>, reply: Reply): CutLists | undefined {
  const { raw } = reply;
  if (found.count === 0 || raw?.has === false || !hasMark(raw?.bytes() ?? reply.response.body)) return undefined;
  // Reading the items parses the page, so it comes last.
  const places = found.items.flatMap((item) => cutIn(item, []) ?? []);
  const [where] = places;
  return where === undefined ? undefined : { items: places.length, where };
}

function hasMark(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return text.includes(BEGINNING) && MARKS.some((mark) => text.includes(mark));
}

/** Returns where an item says so, in words. A list without elements, such as one inside another list, has no meaning. */
function cutIn(value: Json, path: readonly string[]): string | undefined {
  if (isList(value)) return firstOf(value, (element) => cutIn(element, path));
  if (!isObject(value)) return undefined;
  const members = entriesOf(value);
  if (members.some(([, member]) => isList(member))) {
    const flag = flagIn(value, path) ?? firstOf(members, ([key, inner]) => flagOfHolder(key, inner, path));
    if (flag !== undefined) return flag;
  }
  return firstOf(members, ([key, member]) => cutIn(member, [...path, key]));
}

const flagOfHolder = (key: string, value: Json, path: readonly string[]): string | undefined =>
  HOLDERS.has(plainKey(key)) && isObject(value) ? flagIn(value, [...path, key]) : undefined;

function flagIn(object: JsonObject, path: readonly string[]): string | undefined {
  const found = entriesOf(object).find(([key, value]) => value === true && MORE_KEYS.has(plainKey(key)));
  return found === undefined ? undefined : placeText([...path, found[0]]);
}

function firstOf<T>(values: readonly T[], find: (value: T) => string | undefined): string | undefined {
  for (const value of values) {
    const found = find(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A list within the only item of a page. */
interface InnerList {
  /** The keys that lead to it from the item. */
  readonly path: readonly string[];
  readonly count: number;
  /** True if it has a usual name of a list of items. */
  readonly isNamed: boolean;
}

const DEEPEST = 2;

/**
 * Returns the doubt about a job with pagination whose first page has one item that is the list itself, or holds it: the page counts as not
 * full, and the pagination ends (docs/completeness.md#what-is-an-error).
 */
export function listInItem({ plan, paginator }: JobRun, { found, pages }: PageOutcome): Doubt | undefined {
  if (paginator.by === 'nothing' || pages > 0 || found.count !== 1) return undefined;
  const [item] = found.items;
  if (item === undefined || (isObject(item) && keysOf(item).some((key) => ID_KEYS.has(plainKey(key)))))
    return undefined;
  const inner = listsOfObjects(item, [], isList(item));
  const { pageSize } = paginator;
  const whole = inner.find(({ isNamed, count }) => isNamed && count === pageSize);
  const list = whole ?? inner.find(({ isNamed, count }) => isNamed || count === pageSize);
  if (list === undefined) return undefined;
  const { place } = found;
  const path = [...(place.kind === 'list' || place.kind === 'value' ? place.path : []), ...list.path];
  const what = list.path.length === 0 ? 'is a list' : `holds a list at ${JSON.stringify(list.path.join('.'))}`;
  const remedy =
    place.kind === 'value' && list.path.length > 0
      ? `If its elements are the items, set "dataField": ${JSON.stringify(path.join('.'))} in the job.`
      : 'If its elements are the items, let dataField of the job lead to them.';
  return {
    code: 'LIST_IN_ITEM',
    level: whole === undefined ? 'warning' : 'error',
    message:
      `The only item of the first page of ${plan.endpoint} ${what} of ${list.count} objects${list.count === pageSize ? ', as many as a page has' : ''}: ` +
      `pagination counts one item, and may end too early. ${remedy} If the item is meant, "completeness": "off" in the job takes it as it is.`,
  };
}

function listsOfObjects(value: Json, path: readonly string[], isNamed: boolean): readonly InnerList[] {
  if (isList(value)) return value.length > 1 && value.every(isObject) ? [{ path, count: value.length, isNamed }] : [];
  if (!isObject(value) || path.length >= DEEPEST) return [];
  return entriesOf(value).flatMap(([key, member]) =>
    listsOfObjects(member, [...path, key], ENVELOPES.has(plainKey(key))),
  );
}

/** Keys that mark an object as an item. */
const ID_KEYS: ReadonlySet<string> = new Set(['id', 'uuid', 'guid', 'objectid']);
/** Keys at which APIs have the items of a response, whatever else is beside them. */
const ENVELOPES: ReadonlySet<string> = new Set([
  ...['data', 'items', 'result', 'results', 'records', 'rows', 'entries', 'content', 'values', 'value', 'list'],
  ...['objects', 'hits', 'elements', 'documents', 'docs', 'members', 'response', 'collection', 'features'],
]);

/**
 * Returns the doubt about a single item, perhaps requested by its id, inside which an array was detected as the items
 * (docs/language/responses.md#detection).
 */
export function listOfObject({ plan }: JobRun, { reply, found, pages }: PageOutcome): Doubt | undefined {
  if (plan.items.path !== undefined || pages > 0 || found.count === 0) return undefined;
  if (found.place.kind !== 'list' || found.place.path.length !== 1) return undefined;
  const [key = ''] = found.place.path;
  const data = aroundItems(reply);
  if (!isObject(data) || ENVELOPES.has(plainKey(key))) return undefined;
  const id = keysOf(data).find((name) => ID_KEYS.has(plainKey(name)) && isScalar(ownValue(data, name)));
  if (id === undefined) return undefined;
  const message =
    `A response of ${plan.endpoint} is an object with ${JSON.stringify(id)}, and its array ${JSON.stringify(key)} was taken for the items. ` +
    `If the object is the item, set "dataField": "." in the job; if its array is meant, "dataField": ${JSON.stringify(key)}.`;
  return { code: 'LIST_OF_OBJECT', level: 'warning', message };
}
