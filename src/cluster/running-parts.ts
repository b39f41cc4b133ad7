/** What the workers of a cluster make of a run just now, and what keeps it from going on, as the server tells it. */
import type * as TemporalClient from '@temporalio/client';
import { isObject } from '../core/json/objects';
import { parseJson } from '../core/json/parse';
import type { JsonObject } from '../core/model';

/** What a worker makes of a run, or made and has to be made again. */
export interface ClusterPart {
  /** In words, with the job by the numbers of its iteration and its place. */
  readonly name: string;
  /** The process and its machine; absent: no worker has taken it yet. */
  readonly worker?: string;
  readonly state: 'waiting' | 'running';
  /** When it began, or since when it waits. */
  readonly since?: Date;
  readonly attempt: number;
  /** What it has stored in an attempt, as that told last. */
  readonly pages?: number;
  readonly items?: number;
  /** Why the attempt before failed. */
  readonly failure?: string;
}

type Described = Pick<TemporalClient.WorkflowExecutionDescription, 'raw'>;
type Pending = NonNullable<Described['raw']['pendingActivities']>[number];
type Moment = NonNullable<Pending['scheduledTime']>;

/** Parts have their names as ids; the ids of other activities are numbers. */
const NAMES_OF: ReadonlyMap<string, string> = new Map([
  ['begin', 'the beginning of the run'],
  ['commit', 'the commit'],
  ['drop', 'the end of a cancelled run'],
]);
/** The state of an activity that a worker has. */
const STARTED = 2;

/**
 * Returns what is being made of a run, or waits for a worker.
 *
 * @example partsIn(await client.workflow.getHandle(runId).describe()).filter(({ state }) => state === 'running').length // 8
 */
export const partsIn = ({ raw }: Described): readonly ClusterPart[] => (raw.pendingActivities ?? []).map(partOf);

function partOf(pending: Pending): ClusterPart {
  const { activityId, activityType, state, attempt, lastWorkerIdentity, lastFailure } = pending;
  const isRunning = Number(state) === STARTED;
  const since = isRunning ? pending.lastStartedTime : pending.scheduledTime;
  const { pages, items } = isRunning ? detailsOf(pending) : {};
  return {
    name: NAMES_OF.get(activityType?.name ?? '') ?? activityId ?? '',
    state: isRunning ? 'running' : 'waiting',
    attempt: attempt ?? 1,
    ...(lastWorkerIdentity ? { worker: lastWorkerIdentity } : {}),
    ...(since == null ? {} : { since: dateOf(since) }),
    ...(typeof pages === 'number' ? { pages } : {}),
    ...(typeof items === 'number' ? { items } : {}),
    ...(lastFailure?.message ? { failure: lastFailure.message } : {}),
  };
}

const dateOf = ({ seconds, nanos }: Moment): Date => new Date(Number(seconds ?? 0) * 1000 + (nanos ?? 0) / 1e6);

/** Returns what the part has said with its last sign of life. */
function detailsOf({ heartbeatDetails }: Pending): JsonObject {
  const [payload] = heartbeatDetails?.payloads ?? [];
  const text = Buffer.from(payload?.data ?? []).toString();
  const value = text === '' ? undefined : parseJson(text);
  return isObject(value) ? value : {};
}

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
