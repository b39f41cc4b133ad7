/** What a preview guesses about a page: a person looks at it, while a run is judged by words of the API and the configuration alone. */
import { entriesOf, isList, isObject, keysOf, ownValue } from '../../core/json/objects';
import { isBlankData } from '../../core/json/scalars';
import type { Json, Page } from '../../core/model';
import { mayAskForSize } from '../../language/parts/pagination/place';
import type { JobPlan } from '../../plan/plan';
import { hasId, placeText } from '../../sources/completeness/said';
import { aroundItems, integerOf } from '../../sources/response-values';

/** Page sizes of APIs are mostly multiples of these. */
const USUAL_SIZES = [10, 25] as const;

/**
 * Returns what may be wrong with the only page of a job.
 *
 * @param more what the response says of another page
 * @example guessesAbout(plan, page, 'unknown') // ['The page has 100 items, and many APIs have just as many on a page: …']
 */
export const guessesAbout = (plan: JobPlan, page: Page, more: 'yes' | 'no' | 'unknown'): readonly string[] =>
  [maybeFull(page, more), listInItem(page), misspelledPlace(plan, page)].filter((guess) => guess !== undefined);

function maybeFull({ count, reply }: Page, more: string): string | undefined {
  if (more !== 'unknown' || count < 2) return undefined;
  const { searchParams } = new URL(reply.response.request.url);
  const isAsked = [...searchParams].some(([name, value]) => mayAskForSize(name) && integerOf(value) === BigInt(count));
  if (!isAsked && !USUAL_SIZES.some((size) => count % size === 0)) return undefined;
  const why = isAsked ? 'as many as the request asks for' : 'and many APIs have just as many on a page';
  return `The page has ${count} items, ${why}: there may be others. Set api.pagination, or declare a "total", if there are.`;
}

function listInItem({ count, items }: Page): string | undefined {
  const [item] = count === 1 ? items : [];
  if (!isObject(item) || hasId(item)) return undefined;
  const [key, list] =
    entriesOf(item).find(([, value]) => isList(value) && value.length > 1 && value.every(isObject)) ?? [];
  if (key === undefined || !isList(list)) return undefined;
  return `The only item holds a list of ${list.length} objects at ${JSON.stringify(key)}: if these are the items, let dataField lead to them.`;
}

/** Options of pagination methods that name a place in the response. */
const PLACES = ['responseParam', 'urlKey'] as const;

function misspelledPlace({ pagination: { options } }: JobPlan, { reply }: Page): string | undefined {
  const given: Readonly<Record<string, unknown>> = { ...options };
  for (const option of PLACES) {
    const path = given[option];
    const near = typeof path === 'string' ? nearMember(aroundItems(reply), path.split('.')) : undefined;
    if (near !== undefined)
      return `Nothing is at ${JSON.stringify(path)}, which api.pagination.${option} names, but there is a value at ${near}. Write the name as the API does.`;
  }
  return undefined;
}

const loose = (name: string): string => name.toLowerCase().replace(/[_\-\s]/g, '');

/** Returns the place of a value behind keys of which one at least is spelled otherwise in the data. */
function nearMember(data: Json | undefined, keys: readonly string[]): string | undefined {
  const there: string[] = [];
  let value = data;
  for (const key of keys) {
    if (!isObject(value)) return undefined;
    const names = keysOf(value);
    const own = names.includes(key) ? key : names.find((name) => loose(name) === loose(key));
    if (own === undefined) return undefined;
    there.push(own);
    value = ownValue(value, own);
  }
  return isBlankData(value) || there.join() === keys.join() ? undefined : placeText(there);
}
