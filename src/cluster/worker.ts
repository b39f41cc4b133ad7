/** A worker, a process that makes parts of runs, and the session of a cluster as it uses it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type * as TemporalClient from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import type { RunEvent } from '../core/events';
import { optionalPackage } from '../core/optional-package';
import { createSeal } from '../core/sealed';
import type { Part } from '../language/parts/parts';
import { activitiesOf, HEARTBEAT_MILLISECONDS } from './activities';
import type { Activities } from './activities';
import { connect, underWay } from './client';
import type { ClusterOptionsOfPlace } from './client';
import { NAMES, TASK_QUEUE } from './protocol';
import type { SharedSession, SharedLogin, SharedResponse, Starts } from '../run/sessions/shared-session';
import { workflowBundle } from './workflow-bundle';
import { parseJson } from '../core/json/parse';
import { FatalError } from '../core/errors/errors';
import type { Seal } from '../core/sealed';
import type { Login, LoginState } from './session-state';

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

interface SessionPlace {
  readonly seal: Seal;
  readonly taskQueue: string;
  readonly place: string;
  readonly failed: (error: unknown) => void;
}

const OF_LOGIN = 'headwater login';
/** How long a login of another process is waited for before the session is asked again. */
const ASK_AGAIN_MS = 300;

/**
 * Returns the session of an API on a cluster. Responses to logins pass the server encrypted.
 *
 * @param place the base URL of the API
 * @param failed is called with what nobody waits for and went wrong all the same
 */
function clusterSession(
  client: TemporalClient.Client,
  { seal, taskQueue, place, failed }: SessionPlace,
): SharedSession {
  const { WithStartWorkflowOperation } = optionalPackage('headwater worker', '@temporalio/client');
  const workflowId = `headwater session ${createHash('sha256').update(`${taskQueue} ${place}`).digest('hex').slice(0, 16)}`;
  const { origin } = new URL(place);
  const opened = ({ generation, sealed }: Login): SharedLogin => {
    const text = seal.open(Buffer.from(sealed, 'base64'), OF_LOGIN);
    if (text === undefined) throw new FatalError('CONFIG_INVALID', ANOTHER_KEY);
    return { generation, response: parseJson(text.toString('utf8')) as unknown as SharedResponse };
  };
  // The connection itself repeats calls for some twenty seconds; then the part ends, and is made again later.
  const update = async <T>(name: string, argument: object): Promise<T> => {
    try {
      return await client.workflow.executeUpdateWithStart<Workflow, T, object[]>(name, {
        args: [argument],
        startWorkflowOperation: new WithStartWorkflowOperation<Workflow>(NAMES.session, {
          ...{ workflowId, taskQueue, args: [], memo: { api: origin } },
          workflowIdConflictPolicy: 'USE_EXISTING',
        }),
      });
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      const message = `The session of ${origin}, which the workers share, does not answer (${reason}).`;
      throw new FatalError('CLUSTER_UNREACHABLE', message, { cause });
    }
  };
  return {
    login: async ({ key, after }) => {
      let login = await update<LoginState>('login', { key, after });
      for (; 'isUnderWay' in login; login = await update<LoginState>('login', { key, after }))
        await delay(ASK_AGAIN_MS);
      return 'isOwnTask' in login ? login : opened(login);
    },
    loggedIn: async ({ response, ...done }) => {
      const sealed = seal.close(Buffer.from(JSON.stringify(response)), OF_LOGIN).toString('base64');
      return opened(await update<Login>('loggedIn', { ...done, sealed }));
    },
    isBehind: (ask) =>
      client.workflow
        .getHandle(workflowId)
        .query<boolean, [object]>('isBehind', ask)
        .catch((error: unknown) => {
          failed(error);
          return false;
        }),
    loginGoesOn: (done) => update<undefined>('loginGoesOn', done).catch(failed),
    loginFailed: (done) => update('loginFailed', done),
    take: (ask) => update<Starts>('take', ask),
    pause: (ask) => update<undefined>('pause', ask).catch(failed),
    leases: new Map(),
  };
}

const ANOTHER_KEY =
  'A login of this cluster was sealed with another key than this worker has: set HEADWATER_KEY to the same value for all workers.';
