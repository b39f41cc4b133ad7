/** Signs of tokens, cursors and numbers that the next request has to carry; and of whether there is a next page. */
import { merge } from '../../../core/json/objects';
import type { Json, JsonObject, JsonScalar } from '../../../core/model';
import { headerOf } from '../model';
import { plainName, pathText } from '../data-place';
import { KEY_PARAMS, isPagingParam, tokenParams } from './names';
import { quoted, type PagingSign, type Seen } from './sign';

const TOKEN =
  /^(?:next|nextpage|nextbatch|nextstart|nextoffset|nextfrom|nextskip|cursor|cursors?after|after|endcursor|bookmark|marker|scrollid|continu\w*|lastevaluatedkey|nextkey|nextid|nextset|nextpos\w*|offset|pagetoken|paginationtoken|\w*next\w*(?:token|cursor|marker|key|id)|skiptoken)$/;
const OTHER = /prev|before|csrf|access|refresh|auth|type|session|start(?!cursor)$|first|self|href|url|link/;
const HEADER = /next|continuation|cursor/i;

/** Returns the signs of tokens in headers and in the body. */
export function tokenSigns(seen: Seen): readonly PagingSign[] {
  const flag = moreFlag(seen);
  const stops = flagOptions(flag);
  return [...inHeaders(seen), ...inBody(seen, stops, flag)];
}

function inHeaders({ answer }: Seen): readonly PagingSign[] {
  return Object.keys(answer.headers).flatMap((name) => {
    const value = headerOf(answer, name);
    // Some headers that count pages are present but empty on the last page as well.
    if (!HEADER.test(name) || /prev|link|control/i.test(name)) return [];
    const [raw = ''] = [answer.headers[name] ?? []].flat();
    if (value === undefined)
      return raw.trim() === ''
        ? [withParam({ responseHeader: name }, name, false, `The header ${name} is empty.`)]
        : [];
    if (/^(?:https?:|\/)/i.test(value) || (value.includes('=') && value.includes('?'))) return [];
    const reason = `The header ${name} has what the next request has to carry.`;
    return tokenParams(name).map((param) => withParam({ responseHeader: name }, param, true, reason, value));
  });
}

function inBody({ leaves, asked }: Seen, stops: JsonObject, flag: Flag | undefined): readonly PagingSign[] {
  return leaves.flatMap(({ keys, value }) => {
    const name = keys.at(-1) ?? '';
    const [plain, all] = [plainName(name), keys.map(plainName).join('.')];
    const isNext = TOKEN.test(plain) || /(?:^|\.)(?:next\.(?:\w*(?:after|cursor|token)|page)|continue\.\w+)$/.test(all);
    if (!isNext || OTHER.test(all.replace(/^links?\./, ''))) return [];
    if (isNone(value)) {
      const own = plain === 'offset' || plain === 'after' || value === 0 ? undefined : tokenParams(name)[0];
      const reason = `${quoted(keys)} is empty: there is no next page.`;
      return own === undefined ? [] : [withParam(merge({ responseParam: pathText(keys) }, stops), own, false, reason)];
    }
    if (!isToken(value, plain)) return [];
    const reason = `${quoted(keys)} has what the next request has to carry.`;
    const given = [...asked.keys()].filter(isPagingParam);
    return [...new Set([...given, ...tokenParams(name)])].map((param) =>
      withParam(merge({ responseParam: pathText(keys) }, stops), param, flag?.more ?? true, reason, value),
    );
  });
}

const isNone = (value: JsonScalar): boolean => value === null || value === '' || value === false || value === 0;

/** Returns whether a value is a token; a number called offset is mostly the start of this page. */
function isToken(value: JsonScalar, plain: string): boolean {
  if (typeof value === 'string')
    return value.length <= 4_096 && !/\s|^(?:https?:|\/)/i.test(value) && !(plain === 'offset' && /^\d+$/.test(value));
  return (
    typeof value === 'number' && plain !== 'offset' && plain !== 'cursor' && /next|continu|cursor|after/.test(plain)
  );
}

const withParam = (from: JsonObject, queryParam: string, more: boolean, reason: string, value?: Json): PagingSign => ({
  pagination: merge(merge({ method: 'response.param' }, from), { queryParam, includeParams: true }),
  more,
  reason,
  ...(value === undefined ? {} : { probe: { params: { [queryParam]: value }, expects: 'other' } }),
});

/** The place of a flag for more pages. */
export interface Flag {
  readonly keys: readonly string[];
  readonly more: boolean;
  /** The value of the field that ends the pagination. */
  readonly stopOn: boolean;
  /** True if the value is a string, "true" or "false", which no stop reads. */
  readonly isText: boolean;
}

const MORE = /^(?:has|is)?(?:more|next|nextpage|moreitems|moreresults|morepages|morerecords|truncated)$/;
const LAST = /^(?:is)?(?:last|lastpage|done|end|finished|exhausted|endofrecords|endofresults|complete)$/;

/** Returns the field that says whether there are more pages. */
export function moreFlag({ leaves }: Pick<Seen, 'leaves'>): Flag | undefined {
  const flags = leaves.flatMap(({ keys, value }): readonly Flag[] => {
    const name = plainName(keys.at(-1) ?? '');
    const isText = value === 'true' || value === 'false';
    if (typeof value !== 'boolean' && !isText) return [];
    const isSet = value === true || value === 'true';
    if (MORE.test(name)) return [{ keys, more: isSet, stopOn: false, isText }];
    return LAST.test(name) ? [{ keys, more: !isSet, stopOn: true, isText }] : [];
  });
  return flags[0];
}

/** Returns the options that end the pagination by the flag, whatever else the response has. */
export const flagOptions = (flag: Flag | undefined): JsonObject => {
  if (flag === undefined || flag.isText) return {};
  const { keys, stopOn } = flag;
  const place = keys.length === 1 ? { field: keys[0] ?? '' } : { path: pathText(keys) };
  return { nextPageFlag: { ...place, stopOn } };
};

/**
 * Returns the signs of paging by the key of the last item, for an API that says "there is more" without a token.
 *
 * @param key the field that identifies items
 * @param last its value in the last item
 */
export function keysetSigns(seen: Seen, key: string, last: Json): readonly PagingSign[] {
  const flag = moreFlag(seen);
  if (flag === undefined) return [];
  const reason = `${quoted(flag.keys)} says ${flag.more ? 'that there is more' : 'that this is all'}, and no token leads on.`;
  return KEY_PARAMS.map((param) => {
    const sign = keysetBy(seen, key, last, param, reason);
    return { ...sign, more: flag.more, pagination: merge(sign.pagination, flagOptions(flag)) };
  });
}

/** Returns a paging after the key of the last item, by this parameter. */
export const keysetBy = (
  { asked }: Pick<Seen, 'asked'>,
  key: string,
  last: Json,
  param: string,
  reason: string,
): PagingSign => ({
  pagination: merge({ method: 'keyset', key, param }, goingOn(asked)),
  more: undefined,
  reason,
  probe: { params: { [param]: last }, expects: 'other' },
});

/** Returns the option for a request with its own page size, which would end the pagination at the first page that is not full. */
export const goingOn = (asked: Seen['asked']): JsonObject => (asked.has('limit') ? { shortPage: 'capped' } : {});
