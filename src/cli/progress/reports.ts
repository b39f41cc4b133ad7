import type { Log, RunSnapshot } from '../..';
import { jobParts } from './job-parts';
import { runParts } from './run-parts';
import { visible } from './words';

/** Milliseconds from one entry to the next: a short run has none. */
export const EVERY = 10_000;

/** Writes how far a run is to a log, every few seconds. Returns what ends it. */
export function reportProgress(log: Log, snapshot: () => RunSnapshot, every = EVERY): () => void {
  const timer = setInterval(() => {
    const run = snapshot();
    if (run.state === 'running') log.log('info', progressLine(run, Date.now()), progressFields(run, Date.now()));
  }, every);
  timer.unref();
  return () => clearInterval(timer);
}

/** How far a run is, in one line: what its jobs have that are under way, and the run as a whole. */
function progressLine(run: RunSnapshot, now: number): string {
  const running = run.jobs.filter(({ parent, state }) => parent === undefined && state === 'running');
  const jobs = running.map((job) => `${visible(job.name)}: ${textOf(jobParts(job, run, now))}`);
  return `Progress after ${[textOf(runParts(run, now)), ...jobs].join('; ')}`;
}

const textOf = (parts: readonly { readonly text: string }[]): string => parts.map(({ text }) => text).join(', ');

/** The same as fields. */
export function progressFields(run: RunSnapshot, now: number): Readonly<Record<string, unknown>> {
  const { run: id, startedAt = now, jobs, pages, items, requests, retries, bytes, warnings, logins } = run;
  const { credentialsExpireAt, paused, heldMilliseconds, cached } = run;
  return {
    event: 'progress',
    ...(id === undefined ? {} : { run: id }),
    ...{ pages, items, requests, retries, bytes, warnings, logins, heldMilliseconds, cached },
    ...(credentialsExpireAt === undefined ? {} : { credentialsExpireAt }),
    ...(paused === undefined ? {} : { paused }),
    milliseconds: now - startedAt,
    jobs: jobs.map(({ name, startedAt: start, endedAt = now, ...job }) => ({
      job: name,
      ...job,
      milliseconds: endedAt - start,
    })),
  };
}
