/** The runs of a cluster, as the page shows them: it only watches. */
import type { Cluster, ClusterPart, ClusterRun } from '../temporal';
import type { ClusterRunLine, ClusterRunNow, WorkerPart } from './wire';

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
