import { sameJson } from '../../core/json/same';
import type { JobRun } from '../job-run';
import { emptyPageAgain } from './empty-page';
import type { Arrived, Before, Refusal } from './refusal';
import { behindNamed, isAtEnd, repeated } from './repeated-page';

/** The message about a response that equals the one before. */
export const equalPageMessage = ({ plan, ref }: JobRun, pages: number): string =>
  `Job '${plan.name}' finished when last response matched the previous! Pagination does not advance: ` +
  `page ${pages + 1} of ${ref.endpoint} equals page ${pages}. Check api.pagination and the job's params.`;

/** A response that equals the one before, where runs are judged: without items, it is the end unless it says that there is more. */
export function equalPage(
  running: JobRun,
  before: Before,
  { found: { count }, reply }: Pick<Arrived, 'found' | 'reply'>,
): Refusal {
  const { pages, items, known, step } = before;
  const more = count === 0 ? emptyPageAgain(running, pages, reply) : undefined;
  if (more !== undefined) return { kind: 'doubt', doubt: more };
  const isWhole = (known.total !== undefined && items >= known.total.value) || isAtEnd(running.paginator, known, step);
  if (count === 0 || isWhole) return { kind: 'quiet', because: equalPageMessage(running, pages) };
  const doubt = repeated(running.plan.endpoint, pages, count, known.isBeyond ? known.total : undefined);
  return behindNamed(running, before, { kind: 'doubt', doubt });
}

/** An empty page like the one before may lead to another one: its next address, or its token, is then a new one. */
export const leadsOn = (
  { paginator: { by } }: JobRun,
  { step }: Pick<Before, 'step'>,
  { found, next }: Arrived,
): boolean =>
  (by === 'address' || by === 'token') &&
  found.count === 0 &&
  next.kind === 'step' &&
  !sameJson(next.step.position, step.position);
