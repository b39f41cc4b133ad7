import { isScalar } from '../../core/json/text';
import type { Comments } from './configuration-text';
import type { Described, DescribedParam } from './described';
import { isPageSize } from './paging/names';

/** Larger pages take an API long, and save few requests. */
const LARGEST = 1_000;

/** The parameter for the size of a page whose largest value a description names, and that value: pages as large need fewer requests. */
export function pageSizeOf({ params }: Described): { readonly name: string; readonly size: number } | undefined {
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
