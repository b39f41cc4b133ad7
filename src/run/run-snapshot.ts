/** The progress of a run, counted from its events alone; works without Node.js as well. */
import { asyncScheduler, defer, distinctUntilChanged, map } from 'rxjs';
import type { Observable, SchedulerLike } from 'rxjs';
import type { Outcome, RunEvent, Tally } from '../core/events';
import { jobNameOf } from '../core/text';
import type { JobRef, Page, Purpose } from '../core/model';

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
  /** Retries since the last page: when they began and when the next one is due, in milliseconds since the epoch, and the last failure. */
  readonly retrying?: { readonly since: number; readonly until: number; readonly because: string };
  /** Milliseconds that requests have waited for limits, in total. */
  readonly heldMilliseconds: number;
  /** Responses that were taken from the cache. */
  readonly cached: number;
  /** Milliseconds since the epoch. */
  readonly startedAt?: number;
  readonly endedAt?: number;
}

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
  defer(() => {
    const counter = new RunCounter();
    return events$.pipe(
      map((event) => {
        counter.add(event, scheduler.now());
        return counter.snapshot();
      }),
      distinctUntilChanged(),
    );
  });

/**
 * Returns the snapshot after another event: the same one where the event changes nothing.
 *
 * @param now milliseconds since the epoch
 * @example snapshotAfter(NO_RUN, { type: 'run.started', jobs: 2, startedAt: 0 }, Date.now()).jobsInAll // 2
 */
export function snapshotAfter(before: RunSnapshot, event: RunEvent, now: number): RunSnapshot {
  const counter = new RunCounter(before);
  counter.add(event, now);
  return counter.snapshot();
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Counts a run by its events. It counts in place and makes a snapshot when one is asked for, so that many events between two looks cost
 * little. As the option `counter` it costs less than an `onEvent` that counts: events of single requests are then not made.
 *
 * @example
 * const counter = new RunCounter();
 * extract(config, { counter }).items$.subscribe();
 * setInterval(() => console.log(counter.snapshot().items), 1000);
 */
export class RunCounter implements Tally {
  readonly #run: Mutable<RunSnapshot>;
  readonly #jobs: Map<string, Mutable<JobSnapshot>>;
  /** The last snapshot; absent after a change. */
  #snapshot: RunSnapshot | undefined;

  constructor(before: RunSnapshot = NO_RUN) {
    this.#run = { ...before };
    this.#jobs = new Map(before.jobs.map((job) => [job.path, { ...job }]));
    this.#snapshot = before;
  }

  /** Returns the progress so far: the same snapshot until it changes. */
  snapshot(): RunSnapshot {
    return (this.#snapshot ??= { ...this.#run, jobs: Array.from(this.#jobs.values(), (job) => ({ ...job })) });
  }

  /** @param now milliseconds since the epoch */
  add(event: RunEvent, now: number): void {
    const before = this.#snapshot;
    this.#snapshot = undefined;
    if (!this.#count(event, now)) this.#snapshot = before;
  }

  addRequest(purpose: Purpose, field: 'requests' | 'bytes', more: number, now: number): void {
    this.#snapshot = undefined;
    this.#countRequest(purpose, field, more, now);
  }

  addCall(job: JobRef, items: number | undefined, now: number): void {
    this.#snapshot = undefined;
    if (items === undefined) this.#beginCall(job, now);
    else endCall(this.#jobOf(job, now), items, now);
  }

  /** Returns whether the event changes anything. */
  #count(event: RunEvent, now: number): boolean {
    const run = this.#run;
    switch (event.type) {
      case 'run.started': {
        if (event.run !== undefined) run.run = event.run;
        Object.assign(run, { names: event.names ?? {}, state: 'running', jobsInAll: event.jobs, startedAt: now });
        return true;
      }
      case 'job.started':
        this.#beginCall(event.job, now);
        return true;
      case 'job.finished':
        endCall(this.#jobOf(event.job, now), event.items, now);
        return true;
      case 'job.failed':
        Object.assign(this.#jobOf(event.job, now), { state: 'failed', endedAt: now });
        return true;
      case 'page.extracted':
        this.#countPage(event.page, now);
        return true;
      case 'request.sent':
        this.#countRequest(event.purpose, 'requests', 1, now);
        return true;
      case 'response.received':
        this.#countRequest(event.purpose, 'bytes', event.bytes, now);
        return true;
      case 'response.cached':
        run.cached += 1;
        return true;
      case 'retry.scheduled': {
        this.#countRequest(event.purpose, 'retries', 1, now);
        const { because, delayMilliseconds } = event;
        run.retrying = { since: run.retrying?.since ?? now, until: now + delayMilliseconds, because };
        return true;
      }
      case 'request.held':
        run.heldMilliseconds += event.waitedMilliseconds;
        return true;
      case 'requests.paused':
        run.paused = { until: event.until, because: event.because };
        return true;
      case 'credentials.renewed':
        run.logins += 1;
        if (event.expiresAt === undefined) delete run.credentialsExpireAt;
        else run.credentialsExpireAt = event.expiresAt;
        return true;
      case 'warning':
        if (event.isExpected === true) return false;
        run.warnings += 1;
        if (event.job !== undefined) this.#jobOf(event.job, now).warnings += 1;
        return true;
      case 'run.finished':
        Object.assign(run, { state: 'finished', outcome: event.outcome, endedAt: now });
        // Jobs that failed while others continued are reported only at the end of the run.
        for (const { path, outcome } of event.jobs) {
          const job = this.#jobs.get(path);
          if (job !== undefined && outcome === 'failed') job.state = 'failed';
        }
        return true;
      case 'run.failed':
      case 'run.cancelled':
        Object.assign(run, { state: event.type === 'run.failed' ? 'failed' : 'cancelled', endedAt: now });
        return true;
      case 'run.skipped':
        Object.assign(run, { state: 'skipped', run: event.runId, startedAt: now, endedAt: now });
        return true;
      case 'job.submitted':
      case 'request.failed':
      case 'pagination.stopped':
      case 'items.shaped':
      case 'items.invalid':
        return false;
    }
  }

  #beginCall(ref: JobRef, now: number): void {
    const job = this.#jobOf(ref, now);
    job.name = jobNameOf(ref);
    job.state = 'running';
    // The total of several calls together is unknown.
    if (job.calls > 0) delete job.total;
    job.calls += 1;
    delete job.endedAt;
  }

  #countRequest(purpose: Purpose, field: 'requests' | 'retries' | 'bytes', more: number, now: number): void {
    this.#run[field] += more;
    const path = purpose.kind === 'page' ? purpose.path : undefined;
    if (path !== undefined) this.#jobOf({ path }, now)[field] += more;
  }

  #countPage({ job: { path, endpoint }, count, evidence, index }: Page, now: number): void {
    delete this.#run.retrying;
    const job = this.#jobOf({ path, endpoint }, now);
    const pages = evidence?.place === 'before' ? 0 : 1;
    for (const counts of [this.#run, job]) {
      counts.pages += pages;
      counts.items += count;
    }
    // Items from before the run was resumed are not counted here.
    const isWhole = job.parent === undefined && job.calls <= 1 && (index === 0 || job.arrived > 0);
    const total = isWhole ? (evidence?.total ?? job.total) : undefined;
    job.arrived += evidence?.shaped?.arrived ?? count;
    if (total === undefined) delete job.total;
    else job.total = total;
  }

  /** Returns the counts of a job. If a page or a request comes first, only its endpoint is known in masked form. */
  #jobOf(ref: Pick<JobRef, 'path'> & Partial<JobRef>, now: number): Mutable<JobSnapshot> {
    const { path } = ref;
    const known = this.#jobs.get(path);
    if (known !== undefined) return known;
    const { id = '', dataType = '', endpoint = path } = ref;
    const name = this.#run.names?.[path] ?? jobNameOf({ id, dataType, endpoint });
    const parent = CHILD.test(path) ? { parent: path.replace(CHILD, '') } : {};
    const begun = { state: 'running', calls: 0, ended: 0, emptyCalls: 0, arrived: 0 } as const;
    const job = { path, name, ...parent, ...NOTHING, ...begun, startedAt: now };
    this.#jobs.set(path, job);
    return job;
  }
}

const CHILD = /\.children\[\d+\]$/;

function endCall(job: Mutable<JobSnapshot>, items: number, now: number): void {
  job.ended += 1;
  if (items === 0) job.emptyCalls += 1;
  if (job.state === 'failed' || job.ended < job.calls) return;
  job.state = 'finished';
  job.endedAt = now;
}
