import type { Doubt } from '../../core/evidence';
import { entriesOf, isObject, ownValue } from '../../core/json/keys';
import type { Json, Reply } from '../../core/model';
import type { FoundItems } from '../items';
import type { JobRun } from '../job-run';
import { aroundItems } from '../reply-value';
import type { KnownTotal } from './known';
import { nextPageSign, saysLast } from './next-page-sign';
import type { Sign } from './next-page-sign';
import type { PageOutcome } from './page-outcome';

/**
 * The doubt about a page without items that ends a call, although the page before it, or the page itself, says that there is another one
 * (docs/completeness.md#what-is-an-error): the API has failed without saying so, or the request does not ask for that page.
 *
 * A flag or a number of pages speaks of one page, and is an error unless the page without items takes it back. An address may stand on
 * each full page; it is worth a warning.
 */
export function emptyEnd(running: JobRun, taken: PageOutcome, total: KnownTotal | undefined): Doubt | undefined {
  const { reply, found, pages, items, before, verdict } = taken;
  if (pages === 0 || found.count > 0 || before === undefined || before.found.place.kind !== 'list') return undefined;
  if (verdict.kind === 'stop' && verdict.why === 'ended') return undefined;
  if (total?.value === items && total.isAtLeast !== true) return undefined;
  const { path } = before.found.place;
  const sign = nextPageSign(before.reply, path, pages - 1);
  if (sign === undefined || sign.isWeak === true) return undefined;
  const isTakenBack = takesBack(reply, found, path, sign);
  const isAsked = pages === 1 && running.paginator.by === 'position';
  const own = nextPageSign(reply, path, pages);
  if (own?.isFlag === true || (isTakenBack && !isAsked && own === undefined)) return undefined;
  const { endpoint } = running.plan;
  const isBroken = sign.isFlag && !isTakenBack;
  const remedy = isBroken
    ? 'The API failed without saying so, or the request does not ask for that page: try again, and check api.pagination. If the API says so of every full page, "completeness": "warn" in the job takes it as the end.'
    : 'Some APIs say so of every full page; else the API failed without saying so, or the request does not ask for that page: check the names of the parameters in api.pagination.';
  return {
    code: 'NEXT_PAGE_EMPTY',
    level: isBroken ? 'error' : 'warning',
    message: `Page ${pages + 1} of ${endpoint} has no items, although the API says on page ${pages} with ${sign.where} that there is another one. ${remedy}`,
  };
}

/** This tells whether a page without items says that it is the end: by a flag, by a member that leads nowhere now, or as a list without a header. */
function takesBack(reply: Reply, { place }: FoundItems, path: readonly string[], { at, isFlag }: Sign): boolean {
  if (saysLast(reply, path)) return true;
  if (at === undefined) return !isFlag && place.kind === 'list';
  return at.length > 0 && hasMember(aroundItems(reply), at);
}

function hasMember(data: Json | undefined, [key = '', ...rest]: readonly string[]): boolean {
  if (!isObject(data) || !entriesOf(data).some(([name]) => name === key)) return false;
  return rest.length === 0 || hasMember(ownValue(data, key), rest);
}
