/** The words with which APIs speak of pages, totals and errors, in one form: `@odata.nextLink`, `next_link` and `nextLink` are `nextlink`. */
import { entriesOf, isList, isObject, keysOf, ownValue } from '../../core/json/objects';
import { isScalar } from '../../core/json/scalars';
import type { Json, JsonObject } from '../../core/model';

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));

/** Most keys have this form already; each response asks for that of several. */
const PLAIN = /^[a-z0-9]+$/;

/** Returns the form of a key in which words are compared. */
export const plainKey = (key: string): string =>
  PLAIN.test(key)
    ? key
    : key
        .toLowerCase()
        .replace(/^(?:@?odata\.|(?:hydra|atom|oai|opensearch):)/, '')
        .replace(/[^a-z0-9]/g, '');

/** Objects beside the items, or above them, in which APIs describe their pages. */
export const HOLDERS = setOf(
  `meta metadata info pagination paging pager page pageinfo pages links link next cursor cursors responsemetadata resultinfo
   resultset navigation hits additionaldata view paginator paginatorinfo paginationinfo paginginfo resumptiontoken`,
);
/** Keys at which APIs have a list of items, whatever else is beside it. */
export const LISTS = setOf(
  `data items result results records rows entry entries content values value list objects hits elements documents docs
   members response collection features`,
);
/** Keys of what distinguishes one object from others. An object with one is an item, and what is in it are its own words. */
const IDS = setOf('id uuid guid objectid');

/** The address of the next page, or a token for it. */
export const NEXT = setOf(
  `next nextpage nexturl nexturi nextlink nexthref nextpath nextresults nextrecordsurl nextpageurl nextpageuri nextpagelink
   nextpagehref nextpagepath nextset nexttoken nextpagetoken nextcursor nextpagecursor nextmarker nextoffset nextstart nextbatch
   nextkey nextcontinuationtoken continuation continuationtoken continue lastevaluatedkey resumptiontoken`,
);
/** What is true where there are more pages, and what is false there. */
export const MORE = setOf(
  `hasmore hasnext hasnextpage hasmoreitems hasmoreresults more moreresults morerecords moreitems moreitemsincollection
   moreavailable hasmorepages istruncated truncated next`,
);
export const LAST = setOf('islast islastpage last lastpage isend endoflist endofrecords endofresults');
/** What is true, and what is false, where there is a page before. */
export const BEFORE = setOf('hasprevious hasprev haspreviouspage hasprevpage previous prev');
export const FIRST = setOf('first isfirst isfirstpage');
/** The number of pages, and the number of this page: they speak of pages only together. */
export const PAGES = setOf('totalpages pagecount numpages pagestotal lastpage pages maxpage nbpages');
export const PAGE = setOf('page currentpage pagenumber pageindex number pageno');

/** The number of all items. */
export const TOTALS: readonly string[] = [
  ...'totalcount totalitems totalresults totalrecords totalelements totalrows totalentries totalhits totalsize'.split(
    ' ',
  ),
  ...'totalnumber totalfound numfound nbhits recordstotal counttotal completelistsize total'.split(' '),
  ...'recordcount itemcount resultcount rowcount found count'.split(' '),
];
/** Of these, the ones that some APIs use for the items of a page. */
export const MAY_BE_OF_PAGE = setOf('recordcount itemcount resultcount rowcount found count');

export const TOTAL_HEADERS = [
  'x-total-count',
  'x-total',
  'total-count',
  'x-wp-total',
  'x-pagination-total-count',
  'content-range',
] as const;
export const NEXT_HEADERS = [
  'x-next-page',
  'next-page',
  'x-next-cursor',
  'x-next-token',
  'x-next',
  'x-continuation-token',
  'x-ms-continuationtoken',
  'x-ms-continuation',
] as const;
export const MORE_HEADERS = ['x-has-more', 'x-has-next', 'x-has-next-page', 'x-has-more-pages'] as const;
/** Headers that hold an object that describes the pages. */
export const OBJECT_HEADERS = ['x-pagination', 'pagination'] as const;

/** What has a value where something went wrong, and what is false there. */
export const ERRORS = setOf('error errors fault');
export const SUCCESS = setOf('success ok');
/** Sentences for people. They are quoted, and decide nothing. */
export const TEXTS = setOf(
  'message msg detail details reason notice warning warnings errormessage errmsg errordescription',
);
/** What stands beside such a sentence. */
export const BESIDE_TEXTS = setOf(
  'code stat status statuscode errcode title type timestamp path instance traceid requestid documentationurl help errorcode errno',
);

/** Returns whether a key is the name of errors. */
export const namesErrors = (key: string): boolean => ERRORS.has(plainKey(key));

/** Returns whether an object has nothing but what APIs say in place of items: a sentence or an error, and what stands beside these. */
export function isMessage(value: Json | undefined): boolean {
  if (!isObject(value)) return false;
  const entries = entriesOf(value);
  const isMessage = ([key, member]: readonly [string, Json]): boolean => {
    const word = plainKey(key);
    if (TEXTS.has(word) || SUCCESS.has(word)) return true;
    return isList(member) && member.length > 0 ? isErrorList(value, key) : ERRORS.has(word);
  };
  return entries.some(isMessage) && entries.every((entry) => isMessage(entry) || BESIDE_TEXTS.has(plainKey(entry[0])));
}

/**
 * Returns whether a member of a response is a list of errors, as in GraphQL and JSON:API: of sentences, or of objects with one and without
 * an id. Other objects in a list `errors`, and those that are counted, are what an API keeps.
 */
export function isErrorList(holder: JsonObject, key: string): boolean {
  const list = namesErrors(key) ? ownValue(holder, key) : undefined;
  return isList(list) && list.length > 0 && list.every(isError) && !speaksOfPages(holder);
}

const isError = (value: Json): boolean =>
  isObject(value) ? keysOf(value).some((key) => TEXTS.has(plainKey(key))) && !hasId(value) : typeof value === 'string';

const OF_PAGES = new Set([...NEXT, ...MORE, ...LAST, ...PAGES, ...PAGE, ...TOTALS]);
const speaksOfPages = (object: JsonObject): boolean => keysOf(object).some((key) => OF_PAGES.has(plainKey(key)));

/** Returns whether an object has an id of its own. */
export const hasId = (object: JsonObject): boolean =>
  keysOf(object).some((key) => IDS.has(plainKey(key)) && isScalar(ownValue(object, key)));
