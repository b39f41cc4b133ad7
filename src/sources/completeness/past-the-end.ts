import type { JobRun } from '../job-run';
import { noNamedPage } from './named-page';
import type { Before } from './refusal';

/** Statuses with which APIs refuse a page that they do not have. */
const REFUSED: ReadonlySet<number> = new Set([400, 404, 416, 422]);

/**
 * Why a call is over where a status means that a page past the last one was requested: where all items have come that the API
 * counts, that is no error. Where only an address in the response before spoke of that page, a warning tells so.
 *
 * @param before the pages, items and totals of the call before this response
 * @returns `undefined` where the status is an error like any other
 * @example endPast(running, { pages: 3, items: 300, known: { total, … } }, 404)
 */
export function endPast(
  { paginator, completeness, plan, ref, context }: JobRun,
  { pages, items, known }: Pick<Before, 'pages' | 'items' | 'known'>,
  status: number,
): string | undefined {
  const { named, total } = known;
  if (completeness === 'off' || paginator.by !== 'position' || items === 0 || !REFUSED.has(status)) return undefined;
  if (named !== undefined) {
    const { message } = noNamedPage(plan.endpoint, pages, named, `is refused with status ${status}`);
    context.report({ type: 'warning', code: 'INCOMPLETE', job: ref, message: `${plan.path}: ${message}` });
  } else if (total?.isSteady !== true || items < total.value) return undefined;
  return 'The API has no page behind the last item.';
}
