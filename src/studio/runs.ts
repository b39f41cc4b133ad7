/** The runs that the page shows: the one of the studio with its progress, one at a time, and those of a cluster, which it only watches. */
import { BehaviorSubject, Subject, takeUntil } from 'rxjs';
import type { Subscription } from 'rxjs';
import { HeadwaterError, RunCounter, deliver$, sinks } from '..';
import type { DeliverOptions, DeliveryStream, EnvironmentOptions, Json, RunSnapshot, TuneSettings } from '..';
import { isList, isObject, ownValue } from '../core/json/objects';
import { RefusedRequest } from './replies';
import { createTimeline } from './timeline';
import type { Timeline } from './timeline';
import type { CurrentRun, RunState, ClusterRunLine, ClusterRunNow, WorkerPart } from './wire';
import type { Cluster, ClusterPart, ClusterRun } from '../temporal';

/** See {@link createRuns}. */
export interface Runs {
  readonly current: () => CurrentRun;
  readonly timeline: () => Timeline;
  /**
   * @param placeOf returns where the job of a path of the configuration is written
   * @throws RefusedRequest RUN_UNDER_WAY
   */
  readonly start: (
    config: Json,
    options: Pick<DeliverOptions, 'configurationName' | 'lenient' | 'components' | keyof EnvironmentOptions>,
    placeOf?: (path: string) => string,
  ) => void;
  /** @throws RefusedRequest TUNING */
  readonly tune: (settings: TuneSettings) => void;
  readonly cancel: () => void;
}

/**
 * Runs configurations into a database file.
 *
 * @param network the proxies, or a replacement of the network
 * @example createRuns('items.duckdb').start(config, {})
 */
export function createRuns(database: string, network: Pick<DeliverOptions, 'fetch' | 'proxies'> = {}): Runs {
  const current$ = new BehaviorSubject<CurrentRun>({ number: 0, state: 'none' });
  const change = (part: Partial<CurrentRun>): void => current$.next({ ...current$.value, ...part });
  let timeline = createTimeline(Date.now);
  let delivery: DeliveryStream | undefined;
  let running: Subscription | undefined;

  const isUnderWay = (): boolean => ['running', 'paused', 'storing'].includes(current$.value.state);
  const end = (state: RunState, more: Partial<CurrentRun> = {}): void => {
    timeline.end();
    change({ state, endedAt: Date.now(), ...more });
  };

  return {
    current: () => current$.value,
    timeline: () => timeline,
    start: (config, options, placeOf = (place) => place) => {
      if (isUnderWay()) throw new RefusedRequest(409, 'RUN_UNDER_WAY', 'A run is under way. Cancel it first.');
      const ours = createTimeline(Date.now, { nameOf: (place) => jobNameIn(config, place), placeOf });
      timeline = ours;
      current$.next({ number: current$.value.number + 1, state: 'running', startedAt: Date.now() });
      const stream = deliver$(config, [sinks.duckdb(database)], {
        ...options,
        ...network,
      });
      delivery = stream;
      const over$ = new Subject<void>();
      const counter = new RunCounter();
      stream.events$.pipe(takeUntil(over$)).subscribe((event) => {
        ours.onEvent(event);
        counter.add(event, Date.now());
        const isRead = READ_BY.has(event.type) && isAllRead(counter.snapshot());
        if (isRead && current$.value.state === 'running') change({ state: 'storing', storingAt: Date.now() });
        // A call of another parent may begin behind the last one.
        if (event.type === 'request.sent' && current$.value.state === 'storing') change({ state: 'running' });
      });
      running = stream.subscribe({
        next: (progress) => {
          ours.take(progress.jobs);
          if (progress.type !== 'committed') return;
          const tables = progress.delivery.stored.flatMap((stored) => stored.tables);
          change({ tables: tables.map(({ name, rows }) => ({ name, rows })) });
        },
        error: (error: unknown) => {
          end('failed', { message: messageOf(error) });
          over$.next();
        },
        complete: () => {
          end('finished');
          over$.next();
        },
      });
      running.add(() => over$.next());
    },
    tune: (settings) => {
      if (delivery === undefined || !isUnderWay())
        throw new RefusedRequest(409, 'NO_RUN', 'No run is under way that could be changed.');
      try {
        delivery.tune(settings);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        throw new RefusedRequest(422, 'TUNING', error.message);
      }
      if (settings.job === undefined && typeof settings.paused === 'boolean' && current$.value.state !== 'storing')
        change({ state: settings.paused ? 'paused' : 'running' });
    },
    cancel: () => {
      if (!isUnderWay()) return;
      running?.unsubscribe();
      end('cancelled');
    },
  };
}

const READ_BY: ReadonlySet<string> = new Set(['job.finished', 'job.failed']);

/** Returns whether all jobs have ended, so that a run only stores what came. */
const isAllRead = ({ jobs, jobsInAll }: RunSnapshot): boolean =>
  jobs.every(({ state }) => state !== 'running') &&
  jobs.filter(({ parent }) => parent === undefined).length >= jobsInAll;

/** Returns a failure in words; any other error than one of Headwater is a defect, whose stack is printed at the terminal. */
const messageOf = (error: unknown): string =>
  error instanceof HeadwaterError ? error.message : `Program error: ${String(error)}`;

/**
 * Returns the name of a job as the page shows it: its `dataType`, else its `id`, else its endpoint, as they are written; never a digest.
 *
 * @param path the path in the configuration
 * @returns `undefined` if there is none, or the endpoint is an expression
 * @example jobNameIn({ config: { jobs: [{ endpoint: 'rivers' }] } }, 'config.jobs[0]') // 'rivers'
 */
export function jobNameIn(config: Json, path: string): string | undefined {
  const root = memberOf(config, 'parameters') ?? config;
  const keys = path.split(/[.[\]]+/).filter((key) => key !== '');
  const job = keys.reduce<Json | undefined>(
    (inner, key) => (isList(inner) ? inner[Number(key)] : memberOf(inner, key)),
    root,
  );
  const names = ['dataType', 'id', 'endpoint'].map((key) => memberOf(job, key));
  return names.filter((name) => typeof name === 'string' || typeof name === 'number').map(String)[0];
}

const memberOf = (value: Json | undefined, key: string): Json | undefined =>
  isObject(value) ? ownValue(value, key) : undefined;

/** A cluster that the studio shows. */
export interface WatchedCluster {
  /** `HOST:PORT`. */
  readonly address: string;
  readonly runs: Pick<Cluster, 'list' | 'status'>;
}

/** @example await clusterRuns({ address: 'localhost:7233', runs: await cluster({ address: 'localhost:7233', key }) }) */
export const clusterRuns = async ({ runs }: WatchedCluster): Promise<readonly ClusterRunLine[]> =>
  (await runs.list()).map(lineOf);

/**
 * Returns a run, its parts in the order of their workers; those that wait for one come last.
 *
 * @throws FatalError RUN_UNKNOWN, CLUSTER_UNREACHABLE
 */
export async function clusterRun({ runs }: WatchedCluster, runId: string): Promise<ClusterRunNow> {
  const { progress, parts, ...run } = await runs.status(runId);
  const inOrder = [...parts].sort((a, b) => orderOf(a).localeCompare(orderOf(b)));
  return {
    ...lineOf(run),
    ...(progress === undefined ? {} : { progress }),
    parts: inOrder.map((part) => partOf(part, Date.now())),
  };
}

const orderOf = ({ state, worker = '', name }: ClusterPart): string => `${state} ${worker} ${name}`;

const lineOf = ({ startedAt, endedAt, ...run }: ClusterRun): ClusterRunLine => ({
  ...run,
  startedAt: startedAt.getTime(),
  ...(endedAt === undefined ? {} : { endedAt: endedAt.getTime() }),
});

const partOf = ({ since, ...part }: ClusterPart, now: number): WorkerPart => ({
  ...part,
  // A part that waits for its next attempt begins in the future.
  ...(since === undefined ? {} : { for: Math.max(0, now - since.getTime()) }),
});
