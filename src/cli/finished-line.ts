import { jobNameOf } from '../index';
import type { JobOutcome, Outcome, RunEvent } from '../index';
import { FINISHED } from './exit-status';

const ORDER: readonly Outcome[] = ['failed', 'incomplete', 'stopped', 'complete'];
const STARTS: Readonly<Partial<Record<Outcome, string>>> = {
  failed: 'Extractor finished, but jobs failed.',
  incomplete: 'Extractor finished, but the run is incomplete.',
};
/** More jobs than these are only counted. */
const MOST_NAMES = 10;

/**
 * The last line of a run: whether it is complete, by job.
 *
 * @example finishedLine(event) // 'Extractor finished successfully. Stopped: events; complete: stations, rivers.'
 */
export function finishedLine({ outcome, jobs }: Extract<RunEvent, { readonly type: 'run.finished' }>): string {
  const start = STARTS[outcome] ?? FINISHED;
  const groups = ORDER.flatMap((each) => groupOf(each, jobs));
  if (groups.length === 0) return start;
  const text = groups.join('; ');
  return `${start} ${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function groupOf(outcome: Outcome, jobs: readonly JobOutcome[]): readonly string[] {
  const names = [...new Set(jobs.filter((job) => job.outcome === outcome).map(jobNameOf))];
  if (names.length === 0) return [];
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return [`${outcome}: ${names.slice(0, MOST_NAMES).join(', ')}${more}`];
}
