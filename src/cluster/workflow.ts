/** The workflow of a run: it begins the run, has its parts made, and has them committed. It runs in the sandbox of Temporal. */
import {
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  isCancellation,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { partsBelow } from '../core/run-parts';
import type { ParentPage, RunPart } from '../core/run-parts';
import type { Activities } from './activities';
import { NAMES } from './protocol';
import type { Begun, ClusterTuning, RunInput, PartsProgress, RunResult, RunState } from './protocol';

/** The items of one part that calls children: enough for some seconds of work, and few enough to share them well. */
const ITEMS_OF_PART = 50;
const MOST_WARNINGS = 50;
/** No activity is meant to end by time; a dead worker is known by its heartbeats. */
const LONGEST = '3650 days';

const NOTHING = { pages: 0, items: 0, requests: 0, retries: 0, logins: 0 };

const isFull = (): boolean => workflowInfo().continueAsNewSuggested;

/**
 * Runs a configuration on all workers of a task queue. The parts of a run go to workers as they are free; the pages of a parent become parts
 * while the part that reads them goes on, or when it is over. When all are over, one activity commits.
 */
export async function headwaterRun(input: RunInput): Promise<RunResult> {
  const { heartbeatSeconds, from } = input;
  const { workflowId, runId } = workflowInfo();
  const id = input.runId ?? `${workflowId} ${runId}`;
  const given = { ...input, runId: id };
  const options = {
    startToCloseTimeout: LONGEST,
    heartbeatTimeout: `${heartbeatSeconds} seconds`,
    retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
  } as const;
  const { begin, make, commit, drop } = proxyActivities<Activities>(options);
  let progress: PartsProgress = from?.progress ?? { ...NOTHING, state: 'beginning', done: 0, running: 0, waiting: 0 };
  setHandler(defineQuery<PartsProgress>(NAMES.progress), () => progress);

  const labelled = (summary: string) => ({ ...options, summary });
  // A part reports its pages before it ends, in their order, and its next attempt reports them again.
  const parents: ParentPage[] = [...(from?.parents ?? [])];
  const next = new Map(Object.entries(from?.next ?? {}));
  const add = (pages: readonly ParentPage[]): void => {
    for (const page of pages) {
      const key = page.call.join('.');
      if (page.page < (next.get(key) ?? 0)) continue;
      next.set(key, page.page + 1);
      parents.push(page);
    }
  };
  setHandler(defineSignal<[readonly ParentPage[]]>(NAMES.found), add);
  let atOnce = input.parts;
  let tuned = from?.tuned ?? [];
  setHandler(defineSignal<[ClusterTuning]>(NAMES.tune), ({ parts = atOnce, calls }) => {
    atOnce = parts;
    if (calls !== undefined) tuned = [...tuned.filter(({ job }) => job !== calls.job), calls];
  });
  const makeAll = async (state: RunState): Promise<RunState> => {
    const waiting: Waiting = { parts: [...state.parts], parents };
    const reading = new Set<CancellationScope>();
    const warnings = [...state.warnings];
    let running = 0;
    let failure: { readonly error: unknown } | undefined;
    const shown = (): void => {
      const left = waiting.parts.length + waiting.parents.reduce((sum, { items }) => sum + partsIn(items), 0);
      progress = { ...progress, state: 'extracting', running, waiting: left };
    };
    const makeOne = async (part: RunPart): Promise<void> => {
      const scope = new CancellationScope();
      if (part.kind === 'job' && !part.below) reading.add(scope);
      running += 1;
      shown();
      try {
        const end = await scope.run(() =>
          make.executeWithOptions(labelled(summaryOf(part)), [given, state.begun, part, tuned]),
        );
        add(end.parents);
        for (const warning of end.warnings)
          if (warnings.length < MOST_WARNINGS && !warnings.includes(warning)) warnings.push(warning);
        progress = { ...progress, done: progress.done + 1, ...sum(progress, end) };
      } catch (error) {
        if (isCancellation(error) && isFull()) waiting.parts.unshift(part);
        else failure ??= { error };
      } finally {
        reading.delete(scope);
        running -= 1;
        shown();
      }
    };
    for (;;) {
      await condition(() => failure !== undefined || running < atOnce);
      if (failure !== undefined || isFull()) break;
      const part = nextOf(waiting);
      if (part !== undefined) void makeOne(part);
      else if (running === 0) break;
      else {
        const before = running;
        await condition(() => failure !== undefined || running < before || isWaiting(waiting));
      }
    }
    // A part that is under way keeps what it has; the others are not begun. One that finds work for others may take long: it goes on in the
    // next execution.
    for (const scope of reading) scope.cancel();
    await condition(() => running === 0);
    if (failure !== undefined) throw failure.error;
    return { ...state, parts: waiting.parts, parents, next: Object.fromEntries(next), tuned, progress, warnings };
  };

  try {
    const begun: Begun = from === undefined ? await begin(given) : from.begun;
    if (begun.isOver) {
      progress = { ...progress, state: 'stored' };
      return begun.result;
    }
    const first: RunState = from ?? { begun, parts: begun.parts, parents: [], progress, warnings: [] };
    const left = await makeAll(first);
    if (left.parts.length > 0 || left.parents.length > 0)
      return await continueAsNew<typeof headwaterRun>({ ...given, parts: atOnce, from: left });
    progress = { ...progress, state: 'storing' };
    const result = await commit.executeWithOptions(labelled(`store in ${input.destination}`), [given, left.warnings]);
    progress = { ...progress, state: 'stored' };
    const { pages, items, requests, retries, logins, done } = progress;
    const warnings = [...new Set([...left.warnings, ...result.warnings])];
    return { ...result, amounts: { pages, items, requests, retries, logins }, parts: done, warnings };
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => drop(given));
    throw error;
  }
}

export { headwaterSession } from './session-workflow';

interface Waiting {
  readonly parts: RunPart[];
  readonly parents: ParentPage[];
}

const isWaiting = ({ parts, parents }: Waiting): boolean => parts.length > 0 || parents.length > 0;
const partsIn = (items: number): number => Math.ceil(items / ITEMS_OF_PART);

/** Takes the next part; the parts of a page are made when their turn comes, since there may be very many. */
function nextOf({ parts, parents }: Waiting): RunPart | undefined {
  const part = parts.shift();
  if (part !== undefined) return part;
  const page = parents.shift();
  if (page === undefined) return undefined;
  parts.push(...partsBelow(page, ITEMS_OF_PART));
  return parts.shift();
}

const sum = (before: typeof NOTHING, more: typeof NOTHING): typeof NOTHING => ({
  pages: before.pages + more.pages,
  items: before.items + more.items,
  requests: before.requests + more.requests,
  retries: before.retries + more.retries,
  logins: before.logins + more.logins,
});

/** Returns what Temporal's page shows of a part. */
function summaryOf(part: RunPart): string {
  const job = `job ${part.call.join('.')}`;
  const share = part.share === undefined ? '' : `, ${part.share.at + 1} of ${part.share.of}`;
  return part.kind === 'job' ? `${job}${share}` : `children of ${job}, page ${part.page + 1}${share}`;
}
