/** A worker: a process that makes parts of runs. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from '../core/events';
import { optionalPackage } from '../core/optional-package';
import { createSeal } from '../core/sealed';
import type { Part } from '../language/parts/parts';
import { activitiesOf, HEARTBEAT_MILLISECONDS } from './activities';
import type { Activities } from './activities';
import { connect, underWay } from './client';
import type { ClusterOptionsOfPlace } from './client';
import { NAMES, TASK_QUEUE } from './protocol';
import type { SharedSession } from '../run/sessions/shared-session';
import { clusterSession } from './session';
import { workflowBundle } from './workflow-bundle';

/** What a worker is made of. */
export interface WorkerOptions extends ClusterOptionsOfPlace {
  /** How many parts it makes at once; default 4. */
  readonly slots?: number;
  /** Parts of the application, as those who submit runs have them. */
  readonly components?: readonly Part[];
  /**
   * The version of this worker: with it, Temporal gives a run to workers of one version from its beginning to its end. The version that gets
   * new runs is set at the server.
   */
  readonly deployment?: WorkerDeployment;
  /** Ends the worker: it takes no more parts, and hands back those that it has. */
  readonly signal?: AbortSignal;
  /** Is called when the worker takes tasks. */
  readonly onReady?: () => void;
  /** Is called with the events of the parts and commits that this worker makes, for logs, traces and metrics. */
  readonly onEvent?: (event: RunEvent) => void;
  /** Is called with what goes wrong while the worker goes on, for people. */
  readonly onWarning?: (message: string) => void;
}

/** A version, in the terms of Temporal's worker versioning. */
export interface WorkerDeployment {
  readonly deploymentName: string;
  readonly buildId: string;
}

/** What is used of the package `@temporalio/worker`, whose types are not there while this is compiled. */
interface WorkerPackage {
  readonly NativeConnection: {
    readonly connect: (options: { readonly address: string }) => Promise<{ readonly close: () => Promise<void> }>;
  };
  readonly Runtime: { readonly install: (options: object) => unknown };
  readonly DefaultLogger: new (level: string) => object;
  readonly bundleWorkflowCode: (options: {
    readonly workflowsPath: string;
    readonly logger: object;
  }) => Promise<{ readonly code: string }>;
  readonly Worker: {
    readonly create: (options: {
      readonly connection: object;
      readonly namespace: string;
      readonly taskQueue: string;
      readonly workflowBundle: { readonly code: string };
      readonly activities: Activities;
      readonly maxConcurrentActivityTaskExecutions: number;
      readonly shutdownGraceTime: string;
      readonly maxHeartbeatThrottleInterval: number;
      readonly stickyQueueScheduleToStartTimeout: string;
      readonly workerDeploymentOptions?: {
        readonly version: WorkerDeployment;
        readonly useWorkerVersioning: true;
        readonly defaultVersioningBehavior: 'PINNED';
      };
    }) => Promise<{ readonly run: () => Promise<void>; readonly shutdown: () => void }>;
  };
}

const SLOTS = 4;
/** A part that has to end stores what it has, and the next attempt goes on from there. */
const GRACE = '10 seconds';
/** For so long a workflow waits for the worker that made its last step, which may have died meanwhile, before any worker may go on. */
const PATIENCE = '5 seconds';

/** A run ends with the version with which it began, whose workflow and parts it has. */
const VERSIONED = { useWorkerVersioning: true, defaultVersioningBehavior: 'PINNED' } as const;

/**
 * Works for a cluster until its signal is aborted.
 *
 * @throws FatalError CLUSTER_UNREACHABLE, PACKAGE_MISSING
 * @example await runWorker({ address: 'localhost:7233', key, slots: 8, signal });
 */
export async function runWorker({
  address,
  key,
  signal,
  onReady,
  onWarning,
  onEvent,
  ...options
}: WorkerOptions): Promise<void> {
  const { namespace = 'default', taskQueue = TASK_QUEUE, slots = SLOTS, components = [], deployment } = options;
  const temporal = optionalPackage('headwater worker', '@temporalio/worker') as WorkerPackage;
  const seal = createSeal(key);
  const client = await connect({ address, namespace });
  const failed = (error: unknown): void => onWarning?.(error instanceof Error ? error.message : String(error));
  // The parts that a worker makes at once share what the session gives it.
  const sessions = new Map<string, SharedSession>();
  const sessionAt = (place: string): SharedSession => {
    const session = sessions.get(place) ?? clusterSession(client, { seal, taskQueue, place, failed });
    sessions.set(place, session);
    return session;
  };
  const activities = activitiesOf({
    ...{ seal, components, sessionAt, onEvent },
    reportFound: (workflowId, pages) => client.workflow.getHandle(workflowId).signal(NAMES.found, pages),
    underWay: (runId) => underWay(client, runId),
  });
  const logger = new temporal.DefaultLogger('WARN');
  temporal.Runtime.install({ logger });
  const { version } = optionalPackage('headwater worker', '@temporalio/worker/package.json');
  const code = await workflowBundle(workflowFile(), version, async (workflowsPath) => {
    const packed = await temporal.bundleWorkflowCode({ workflowsPath, logger });
    return packed.code;
  });
  const connection = await temporal.NativeConnection.connect({ address });
  try {
    const worker = await temporal.Worker.create({
      ...{ connection, namespace, taskQueue, activities },
      workflowBundle: { code },
      maxConcurrentActivityTaskExecutions: slots,
      shutdownGraceTime: GRACE,
      maxHeartbeatThrottleInterval: HEARTBEAT_MILLISECONDS,
      stickyQueueScheduleToStartTimeout: PATIENCE,
      ...(deployment === undefined ? {} : { workerDeploymentOptions: { version: deployment, ...VERSIONED } }),
    });
    const stop = (): void => worker.shutdown();
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted === true) return;
    onReady?.();
    await worker.run();
  } finally {
    await connection.close();
    await client.close();
  }
}

/** The workflow is a file of its own beside the library and the command: Temporal packs it for its sandbox. */
const workflowFile = (): string =>
  ['cluster', join('..', 'cluster')].map((folder) => join(__dirname, folder, 'workflow.js')).find(existsSync) ?? '';
