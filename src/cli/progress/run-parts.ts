import type { RunSnapshot } from '../..';
import { retriesOf } from './job-parts';
import type { Part } from './job-parts';
import { counted, durationOf, sizeOf, visible } from './words';

/** What there is to say of a run as a whole. */
export function runParts(run: RunSnapshot, now: number): readonly Part[] {
  const { startedAt = now, endedAt = now } = run;
  return [
    { rank: 0, text: durationOf(endedAt - startedAt) },
    { rank: 1, text: waitOf(run, now) },
    { rank: 3, text: jobsOf(run) },
    { rank: 2, text: counted(run.requests, 'request') },
    { rank: 4, text: run.retries === 0 ? '' : retriesOf(run.retries) },
    { rank: 6, text: run.bytes === 0 ? '' : sizeOf(run.bytes) },
    { rank: 5, text: loginOf(run, now) },
  ].filter(({ text }) => text !== '');
}

function jobsOf({ jobs, jobsInAll }: RunSnapshot): string {
  const over = jobs.filter(({ parent, state }) => parent === undefined && state !== 'running').length;
  return jobsInAll < 2 ? '' : `${Math.min(over, jobsInAll)} of ${jobsInAll} jobs done`;
}

function waitOf({ paused }: RunSnapshot, now: number): string {
  const left = paused === undefined ? 0 : Date.parse(paused.until) - now;
  return left > 0 && paused !== undefined ? `waits ${durationOf(left)} for a limit (${visible(paused.because)})` : '';
}

function loginOf({ logins, credentialsExpireAt }: RunSnapshot, now: number): string {
  if (logins === 0) return '';
  if (credentialsExpireAt === undefined) return 'logged in';
  const left = Date.parse(credentialsExpireAt) - now;
  return left > 0 ? `logged in, expires in ${durationOf(left)}` : 'login expired';
}
