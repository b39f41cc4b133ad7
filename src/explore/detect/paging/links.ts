/** Signs of addresses of the next page: in the header `Link`, in other headers, in the body. */
import { entriesOf, isList, isObject, keysOf, ownValue, merge } from '../../../core/json/objects';
import type { Json, JsonObject, JsonScalar } from '../../../core/model';
import { linkTo } from '../../../core/headers';
import { parseUrl } from '../../../core/url/address';
import { headerOf } from '../model';
import { plainName, jsonPathText, pathText } from '../data-place';
import { quoted, type PagingSign, type Seen } from './sign';

/** Returns the signs of addresses, the most certain first. */
export const linkSigns = (seen: Seen): readonly PagingSign[] => [
  ...linkHeader(seen),
  ...otherHeaders(seen),
  ...linkLists(seen),
  ...bodyLinks(seen),
];

function linkHeader({ answer }: Seen): readonly PagingSign[] {
  const { link } = answer.headers;
  if (link === undefined) return [];
  const next = linkTo('next', link);
  if (next !== undefined)
    return [sign({ method: 'response.link' }, true, 'The header Link has an address with rel="next".')];
  const isPaged = ['first', 'last', 'prev', 'previous'].some((rel) => linkTo(rel, link) !== undefined);
  return isPaged
    ? [
        sign(
          { method: 'response.link' },
          false,
          'The header Link has addresses of other pages, and none of a next one.',
        ),
      ]
    : [];
}

const otherHeaders = ({ answer }: Seen): readonly PagingSign[] =>
  Object.keys(answer.headers).flatMap((name) => {
    const value = headerOf(answer, name) ?? '';
    if (!/next/i.test(name) || !isAddressText(value) || /^\d+$/.test(value)) return [];
    return [sign({ method: 'response.url', urlHeader: name }, true, `The header ${name} has an address.`)];
  });

/** Returns the signs of lists of links: `links: [{"rel": "next", "href": "…"}]`. */
function linkLists({ answer: { data }, data: { keys: items } }: Seen): readonly PagingSign[] {
  if (!isObject(data ?? null)) return [];
  return listsOf(data as JsonObject, []).flatMap(({ keys, list }) => {
    if (items.join('.') === keys.join('.')) return [];
    const objects = list.filter(isObject);
    const names = [...new Set(objects.flatMap((each) => keysOf(each)))];
    // An attribute of XML begins with an at sign.
    const rel = names.find((name) => /^@?(?:rel|relation)$/.test(name));
    const url = names.find((name) => /^@?(?:href|url|uri)$/.test(name));
    if (rel === undefined || url === undefined) return [];
    const more = objects.some((each) => ownValue(each, rel) === 'next');
    const urlKey = rel.startsWith('@')
      ? jsonPathText(keys, `[?@['${rel}']=='next']['${url}']`)
      : jsonPathText(keys, `[?@.${rel}=='next'].${url}`);
    const reason = `The array ${quoted(keys)} has links by their ${rel}${more ? '' : ', and none to a next page'}.`;
    return [sign({ method: 'response.url', urlKey }, more, reason)];
  });
}

/** Links are near the root of a response. */
const DEEPEST_LINKS = 2;

const listsOf = (
  data: JsonObject,
  above: readonly string[],
): readonly { readonly keys: readonly string[]; readonly list: readonly Json[] }[] =>
  entriesOf(data).flatMap(([key, value]) => {
    const keys = [...above, key];
    if (isList(value)) return [{ keys, list: value }];
    return isObject(value) && keys.length < DEEPEST_LINKS ? listsOf(value, keys) : [];
  });

const NEXT = /^(?:odata)?next(?:page|link|url|uri|href|path|records|results|set)*$/;
const OTHERS = /prev|self|first|last|current|before|canonical|documentation|docs/;
/** Below these keys, `next` is the place of an address even if it is null. */
const HOLDERS = /links?$|paging|pagination|pages|^meta$/;

function bodyLinks(seen: Seen): readonly PagingSign[] {
  const { leaves, answer } = seen;
  const named = leaves.flatMap(({ keys, value }) => {
    const name = nameOf(keys);
    if (!NEXT.test(name)) return [];
    if (isNone(value)) {
      const isAddress =
        /link|url|uri|href|path|records/.test(name) || keys.length === 1 || HOLDERS.test(plainName(keys[0] ?? ''));
      return isAddress ? [sign(urlAt(keys), false, `${quoted(keys)} is empty: there is no next page.`)] : [];
    }
    if (typeof value !== 'string' || !isAddressText(value)) return [];
    return [sign(fitted(urlAt(keys), value, seen), true, `${quoted(keys)} has the address of the next page.`)];
  });
  const shaped = leaves.flatMap(({ keys, value }) => {
    if (typeof value !== 'string' || OTHERS.test(keys.map(plainName).join('.')) || NEXT.test(nameOf(keys))) return [];
    const differing = differenceOf(value, answer.url);
    const reason = `${quoted(keys)} has the address of this request with another "${differing}".`;
    return differing === undefined ? [] : [sign(fitted(urlAt(keys), value, seen), true, reason)];
  });
  return [...named, ...shaped];
}

const isNone = (value: JsonScalar): boolean => value === null || value === '' || value === false;

/** Returns the last meaningful key: for `href` and similar ones, the key above. */
function nameOf(keys: readonly string[]): string {
  const last = plainName(keys.at(-1) ?? '');
  return /^(?:href|url|uri|link)$/.test(last) ? plainName(keys.at(-2) ?? '') : last;
}

const urlAt = (keys: readonly string[]): JsonObject => ({ method: 'response.url', urlKey: pathText(keys) });

/** Returns the options for the form of the address. */
function fitted(pagination: JsonObject, address: string, { answer, asked }: Seen): JsonObject {
  const isQuery = !/^(?:https?:|\/|\?)/i.test(address) && !address.includes('?');
  const next = parseUrl(isQuery ? `?${address}` : address, answer.url);
  const lost = [...asked.keys()].some((name) => next !== undefined && !next.searchParams.has(name));
  // A cursor mostly contains the parameters; addresses that count pages have to repeat them.
  const isCounted = [...(next?.searchParams.values() ?? [])].every((value) => /^\d+$/.test(value));
  return merge(pagination, {
    ...(isQuery ? { paramIsQuery: true } : {}),
    ...(lost && isCounted ? { includeParams: true } : {}),
  });
}

/** Returns the only parameter in which an address of the same resource differs from the request. */
function differenceOf(address: string, url: string): string | undefined {
  if (!isAddressText(address)) return undefined;
  const [there, here] = [parseUrl(address, url), parseUrl(url)];
  if (there === undefined || here === undefined || there.host !== here.host || there.pathname !== here.pathname)
    return undefined;
  const names = new Set([...there.searchParams.keys(), ...here.searchParams.keys()]);
  const differing = [...names].filter((name) => there.searchParams.get(name) !== here.searchParams.get(name));
  return differing.length === 1 && there.searchParams.has(differing[0] ?? '') ? differing[0] : undefined;
}

const isAddressText = (text: string): boolean =>
  text.length < 8_192 &&
  /^(?:https?:\/\/\S+|\/[^\s/]\S*|\?\S+=\S*|[\w./-]+\?\S+=\S*|[\w%[\].-]+=[^\s&]*(?:&[\w%[\].-]+=[^\s&]*)*)$/i.test(
    text,
  );

const sign = (pagination: JsonObject, more: boolean, reason: string): PagingSign => ({ pagination, more, reason });
