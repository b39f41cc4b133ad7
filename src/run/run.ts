/** One run: combines the modules, from the plans of its iterations to its pages. */
import { randomUUID } from 'node:crypto';
import {
  asyncScheduler,
  catchError,
  concat,
  concatMap,
  defer,
  finalize,
  from,
  identity,
  map,
  merge,
  of,
  pipe,
  Subject,
  tap,
  throwError,
} from 'rxjs';
import type { Observable, SchedulerLike } from 'rxjs';
import { faultLine } from '../core/errors/errors';
import type { Fault } from '../core/errors/errors';
import type { Counted, Meter, Report, RunEvent, Tally } from '../core/events';
import { createNumbers } from '../http/send';
import type { RequestNumbers } from '../http/send';
import { answers, judge, ruleOf } from '../http/rules';
import { decode } from '../http/body/decode';
import { openBody } from '../http/body/stream-body';
import { itemPatience } from '../http/transport/network-failure';
import type { RequestTuning } from '../http/rates/request-tuning';
import { createJobFailures, reportingFailure, createEnding } from './run-end';
import type { FailedCalls, JobFailures, OnJobError, RunStrictness } from './run-end';
import { maskedError, maskedEvent } from '../core/secrets/masking';
import type { Cursors, PagesHere, Progress } from '../core/model';
import { mergeInOrderFrom } from '../operators';
import type { WindowGate } from '../operators';
import type { IterationPlan, JobPlan, RunTimes } from '../plan/plan';
import type { Planned } from '../plan/compile';
import { topLevelCall } from '../sources/call';
import type { Concurrency } from '../sources/concurrency';
import { isPage, runJob } from '../sources/job';
import type { Sessions } from './sessions/sessions';
import { neededOf } from './streams/chosen-jobs';
import { createItemDecoding } from './streams/decoding';
import type { ItemDecodingPlan } from './streams/decoding';
import { withValues } from './tuning';

/** The options of a run beside its plan. */
export interface RunOptions extends RunStrictness {
  /** The id of the run; absent: a random one. */
  readonly id?: string | undefined;
  /** The clock; absent: `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
  readonly concurrency: Concurrency;
  /** Applies the values of Observables to the run while it is subscribed. */
  readonly values$: Observable<never>;
  /** The sessions of its iterations. */
  readonly sessions: Sessions;
  /** True if the sessions end with the run. */
  readonly ownsSessions: boolean;
  /** Is called with events after the end of the run: of a login that it requested and others still wait for. */
  readonly afterwards?: Report | undefined;
  /** True if somebody listens to every event. */
  readonly isDetailed: boolean;
  /** Counts what is not reported as an event. */
  readonly tally?: Tally | undefined;
  /** The tuned settings of its requests. */
  readonly tuned: readonly RequestTuning[];
  /** The start of the last successful run in Unix seconds, 0 if there was none. */
  readonly previousStart: number;
  /** The start of the run in Unix seconds, if it is resumed. */
  readonly startedAt?: number | undefined;
  /** The checkpoints of the calls, if the run is resumed. */
  readonly progress: Progress;
  /** The cursors of the jobs that ask only for new items. */
  readonly cursors: Cursors;
  /** The effect of a failed job on the run. */
  readonly onJobError: OnJobError;
  readonly failedCalls: FailedCalls;
  /** How items are decoded; absent: they stay unchanged. */
  readonly decoding?: ItemDecodingPlan | undefined;
  /** Returns whether a job runs; absent: every job does. */
  readonly isNeeded?: ((job: JobPlan) => boolean) | undefined;
  /** Returns whether the run makes a call, by its key; absent: it makes all. */
  readonly owns?: ((call: readonly number[]) => boolean) | undefined;
  /** Returns how many more pages of a call the run requests; absent: all. */
  readonly pagesHere?: PagesHere | undefined;
  /** Opens when the consumer is ready for another page: when fewer than this number wait for it. */
  readonly gate: WindowGate;
}

/** Returns a run as the stream of its events, pages included; cold. Nothing that it emits or throws contains a secret. */
export function run({ iterations, warnings }: Planned, options: RunOptions): Observable<RunEvent> {
  const { id = randomUUID(), secrets } = options;
  return defer(() => {
    const numbers = createNumbers(id);
    const reported = new Subject<RunEvent>();
    let isOver = false;
    const report: Report = (event) =>
      isOver ? options.afterwards?.(maskedEvent(event, secrets)) : reported.next(event);
    const { previousStart, scheduler = asyncScheduler, startedAt = Math.floor(scheduler.now() / 1000) } = options;
    const times: RunTimes = { previousStart, currentStart: startedAt };
    const meter = meterOf(options, scheduler);
    const failures = createJobFailures(options.onJobError, secrets);
    const ending = createEnding(iterations, { ...options, failures });
    const decoding = options.decoding === undefined ? undefined : createItemDecoding(options.decoding, secrets);
    const { aroundCall } = failures;
    const around: JobFailures['around'] = (job, at) => pipe(decoding?.decode ?? identity, failures.around(job, at));
    const work = concat(
      of<RunEvent>({
        type: 'run.started',
        startedAt: times.currentStart,
        jobs: iterations.reduce((sum, { jobs }) => sum + neededOf(jobs, options.isNeeded).length, 0),
        names: Object.fromEntries(iterations.flatMap(({ jobs }) => jobs.flatMap(namesOf))),
        ...(options.progress.size === 0 ? {} : { before: countedBefore(options) }),
      }),
      from(warnings.map(asEvent)),
      from(iterations).pipe(
        concatMap((plan, at) => runIteration(plan, at, { times, report, meter, numbers, around, aroundCall, options })),
      ),
      defer(() => from(decoding?.invalid() ?? [])),
    );
    const over = (): void => {
      isOver = true;
      if (options.ownsSessions) void options.sessions.close();
      reported.complete();
    };
    return concat(
      merge(reported, withValues(work, options.values$).pipe(finalize(over))).pipe(tap(ending.onEvent)),
      ending.events$,
    );
  }).pipe(
    catchError((error: unknown) => throwError(() => maskedError(error, secrets))),
    reportingFailure(),
    map((event) => ({ run: id, ...maskedEvent(event, secrets) })),
  );
}

const meterOf = ({ isDetailed, tally }: Pick<RunOptions, 'isDetailed' | 'tally'>, clock: SchedulerLike): Meter => ({
  isDetailed,
  countRequest: (purpose, field, more) => tally?.addRequest(purpose, field, more, clock.now()),
  countCall: (job, items) => tally?.addCall(job, items, clock.now()),
});

const asEvent = (fault: Fault): RunEvent => ({ type: 'warning', code: 'CONFIGURATION', message: faultLine(fault) });

/** What the plans of one run share. */
interface Shared {
  readonly times: RunTimes;
  readonly report: Report;
  readonly meter: Meter;
  /** The wrapper around the stream of each job. */
  readonly around: JobFailures['around'];
  /** The wrapper around each call of a child. */
  readonly aroundCall: JobFailures['aroundCall'];
  readonly numbers: RequestNumbers;
  readonly options: RunOptions;
}

/** Returns the jobs of one plan, in a session for them. */
function runIteration(plan: IterationPlan, at: number, shared: Shared): Observable<RunEvent> {
  const { times, report, meter, numbers, around, aroundCall, options } = shared;
  return defer(() => {
    const { secrets, concurrency, scheduler = asyncScheduler } = options;
    const { ordered, prefetch } = plan.flow;
    secrets.add(...plan.secrets);
    const rules = plan.http.rules === undefined ? undefined : ruleOf(plan.http.rules, report);
    const lease = options.sessions
      .of(plan)
      .join({ http: plan.http, report, meter, secrets, rules, tuned: options.tuned, numbers });
    const context = {
      iteration: at,
      ...(options.failedCalls === 'leave the others' ? { aroundCall: (job: JobPlan) => aroundCall(job, at) } : {}),
      send: lease.send,
      decode: decode({
        ignoreErrors: plan.http.ignoreErrors,
        contentTypes: plan.http.contentTypes,
        // Where nothing judges whether a run is complete, the language decides (docs/language/README.md#json-without-loss).
        misfits: options.completeness === 'off' ? 'leave out' : 'refuse',
        report,
        secrets,
      }),
      streams: {
        open: openBody,
        maxRetries: plan.http.retry.maxRetries,
        ...itemPatience(plan.http.requestTimeoutMilliseconds, secrets),
      },
      ...(lease.cookieChanges === undefined ? {} : { cookieChanges: lease.cookieChanges }),
      ...(rules === undefined ? {} : { judge: judge(rules, secrets) }),
      answers: answers(secrets, plan.http.retry.header, scheduler),
      scheduler,
      report,
      meter,
      warnOnce: new Set<string>(),
      listPlaces: new Map<string, readonly string[]>(),
      redirects: new Map(),
      secrets,
      times,
      baseUrl: plan.http.baseUrl,
      prefetch,
      ordered,
      concurrency,
      progress: options.progress,
      cursors: options.cursors,
      completeness: options.completeness,
      lenient: options.lenient,
      isNeeded: options.isNeeded,
      owns: options.owns,
      pagesHere: options.pagesHere,
    };
    const jobs$ = mergeInOrderFrom(
      neededOf(plan.jobs, options.isNeeded),
      ({ job, index }, _, gate) => runJob(job, { ...context, gate }, topLevelCall(at, index)).pipe(around(job, at)),
      {
        concurrency: concurrency.ofIteration(plan),
        ahead: prefetch,
        ordered,
        gate: options.gate,
        counts: isPage,
      },
    );
    return jobs$.pipe(finalize(lease.leave));
  });
}

/**
 * Returns the pages and items from before a resumed run. Its progress does not include calls of children that have ended: they count if
 * there is evidence of them.
 */
function countedBefore({ progress, evidence }: Pick<RunOptions, 'progress' | 'evidence'>): Counted {
  const counts: readonly Counted[] =
    evidence === undefined
      ? [...progress.values()]
      : evidence.jobs().map(({ pages, items, shaped }) => ({ pages, items: shaped?.delivered ?? items }));
  return {
    pages: counts.reduce((sum, { pages }) => sum + pages, 0),
    items: counts.reduce((sum, { items }) => sum + items, 0),
  };
}

/** Returns the names of a job and of its children, by their paths. */
const namesOf = ({ path, name, children }: JobPlan): readonly (readonly [string, string])[] => [
  [path, name],
  ...children.flatMap(({ job }) => namesOf(job)),
];
