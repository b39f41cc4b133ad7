/** The parts of lines that show the progress of a run, and the words of their numbers. */
import type { JobSnapshot, RunSnapshot } from '../..';
import { counted, grouped } from '../../core/text';

const KILO = 1000;
const UNITS = ['kB', 'MB', 'GB', 'TB'] as const;

/** @example sizeOf(1_234_567) // '1.2 MB' */
export function sizeOf(bytes: number): string {
  if (bytes < KILO) return `${bytes} B`;
  let [size, unit] = [bytes / KILO, 0];
  while (size >= KILO && unit < UNITS.length - 1) [size, unit] = [size / KILO, unit + 1];
  return `${size < 10 ? size.toFixed(1) : grouped(Math.round(size))} ${UNITS[unit] ?? ''}`;
}

const MINUTE = 60;
const HOUR = 3600;

/** @example durationOf(95_000) // '1 min 35 s' */
export function durationOf(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < MINUTE) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)} min ${whole % MINUTE} s`;
  return `${Math.floor(whole / HOUR)} h ${Math.floor((whole % HOUR) / MINUTE)} min`;
}

/** @example rateOf(1200, 10_000) // '120 items/s' */
function rateOf(items: number, milliseconds: number): string {
  const rate = (items * 1000) / Math.max(1, milliseconds);
  return `${rate < 10 ? rate.toFixed(1) : grouped(Math.round(rate))} items/s`;
}

/** Control characters, line ends included, and characters that change the direction of the text. */
const OBEYED = /\p{Cc}|[\u2028-\u202E\u2066-\u2069]/gu;

/** @example visible('a\u001b[2Jb') // 'a\\u001b[2Jb' */
export const visible = (text: string): string =>
  text.replace(OBEYED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A part of a line: if there is no space for all, those with the largest `rank` are left out. */
export interface Part {
  readonly text: string;
  readonly rank: number;
}

/** The minimum milliseconds for a meaningful rate. */
const SOON = 1000;

/** Returns the parts about a job without its name, with the counts of its children included. */
export function jobParts(job: JobSnapshot, run: RunSnapshot, now: number): readonly Part[] {
  const { jobs } = run;
  const milliseconds = (job.endedAt ?? run.endedAt ?? now) - job.startedAt;
  const children = jobs.filter(({ parent }) => parent === job.path || parent?.startsWith(`${job.path}.`) === true);
  const sum = (key: 'retries' | 'warnings' | 'bytes'): number =>
    [job, ...children].reduce((total, each) => total + each[key], 0);
  const isOver = job.state !== 'running';
  // A cancelled run ends no job.
  const isUnderWay = run.endedAt === undefined;
  return [
    part(0, itemsOf(job)),
    part(1, isOver ? endOf(job, milliseconds) : isUnderWay ? timeLeft(job, milliseconds) : ''),
    ...children.map((child) => part(2, `${visible(child.name)} ${counted(child.items, 'item')}${callsOf(child)}`)),
    part(3, milliseconds < SOON || job.items === 0 || !(isOver || isUnderWay) ? '' : rateOf(job.items, milliseconds)),
    part(5, counted(job.pages, 'page')),
    part(6, sum('bytes') === 0 ? '' : sizeOf(sum('bytes'))),
    part(4, sum('retries') === 0 ? '' : retriesOf(sum('retries'))),
    part(4, sum('warnings') === 0 ? '' : counted(sum('warnings'), 'warning')),
  ].filter(({ text }) => text !== '');
}

export const retriesOf = (retries: number): string => `${grouped(retries)} ${retries === 1 ? 'retry' : 'retries'}`;

/** @example callsOf(child) // ', 2,401 of 4,001 calls had none' */
const callsOf = ({ calls, emptyCalls }: JobSnapshot): string =>
  emptyCalls === 0 ? ` of ${counted(calls, 'call')}` : `, ${grouped(emptyCalls)} of ${counted(calls, 'call')} had none`;

const part = (rank: number, text: string): Part => ({ rank, text });

const itemsOf = ({ items, arrived, total }: JobSnapshot): string =>
  total === undefined || total < arrived || arrived !== items
    ? counted(items, 'item')
    : `${grouped(items)} of ${counted(total, 'item')}`;

const endOf = ({ state }: JobSnapshot, milliseconds: number): string =>
  state === 'failed' ? 'failed' : `done in ${durationOf(milliseconds)}`;

/** Returns the estimated time for the remaining items, at the rate so far. */
function timeLeft({ arrived, total }: JobSnapshot, milliseconds: number): string {
  if (total === undefined || arrived === 0 || total <= arrived || milliseconds < SOON) return '';
  return `${durationOf((milliseconds * (total - arrived)) / arrived)} left`;
}

/** Returns the parts about a run as a whole. */
export function runParts(run: RunSnapshot, now: number): readonly Part[] {
  const { startedAt = now, endedAt = now } = run;
  return [
    { rank: 0, text: durationOf(endedAt - startedAt) },
    { rank: 1, text: waitOf(run, now) },
    { rank: 1, text: retryOf(run, now) },
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

/** Milliseconds of retries after which a run says what it waits for. A log has an entry every ten seconds: it says so by the next one. */
const LONG = 1_000;

function retryOf({ retrying, endedAt }: RunSnapshot, now: number): string {
  if (retrying === undefined || endedAt !== undefined || now - retrying.since < LONG) return '';
  const { since, until, because } = retrying;
  const next = until > now ? `retries in ${durationOf(until - now)}` : 'retries now';
  return `${next}, no page for ${durationOf(now - since)} (${visible(because)})`;
}

function loginOf({ logins, credentialsExpireAt }: RunSnapshot, now: number): string {
  if (logins === 0) return '';
  if (credentialsExpireAt === undefined) return 'logged in';
  const left = Date.parse(credentialsExpireAt) - now;
  return left > 0 ? `logged in, expires in ${durationOf(left)}` : 'login expired';
}
