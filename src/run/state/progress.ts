import type { Checkpoint, Progress } from '../../core/model';

/** Tracks the progress of the calls of a run, by their checkpoints. */
export interface ProgressTracker {
  readonly add: (checkpoint: Checkpoint) => void;
  /** Returns whether the page of this checkpoint is known. */
  readonly has: (checkpoint: Checkpoint) => boolean;
  /** Returns the last checkpoint of a call that has not ended. */
  readonly last: (call: readonly number[]) => Checkpoint | undefined;
  /** Forgets a call that restarts, and the calls below it. */
  readonly forget: (call: readonly number[]) => void;
  /** Returns the number of pages that were added. */
  readonly pages: () => number;
  readonly progress: () => Progress;
}

interface Call {
  checkpoint?: Checkpoint;
  /** The calls under the last page, by page and number; most calls have none. */
  below?: Map<string, Call> | undefined;
}

/**
 * Adds up checkpoints, in the order of their pages. Calls below a page have ended when the next page of their parent has come: they are
 * dropped, so that the memory does not grow with the run.
 *
 * @example
 * const tracker = createProgressTracker();
 * tracker.add({ call: [0, 0], job: 'users', pages: 1, items: 2, volume: 0, position: 2 });
 * tracker.progress().get('0.0')?.position // 2
 */
export function createProgressTracker(): ProgressTracker {
  const root: Call = {};
  let pages = 0;
  return {
    add: (checkpoint) => {
      pages += 1;
      const call = levelsOf(checkpoint.call).reduce((above, level) => callBelow(above, level), root);
      call.checkpoint = checkpoint;
      call.below = undefined;
    },
    has: (checkpoint) => {
      let above: Call | undefined = root;
      for (const [at, level] of levelsOf(checkpoint.call).entries()) {
        const parentsPage = checkpoint.call[at * 2] ?? 0;
        // The parent has a later page, so everything under the earlier one has ended.
        if (above.checkpoint !== undefined && above.checkpoint.pages - 1 > parentsPage) return true;
        above = above.below?.get(level);
        if (above === undefined) return false;
      }
      return (above.checkpoint?.pages ?? 0) >= checkpoint.pages;
    },
    last: (call) => {
      let at: Call | undefined = root;
      for (const level of levelsOf(call)) at = at?.below?.get(level);
      return at?.checkpoint;
    },
    forget: (call) => {
      const levels = levelsOf(call);
      const last = levels.pop() ?? '';
      let above: Call | undefined = root;
      for (const level of levels) above = above?.below?.get(level);
      above?.below?.delete(last);
    },
    pages: () => pages,
    progress: () => new Map(entriesBelow(root)),
  };
}

/** Returns the levels of a call. For `[0, 1, 4, 2]`: the job `0.1`, and the call `4.2` below it. */
function levelsOf(call: readonly number[]): string[] {
  const levels: string[] = [];
  for (let at = 0; at < call.length; at += 2) levels.push(`${call[at]}.${call[at + 1]}`);
  return levels;
}

function callBelow(above: Call, level: string): Call {
  const below = (above.below ??= new Map<string, Call>());
  const known = below.get(level);
  if (known !== undefined) return known;
  const call: Call = {};
  below.set(level, call);
  return call;
}

function* entriesBelow({ below }: Call): Generator<[string, Checkpoint]> {
  for (const { checkpoint, ...call } of below?.values() ?? []) {
    if (checkpoint !== undefined) yield [checkpoint.call.join('.'), checkpoint];
    yield* entriesBelow(call);
  }
}
