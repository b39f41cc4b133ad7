/** Signs of paging by numbers of pages, offsets and totals. */
import { merge } from '../../../core/json/objects';
import type { JsonObject } from '../../../core/model';
import { headerOf } from '../model';
import { plainName, type Leaf, pathText } from '../data-place';
import { isPageSize, OFFSET_PARAMS, PAGE_PARAMS, PAGE_SIZE } from './names';
import { quoted, type PagingSign, type Seen } from './sign';
import { flagOptions, goingOn, moreFlag } from './tokens';

const PAGE = /^(?:current)?page(?:number|num|index|no|id)?$|^number$|^currentpage$|^pg$/;
const PAGES = /^(?:totalpages|pagecount|pages|lastpage|numpages|pagestotal|nbpages|maxpage|totalpagecount)$/;
const OFFSET = /^(?:offset|skip|start|startat|startindex|first|from)$/;
const TOTAL =
  /^(?:total|totalcount|totalitems|totalresults|totalrecords|totalelements|totalsize|totalrows|numfound|odatacount|recordstotal|totalhits|itemcount|nbhits|filteredtablerowscount|count|found|value|estimatedtotal|totaldocs|totalobjects)$/;
const TOTAL_HEADERS =
  'x-total-count x-total x-wp-total total-records x-total-records x-count x-pagination-total content-range total-count'.split(
    ' ',
  );
const PAGES_HEADERS =
  'x-total-pages x-wp-totalpages x-page-count x-pagination-total-pages x-pagination-page-count'.split(' ');

/** The place of a total in a response. */
export interface Total {
  /** The value of `api.pagination.total`. */
  readonly place: string | JsonObject;
  readonly value: number;
  /** Its name in sentences. */
  readonly name: string;
}

/**
 * Returns the total of a response: at least the number of its items.
 *
 * @example totalOf(seen)?.value // 250
 */
export function totalOf({ leaves, answer, data: { items } }: Seen): Total | undefined {
  const inBody = leaves.flatMap(({ keys, value }): readonly Total[] => {
    const name = plainName(keys.at(-1) ?? '');
    const number = countOf(value);
    if (number === undefined || !TOTAL.test(name) || number < items.length) return [];
    // `count` and `value` often mean the items of the page; only larger values are totals.
    const isWeak = /^(?:count|value|found)$/.test(name);
    if (isWeak && (number === items.length || !(name !== 'value' || plainName(keys.at(-2) ?? '') === 'total')))
      return [];
    return [{ place: pathText(keys), value: number, name: quoted(keys) }];
  });
  const inHeaders = TOTAL_HEADERS.flatMap((name): readonly Total[] => {
    const digits = /^(?:.*\/)?\s*(\d+)$/.exec(headerOf(answer, name) ?? '')?.[1];
    const number = digits === undefined ? undefined : Number(digits);
    return number === undefined || number < items.length
      ? []
      : [{ place: { header: name }, value: number, name: `the header ${name}` }];
  });
  return [...inBody, ...inHeaders][0];
}

/** Returns whether a total says that there are more items: an equal one may count the items of the page. */
const countsMore = (seen: Seen): boolean => (totalOf(seen)?.value ?? 0) > seen.data.items.length;

function countOf(value: Leaf['value']): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

const numbersIn = (leaves: readonly Leaf[], names: RegExp) =>
  leaves.flatMap(({ keys, value }) => {
    const number = countOf(value);
    return number !== undefined && names.test(plainName(keys.at(-1) ?? '')) ? [{ keys, number }] : [];
  });

/** Returns the number of pages that a response names. */
export function pagesOf({ leaves, answer }: Seen): number | undefined {
  const [all] = numbersIn(leaves, PAGES);
  const header = PAGES_HEADERS.find((name) => /^\d+$/.test(headerOf(answer, name) ?? ''));
  return all?.number ?? (header === undefined ? undefined : Number(headerOf(answer, header)));
}

/** Returns the signs of counted pages: the body or a header has the number of this page, or the number of pages. */
export function pageSigns(seen: Seen): readonly PagingSign[] {
  const { leaves, answer, asked } = seen;
  const [current] = numbersIn(leaves, PAGE);
  const [all] = numbersIn(leaves, PAGES);
  const header = PAGES_HEADERS.find((name) => /^\d+$/.test(headerOf(answer, name) ?? ''));
  const pages = pagesOf(seen);
  if (pages === undefined && (current === undefined || current.number > 1)) return [];
  const own = current?.keys.at(-1);
  const given = [...asked]
    .filter(([name, value]) => /page|^p$/i.test(name) && /^[01]$/.test(value))
    .map(([name]) => name);
  const first = current?.number === 0 ? [0, 1] : [1, 0];
  const names = [...new Set([...given, ...(own === undefined ? [] : [own]), ...PAGE_PARAMS])].slice(0, 8);
  const flag = moreFlag(seen);
  const more = pages === undefined ? flag?.more : pages > 1;
  const what =
    current === undefined
      ? `${header ?? quoted(all?.keys ?? [])} has the number of pages`
      : `${quoted(current.keys)} has the number of this page`;
  return names.flatMap((pageParam) =>
    first.map((firstPage) => ({
      pagination: merge(pagenum(seen, pageParam, firstPage), flagOptions(flag)),
      more,
      reason: `${what}${pages === undefined ? '' : ` of ${pages}`}.`,
      probe: { params: { [pageParam]: firstPage + 1 }, expects: 'other' as const },
    })),
  );
}

/** Returns the signs of offsets: the body has the offset of this page, or the request had one. */
export function offsetSigns(seen: Seen): readonly PagingSign[] {
  const { leaves, asked, data } = seen;
  const [echo] = numbersIn(leaves, OFFSET).filter(({ number }) => number === 0);
  const [size] = numbersIn(leaves, PAGE_SIZE);
  const given = [...asked.keys()].find((name) => OFFSET.test(plainName(name)));
  const said = given ?? echo?.keys.at(-1);
  if (said === undefined || data.items.length === 0) return [];
  const sizeParam = [...asked.keys()].find((each) => isPageSize(each)) ?? size?.keys.at(-1);
  const where = echo === undefined ? `The request has "${said}".` : `${quoted(echo.keys)} has the offset of this page.`;
  const total = totalOf(seen);
  return spellingsOf(said, given).flatMap(([name, sign]) => {
    const known = OFFSET_PARAMS.filter(([offset]) => offset === name).map(([, limit]) => limit);
    const limits = new Set([...(sizeParam === undefined ? [] : [`${sign}${sizeParam}`]), ...known, `${sign}limit`]);
    return [...limits].map((limitParam) =>
      offsetSign(seen, name, limitParam, where, total === undefined ? undefined : total.value > data.items.length),
    );
  });
}

/** Returns a name of the response as a parameter, with the sign that stands before it and its size: `skip` is `$skip` in a request to Feathers. */
const spellingsOf = (said: string, given: string | undefined): readonly (readonly [name: string, sign: string])[] => [
  [said, ''],
  ...(given === undefined
    ? OFFSET_PARAMS.flatMap(([name]) =>
        name !== said && name.endsWith(said) && plainName(name) === plainName(said)
          ? [[name, name.slice(0, -said.length)] as const]
          : [],
      )
    : []),
];

/**
 * Returns a paging by offsets with these parameters, with the size of the first page. Without a total, a page that is not full is not taken
 * for the last one.
 */
export function offsetSign(
  seen: Seen,
  offsetParam: string,
  limitParam: string,
  reason: string,
  more?: boolean,
): PagingSign {
  const { items } = seen.data;
  const limit = pageSize(items.length, seen.asked.get(limitParam));
  const isSure = items.length >= limit && countsMore(seen);
  return {
    pagination: { method: 'offset', offsetParam, limitParam, limit, ...(isSure ? {} : { shortPage: 'capped' }) },
    more,
    reason,
    probe: { params: { [offsetParam]: 1 }, expects: 'shifted' },
  };
}

/** Returns a paging by page numbers. */
export const pagenum = ({ asked }: Pick<Seen, 'asked'>, pageParam: string, firstPage: number): JsonObject =>
  merge({ method: 'pagenum', pageParam, firstPage }, goingOn(asked));
const pageSize = (items: number, asked: string | undefined): number =>
  asked !== undefined && /^[1-9]\d{0,5}$/.test(asked) ? Number(asked) : Math.max(items, 1);
