import { entriesOf, isObject, merge, objectFrom, ownValue, stringAt, valueBelow } from '../../../core/json/objects';
import { jsonIn } from '../../../core/json/parse';
import { textOf } from '../../../core/json/scalars';
import type { Json, JsonObject } from '../../../core/model';
import { parseUrl } from '../../../core/url/address';
import { leavesOutsideItems } from '../data-place';
import type { DataPlace } from '../data-place';
import type { Answer } from '../model';
import { offsetSign, offsetSigns, pageSigns, pagenum, totalOf } from './counts';
import { linkSigns } from './links';
import { KEY_PARAMS, OFFSET_PARAMS, PAGE_PARAMS, bodyMembers, isPageSize, placeInBody } from './names';
import { quoted } from './sign';
import type { PagingSign, ReadBody, Seen } from './sign';
import { keysetBy, keysetSigns, moreFlag, tokenSigns } from './tokens';

/** Returns the response in the form in which signs are looked for. */
export const seenIn = (answer: Answer, data: DataPlace, read: ReadBody = readsJson): Seen => ({
  answer,
  data,
  read,
  leaves: leavesOutsideItems(answer.data, data.keys),
  asked: new Map([...(parseUrl(answer.url)?.searchParams ?? []), ...membersOf(answer.requestBody)]),
});

const readsJson: ReadBody = ({ body }) => jsonIn(Buffer.from(body).toString('utf8'));

const membersOf = (body: Json | undefined): readonly (readonly [string, string])[] =>
  isObject(body) ? bodyMembers(body).map(({ name, value }) => [name, textOf(value)]) : [];

/** The options that name parameters. */
const PLACES = ['limitParam', 'offsetParam', 'pageParam', 'queryParam', 'param'];

/** Returns a sign whose parameters are members of the body, where the request has a JSON body. */
function placed(sign: PagingSign, { answer: { requestBody, isForm } }: Seen): PagingSign {
  if (!isObject(requestBody) || isForm === true) return sign;
  const options = PLACES.flatMap((key) => {
    const name = sign.pagination[key];
    return typeof name === 'string' ? [[key, [...placeInBody(requestBody, name)]] as const] : [];
  });
  return { ...sign, pagination: merge(sign.pagination, objectFrom(options)) };
}

/** Returns whether the request has the page size of a sign. */
export const isSized = ({ pagination: { limitParam } }: PagingSign, { asked }: Pick<Seen, 'asked'>): boolean => {
  const [first, ...inner] = [limitParam].flat().filter((name) => typeof name === 'string');
  // The parameter of a field within an object has its name alone, or brackets.
  return first !== undefined && [inner.at(-1) ?? first, `${first}[${inner[0] ?? ''}]`].some((name) => asked.has(name));
};

/** Returns whether the request has a parameter of a sign. */
export const isGiven = ({ probe }: PagingSign, { asked }: Pick<Seen, 'asked'>): boolean =>
  Object.keys(probe?.params ?? {}).some((name) => asked.has(name));

/**
 * Returns the pagings that a response suggests, the most certain first; those that count by similar parameters are adjacent.
 *
 * @param key the field that identifies items, for pages after the last item
 */
export function pagingSigns(seen: Seen, key: string | undefined): readonly PagingSign[] {
  const lastKey = lastKeyOf(seen, key);
  return [
    ...connections(seen),
    ...linkSigns(seen),
    ...tokenSigns(seen),
    ...pageSigns(seen),
    ...offsetSigns(seen),
    ...(key === undefined || lastKey === undefined ? [] : keysetSigns(seen, key, lastKey)),
  ].map((sign) => placed(sign, seen));
}

/** Returns whether the request is a query of GraphQL. */
export const isGraphql = ({ answer: { requestBody } }: Pick<Seen, 'answer'>): boolean =>
  stringAt(requestBody, 'query') !== undefined;

/** Returns the sign of `pageInfo` of GraphQL. */
function connections({ answer: { requestBody, data } }: Seen): readonly PagingSign[] {
  const query = stringAt(requestBody, 'query');
  if (query === undefined || data === undefined) return [];
  return infosIn(data, []).map(({ keys, info }) => {
    const name = /\bafter\s*:\s*\$(\w+)/.exec(query)?.[1];
    return {
      pagination: {
        method: 'connection',
        pageInfo: keys.join('.'),
        ...(name === undefined || name === 'after' ? {} : { afterParam: ['variables', name] }),
      },
      more: ownValue(info, 'hasNextPage') === true,
      reason: `${quoted(keys)} is the pageInfo of a connection.`,
    };
  });
}

const infosIn = (
  value: Json,
  keys: readonly string[],
): readonly { readonly keys: readonly string[]; readonly info: JsonObject }[] =>
  !isObject(value)
    ? []
    : entriesOf(value).flatMap(([key, inner]) =>
        key === 'pageInfo' && isObject(inner)
          ? [{ keys: [...keys, key], info: inner }]
          : infosIn(inner, [...keys, key]),
      );

/** A claim of the response about whether there are more items. */
export interface MoreClaim {
  readonly more: boolean;
  /** True if the claim is a total that may count only the items of the page. */
  readonly isWeak?: true;
  /** A sentence. */
  readonly reason: string;
}

/** Returns the claim about more items, by a total or a flag; `undefined`: there is none. */
export function claimOf(seen: Seen): MoreClaim | undefined {
  const total = totalOf(seen);
  const count = seen.data.items.length;
  if (total !== undefined && total.value > count)
    return { more: true, reason: `The API counts ${total.value} (${total.name}), and the first page has ${count}.` };
  const flag = moreFlag(seen);
  if (flag !== undefined)
    return {
      more: flag.more,
      reason: `${quoted(flag.keys)} says ${flag.more ? 'that there is more' : 'that this is all'}.`,
    };
  return total === undefined
    ? undefined
    : {
        more: false,
        isWeak: true,
        reason: `The API counts ${total.value} (${total.name}), which is what the first page has.`,
      };
}

/** Returns whether a response names a next page, or counts more items than the page size that the request has. */
export const namesMore = (seen: Seen): boolean =>
  pagingSigns(seen, undefined).some(({ more }) => more === true) ||
  (claimOf(seen)?.more === true && [...seen.asked.keys()].some(isPageSize));

/** Returns the guesses if a response does not show its paging: parameters that many APIs know. */
export function guesses(seen: Seen, key?: string): readonly PagingSign[] {
  const total = totalOf(seen);
  const reason = (param: string): string => `The parameter "${param}" gives other items.`;
  const offsets = OFFSET_PARAMS.map(([offset, limit]) => offsetSign(seen, offset, limit, reason(offset)));
  const pages = PAGE_PARAMS.flatMap((pageParam) =>
    [1, 0].map((firstPage): PagingSign => ({
      pagination: pagenum(seen, pageParam, firstPage),
      more: undefined,
      reason: reason(pageParam),
      probe: { params: { [pageParam]: firstPage + 1 }, expects: 'other' },
    })),
  );
  const both =
    total === undefined
      ? [...pages.slice(0, 2), ...offsets.slice(0, 1), ...pages.slice(2, 4), ...offsets.slice(1), ...pages.slice(4)]
      : [...offsets.slice(0, 1), ...pages.slice(0, 2), ...offsets.slice(1), ...pages.slice(2)];
  const counting = [...both].sort(
    (a, b) =>
      Number(isGiven(b, seen)) - Number(isGiven(a, seen)) || Number(isSized(b, seen)) - Number(isSized(a, seen)),
  );
  const last = lastKeyOf(seen, key);
  const keysets =
    key === undefined || last === undefined
      ? []
      : KEY_PARAMS.map((param) => keysetBy(seen, key, last, param, reason(param)));
  return [...counting, ...keysets].map((sign) => placed(sign, seen));
}

/** Returns the value of a field in the last item. */
function lastKeyOf({ data: { items } }: Seen, key: string | undefined): Json | undefined {
  return key === undefined ? undefined : valueBelow(items.at(-1), key);
}

/** The parameters that make a paging by offsets doubtful, although it worked. */
const OFFSETS: ReadonlySet<string> = new Set(OFFSET_PARAMS.map(([offset]) => offset));

/** Returns the warning about an address from the middle of a list: the pages before are not requested. */
export function laterStart({ asked, ...seen }: Pick<Seen, 'asked' | 'answer'>): string | undefined {
  // There, `first` is the size of a page.
  if (isGraphql(seen)) return undefined;
  const later = [...asked].find(
    ([name, value]) =>
      (PAGE_PARAMS.includes(name) && /^(?:[2-9]|\d{2,9})$/.test(value)) ||
      (OFFSETS.has(name) && /^[1-9]\d{0,9}$/.test(value)),
  );
  return later === undefined
    ? undefined
    : `The address begins with ${later[0]}=${later[1]}: what the API has before that is not requested. Leave it out, unless that is meant.`;
}

/** Returns the warning about a flag that is a string: it ends no pagination, so that positions continue until a page has no items. */
export function textFlag(seen: Seen, pagination: JsonObject | undefined): string | undefined {
  const flag = moreFlag(seen);
  if (flag?.isText !== true || pagination === undefined) return undefined;
  if (pagination['method'] !== 'pagenum' && pagination['method'] !== 'offset') return undefined;
  return `${quoted(flag.keys)} is a string and ends no pages: a run goes on until a page has no items. Let a rule with "do": "last" read it.`;
}
