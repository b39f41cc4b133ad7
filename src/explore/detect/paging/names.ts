import { entriesOf, isObject } from '../../../core/json/objects';
import { isScalar } from '../../../core/json/scalars';
import type { Json, JsonObject, JsonScalar } from '../../../core/model';
import { plainName } from '../data-place';

/** The names of token parameters, the most frequent first. */
const TOKEN_PARAMS = ['cursor', 'page_token', 'pageToken', 'next_token', 'pagination_token', 'after', 'start_cursor']
  .concat(['starting_after', 'continuation', 'continuation_token', 'continuationToken', 'token', 'marker', 'bookmark'])
  .concat(['page', 'offset', 'start', 'from', 'skip_token', '$skiptoken', 'scroll_id', 'page[cursor]', 'page[after]']);

/**
 * Returns the possible names of the parameter for a token, the likeliest first: the name of the token in the response, without `next`, and
 * the usual names.
 *
 * @example tokenParams('nextPageToken') // ['pageToken', 'nextPageToken', 'cursor', …]
 */
export function tokenParams(name: string): readonly string[] {
  const bare = name
    .replace(/^x-/i, '')
    .replace(/^_+|^next[_-]?|[_-]?next$/gi, '')
    .replace(/^_+/, '');
  const isCapital = /^next[A-Z]/.test(name);
  const stripped = isCapital ? bare.charAt(0).toLowerCase() + bare.slice(1) : bare;
  const words = stripped.split(/[-_]|(?<=[a-z])(?=[A-Z])/).map((word) => word.toLowerCase());
  const own = [stripped, name, words.join('_'), words.join('-')].filter((each) => each !== '');
  const isNumber = /page|offset|start|skip|from/.test(plainName(name)) && !/token|cursor/.test(plainName(name));
  const others = isNumber ? ['page', 'offset', 'start', 'skip', 'from', ...TOKEN_PARAMS] : TOKEN_PARAMS;
  const isAlike = (each: string): boolean => words.some((word) => plainName(each).includes(word));
  return [...new Set([...own, ...others.filter(isAlike), ...others])];
}

/** The names of parameters for the key of the last item. */
export const KEY_PARAMS: readonly string[] =
  'starting_after after since_id after_id last_id start_after cursor max_id before'.split(' ');

/** The names of parameters for the number of a page. */
export const PAGE_PARAMS: readonly string[] =
  'page _page p page[number] pageNumber page_number currentPage pageNo pg'.split(' ');

/** The names of parameters for an offset and a page size. */
export const OFFSET_PARAMS: readonly (readonly [offset: string, limit: string])[] = (
  'offset limit,skip limit,start limit,$skip $top,$offset $limit,_start _limit,first max,startAt maxResults,from size,' +
  'skip take,start rows,page[offset] page[limit]'
)
  .split(',')
  .map((pair) => [pair.slice(0, pair.indexOf(' ')), pair.slice(pair.indexOf(' ') + 1)]);

/** The names of parameters that select a page. */
const PAGING =
  /^(?:_?page(?:\[?(?:number|num|index|no|after|before|cursor|offset|token)\]?)?|_?p|pg|.*cursor.*|.*(?:page|next|continuation|pagination|skip|sync)[-_]?token|continuation|after|before|(?:starting|ending)_(?:after|before)|since_id|max_id|\$?offset|\$?skip(?:token)?|_?start(?:at|index)?|from|first|marker|bookmark|scroll_?id|page_?info)$/i;

/**
 * Returns whether a parameter selects a page: its value is a position, even if it looks random.
 *
 * @example isPagingParam('page[after]') // true
 */
export const isPagingParam = (name: string): boolean => PAGING.test(name);

/** The names of page sizes, in the form of `plainName`. */
export const PAGE_SIZE =
  /^(?:perpage|pagesize|limit|size|itemsperpage|countperpage|pagelimit|maxresults|max|top|take|rows)$/;

/**
 * Returns whether a parameter is the size of a page.
 *
 * @example isPageSize('per_page') // true
 */
export const isPageSize = (name: string): boolean => PAGE_SIZE.test(plainName(name));

/** The names of positions that have another meaning in many bodies, such as a sender or a first name. */
const GENERAL = /^(?:from|first|start|after|before|continuation|marker|bookmark)$/i;

/**
 * Returns whether a body asks for one page of many: it has a position, which is a number, or a cursor. A position with a general name
 * needs a page size beside it.
 *
 * @example asksForPage({ from: 0, size: 10 }) // true
 */
export function asksForPage(body: JsonObject): boolean {
  const members = bodyMembers(body);
  const isSized = members.some(({ name, value }) => isPageSize(name) && isCount(value));
  return members.some(
    ({ name, path, value }) =>
      isPagingParam(name) &&
      (isCount(value) || (/cursor|token|after|continuation/i.test(name) && (value === null || value === ''))) &&
      ((isSized && path.length === 1) || !GENERAL.test(name)),
  );
}

/** A scalar of a body. */
interface BodyMember {
  /** Its name as a parameter; that of `{"page": {"number": 1}}` is `page[number]`. */
  readonly name: string;
  readonly path: readonly string[];
  readonly value: JsonScalar;
}

/** Returns the scalars of a body and of its objects; of two with one name, the outer one. */
export function bodyMembers(body: JsonObject): readonly BodyMember[] {
  const outer = entriesOf(body).flatMap(([name, value]) => (isScalar(value) ? [{ name, path: [name], value }] : []));
  const inner = entriesOf(body).flatMap(([above, object]) =>
    entriesOf(isObject(object) ? object : {}).flatMap(([key, value]) => {
      const inBrackets = `${above}[${key}]`;
      const name = isPagingParam(inBrackets) || isPageSize(inBrackets) ? inBrackets : key;
      return isScalar(value) ? [{ name, path: [above, key], value }] : [];
    }),
  );
  const names = new Set(outer.map(({ name }) => name));
  return [...outer, ...inner.filter(({ name }) => !names.has(name))];
}

/** Returns where a parameter stands in a body, or would stand. */
export const placeInBody = (body: JsonObject, name: string): readonly string[] =>
  bodyMembers(body).find((member) => member.name === name)?.path ?? [name];

const isCount = (value: Json): boolean =>
  (typeof value === 'number' && Number.isInteger(value) && value >= 0) ||
  (typeof value === 'string' && /^\d{1,9}$/.test(value));
