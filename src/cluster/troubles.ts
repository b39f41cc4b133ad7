/** What keeps a run of a cluster from going on, although nothing has failed for good. */
import type * as TemporalClient from '@temporalio/client';

/** Where a run is. */
interface RunPlace {
  readonly namespace: string;
  readonly taskQueue: string;
}

/** A part that fails more often is no accident. */
const TIMES = 3;

/** Returns what keeps a run from going on, for people; nothing if it goes on. */
export async function troublesOf(
  client: TemporalClient.Client,
  runId: string,
  { namespace, taskQueue }: RunPlace,
): Promise<readonly string[]> {
  const { raw } = await client.workflow.getHandle(runId).describe();
  const queue = raw.executionConfig?.taskQueue?.name ?? taskQueue;
  const { pollers } = await client.workflowService.describeTaskQueue({
    ...{ namespace, taskQueue: { name: queue } },
  });
  const failing = (raw.pendingActivities ?? []).flatMap(({ attempt, lastFailure }) =>
    lastFailure == null || (attempt ?? 0) <= TIMES ? [] : [`${NOT_YET} ${lastFailure.message ?? ''}`],
  );
  return [...(pollers.length === 0 ? [noWorker(queue, namespace)] : []), ...failing];
}

const NOT_YET = 'A part failed several times, and is tried again:';
const noWorker = (queue: string, namespace: string): string =>
  `No worker takes from the queue ${JSON.stringify(queue)} of the namespace ${JSON.stringify(namespace)}: the run waits. ` +
  'Start one with "headwater worker", with the same --task-queue and --namespace.';
