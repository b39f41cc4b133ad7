/** The progress of a run, counted from its events alone; works without Node.js as well. */
import { asyncScheduler, distinctUntilChanged, scan } from 'rxjs';
import type { Observable, SchedulerLike } from 'rxjs';
import type { JobOutcome, Outcome, RequestFields, RunEvent } from '../core/events';
import { jobNameOf } from '../core/job-name';
import type { JobRef, Page } from '../core/model';

/** The counts of a run, and of each of its jobs. */
export interface Counts {
  readonly pages: number;
  /** Items that were delivered. */
  readonly items: number;
  /** Attempts: the requests that were sent, retries included. */
  readonly requests: number;
  readonly retries: number;
  /** The bytes of responses, unchanged over the network. */
  readonly bytes: number;
  readonly warnings: number;
}

/** The progress of a job, all of its calls together. */
export interface JobSnapshot extends Counts {
  /** The place of the job in the configuration; equal for all iterations. */
  readonly path: string;
  /** The name of the job for users: its `id` if it has one, else its `dataType`, else its endpoint. */
  readonly name: string;
  /** The path of the parent job; absent: it is one of `config.jobs`. */
  readonly parent?: string;
  readonly state: 'running' | 'finished' | 'failed';
  /** Calls that began; a job that is no child and is not divided has one. */
  readonly calls: number;
  /** Calls that have ended. */
  readonly ended: number;
  /** Calls that have ended and gave no items. */
  readonly emptyCalls: number;
  /** Items that the API sent: the items that `total` counts. */
  readonly arrived: number;
  /** The total of the API; absent: there is none, there are several calls, or the run was resumed after earlier pages. */
  readonly total?: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** The end of its last call so far; absent: one is in progress. */
  readonly endedAt?: number;
}

/** The progress of a run. */
export interface RunSnapshot extends Counts {
  readonly state: 'waiting' | 'running' | 'finished' | 'failed' | 'cancelled' | 'skipped';
  /** The id of the run. */
  readonly run?: string;
  readonly outcome?: Outcome;
  /** The names of the jobs for users, by their paths. */
  readonly names?: Readonly<Record<string, string>>;
  /** The jobs of `config.jobs` that run, of all iterations. */
  readonly jobsInAll: number;
  /** The jobs in the order in which they began, children included. */
  readonly jobs: readonly JobSnapshot[];
  readonly logins: number;
  /** The expiry of the credentials of the last login, in ISO 8601; absent: not during the run, or there was no login. */
  readonly credentialsExpireAt?: string;
  /** The last pause for a rate limit or an API: its end, in ISO 8601, and its reason. */
  readonly paused?: { readonly until: string; readonly because: string };
  /** Milliseconds that requests have waited for limits, in total. */
  readonly heldMilliseconds: number;
  /** Responses that were taken from the cache. */
  readonly cached: number;
  /** Milliseconds since the epoch. */
  readonly startedAt?: number;
  readonly endedAt?: number;
}

const WARNED = { warnings: 1 };
const NOTHING: Counts = { pages: 0, items: 0, requests: 0, retries: 0, bytes: 0, warnings: 0 };

/** The snapshot of a run that has not begun. */
export const NO_RUN: RunSnapshot = {
  ...NOTHING,
  ...{ state: 'waiting', jobsInAll: 0, jobs: [], logins: 0, heldMilliseconds: 0, cached: 0 },
};

/**
 * Returns the progress of a run by its events: a value for each event that changes it. Sample it before you draw it: there are several
 * events for each request.
 *
 * @param events$ the events of one run
 * @param scheduler the clock
 * @example
 * progressOf(extraction.events$).pipe(auditTime(100)).subscribe(({ jobs, items }) => console.log({ jobs, items }));
 */
export const progressOf = (
  events$: Observable<RunEvent>,
  scheduler: SchedulerLike = asyncScheduler,
): Observable<RunSnapshot> =>
  events$.pipe(
    scan((snapshot, event) => snapshotAfter(snapshot, event, scheduler.now()), NO_RUN),
    distinctUntilChanged(),
  );

/**
 * Returns the snapshot after another event: the same one where the event changes nothing.
 *
 * @param now milliseconds since the epoch
 * @example snapshotAfter(NO_RUN, { type: 'run.started', jobs: 2, startedAt: 0 }, Date.now()).jobsInAll // 2
 */
export function snapshotAfter(before: RunSnapshot, event: RunEvent, now: number): RunSnapshot {
  switch (event.type) {
    case 'run.started': {
      const { run = before.run, names = {}, jobs } = event;
      return { ...before, ...(run && { run }), names, state: 'running', jobsInAll: jobs, startedAt: now };
    }
    case 'job.started':
      return changed(before, event.job, now, {}, (job) => ({
        ...{ ...job, name: jobNameOf(event.job), state: 'running', calls: job.calls + 1, endedAt: undefined },
        // The total of several calls together is unknown.
        ...(job.calls > 0 ? { total: undefined } : {}),
      }));
    case 'job.finished':
      return changed(before, event.job, now, {}, (job) => withEndedCall(job, event.items, now));
    case 'job.failed':
      return changed(before, event.job, now, {}, (job) => ({ ...job, state: 'failed', endedAt: now }));
    case 'page.extracted':
      return withPage(before, event.page, now);
    case 'request.sent':
      return counted(before, event, now, { requests: 1 });
    case 'response.received':
      return counted(before, event, now, { bytes: event.bytes });
    case 'response.cached':
      return { ...before, cached: before.cached + 1 };
    case 'retry.scheduled':
      return counted(before, event, now, { retries: 1 });
    case 'request.held':
      return { ...before, heldMilliseconds: before.heldMilliseconds + event.waitedMilliseconds };
    case 'requests.paused':
      return { ...before, paused: { until: event.until, because: event.because } };
    case 'credentials.renewed':
      return withLogin(before, event.expiresAt);
    case 'warning':
      if (event.isExpected === true) return before;
      return event.job === undefined ? added(before, WARNED) : changed(before, event.job, now, WARNED);
    case 'run.finished':
      return { ...before, state: 'finished', outcome: event.outcome, endedAt: now, jobs: judged(before, event.jobs) };
    case 'run.failed':
    case 'run.cancelled':
      return { ...before, state: event.type === 'run.failed' ? 'failed' : 'cancelled', endedAt: now };
    case 'run.skipped':
      return { ...before, state: 'skipped', run: event.runId, startedAt: now, endedAt: now };
    case 'job.submitted':
    case 'request.failed':
    case 'pagination.stopped':
    case 'items.shaped':
    case 'items.invalid':
      return before;
  }
}

function withLogin(before: RunSnapshot, expiresAt: string | undefined): RunSnapshot {
  const after: { -readonly [K in keyof RunSnapshot]: RunSnapshot[K] } = { ...before, logins: before.logins + 1 };
  delete after.credentialsExpireAt;
  return expiresAt === undefined ? after : { ...after, credentialsExpireAt: expiresAt };
}

/** The changes to a job: an undefined value is no longer known. */
type Changed = Omit<JobSnapshot, 'total' | 'endedAt'> & {
  readonly total?: number | undefined;
  readonly endedAt?: number | undefined;
};

/** Returns the snapshot with the counts added to the run and the job, and other changes of the job. */
function changed(
  before: RunSnapshot,
  job: Pick<JobRef, 'path'> & Partial<JobRef>,
  now: number,
  more: Partial<Counts>,
  change: (job: JobSnapshot) => Changed = (same) => same,
): RunSnapshot {
  const at = before.jobs.findIndex(({ path }) => path === job.path);
  const known = before.jobs[at] ?? fresh(job, now, before.names);
  const { total, endedAt, ...after } = change(added(known, more));
  const next: JobSnapshot = {
    ...after,
    ...(total === undefined ? {} : { total }),
    ...(endedAt === undefined ? {} : { endedAt }),
  };
  return { ...added(before, more), jobs: at < 0 ? [...before.jobs, next] : before.jobs.with(at, next) };
}

function added<C extends Counts>(counts: C, more: Partial<Counts>): C {
  return {
    ...counts,
    pages: counts.pages + (more.pages ?? 0),
    items: counts.items + (more.items ?? 0),
    requests: counts.requests + (more.requests ?? 0),
    retries: counts.retries + (more.retries ?? 0),
    bytes: counts.bytes + (more.bytes ?? 0),
    warnings: counts.warnings + (more.warnings ?? 0),
  };
}

/** Counts an event of a request, also for its job if it has one. */
function counted(
  before: RunSnapshot,
  { purpose }: Pick<RequestFields, 'purpose'>,
  now: number,
  more: Partial<Counts>,
): RunSnapshot {
  const path = purpose.kind === 'page' ? purpose.path : undefined;
  if (path === undefined) return added(before, more);
  const known = before.jobs.find((job) => job.path === path);
  if (known === undefined) return changed(before, { path }, now, more);
  return { ...added(before, more), jobs: before.jobs.map((job) => (job === known ? added(job, more) : job)) };
}

const NOT_BEGUN = { state: 'running', calls: 0, ended: 0, emptyCalls: 0, arrived: 0 } as const;
const CHILD = /\.children\[\d+\]$/;

/** Returns a job that has not begun. If a page or a request comes first, only its endpoint is known in masked form. */
function fresh(
  { path, id = '', dataType = '', endpoint = path }: Partial<JobRef> & { path: string },
  now: number,
  names: Readonly<Record<string, string>> = {},
): JobSnapshot {
  const parent = CHILD.test(path) ? { parent: path.replace(CHILD, '') } : {};
  const name = names[path] ?? jobNameOf({ id, dataType, endpoint });
  return { path, name, ...parent, ...NOTHING, ...NOT_BEGUN, startedAt: now };
}

function withEndedCall(job: JobSnapshot, items: number, now: number): JobSnapshot {
  const [ended, emptyCalls] = [job.ended + 1, job.emptyCalls + (items === 0 ? 1 : 0)];
  if (job.state === 'failed' || ended < job.calls) return { ...job, ended, emptyCalls };
  return { ...job, ended, emptyCalls, state: 'finished', endedAt: now };
}

function withPage(before: RunSnapshot, page: Page, now: number): RunSnapshot {
  const { job, count, evidence, index } = page;
  const { path, endpoint } = job;
  const arrived = evidence?.shaped?.arrived ?? count;
  const pages = evidence?.place === 'before' ? 0 : 1;
  return changed(before, { path, endpoint }, now, { pages, items: count }, (known) => {
    // Items from before the run was resumed are not counted here.
    const isWhole = known.parent === undefined && known.calls <= 1 && (index === 0 || known.arrived > 0);
    const total = isWhole ? (evidence?.total ?? known.total) : undefined;
    return { ...known, arrived: known.arrived + arrived, total };
  });
}

/** Updates jobs that failed while others continued: they are reported only at the end of the run. */
const judged = ({ jobs }: RunSnapshot, outcomes: readonly JobOutcome[]): readonly JobSnapshot[] => {
  const failed = new Set(outcomes.filter(({ outcome }) => outcome === 'failed').map(({ path }) => path));
  return jobs.map((job) => (failed.has(job.path) ? { ...job, state: 'failed' } : job));
};
