import type { Doubt } from '../../core/evidence';
import type { JobRun } from '../job-run';
import { previousPageSign } from './previous-page-sign';
import type { PageOutcome } from './page-outcome';

/** Where APIs begin to count their pages. */
const USUAL_BEGINNING = 1;

/**
 * The doubt about a first page of which the API says that there is one before it: it counts from 0, and its first page is missing
 * (docs/completeness.md#what-is-an-error). Who begins at a later page means it.
 */
export function skippedBeginning({ plan, paginator }: JobRun, { reply, found, pages }: PageOutcome): Doubt | undefined {
  if (pages > 0 || paginator.by !== 'position' || found.count === 0 || found.place.kind !== 'list') return undefined;
  const { position } = paginator.first;
  if (typeof position !== 'number' || position > USUAL_BEGINNING) return undefined;
  const sign = previousPageSign(reply, found.place.path);
  if (sign === undefined) return undefined;
  const remedy =
    position === USUAL_BEGINNING
      ? 'If the API counts from 0, set "firstPage": 0 in api.pagination.'
      : 'Check the names of the parameters in api.pagination.';
  return {
    code: 'PAGE_SKIPPED',
    level: sign.isFlag ? 'error' : 'warning',
    message:
      `The API says with ${sign.where} that there is a page before the first one of ${plan.endpoint} that was requested (position ${position}), ` +
      `and its items are missing. ${remedy}`,
  };
}
