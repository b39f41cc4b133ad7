/** The module `headwater/temporal`: runs on many machines, by Temporal. It needs the packages `@temporalio/client` and `@temporalio/worker`. */
export { cluster } from './cluster/client';
export type {
  Cluster,
  ClusterOptionsOfPlace,
  ClusterProgress,
  ClusterRun,
  ClusterStatus,
  RunSchedule,
  Submission,
} from './cluster/client';
export type {
  ClusterOptions,
  ClusterTuning,
  PartAmounts,
  PartTuning,
  PartsProgress,
  RunResult,
} from './cluster/protocol';
export type { ClusterPart } from './cluster/running-parts';
export { runWorker } from './cluster/worker';
export type { WorkerDeployment, WorkerOptions } from './cluster/worker';
