import { isScalar } from '../../../core/json/scalars';
import type { JsonObject } from '../../../core/model';
import type { Comments } from '../configuration-text';
import type { Described, DescribedParam, Detected } from '../model';
import { OFFSET_PARAMS, PAGE_PARAMS, isPageSize } from './names';
import type { PagingSign, Seen } from './sign';
import { pagingSigns } from './signs';

/** The page size if a description names the parameter without a value. */
const SMALL_PAGE = 10;

/**
 * Returns the paging that a response and a description suggest, if the API cannot be asked.
 *
 * @param described absent: there is no description, so that each parameter may be right
 */
export function describedPaging(seen: Seen, described?: Described): Detected<JsonObject | undefined> {
  const names = described?.params.map(({ name }) => name);
  const signs = pagingSigns(seen, undefined).filter((sign) => names === undefined || isDescribed(sign, names));
  const sign =
    signs.find(({ more }) => more === true) ??
    (described === undefined ? undefined : namedPaging(described.params)) ??
    signs[0];
  if (sign === undefined)
    return { value: undefined, confidence: 'unsure', reason: 'Nothing says whether the list has pages.' };
  return { value: sign.pagination, confidence: 'unsure', reason: `${sign.reason} Paging was not seen at work.` };
}

/** Returns whether the description has each parameter of a paging; links and bodies need none. */
function isDescribed({ pagination }: PagingSign, names: readonly string[]): boolean {
  const sent = ['pageParam', 'offsetParam', 'limitParam', 'queryParam', 'param'].flatMap((key) => {
    const name = pagination[key];
    return typeof name === 'string' ? [name] : [];
  });
  return sent.every((name) => names.includes(name));
}

/** Returns a paging by parameters with usual names. */
function namedPaging(params: readonly DescribedParam[]): PagingSign | undefined {
  const at = (name: string): DescribedParam | undefined => params.find((each) => each.name === name);
  const page = PAGE_PARAMS.map(at).find((each) => each !== undefined);
  if (page !== undefined) {
    const firstPage = numberOf(page.fallback) ?? page.minimum ?? 1;
    const reason = `The description names the parameter "${page.name}".`;
    return {
      pagination: { method: 'pagenum', pageParam: page.name, firstPage, shortPage: 'capped' },
      more: undefined,
      reason,
    };
  }
  const pair = OFFSET_PARAMS.find(([offset, limit]) => at(offset) !== undefined && at(limit) !== undefined);
  if (pair === undefined) return undefined;
  const [offsetParam, limitParam] = pair;
  const largest = pageSizeOf({ params });
  const limit = largest?.name === limitParam ? largest.size : (numberOf(at(limitParam)?.fallback) ?? SMALL_PAGE);
  return {
    pagination: { method: 'offset', offsetParam, limitParam, limit, shortPage: 'capped' },
    more: undefined,
    reason: `The description names the parameters "${offsetParam}" and "${limitParam}". A run goes on until a page has no items.`,
  };
}

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;

/** The maximum page size: larger pages are slow, and save few requests. */
const LARGEST = 1_000;

/** Returns the parameter for the page size whose maximum a description has, and that maximum: large pages need fewer requests. */
function pageSizeOf({ params }: Described): { readonly name: string; readonly size: number } | undefined {
  const sizes = params.flatMap((param) => {
    const size = sizeOf(param);
    return size === undefined ? [] : [{ name: param.name, size }];
  });
  return sizes[0];
}

function sizeOf({ name, maximum, fallback }: DescribedParam): number | undefined {
  if (maximum === undefined || !Number.isInteger(maximum) || maximum < 1 || !isPageSize(name)) return undefined;
  const size = Math.min(maximum, LARGEST);
  return isScalar(fallback) && Number(fallback) >= size ? undefined : size;
}

/**
 * Returns an address, which may have placeholders, with the maximum page size of a description; an address with a size stays unchanged.
 *
 * @example withPageSize('https://h.example/ships', { params: [{ name: 'limit', isRequired: false, maximum: 100 }] }) // '…/ships?limit=100'
 */
export function withPageSize(url: string, described: Described | undefined): string {
  const found = described === undefined ? undefined : pageSizeOf(described);
  const [, query = ''] = url.split('?', 2);
  if (found === undefined || new URLSearchParams(query).has(found.name)) return url;
  return `${url}${url.includes('?') ? '&' : '?'}${encodeURIComponent(found.name)}=${found.size}`;
}

/** The comment about that page size. */
export const SIZED: Comments = {
  'config/jobs/0/params': ['Pages are as large as the description of the API allows.'],
};
