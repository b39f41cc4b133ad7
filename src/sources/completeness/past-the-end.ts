import type { JobRun } from '../job-run';
import type { Known } from './known';

/** Statuses with which APIs refuse a page that they do not have. */
const REFUSED: ReadonlySet<number> = new Set([400, 404, 416, 422]);

/**
 * Whether a status means that a page past the last one was requested: where all items have come that the API counts, that
 * is no error.
 *
 * @param before the items and totals of the call before this response
 * @example isPastTheEnd(running, { items: 300, known: { total, … } }, 404)
 */
export const isPastTheEnd = (
  { paginator, completeness }: JobRun,
  { items, known }: { readonly items: number; readonly known: Known },
  status: number,
): boolean =>
  completeness !== 'off' &&
  paginator.by === 'position' &&
  known.total?.isSteady === true &&
  items > 0 &&
  items >= known.total.value &&
  REFUSED.has(status);
