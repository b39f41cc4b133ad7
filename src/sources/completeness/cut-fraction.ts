import type { Doubt } from '../../core/evidence';
import { stringifyJson } from '../../core/json/stringify';
import type { JobRun } from '../job-run';
import type { PageOutcome } from './page-outcome';

/**
 * The doubt, once a job, about a page whose furthest number has a fraction: the pagination goes on behind an integer beyond it, and
 * items between the two would be missing (docs/language/pagination/cursor.md).
 */
export function cutFraction(
  { plan, context: { toldOnce } }: JobRun,
  { next, verdict }: PageOutcome,
): Doubt | undefined {
  if (next.kind === 'stop' || next.cut === undefined || verdict.kind === 'stop') return undefined;
  const key = `${plan.id} CURSOR_CUT`;
  if (toldOnce?.has(key) === true) return undefined;
  toldOnce?.add(key);
  const { from, to } = next.cut;
  const message =
    `Items of ${plan.endpoint} have numbers with a fraction at pagination.idKey, such as ${stringifyJson(from)}, and "cursor" cuts it off: ` +
    `the next page begins at ${stringifyJson(to)}, and items between the two are missing, if there are any. ` +
    `Use the method "keyset", which sends the number as it is.`;
  return { code: 'CURSOR_CUT', level: 'warning', message };
}
