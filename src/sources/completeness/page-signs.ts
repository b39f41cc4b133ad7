import type { Doubt } from '../../core/evidence';
import { linkTo, speaksOf } from '../../core/headers';
import { entriesOf, isList, isObject, ownValue } from '../../core/json/objects';
import { isBlankData, isCount } from '../../core/json/scalars';
import { stringifyJson } from '../../core/json/stringify';
import type { Json, JsonObject, Reply } from '../../core/model';
import type { JobRun } from '../job-run';
import { aroundItems } from '../reply-value';
import { headerObjects, metadataObjectsIn, placeText, plainKey } from './metadata';

/** The token of OAI-PMH. In XML it also has attributes, and no text where no page follows. */
const RESUMPTION = 'resumptiontoken';
const TOKEN_KEYS: readonly string[] = ['#text', '$', '_', 'content', 'token', 'value'];

/** Keys at which APIs give the address of the next page, or a token for it. */
const NEXT_KEYS: ReadonlySet<string> = new Set([
  ...['next', 'nextpage', 'nexturl', 'nexturi', 'nextlink', 'nexthref', 'nextpath', 'nextresults', 'nextrecordsurl'],
  ...['nextpageurl', 'nextpageuri', 'nextpagelink', 'nextpagehref', 'nextpagepath', 'nextset'],
  ...[
    'nexttoken',
    'nextpagetoken',
    'nextcursor',
    'nextpagecursor',
    'nextmarker',
    'nextoffset',
    'nextstart',
    'nextbatch',
  ],
  ...['nextkey', 'nextcontinuationtoken', 'continuation', 'continuationtoken', 'continue', 'lastevaluatedkey'],
  RESUMPTION,
]);
/** Keys whose value `true` means that there are more pages, and keys whose value `false` means so. */
const MORE_KEYS: ReadonlySet<string> = new Set([
  ...['hasmore', 'hasnext', 'hasnextpage', 'hasmoreitems', 'hasmoreresults', 'more', 'moreresults', 'morerecords'],
  ...['moreitems', 'moreitemsincollection', 'moreavailable', 'hasmorepages', 'istruncated', 'truncated', 'next'],
]);
const LAST_KEYS: ReadonlySet<string> = new Set([
  ...['islast', 'islastpage', 'last', 'lastpage', 'isend', 'endoflist', 'endofrecords', 'endofresults'],
]);
/** Keys that may mean another page or something else: `false` at the first ones, a string at the others. */
const WEAK_FLAGS: ReadonlySet<string> = new Set(['done', 'end', 'complete', 'finished']);
const WEAK_KEYS: ReadonlySet<string> = new Set([
  ...['cursor', 'offset', 'bookmark', 'marker', 'after', 'endcursor', 'scrollid'],
]);
/** The value of CouchDB where no page follows. */
const NO_BOOKMARK = 'nil';
/** Keys for the number of pages, and keys for the number of the current page: only together they describe pages. */
const PAGES_KEYS: ReadonlySet<string> = new Set([
  ...['totalpages', 'pagecount', 'numpages', 'pagestotal', 'lastpage', 'pages', 'maxpage', 'nbpages'],
]);
const PAGE_KEYS: ReadonlySet<string> = new Set(['page', 'currentpage', 'pagenumber', 'pageindex', 'number', 'pageno']);
/** Headers whose value is the number of pages. */
const PAGES_HEADERS: readonly string[] = [
  'x-total-pages',
  'x-wp-totalpages',
  'x-page-count',
  'x-pagination-page-count',
];
const DATE = /^\d{4}-\d{2}-\d{2}/;
const NEXT_HEADERS: readonly string[] = [
  'x-next-page',
  'next-page',
  'x-next-cursor',
  'x-next-token',
  'x-next',
  'x-continuation-token',
  'x-ms-continuationtoken',
  'x-ms-continuation',
];
/** Headers whose value says whether there are more pages. */
const MORE_HEADERS: readonly string[] = ['x-has-more', 'x-has-next', 'x-has-next-page', 'x-has-more-pages'];

/** A sign in a response that another page follows. */
export interface Sign {
  /** Where the sign was found, in words for the user. */
  readonly where: string;
  /** The keys that lead to the member of the body; absent if the sign is a header. */
  readonly at?: readonly string[];
  /** True if the sign is about this page, as `has_more` is; an address may be on every page of an API. */
  readonly isFlag: boolean;
  /** True if it may mean something else. */
  readonly isWeak?: boolean;
  /** The value of an address: one that is the same on each page names no other page. */
  readonly value?: string;
}

/**
 * Returns the sign in a response that another page follows: the `Link` header, or a member of the body with a usual name.
 *
 * @param path the keys that lead to the items
 * @param before the number of pages of the call before this one, if it is known: it shows whether the API counts pages from 0
 * @returns `undefined` when nothing says so
 * @example nextPageSign(reply, ['items']) // { where: '"links.next" in the body', isFlag: false }
 */
export function nextPageSign(reply: Reply, path: readonly string[], before?: number): Sign | undefined {
  const flag = flagIn(reply, path, before);
  if (flag !== undefined) return { ...flag, isFlag: true };
  const address = addressIn(reply, path);
  if (address !== undefined) return { ...address, isFlag: false };
  const weak = weakIn(reply, path);
  return weak === undefined ? undefined : { ...weak, isFlag: false, isWeak: true };
}

type SignPlace = Pick<Sign, 'where' | 'at' | 'value'>;

/** Returns whether a flag in a response says that no other page follows. */
export const saysLast = (reply: Reply, path: readonly string[]): boolean => memberOf(reply, path, isNone) !== undefined;

/**
 * Returns whether a response has a place for the next page, such as `"next": null` or a `Link` header with `rel="first"`, or says that
 * there is one page. If it names no other page, it is the last one.
 */
export const hasPlaceOfNext = (reply: Reply, path: readonly string[]): boolean =>
  ['first', 'last', 'prev'].some((relation) => linkTo(relation, reply.response.headers['link'] ?? []) !== undefined) ||
  memberOf(
    reply,
    path,
    (key, value) =>
      NEXT_KEYS.has(key) ||
      (PAGES_KEYS.has(key) && numberIn(value) <= 1) ||
      (WEAK_KEYS.has(key) && (value === null || value === '' || value === NO_BOOKMARK)),
  ) !== undefined;

/** Returns the weak sign of another page, where nothing says that there is none. */
function weakIn(reply: Reply, path: readonly string[]): SignPlace | undefined {
  if (saysLast(reply, path)) return undefined;
  return memberOf(reply, path, (key, value) => {
    if (WEAK_FLAGS.has(key)) return value === false;
    return WEAK_KEYS.has(key) && typeof value === 'string' && value !== NO_BOOKMARK && /[^\d\s]/.test(value);
  });
}

function flagIn(reply: Reply, path: readonly string[], before: number | undefined): SignPlace | undefined {
  const { headers } = reply.response;
  const header = MORE_HEADERS.find((name) => /^(true|1)$/i.test([headers[name] ?? []].flat()[0] ?? ''));
  if (header !== undefined) return { where: `a header ${header}` };
  return memberOf(reply, path, (key, value, object) => {
    if (isTrue(value)) return MORE_KEYS.has(key);
    if (isFalse(value)) return LAST_KEYS.has(key);
    if (key === 'remainingitemcount') return numberIn(value) > 0;
    return PAGES_KEYS.has(key) && !saysNone(object) && numberIn(value) > lastRead(pageIn(object), before);
  });
}

function addressIn(reply: Reply, path: readonly string[]): SignPlace | undefined {
  const { headers } = reply.response;
  const link = linkTo('next', headers['link'] ?? []);
  if (link !== undefined) return { where: 'a header Link with rel="next"', value: link };
  if (speaksOf('next', headers['link'] ?? []))
    return {
      where: 'a header Link that speaks of "next", and has no link that can be read',
      value: String(headers['link']),
    };
  const valueOf = (name: string): string => [headers[name] ?? []].flat()[0] ?? '';
  const header =
    NEXT_HEADERS.find((name) => valueOf(name) !== '') ?? PAGES_HEADERS.find((name) => Number(valueOf(name)) > 1);
  if (header !== undefined) return { where: `a header ${header}`, value: valueOf(header) };
  return memberOf(reply, path, (key, value) =>
    key === 'links' || key === 'link' ? (isList(value) ? value : [value]).some(isNextLink) : isNamedNext(key, value),
  );
}

/** Returns the first matching member beside the items, or of an object in a header. */
function memberOf(
  reply: Reply,
  path: readonly string[],
  isMeant: (key: string, value: Json, object: JsonObject) => boolean,
): SignPlace | undefined {
  for (const { path: place, object } of metadataObjectsIn(aroundItems(reply), path)) {
    const found = entriesOf(object).find(([key, value]) => isMeant(plainKey(key), value, object));
    if (found === undefined) continue;
    const at = [...place, found[0]];
    return { where: `${placeText(at)} in the body`, at, value: stringifyJson(found[1]) };
  }
  for (const [header, object] of headerObjects(reply))
    if (entriesOf(object).some(([key, value]) => isMeant(plainKey(key), value, object)))
      return { where: `a header ${header}` };
  return undefined;
}

const isTrue = (value: Json): boolean => value === true || value === 'true' || value === 1;
const isFalse = (value: Json): boolean => value === false || value === 'false' || value === 0;

const numberIn = (value: Json | undefined): number =>
  typeof value === 'number' || (typeof value === 'string' && isCount(value)) ? Number(value) : NaN;

/** Returns the number of the current page; `NaN`, which nothing is larger than, if the object has none. */
function pageIn(object: JsonObject): number {
  const [, page] = entriesOf(object).find(([key]) => PAGE_KEYS.has(plainKey(key))) ?? [];
  return numberIn(page);
}

/** Returns how many pages there are up to a page number: pages are counted from 1, unless the pages before show that they count from 0. */
const lastRead = (page: number, before: number | undefined): number => (page - 1 === before ? page : page + 1);

/** Returns whether a flag of the same object says that there is no other page. */
const saysNone = (object: JsonObject): boolean =>
  entriesOf(object).some(([key, value]) => isNone(plainKey(key), value));

const isNone = (key: string, value: Json): boolean =>
  (MORE_KEYS.has(key) && isFalse(value)) || (LAST_KEYS.has(key) && isTrue(value));

function isNamedNext(key: string, value: Json): boolean {
  if (key === RESUMPTION && isObject(value)) return TOKEN_KEYS.some((name) => isAddress(ownValue(value, name)));
  return NEXT_KEYS.has(key) && leads(value);
}

/** Returns whether a value is a non-blank string or number, or an object or an array that holds one (HAL, JSON:API, DynamoDB). */
function leads(value: Json): boolean {
  if (isList(value)) return value.some((element) => isObject(element) && leads(element));
  if (isObject(value)) return Object.values(value).some((inner) => isAddress(inner) || isObject(inner));
  return isAddress(value);
}

const isAddress = (value: Json | undefined): boolean =>
  !isBlankData(value) &&
  (typeof value === 'string' ? value.trim() !== '' && !DATE.test(value) : typeof value === 'number');

const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/**
 * Returns whether a value is a link to the next page in an array, `{"rel": "next", "href": …}`, or an Atom link, which has these as
 * attributes.
 */
const isNextLink = (value: Json): boolean =>
  isObject(value) &&
  ['rel', 'relation', '@rel'].some((key) => /^next$/i.test(textIn(ownValue(value, key)))) &&
  ['href', 'url', 'uri', '@href'].some((key) => isAddress(ownValue(value, key)));

const FAILURE = 400;

/**
 * Returns where a page that is not full names another page behind it. Some APIs give an address on every page: an address that the page
 * before gave as well names no other page, while a flag counts by itself.
 *
 * @param path the keys that lead to the items
 * @param pages the number of pages of the call before this one, at least one
 * @param previous the response before; absent in a resumed call
 * @returns the place in words; `undefined` where no page is named
 */
export function namedPage(
  reply: Reply,
  path: readonly string[],
  pages: number,
  previous: Reply | undefined,
): string | undefined {
  if (reply.response.status >= FAILURE) return undefined;
  const sign = nextPageSign(reply, path, pages);
  if (sign === undefined || sign.isFlag || sign.isWeak === true) return undefined;
  const before = previous === undefined ? undefined : nextPageSign(previous, path, pages - 1);
  return before?.where === sign.where && before.value === sign.value ? undefined : sign.where;
}

/** Returns the warning about a page that only an address named, and that does not exist: the API may always end this way. */
export const noNamedPage = (endpoint: string, pages: number, where: string, found: string): Doubt => ({
  code: 'NEXT_PAGE_EMPTY',
  level: 'warning',
  message:
    `Page ${pages} of ${endpoint} is not full, and names another one with ${where}, but page ${pages + 1} ${found}. Some APIs name one on each page; ` +
    `else the API failed, or the request does not ask for that page: check the names of the parameters in api.pagination.`,
});

/** Returns the doubt about an empty page that came again, although the API says with it that there are more. */
export function emptyPageAgain({ plan }: JobRun, pages: number, reply: Reply): Doubt | undefined {
  const sign = nextPageSign(reply, []);
  if (sign?.isFlag !== true) return undefined;
  return {
    code: 'NEXT_PAGE_NOT_TAKEN',
    level: 'error',
    message:
      `Page ${pages + 1} of ${plan.endpoint} is as empty as the page before, although the API says with ${sign.where} that ` +
      `there is more: pagination does not lead on. Check api.pagination; "completeness": "warn" in the job takes it as the end.`,
  };
}

/** Keys at which APIs give the address of the page before. */
const PREVIOUS_KEYS: ReadonlySet<string> = new Set([
  ...['previous', 'prev', 'previouspage', 'prevpage', 'previousurl', 'prevurl', 'previouslink', 'prevlink'],
  ...['previouspageurl', 'prevpageurl', 'previouspagelink'],
]);
/** Keys whose value `true` means that there is a page before, and keys whose value `false` means so. */
const BEFORE_KEYS: ReadonlySet<string> = new Set([
  ...['hasprevious', 'hasprev', 'haspreviouspage', 'hasprevpage', 'previous', 'prev'],
]);
const FIRST_KEYS: ReadonlySet<string> = new Set(['first', 'isfirst', 'isfirstpage']);

/**
 * Returns the sign in a response that there is a page before it.
 *
 * @param path the keys that lead to the items
 * @example previousPageSign(reply, ['content']) // { where: '"first" in the body', at: ['first'], isFlag: true }
 */
export function previousPageSign(reply: Reply, path: readonly string[]): Sign | undefined {
  const flag = memberOf(reply, path, (key, value) =>
    value === true || value === 'true'
      ? BEFORE_KEYS.has(key)
      : (value === false || value === 'false') && FIRST_KEYS.has(key),
  );
  if (flag !== undefined) return { ...flag, isFlag: true };
  if (['prev', 'previous'].some((relation) => linkTo(relation, reply.response.headers['link'] ?? []) !== undefined))
    return { where: 'a header Link with rel="prev"', isFlag: false };
  const address = memberOf(
    reply,
    path,
    (key, value) => PREVIOUS_KEYS.has(key) && typeof value === 'string' && !isBlankData(value) && value.trim() !== '',
  );
  return address === undefined ? undefined : { ...address, isFlag: false };
}
