import { isBlankData } from '../../json/blank';
import { entriesOf, isList, isObject, ownValue } from '../../json/keys';
import type { Json, Reply } from '../../model';
import { linkTo } from '../../url/link-header';
import { aroundItems } from '../reply-value';
import { placesIn, placeText, plainKey } from './places';

/** Keys at which APIs give the address of the next page, or what leads to it. */
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
]);
/** Keys whose value `true` says that there is more, and whose value `false` says so. */
const MORE_KEYS: ReadonlySet<string> = new Set([
  ...['hasmore', 'hasnext', 'hasnextpage', 'hasmoreitems', 'hasmoreresults', 'more', 'moreresults', 'morerecords'],
  ...['moreitems', 'istruncated', 'truncated', 'next'],
]);
const LAST_KEYS: ReadonlySet<string> = new Set(['islast', 'islastpage', 'last', 'lastpage', 'end', 'isend', 'done']);
/** Keys whose value is the number of pages. */
const PAGES_KEYS: ReadonlySet<string> = new Set(['totalpages', 'pagecount', 'numpages', 'pagestotal', 'lastpage']);
const NEXT_HEADERS: readonly string[] = [
  'x-next-page',
  'x-next-cursor',
  'x-next-token',
  'x-next',
  'x-continuation-token',
];

/**
 * What in a response says that another page follows it, in words for a person: the `Link` header, or a member of the body
 * that is called as such members are.
 *
 * @param path the keys that lead to the items
 * @returns `undefined` when nothing says so
 * @example nextPageSign(reply, ['items']) // '"links.next" of the response'
 */
export function nextPageSign(reply: Reply, path: readonly string[]): string | undefined {
  const { headers } = reply.response;
  if (linkTo('next', headers['link'] ?? []) !== undefined) return 'a header Link with rel="next"';
  const header = NEXT_HEADERS.find((name) => [headers[name] ?? []].flat().some((value) => value !== ''));
  if (header !== undefined) return `a header ${header}`;
  for (const { path: place, object } of placesIn(aroundItems(reply), path)) {
    const found = entriesOf(object).find(([key, value]) => saysMore(plainKey(key), value));
    if (found !== undefined) return `${placeText([...place, found[0]])} in the body`;
  }
  return undefined;
}

function saysMore(key: string, value: Json): boolean {
  if (value === true) return MORE_KEYS.has(key);
  if (value === false) return LAST_KEYS.has(key);
  if (PAGES_KEYS.has(key)) return typeof value === 'number' && value > 1;
  if (key === 'links' && isList(value)) return value.some(isNextLink);
  return NEXT_KEYS.has(key) && leads(value);
}

/** A string or a number that is not blank, or an object that holds an address (HAL, JSON:API). */
const leads = (value: Json): boolean =>
  isObject(value)
    ? ['href', 'url', 'uri', 'link', 'after', 'page'].some((key) => isAddress(ownValue(value, key)))
    : isAddress(value);

const isAddress = (value: Json | undefined): boolean =>
  !isBlankData(value) && (typeof value === 'string' ? value.trim() !== '' : typeof value === 'number');

const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** An element of a list of links, `{"rel": "next", "href": …}`. */
const isNextLink = (value: Json): boolean =>
  isObject(value) &&
  ['rel', 'relation'].some((key) => /^next$/i.test(textIn(ownValue(value, key)))) &&
  ['href', 'url', 'uri'].some((key) => isAddress(ownValue(value, key)));
