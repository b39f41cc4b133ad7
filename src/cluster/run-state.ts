/** What a run of a cluster knows, and decides: which part is made next, and when none is. Its workflow keeps it; it has no clock of its own. */
import { partsBefore, partsBelow } from '../core/run-parts';
import type { ParentPage, RestPart, RunPart } from '../core/run-parts';
import type { PartEnd } from '../run/deliver/parts';
import type { Activities } from './activities';
import type { ClusterTuning, ParentPages, PartAmounts, PartsProgress, RunInput, RunState } from './protocol';

/** The items of one part that calls children: enough for some seconds of work, and few enough to share them well. */
const ITEMS_OF_PART = 50;
/** A server of Temporal refuses more activities of a workflow at once, and the workflow stands still. */
const MOST_AT_ONCE = 2000;
const MOST_WARNINGS = 50;

const NOTHING: PartAmounts = { pages: 0, items: 0, requests: 0, retries: 0, logins: 0 };

/** A call whose pages several parts read. */
interface SharedList {
  readonly rest: RestPart;
  /** How many parts are left before its rest. */
  left: number;
  /** The pages for whose items children are called, once the rest has found that they are those of the call. */
  readonly parents: ParentPage[];
}

type Begun = RunState['begun'];
type KnownRun = RunInput & { readonly runId: string };
/** What is the same in all executions and parts of a run. */
export type GivenRun = Omit<KnownRun, 'from'>;

/** The parts of a run in one execution of its workflow. `isFull`: the execution has to be continued as a new one. */
export interface RunParts {
  /** Takes the parts with which the run begins, if this is its first execution. */
  readonly begin: (begun: Begun) => void;
  /** Takes pages whose items children are called for. A part reports its pages in their order, and its next attempt reports them again. */
  readonly found: (pages: readonly ParentPage[]) => void;
  readonly tune: (tuning: ClusterTuning) => void;
  /** Returns whether a part may begin, or none will any more: `next` says which. */
  readonly isDue: (isFull: boolean) => boolean;
  /** Returns the part that begins now; absent: no part begins any more in this execution. */
  readonly next: (isFull: boolean) => RunPart | undefined;
  /** Returns what the activity that makes a part is given. It stands in the history of the workflow, once for each part: it has to be small. */
  readonly argumentsOf: (part: RunPart) => Parameters<Activities['make']>;
  readonly ended: (end: PartEnd, part: RunPart) => void;
  /** Takes a part that begins again in the next execution. */
  readonly givenBack: (part: RunPart) => void;
  readonly failed: () => void;
  /** Returns whether no part is being made. */
  readonly isIdle: () => boolean;
  readonly enter: (state: PartsProgress['state']) => void;
  readonly progress: () => PartsProgress;
  readonly warnings: () => readonly string[];
  /** Returns the input of the next execution; absent: every part is over. */
  readonly left: () => KnownRun | undefined;
}

/**
 * Returns the parts of a run.
 *
 * @param from what the execution before has left; absent: this is the first one
 * @example
 * const run = runFrom(given);
 * run.begin(begun);
 * const part = run.next(false);
 */
export function runFrom(given: GivenRun, from?: RunState): RunParts {
  let begun = from?.begun;
  // A page becomes parts when its turn comes, since there may be very many.
  const parts = [...(from?.parts ?? [])];
  const parents = (from?.parents ?? []).flatMap(pagesIn);
  const nextPages = new Map(Object.entries(from?.next ?? {}));
  const lists = new Map<string, SharedList>();
  for (const { rest, left, parents: held } of from?.lists ?? [])
    lists.set(rest.call.join('.'), { rest, left, parents: held.flatMap(pagesIn) });
  const warnings = [...(from?.warnings ?? [])];
  let tuned = from?.tuned ?? [];
  let atOnce = Math.min(MOST_AT_ONCE, given.parts);
  let running = 0;
  let ofParents = parents.reduce((sum, { items }) => sum + partsIn(items), 0);
  let { state, done, amounts } = startOf(from?.progress);

  const known = (): Begun => {
    if (begun === undefined) throw new Error('The run has not begun.');
    return begun;
  };
  const isWaiting = (): boolean => parts.length > 0 || parents.length > 0;
  const take = (): RunPart | undefined => {
    if (parts.length === 0) {
      const page = parents.shift();
      if (page === undefined) return undefined;
      ofParents -= partsIn(page.items);
      // Where as many pages wait as parts may be made at once, a page is shared well enough as a whole, and needs a place in the history once.
      parts.push(...partsBelow(page, parents.length >= atOnce ? page.items : ITEMS_OF_PART));
    }
    return parts.shift();
  };
  const found: RunParts['found'] = (pages) => {
    for (const page of pages) {
      const key = page.call.join('.');
      if (page.page < (nextPages.get(key) ?? 0)) continue;
      nextPages.set(key, page.page + 1);
      parents.push(page);
      ofParents += partsIn(page.items);
    }
  };
  const share = (end: PartEnd, rest: RestPart): void => {
    const before = partsBefore(rest);
    lists.set(rest.call.join('.'), { rest, left: before.length, parents: [...end.parents] });
    parts.push(...before);
  };
  const endedIn = (list: SharedList, end: PartEnd, { kind, call }: RunPart): void => {
    const all = end.isAnew === true ? end.parents : [...list.parents, ...end.parents];
    if (kind === 'rest') {
      lists.delete(call.join('.'));
      found([...all].sort((a, b) => a.page - b.page));
      return;
    }
    list.parents.push(...end.parents);
    list.left -= 1;
    if (list.left === 0) parts.unshift(list.rest);
  };
  const progress = (): PartsProgress => ({
    ...amounts,
    ...{ state, done, running, waiting: parts.length + ofParents },
  });
  return {
    begin: (first) => {
      if (begun !== undefined) return;
      begun = first;
      parts.push(...first.parts);
    },
    found,
    tune: ({ parts: changed = atOnce, calls }) => {
      atOnce = Math.min(MOST_AT_ONCE, changed);
      if (calls !== undefined) tuned = [...tuned.filter(({ job }) => job !== calls.job), calls];
    },
    isDue: (isFull) => running < atOnce && (isFull || running === 0 || isWaiting()),
    next: (isFull) => {
      const part = isFull ? undefined : take();
      if (part !== undefined) running += 1;
      state = 'extracting';
      return part;
    },
    argumentsOf: (part) => {
      const { manifest, state: sealed } = known();
      return [given, { manifest, state: sealed }, part, tuned];
    },
    ended: (end, part) => {
      const list = part.kind === 'children' ? undefined : lists.get(part.call.join('.'));
      if (end.rest !== undefined) share(end, end.rest);
      else if (list === undefined) found(end.parents);
      else endedIn(list, end, part);
      for (const warning of end.warnings)
        if (warnings.length < MOST_WARNINGS && !warnings.includes(warning)) warnings.push(warning);
      running -= 1;
      done += 1;
      amounts = sum(amounts, end);
    },
    givenBack: (part) => {
      running -= 1;
      parts.unshift(part);
    },
    failed: () => {
      running -= 1;
    },
    isIdle: () => running === 0,
    enter: (entered) => {
      state = entered;
    },
    progress,
    warnings: () => warnings,
    left: () =>
      isWaiting()
        ? {
            ...given,
            parts: atOnce,
            from: {
              ...{ begun: known(), parts, parents: joined(parents), next: Object.fromEntries(nextPages) },
              ...{ tuned, progress: progress(), warnings },
              ...(lists.size === 0 ? {} : { lists: [...lists.values()].map(keptList) }),
            },
          }
        : undefined,
  };
}

const pagesIn = ({ page, pages = 1, ...others }: ParentPages): readonly ParentPage[] =>
  Array.from({ length: pages }, (_, at) => ({ ...others, page: page + at }));

const keptList = ({ parents, ...list }: SharedList): NonNullable<RunState['lists']>[number] => ({
  ...list,
  parents: joined([...parents].sort((a, b) => a.page - b.page)),
});

/** Joins the pages of each call that follow each other. */
function joined(parents: readonly ParentPage[]): readonly ParentPages[] {
  const all: (ParentPages & { pages: number })[] = [];
  const latest = new Map<string, ParentPages & { pages: number }>();
  for (const page of parents) {
    const key = page.call.join('.');
    const before = latest.get(key);
    if (before?.items === page.items && before.page + before.pages === page.page) before.pages += 1;
    else {
      const first = { ...page, pages: 1 };
      all.push(first);
      latest.set(key, first);
    }
  }
  return all;
}

const startOf = (
  progress: PartsProgress | undefined,
): Pick<PartsProgress, 'state' | 'done'> & { amounts: PartAmounts } => {
  if (progress === undefined) return { state: 'beginning', done: 0, amounts: NOTHING };
  return { state: progress.state, done: progress.done, amounts: sum(NOTHING, progress) };
};

const partsIn = (items: number): number => Math.ceil(items / ITEMS_OF_PART);

const sum = (before: PartAmounts, more: PartAmounts): PartAmounts => ({
  pages: before.pages + more.pages,
  items: before.items + more.items,
  requests: before.requests + more.requests,
  retries: before.retries + more.retries,
  logins: before.logins + more.logins,
});
