import type { JobSnapshot, RunSnapshot } from '../..';
import { cut, fitted, padded } from './fit';
import type { Measure } from './fit';
import { jobParts } from './job-parts';
import { runParts } from './run-parts';
import { counted, visible } from './words';

/** The size of a terminal, in characters. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** Names take no more of a line than this share of it. */
const MOST_OF_LINE = 1 / 3;

/**
 * A run as lines for a terminal: one for each job, and one for the run. No line is wider than the terminal, and there are fewer than it
 * has rows: jobs that run come first, then those that began last; the others are only counted.
 */
export function screenLines(
  run: RunSnapshot,
  now: number,
  { columns, rows }: ScreenSize,
  measure: Measure,
): readonly string[] {
  const all = run.jobs.filter(({ parent }) => parent === undefined);
  const room = Math.max(0, rows - 2);
  const jobs = all.length <= room ? all : chosen(all, Math.max(0, room - 1));
  const most = Math.floor(columns * MOST_OF_LINE);
  const names = jobs.map(({ name }) => cut(visible(name), most, measure));
  const widest = Math.max(0, ...names.map(measure));
  const lines = jobs.map((job, at) =>
    fitted(padded(names[at] ?? '', widest, measure), jobParts(job, run, now), columns, measure),
  );
  const others = all.length - jobs.length;
  const more = others === 0 || room === 0 ? [] : [cut(`… and ${counted(others, 'more job')}`, columns, measure)];
  return [...lines, ...more, fitted('', runParts(run, now), columns, measure)];
}

function chosen(jobs: readonly JobSnapshot[], most: number): readonly JobSnapshot[] {
  const byNeed = [
    ...jobs.filter(({ state }) => state === 'running'),
    ...jobs.filter(({ state }) => state !== 'running').reverse(),
  ];
  const shown = new Set(byNeed.slice(0, most));
  return jobs.filter((job) => shown.has(job));
}
