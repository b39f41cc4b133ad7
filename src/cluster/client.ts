/** A cluster from outside: runs are submitted, watched, cancelled and scheduled. */
import type * as TemporalClient from '@temporalio/client';
import {
  BehaviorSubject,
  EMPTY,
  catchError,
  defer,
  distinct,
  exhaustMap,
  filter,
  firstValueFrom,
  from,
  map,
  merge,
  mergeMap,
  of,
  retry,
  share,
  takeUntil,
  tap,
  throwError,
  timer,
} from 'rxjs';
import type { Observable } from 'rxjs';
import { FatalError } from '../core/errors/errors';
import type { Json, JsonObject } from '../core/model';
import { optionalPackage } from '../core/optional-package';
import { maskedError } from '../core/secrets/masking';
import { Secrets } from '../core/secrets/secrets';
import { createSeal } from '../core/sealed';
import type { EnvironmentOptions } from '../language/environment';
import type { Part } from '../language/parts/parts';
import { destinationOf } from '../run/deliver/destinations';
import { notShared } from '../run/deliver/parts';
import { checkRunId } from '../run/run-ids';
import { concurrencyOf, tunableJobs } from '../run/tuning';
import { prepare, referencesOf } from '../run/validate';
import { sealRun } from './activities';
import { NAMES, TASK_QUEUE } from './protocol';
import { partsIn, troublesOf } from './running-parts';
import type { ClusterPart } from './running-parts';
import type { ClusterOptions, ClusterTuning, FailureDetails, RunInput, PartsProgress, RunResult } from './protocol';

/** Where a cluster is. */
export interface ClusterOptionsOfPlace {
  /** The address of the Temporal server, `HOST:PORT`. */
  readonly address: string;
  /** Default: `default`. */
  readonly namespace?: string;
  /** The queue on which workers take tasks; default: `headwater`. */
  readonly taskQueue?: string;
  /** The key of the cluster, at least 16 characters: configurations are encrypted with it before they leave this process. */
  readonly key: string;
}

/** What is submitted. */
export interface Submission extends ClusterOptions, EnvironmentOptions {
  /** The address of the destination, for example `postgres://…`. */
  readonly to: string;
  /** The id of the run; default: a random one. A run of an id that was committed before is not made again. */
  readonly runId?: string;
  /** How many parts are made at once at most; default 100. */
  readonly parts?: number;
  /** Seconds after which a worker that does not report counts as dead, from 3; default 30. */
  readonly heartbeatSeconds?: number;
  /** From 1 (first) to 5, 3 by default: where slots are few, parts of runs with a lower number tend to go first. */
  readonly priority?: number;
  readonly components?: readonly Part[];
}

/** When runs start: every so many seconds, or by a cron expression in UTC. A run that is due while another one is under way is left out. */
export type RunSchedule = { readonly everySeconds: number } | { readonly cron: string };

/** A run on a cluster, as lists have it. */
export interface ClusterRun {
  readonly runId: string;
  readonly configuration: string;
  readonly destination: string;
  readonly status: 'running' | 'completed' | 'failed' | 'cancelled' | 'other';
  readonly startedAt: Date;
  readonly endedAt?: Date;
}

/** A run with what it does just now. */
export interface ClusterStatus extends ClusterRun {
  readonly progress?: PartsProgress;
  /** What is being made, by worker; none once the run is over. */
  readonly parts: readonly ClusterPart[];
}

/** The progress of a run, and its result as the last value. A warning says what keeps it from going on, each thing once. */
export type ClusterProgress =
  | { readonly type: 'delivering'; readonly progress: PartsProgress }
  | { readonly type: 'warning'; readonly message: string }
  | { readonly type: 'committed'; readonly result: RunResult };

/** A connection to a cluster. */
export interface Cluster {
  /**
   * Starts a run, or a schedule of runs.
   *
   * @param schedule when runs start; absent: one starts now
   * @returns the id of the run or schedule
   * @throws ConfigurationError; FatalError DESTINATION_INCOMPATIBLE for a destination that only one process can write to
   */
  readonly submit: (config: Json, submission: Submission, schedule?: RunSchedule) => Promise<string>;
  /** Runs a configuration on the cluster; unsubscribing cancels the run. */
  readonly deliver$: (config: Json, submission: Submission) => Observable<ClusterProgress>;
  /** Follows a run to its end. Unsubscribing does not end the run. */
  readonly follow$: (runId: string) => Observable<ClusterProgress>;
  /**
   * Changes a run that goes on; parts that are being made end as they began.
   *
   * @throws RangeError for an invalid number; FatalError RUN_UNKNOWN, CONFIG_INVALID for a job whose calls cannot be tuned
   * @example await runs.tune(id, { parts: 20, calls: { job: 'stations', concurrency: 8 } });
   */
  readonly tune: (runId: string, tuning: ClusterTuning) => Promise<void>;
  readonly status: (runId: string) => Promise<ClusterStatus>;
  /** Cancels a run, and waits until nothing of it is left in its destination; ends a schedule. */
  readonly cancel: (runId: string) => Promise<void>;
  /** The runs that the server knows, the latest first. */
  readonly list: (most?: number) => Promise<readonly ClusterRun[]>;
  readonly close: () => Promise<void>;
}

const PARTS = 100;
const HEARTBEAT_SECONDS = 30;
const LEAST_HEARTBEAT_SECONDS = 3;
const MOST_LISTED = 100;
/** A long run has several executions, of which the last one is shown. */
const RUNS = `WorkflowType = '${NAMES.run}' AND ExecutionStatus != 'ContinuedAsNew'`;
const EVERY_MS = 1000;
/** So long a run may wait before it is asked what it waits for. */
const WARNED_AFTER_MS = 5000;
/** For so long a server may be away. */
const LONGEST_OUTAGE_MS = 300_000;
/** An error so long after the last one belongs to another outage: the connection itself tries for some twenty seconds. */
const NEW_OUTAGE_MS = 60_000;

/**
 * Connects to a cluster.
 *
 * @throws FatalError CLUSTER_UNREACHABLE
 * @example
 * const runs = await cluster({ address: 'localhost:7233', key });
 * runs.deliver$(config, { to: 'postgres://localhost/sales' }).subscribe(console.log);
 */
export async function cluster({ address, key, ...place }: ClusterOptionsOfPlace): Promise<Cluster> {
  const { namespace = 'default', taskQueue = TASK_QUEUE } = place;
  const temporal = optionalPackage('headwater/temporal', '@temporalio/client');
  const { ScheduleOverlapPolicy } = temporal;
  const seal = createSeal(key);
  const client = await connect({ address, namespace });
  const known = <T>(runId: string, work: () => Promise<T>): Promise<T> =>
    work().catch((cause: unknown) => {
      if (cause instanceof temporal.WorkflowNotFoundError) throw noRun(runId);
      throw cause instanceof temporal.ServiceError ? away(address, runId, cause) : failureIn(cause, temporal);
    });

  const inputOf = (config: Json, submission: Submission): { readonly input: RunInput; readonly memo: Memo } => {
    const { to, runId, parts = PARTS, heartbeatSeconds = HEARTBEAT_SECONDS, components = [], ...others } = submission;
    const { env, secretFiles, secrets: given, ...options } = others;
    const outside = {
      ...(env === undefined ? {} : { env }),
      ...(secretFiles === undefined ? {} : { secretFiles }),
      ...(given === undefined ? {} : { secrets: given }),
    };
    const reading = { ...outside, components };
    const { planned, secrets } = prepare(config, { ...reading, lenient: options.lenient === true });
    const outputs = planned.iterations.map(({ output }) => output);
    try {
      const sink = destinationOf(to, { components })(outputs, undefined);
      if (sink.shared === undefined) throw notShared(sink);
      if (runId !== undefined) checkRunId(runId, [sink]);
      const shown = { configuration: options.configurationName ?? 'configuration', destination: sink.name };
      const input = {
        ...shown,
        sealed: sealRun(seal, {
          config: config as JsonObject,
          to,
          options,
          env: variablesIn(config, reading),
        }),
        parts,
        heartbeatSeconds: Math.max(LEAST_HEARTBEAT_SECONDS, heartbeatSeconds),
      };
      return { input, memo: { ...shown, jobs: tunableJobs(planned.iterations) } };
    } catch (error) {
      throw maskedError(error, new Secrets(secrets));
    }
  };

  const submit: Cluster['submit'] = async (config, { priority: priorityKey, ...submission }, schedule) => {
    const { input, memo } = inputOf(config, submission);
    const { runId = `${input.configuration} ${globalThis.crypto.randomUUID()}` } = submission;
    const priority = priorityKey === undefined ? {} : { priority: { priorityKey } };
    const staticSummary = `${input.configuration} → ${input.destination}`;
    if (schedule === undefined)
      await client.workflow
        .start(NAMES.run, {
          ...{ taskQueue, memo, staticSummary, workflowId: runId, args: [{ ...input, runId }], ...priority },
          // A run that failed goes on; one that was committed succeeds at once.
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          workflowIdConflictPolicy: 'FAIL',
        })
        .catch((cause: unknown) => {
          throw cause instanceof temporal.WorkflowExecutionAlreadyStartedError ? isRunning(runId) : cause;
        });
    else
      await client.schedule.create({
        scheduleId: runId,
        spec:
          'cron' in schedule
            ? { cronExpressions: [schedule.cron] }
            : { intervals: [{ every: schedule.everySeconds * 1000 }] },
        action: {
          ...{ type: 'startWorkflow', workflowType: NAMES.run, workflowId: runId },
          ...{ args: [input], taskQueue, memo, staticSummary, ...priority },
        },
        policies: { overlap: ScheduleOverlapPolicy.SKIP },
      });
    return runId;
  };

  const follow$: Cluster['follow$'] = (runId) =>
    defer(() => {
      const handle = client.workflow.getHandle(runId);
      const result$ = defer(() => known(runId, () => handle.result() as Promise<RunResult>)).pipe(
        retry({ delay: patience() }),
        map((result): ClusterProgress => ({ type: 'committed', result })),
        share(),
      );
      const progress$ = timer(0, EVERY_MS).pipe(
        exhaustMap(() => from(handle.query<PartsProgress>(NAMES.progress)).pipe(catchError(() => EMPTY))),
        map((progress): ClusterProgress => ({ type: 'delivering', progress })),
      );
      const warnings$ = timer(WARNED_AFTER_MS, WARNED_AFTER_MS).pipe(
        exhaustMap(() => from(troublesOf(client, runId, { namespace, taskQueue })).pipe(catchError(() => EMPTY))),
        mergeMap((messages) => of(...messages)),
        distinct(),
        map((message): ClusterProgress => ({ type: 'warning', message })),
      );
      const over$ = result$.pipe(catchError(() => of(undefined)));
      return merge(result$, merge(progress$, warnings$).pipe(takeUntil(over$)));
    });

  const summaryOf = ({ workflowId, memo = {}, status, startTime, closeTime }: Execution): ClusterRun => ({
    runId: workflowId,
    configuration: textOf(memo['configuration']),
    destination: textOf(memo['destination']),
    status: STATUSES.get(status.name) ?? 'other',
    startedAt: startTime,
    ...(closeTime === undefined ? {} : { endedAt: closeTime }),
  });

  return {
    submit,
    follow$,
    deliver$: (config, submission) =>
      defer(() => submit(config, submission)).pipe(
        mergeMap((runId) => {
          const cancel = (): void =>
            void client.workflow
              .getHandle(runId)
              .cancel()
              .catch(() => undefined);
          return follow$(runId).pipe(tap({ unsubscribe: cancel }));
        }),
      ),
    tune: async (runId, { parts, calls }) => {
      if (parts !== undefined && !(Number.isInteger(parts) && parts > 0))
        throw new RangeError(`parts: expected an integer from 1, found ${parts}`);
      if (calls !== undefined) concurrencyOf(calls.concurrency);
      await known(runId, async () => {
        const handle = client.workflow.getHandle(runId);
        if (calls !== undefined) {
          const { memo } = await handle.describe();
          const jobs = textsOf(memo?.['jobs']);
          if (!jobs.includes(calls.job)) throw noJob(runId, calls.job, jobs);
        }
        await handle.signal(NAMES.tune, { parts, calls });
      });
    },
    status: (runId) =>
      known(runId, async () => {
        const handle = client.workflow.getHandle(runId);
        const described = await handle.describe();
        const progress = await handle.query<PartsProgress>(NAMES.progress).catch(() => undefined);
        const summary = { ...summaryOf(described), parts: partsIn(described) };
        return { ...summary, ...(progress === undefined ? {} : { progress }) };
      }),
    cancel: async (runId) => {
      const ended = await client.schedule
        .getHandle(runId)
        .delete()
        .then(
          () => true,
          () => false,
        );
      if (ended) return;
      await known(runId, async () => {
        const handle = client.workflow.getHandle(runId);
        await handle.cancel();
        await handle.result().catch((error: unknown) => {
          if (!(error instanceof temporal.WorkflowFailedError && error.cause instanceof temporal.CancelledFailure))
            throw error;
        });
      });
    },
    list: async (most = MOST_LISTED) => {
      const runs: ClusterRun[] = [];
      for await (const execution of client.workflow.list({ query: RUNS })) {
        runs.push(summaryOf(execution));
        if (runs.length === most) break;
      }
      return runs;
    },
    close: client.close,
  };
}

/**
 * Connects to a Temporal server.
 *
 * @throws FatalError CLUSTER_UNREACHABLE
 */
export async function connect({
  address,
  namespace,
}: {
  readonly address: string;
  readonly namespace: string;
}): Promise<TemporalClient.Client & { readonly close: () => Promise<void> }> {
  const temporal = optionalPackage('headwater/temporal', '@temporalio/client');
  const retries = temporal.defaultGrpcRetryOptions();
  let isClosed = false;
  // The calls that are about to be made, the repeated ones included.
  const due$ = new BehaviorSubject(0);
  const repeated = temporal.makeGrpcRetryInterceptor({
    retryableDecider: (attempt, status) => !isClosed && retries.retryableDecider(attempt, status),
    delayFunction: (attempt, status) => {
      due$.next(due$.value + 1);
      return retries.delayFunction(attempt, status);
    },
  });
  const interceptors: TemporalClient.ConnectionOptions['interceptors'] = [
    (options, nextCall) => {
      due$.next(due$.value + 1);
      return repeated(options, (made) => {
        due$.next(due$.value - 1);
        return nextCall(made);
      });
    },
  ];
  const connection = await temporal.Connection.connect({ address, connectTimeout: 5000, interceptors }).catch(
    (cause: unknown) => {
      throw unreachable(address, cause);
    },
  );
  const close = async (): Promise<void> => {
    isClosed = true;
    // A call that is repeated on a closed connection throws where nobody can catch it, also if nobody waits for it any more.
    await firstValueFrom(due$.pipe(filter((due) => due === 0)));
    await connection.close();
  };
  await connection.workflowService.describeNamespace({ namespace }).catch(async (cause: unknown) => {
    await close();
    throw isNotFound(cause) ? noNamespace(namespace, address) : unreachable(address, cause);
  });
  return Object.assign(new temporal.Client({ connection, namespace }), { close });
}

/**
 * Returns the id of the workflow that makes a run, if that is under way.
 *
 * @param runId as in {@link RunInput.runId}
 * @example await underWay(client, 'rivers 7') // 'rivers 7', or undefined
 */
export async function underWay(client: TemporalClient.Client, runId: string): Promise<string | undefined> {
  const { WorkflowNotFoundError } = optionalPackage('headwater worker', '@temporalio/client');
  const [, scheduled, first] = /^(.+) ([\da-f-]{36})$/.exec(runId) ?? [];
  for (const workflowId of [runId, ...(scheduled === undefined ? [] : [scheduled])])
    try {
      const { status, raw } = await client.workflow.getHandle(workflowId).describe();
      const isOfRun = workflowId === runId || raw.workflowExecutionInfo?.firstRunId === first;
      if (status.name === 'RUNNING' && isOfRun) return workflowId;
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  return undefined;
}

/** Returns the values of the variables that a configuration names: workers have others, or none. */
const variablesIn = (config: Json, options: Parameters<typeof referencesOf>[1]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    referencesOf(config, options).flatMap(({ source, name, found }) =>
      source === 'env' && 'value' in found ? [[name, found.value] as const] : [],
    ),
  );

type Execution = Pick<
  TemporalClient.WorkflowExecutionInfo,
  'workflowId' | 'memo' | 'status' | 'startTime' | 'closeTime'
>;

const STATUSES: ReadonlyMap<string, ClusterRun['status']> = new Map([
  ['RUNNING', 'running'],
  ['CONTINUED_AS_NEW', 'running'],
  ['COMPLETED', 'completed'],
  ['FAILED', 'failed'],
  ['TERMINATED', 'cancelled'],
  ['CANCELLED', 'cancelled'],
]);

/** What the server shows of a run: its configuration, its destination, and the jobs whose calls can be tuned. */
type Memo = Readonly<Record<'configuration' | 'destination', string>> & { readonly jobs: readonly string[] };

const textsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(textOf) : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the error of Headwater within a failure of Temporal; another one stays as it is. */
function failureIn(cause: unknown, temporal: typeof TemporalClient): unknown {
  for (let at = cause; at instanceof Error; at = at.cause)
    if (at instanceof temporal.ApplicationFailure && typeof at.type === 'string') {
      const [facts] = (at.details ?? []) as unknown as FailureDetails;
      return facts === undefined ? at : new FatalError(facts.code, facts.message, facts);
    } else if (at instanceof temporal.CancelledFailure)
      return new FatalError('RUN_CANCELLED', 'The run was cancelled: nothing of it was stored.');
  return cause;
}

const unreachable = (address: string, cause: unknown): FatalError =>
  new FatalError(
    'CLUSTER_UNREACHABLE',
    `No Temporal server answers at ${address} (${reasonOf(cause)}). The address is HOST:PORT, 7233 where nothing else was set.`,
    { cause },
  );
const away = (address: string, runId: string, cause: Error): FatalError =>
  new FatalError(
    'CLUSTER_UNREACHABLE',
    `The Temporal server at ${address} does not answer any more (${reasonOf(cause.cause ?? cause)}). Runs go on when it is back: see ` +
      `"headwater status ${JSON.stringify(runId)}".`,
    { cause },
  );
const isAway = (error: unknown): boolean => error instanceof FatalError && error.code === 'CLUSTER_UNREACHABLE';
/** Returns what decides whether an error is outlasted: a server may be away for some minutes, however often. */
function patience(): (error: unknown) => Observable<unknown> {
  let began = -Infinity;
  let last = -Infinity;
  return (error) => {
    const now = Date.now();
    if (now - last > NEW_OUTAGE_MS) began = now;
    last = now;
    return isAway(error) && now - began < LONGEST_OUTAGE_MS ? timer(EVERY_MS) : throwError(() => error);
  };
}
const noNamespace = (namespace: string, address: string): FatalError =>
  new FatalError(
    'CLUSTER_UNREACHABLE',
    `The Temporal server at ${address} has no namespace ${JSON.stringify(namespace)}. Register it, or name another one by --namespace.`,
  );
const noRun = (runId: string): FatalError =>
  new FatalError('RUN_UNKNOWN', `The cluster knows no run ${JSON.stringify(runId)}; "headwater list" shows its runs.`);
const noJob = (runId: string, job: string, known: readonly string[]): FatalError =>
  new FatalError(
    'CONFIG_INVALID',
    `tune: the run ${JSON.stringify(runId)} has no job with the id ${JSON.stringify(job)} and with children, windows or partitions, of which ` +
      `several could run at once. It has ${known.map((id) => JSON.stringify(id)).join(', ') || 'none'}.`,
  );
const isRunning = (runId: string): FatalError =>
  new FatalError(
    'RUN_ACTIVE',
    `The run ${JSON.stringify(runId)} is under way. Follow it with "headwater status", or give this one another id.`,
  );

const NOT_FOUND = 5;
const isNotFound = (cause: unknown): boolean =>
  typeof cause === 'object' && cause !== null && Reflect.get(cause, 'code') === NOT_FOUND;
const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
