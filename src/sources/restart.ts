import type { Response } from '../core/model';
import { isGone, isStale } from './checkpoint';
import { firstTurn } from './call-state';
import type { Turn } from './call-state';
import type { JobRun } from './job-run';

/** A call that is made anew, and the calls below it: they are made anew as well, since their pages take the place of the old. */
export const anew = (running: JobRun): JobRun => ({
  ...running,
  context: { ...running.context, progress: new Map() },
});

/**
 * The first turn of a call that is made anew, which is reported. The rule that a first page takes the place of what a call
 * had before makes this safe for what was written.
 */
export function restarted(running: JobRun, because: string): Turn {
  tellOfRestart(running, because);
  return firstTurn(running);
}

export function tellOfRestart({ ref, plan, context }: Pick<JobRun, 'ref' | 'plan' | 'context'>, because: string): void {
  const message = `Job '${plan.name}' begins again: ${because}. Its pages take the place of those that it had.`;
  context.report({ type: 'warning', code: 'JOB_RESTARTED', job: ref, message });
}

/**
 * Whether the response means that the API no longer knows the place where a call goes on. A streamed response has no place that
 * the API would know: the request is the same, unless its result can be submitted again.
 */
export const isLost = ({ paginator, plan, submitted }: JobRun, { resumed, pages }: Turn, response: Response): boolean =>
  (resumed !== undefined &&
    paginator.after === undefined &&
    (plan.stream === undefined || submitted !== undefined) &&
    isStale(response)) ||
  (submitted?.isOld === true && pages === 0 && isGone(response));

/** Whether a call that was broken off has to be made anew: which keys have come, for `unique`, is known in memory only. */
export const needsAllPages = ({ plan: { shaping } }: Pick<JobRun, 'plan'>): boolean =>
  shaping !== undefined && shaping.unique.length > 0;
