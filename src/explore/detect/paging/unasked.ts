import type { JsonObject } from '../../../core/model';
import type { Described, DescribedParam } from '../described';
import type { Detected } from '../detected';
import { pageSizeOf } from '../page-size';
import { OFFSET_PARAMS, PAGE_PARAMS } from './names';
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
