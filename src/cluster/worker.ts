/** A worker: a process that makes parts of runs. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { optionalPackage } from '../core/optional-package';
import { createSeal } from '../core/sealed';
import type { Part } from '../language/parts/parts';
import { activitiesOf } from './activities';
import type { Activities } from './activities';
import { unreachable } from './client';
import type { ClusterOptionsOfPlace } from './client';
import { TASK_QUEUE } from './protocol';
import type { SharedSession } from '../run/sessions/shared-session';
import { clusterSession } from './session';

/** What a worker is made of. */
export interface WorkerOptions extends ClusterOptionsOfPlace {
  /** How many parts it makes at once; default 4. */
  readonly slots?: number;
  /** Parts of the application, as those who submit runs have them. */
  readonly components?: readonly Part[];
  /** Ends the worker: it takes no more parts, and hands back those that it has. */
  readonly signal?: AbortSignal;
  /** Is called when the worker takes tasks. */
  readonly onReady?: () => void;
}

/** What is used of the package `@temporalio/worker`, whose types are not there while this is compiled. */
interface WorkerPackage {
  readonly NativeConnection: {
    readonly connect: (options: { readonly address: string }) => Promise<{ readonly close: () => Promise<void> }>;
  };
  readonly Runtime: { readonly install: (options: object) => unknown };
  readonly DefaultLogger: new (level: string) => object;
  readonly Worker: {
    readonly create: (options: {
      readonly connection: object;
      readonly namespace: string;
      readonly taskQueue: string;
      readonly workflowsPath: string;
      readonly activities: Activities;
      readonly maxConcurrentActivityTaskExecutions: number;
      readonly shutdownGraceTime: string;
    }) => Promise<{ readonly run: () => Promise<void>; readonly shutdown: () => void }>;
  };
}

const SLOTS = 4;
/** A part that is told to end stores what it has, and the next attempt goes on from there. */
const GRACE = '10 seconds';

/**
 * Works for a cluster until its signal is aborted.
 *
 * @throws FatalError CLUSTER_UNREACHABLE, PACKAGE_MISSING
 * @example await runWorker({ address: 'localhost:7233', key, slots: 8, signal });
 */
export async function runWorker({ address, key, signal, onReady, ...options }: WorkerOptions): Promise<void> {
  const { namespace = 'default', taskQueue = TASK_QUEUE, slots = SLOTS, components = [] } = options;
  const temporal = optionalPackage('headwater worker', '@temporalio/worker') as WorkerPackage;
  const { Client, Connection } = optionalPackage('headwater worker', '@temporalio/client');
  const seal = createSeal(key);
  const clients = await Connection.connect({ address, connectTimeout: 5000 }).catch((cause: unknown) => {
    throw unreachable(address, cause);
  });
  const client = new Client({ connection: clients, namespace });
  const sessionAt = (place: string): SharedSession => clusterSession(client, { seal, taskQueue, place });
  const activities = activitiesOf({ seal, components, sessionAt });
  temporal.Runtime.install({ logger: new temporal.DefaultLogger('WARN') });
  const connection = await temporal.NativeConnection.connect({ address });
  try {
    const worker = await temporal.Worker.create({
      ...{ connection, namespace, taskQueue, activities },
      workflowsPath: workflowFile(),
      maxConcurrentActivityTaskExecutions: slots,
      shutdownGraceTime: GRACE,
    });
    const stop = (): void => worker.shutdown();
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted === true) return;
    onReady?.();
    await worker.run();
  } finally {
    await connection.close();
    await clients.close();
  }
}

/** The workflow is a file of its own beside the library and the command: Temporal packs it for its sandbox. */
const workflowFile = (): string =>
  ['cluster', join('..', 'cluster')].map((folder) => join(__dirname, folder, 'workflow.js')).find(existsSync) ?? '';
