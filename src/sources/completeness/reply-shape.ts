import { cacheHint } from '../../core/errors/response-facts';
import { isBlank } from '../../core/json/blank';
import { entriesOf, isList, isObject, keysOf, ownValue } from '../../core/json/keys';
import { typeName } from '../../core/json/text';
import type { Json, JsonObject, Reply } from '../../core/model';
import type { JobPlan } from '../../plan/plan';
import type { FoundItems } from '../items';
import { errorSign, isMessage } from './error-signs';
import type { Known } from './known';
import { listsIn, placeText, plainKey } from './metadata-objects';
import { nextPageSign } from './next-page-sign';

const FAILURE = 400;

/**
 * After pages with arrays of items, a page without one is a failure that the API does not call so: the array became an object
 * or a string, which would count as an item, it stands elsewhere, or the body says that it is an error
 * (docs/completeness.md).
 *
 * @param pages the number of pages of the call before this one
 * @param before the response before; absent where a call goes on
 * @returns the failure in words; `undefined` for a page as the ones before
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

/** `null` says that there are no more items, unless the API says otherwise, or has some on the page behind it. */
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
      // XML has no arrays: one item is an element like any other.
      return singleStandsAlone(plan, reply) ? undefined : 'a single value';
    case 'blank':
      // APIs that are written in Go say null for an empty array.
      return place.isNull ? undefined : 'a blank value';
    case 'missing':
      return absence(reply.data, before?.data, last?.place.kind === 'list' ? last.place.path : []);
  }
}

const singleStandsAlone = ({ format }: JobPlan, { response }: Reply): boolean =>
  format?.singleStandsAlone === true || /\bxml\b/i.test(String(response.headers['content-type'] ?? ''));

/** Many APIs leave an empty array out: the rest of the body is then as it was before. */
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

/** The keys of an object that has none of those that the one before had, at the root or on the way to the items. */
function newKeys(data: JsonObject, before: Json | undefined, path: readonly string[]): readonly string[] {
  if (!isObject(before) || keysOf(before).length === 0) return [];
  if (!keysOf(data).some((key) => Object.hasOwn(before, key))) return keysThatSay(data);
  const [key = '', ...rest] = path;
  const inner = ownValue(data, key);
  return isObject(inner) ? newKeys(inner, ownValue(before, key), rest) : [];
}

/** Keys of an answer that describes a list, and may leave the list out where it is empty. */
const LIST_KEYS: ReadonlySet<string> = new Set(
  'kind page pages pagesize perpage size limit offset start total totalcount count'.split(' '),
);

/** An object of blank values says that there is nothing, whatever they are called; one that describes a list has no items. */
function keysThatSay(data: JsonObject): readonly string[] {
  const isSilent = entriesOf(data).every(([key, value]) => isBlank(value) || LIST_KEYS.has(plainKey(key)));
  const keys = keysOf(data).slice(0, MOST_KEYS);
  return isSilent ? [] : keys.map((key) => placeText([key]));
}

const MOST_KEYS = 3;
