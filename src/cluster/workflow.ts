/** The workflow of a run: it begins the run, has its parts made, and has them committed. It runs in the sandbox of Temporal. */
import {
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  isCancellation,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { ParentPage, RunPart } from '../core/run-parts';
import type { Activities } from './activities';
import { NAMES } from './protocol';
import type { Begun, ClusterTuning, PartsProgress, RunInput, RunResult } from './protocol';
import { runFrom } from './run-state';

/** No activity is meant to end by time; a dead worker is known by its heartbeats. */
const LONGEST = '3650 days';

const isFull = (): boolean => workflowInfo().continueAsNewSuggested;

/**
 * Runs a configuration on all workers of a task queue. The parts of a run go to workers as they are free; the pages of a parent become parts
 * while the part that reads them goes on, or when it is over. When all are over, one activity commits.
 */
export async function headwaterRun({ from, ...input }: RunInput): Promise<RunResult> {
  const { heartbeatSeconds } = input;
  const { workflowId, runId } = workflowInfo();
  const id = input.runId ?? `${workflowId} ${runId}`;
  const given = { ...input, runId: id };
  const options = {
    startToCloseTimeout: LONGEST,
    heartbeatTimeout: `${heartbeatSeconds} seconds`,
    retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
    // What is dropped or goes on elsewhere has to be over here: a page that is written meanwhile would be left.
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  } as const;
  const { begin, make, commit, drop } = proxyActivities<Activities>(options);
  const run = runFrom(given, from);
  setHandler(defineQuery<PartsProgress>(NAMES.progress), run.progress);
  setHandler(defineSignal<[readonly ParentPage[]]>(NAMES.found), run.found);
  setHandler(defineSignal<[ClusterTuning]>(NAMES.tune), run.tune);

  const labelled = (summary: string) => ({ ...options, summary });
  // The description of a running workflow has the ids of its activities, and not their summaries.
  const named = (summary: string) => ({ ...labelled(summary), activityId: summary });
  const makeAll = async (): Promise<void> => {
    const making = new Set<CancellationScope>();
    let failure: { readonly error: unknown } | undefined;
    const makeOne = async (part: RunPart): Promise<void> => {
      const scope = new CancellationScope();
      making.add(scope);
      try {
        const end = await scope.run(() => make.executeWithOptions(named(summaryOf(part)), run.argumentsOf(part)));
        run.ended(end, part);
      } catch (error) {
        // It may end by the death of its worker as well, since what is cancelled is not tried again.
        if (scope.consideredCancelled && isFull()) run.givenBack(part);
        else {
          failure ??= { error };
          run.failed();
        }
      } finally {
        making.delete(scope);
      }
    };
    for (;;) {
      await condition(() => failure !== undefined || run.isDue(isFull()));
      const part = failure === undefined ? run.next(isFull()) : undefined;
      if (part === undefined) break;
      void makeOne(part);
    }
    // A part that is under way keeps what it has, and goes on there in the next execution: nobody knows how long it would take. The others
    // are not begun.
    for (const scope of making) scope.cancel();
    await condition(run.isIdle);
    if (failure !== undefined) throw failure.error;
  };

  try {
    const begun: Begun = from?.begun ?? (await begin(given));
    if (begun.isOver) {
      run.enter('stored');
      return begun.result;
    }
    run.begin(begun);
    await makeAll();
    const left = run.left();
    if (left !== undefined) return await continueAsNew<typeof headwaterRun>(left);
    run.enter('storing');
    const result = await commit.executeWithOptions(labelled(`store in ${input.destination}`), [given, run.warnings()]);
    run.enter('stored');
    const { pages, items, requests, retries, logins, done } = run.progress();
    const warnings = [...new Set([...run.warnings(), ...result.warnings])];
    return { ...result, amounts: { pages, items, requests, retries, logins }, parts: done, warnings };
  } catch (error) {
    if (!CancellationScope.current().consideredCancelled) throw error;
    await CancellationScope.nonCancellable(async () => {
      await condition(run.isIdle);
      await drop(given);
    });
    // The activity that was under way may have failed in its own way.
    throw isCancellation(error) ? error : new CancelledFailure('The run was cancelled.');
  }
}

export { headwaterSession } from './session-workflow';

/** Returns what Temporal's page shows of a part. */
function summaryOf(part: RunPart): string {
  const job = `job ${part.call.join('.')}`;
  if (part.kind === 'pages') return `${job}, pages ${part.pages.from + 1} to ${part.pages.to}`;
  if (part.kind === 'rest') return `${job}, from page ${part.behind.to + 1}`;
  const share = part.share === undefined ? '' : `, ${part.share.at + 1} of ${part.share.of}`;
  return part.kind === 'job' ? `${job}${share}` : `children of ${job}, page ${part.page + 1}${share}`;
}
