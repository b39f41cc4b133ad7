import { firstTurn } from './turn';
import type { Turn } from './turn';
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
  const { ref, plan, context } = running;
  const message = `Job '${plan.name}' begins again: ${because}. Its pages take the place of those that it had.`;
  context.report({ type: 'warning', code: 'JOB_RESTARTED', job: ref, message });
  return firstTurn(running);
}

/** Whether a call that was broken off has to be made anew: which keys have come, for `unique`, is known in memory only. */
export const needsAllPages = ({ plan: { shaping } }: JobRun): boolean =>
  shaping !== undefined && shaping.unique.length > 0;
