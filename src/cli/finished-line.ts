import { jobNameOf } from '..';
import type { JobOutcome, Outcome, RunEvent } from '..';
import { FINISHED } from './exit-status';
import { counted } from './progress/words';

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
 * @param warnings how many there were
 * @example finishedLine(event, 0) // 'Extractor finished successfully. Stopped: events; complete: stations, rivers.'
 */
export function finishedLine(
  { outcome, jobs }: Pick<Extract<RunEvent, { readonly type: 'run.finished' }>, 'outcome' | 'jobs'>,
  warnings: number,
): string {
  const start = STARTS[outcome] ?? withWarnings(FINISHED, warnings);
  const groups = ORDER.flatMap((each) => groupOf(each, jobs));
  if (groups.length === 0) return start;
  const text = groups.join('; ');
  return `${start} ${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** A line that says all went well must not stand right behind a warning as if there were none. */
const withWarnings = (line: string, warnings: number): string =>
  warnings === 0 ? line : `${line.slice(0, -1)}, with ${counted(warnings, 'warning')}.`;

function groupOf(outcome: Outcome, jobs: readonly JobOutcome[]): readonly string[] {
  const names = [...new Set(jobs.filter((job) => job.outcome === outcome).map(jobNameOf))];
  if (names.length === 0) return [];
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return [`${outcome}: ${names.slice(0, MOST_NAMES).join(', ')}${more}`];
}
