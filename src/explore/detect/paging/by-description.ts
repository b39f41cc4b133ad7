import { isScalar } from '../../../core/json/scalars';
import type { JsonObject } from '../../../core/model';
import type { Comments } from '../configuration-text';
import type { Described, DescribedParam, Detected } from '../model';
import { OFFSET_PARAMS, PAGE_PARAMS, isPageSize } from './names';
import type { PagingSign, Seen } from './sign';
import { pagingSigns } from './signs';

/** A page size where a description names the parameter for it, and not what it is. */
const SMALL_PAGE = 10;

/**
 * The way of paging that a response and a description hint at, where nobody can be asked.
 *
 * @param described absent: there is no description, so that each parameter may be right
 */
export function unaskedPaging(seen: Seen, described?: Described): Detected<JsonObject | undefined> {
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

/** Whether the description has each parameter that a way of paging sends; links and bodies need none. */
function isDescribed({ pagination }: PagingSign, names: readonly string[]): boolean {
  const sent = ['pageParam', 'offsetParam', 'limitParam', 'queryParam', 'param'].flatMap((key) => {
    const name = pagination[key];
    return typeof name === 'string' ? [name] : [];
  });
  return sent.every((name) => names.includes(name));
}

/** Paging by parameters that are called as those of most APIs. */
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

/** Larger pages take an API long, and save few requests. */
const LARGEST = 1_000;

/** The parameter for the size of a page whose largest value a description names, and that value: pages as large need fewer requests. */
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
 * An address, which may have placeholders, with the largest page size that a description names; one that has a size stays as it is.
 *
 * @example withPageSize('https://h.example/ships', { params: [{ name: 'limit', isRequired: false, maximum: 100 }] }) // '…/ships?limit=100'
 */
export function withPageSize(url: string, described: Described | undefined): string {
  const found = described === undefined ? undefined : pageSizeOf(described);
  const [, query = ''] = url.split('?', 2);
  if (found === undefined || new URLSearchParams(query).has(found.name)) return url;
  return `${url}${url.includes('?') ? '&' : '?'}${encodeURIComponent(found.name)}=${found.size}`;
}

/** Why a job has that size. */
export const SIZED: Comments = {
  'config/jobs/0/params': ['Pages are as large as the description of the API allows.'],
};
