/** Whether an API says that there is more than what came. */
import type { Reply } from '../../core/model';
import type { JobPlan } from '../../plan/plan';
import { nextPageSign, saysLast } from '../../sources/completeness/next-page-sign';
import { declaredTotal, usualTotal } from '../../sources/completeness/total';
import type { Total } from '../../sources/completeness/total';
import type { FoundKeys } from './found';
import type { PagePreview } from './model';

/** The page, and what came before it. */
interface Arrived {
  readonly reply: Reply;
  readonly keys: FoundKeys;
  /** The items of this page. */
  readonly count: number;
  /** The items and pages of the call, this page included. */
  readonly items: number;
  readonly pages: number;
}

/**
 * What the response says of further items: flags and totals, then addresses, by the rules with which runs judge whether they are
 * complete.
 */
export function moreOf(
  plan: Pick<JobPlan, 'total' | 'hasNoTotal'>,
  { reply, keys = [], count, items, pages }: Arrived,
): Pick<PagePreview, 'more' | 'moreBecause'> {
  const total = totalOf(plan, reply, keys, count);
  const sign = nextPageSign(reply, keys, pages - 1);
  const counts =
    total === undefined
      ? ''
      : `the API counts ${atLeast(total)}${total.value} items (${total.where}), and ${items} have come`;
  if (total !== undefined && items < total.value) return { more: 'yes', moreBecause: `${upper(counts)}.` };
  if (sign?.isFlag === true)
    return { more: 'yes', moreBecause: `The API says with ${sign.where} that there is another page.` };
  if (total !== undefined && total.value > 0 && total.isAtLeast !== true)
    return { more: 'no', moreBecause: `${upper(counts)}.` };
  if (sign !== undefined && sign.isWeak !== true)
    return { more: 'yes', moreBecause: `The API leads to another page with ${sign.where}.` };
  if (saysLast(reply, keys)) return { more: 'no', moreBecause: 'The API says that this is the last page.' };
  if (sign !== undefined) return { more: 'unknown', moreBecause: `Perhaps ${sign.where} leads to another page.` };
  if (count === 0)
    return { more: 'unknown', moreBecause: 'The page has no items, and nothing in the response tells of more.' };
  return { more: 'unknown', moreBecause: 'Nothing in the response tells whether there is more.' };
}

function totalOf(
  plan: Pick<JobPlan, 'total' | 'hasNoTotal'>,
  reply: Reply,
  keys: readonly string[],
  count: number,
): Total | undefined {
  if (plan.total !== undefined) return declaredTotal(reply, plan.total);
  return plan.hasNoTotal === true ? undefined : usualTotal(reply, keys, count);
}

const atLeast = ({ isAtLeast }: Total): string => (isAtLeast === true ? 'at least ' : '');

const upper = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
