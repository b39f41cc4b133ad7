import type { Doubt, Evidence, Shaped } from '../../core/evidence';
import type { Checkpoint, Page } from '../../core/model';
import { areOthers } from './other-pages';

/** The evidence of all pages of one job. */
export interface JobEvidence {
  /** The number of the iteration, and the id of the job. */
  readonly iteration: number;
  readonly id: string;
  readonly pages: number;
  /** The number of items that the API sent. */
  readonly items: number;
  /** What the job made of its items, if it changes them. */
  readonly shaped?: Shaped;
  /** The numbers of the fields that the configuration names and at least one item had (sources/shaping/sought-fields.ts). */
  readonly met: ReadonlySet<number>;
  /** The keys of an item that lacks one of the fields. */
  readonly keys?: readonly string[];
  readonly calls: number;
  /** The number of calls whose first page had no items. */
  readonly emptyCalls: number;
  /** The number of calls that a rule skipped, and why it skipped the first. */
  readonly skippedCalls: number;
  readonly skipped?: string;
  /**
   * The columns of the first call whose rows have columns; the columns of the first call that shares none of them, and the number of such
   * calls.
   */
  readonly columns?: readonly string[];
  readonly others?: { readonly columns: readonly string[]; readonly calls: number };
  /** The first page that all calls with items have had so far, and the number of these calls. */
  readonly begins?: { readonly print: string; readonly calls: number } | 'differ';
  /** True if any response had a value at the place of the items. */
  readonly isMet: boolean;
  /** Paths of arrays with items, in responses without items at their place. */
  readonly unmet: ReadonlySet<string>;
  /** The first doubt of each code, and the number of calls that have it. */
  readonly doubts: ReadonlyMap<string, { readonly doubt: Doubt; readonly calls: number }>;
  readonly isStopped: boolean;
}

/** Adds up the evidence of pages about the completeness of their jobs. Its size does not grow with the number of pages. */
export interface EvidenceTracker {
  /** Adds the evidence of a page that an earlier run has stored. */
  readonly addCheckpoint: (checkpoint: Checkpoint) => void;
  readonly addPage: (page: Page) => void;
  /** Records that a stop of the configuration ended a call of the job. */
  readonly stopped: (iteration: number, id: string) => void;
  readonly jobs: () => readonly JobEvidence[];
  /** Returns another tracker that starts with the evidence of this one. */
  readonly copy: () => EvidenceTracker;
}

type Draft = { -readonly [K in keyof JobEvidence]: JobEvidence[K] } & {
  unmet: Set<string>;
  met: Set<number>;
  doubts: Map<string, { readonly doubt: Doubt; readonly calls: number }>;
};

/**
 * @example
 * const tracker = createEvidenceTracker();
 * tracker.addPage(page);
 * tracker.jobs()[0]?.items
 */
export function createEvidenceTracker(from: readonly JobEvidence[] = []): EvidenceTracker {
  const drafts = new Map<string, Draft>();
  /** The number of items of calls that have not ended, to know how many their next page adds. */
  const open = new Map<string, number>();
  for (const job of from)
    drafts.set(keyOf(job.iteration, job.id), {
      ...job,
      unmet: new Set(job.unmet),
      met: new Set(job.met),
      doubts: new Map(job.doubts),
    });

  /**
   * @param isRestart whether this is the first page of a top-level job, which resets the evidence from before a restart
   */
  const draftOf = (iteration: number, id: string, isRestart = false): Draft => {
    const key = keyOf(iteration, id);
    const draft = (isRestart ? undefined : drafts.get(key)) ?? fresh(iteration, id);
    drafts.set(key, draft);
    return draft;
  };
  const add = (draft: Draft, items: number, isStart: boolean, evidence: Evidence | undefined): void => {
    const {
      unmet,
      doubts = [],
      stopped = false,
      shaped,
      met = [],
      keys,
      place,
      skipped,
      columns,
      begins,
    } = evidence ?? {};
    if (place === 'before') return;
    const isFirst = isStart || place === 'first';
    draft.pages += 1;
    draft.items += items;
    if (isFirst) draft.calls += 1;
    if (isFirst && items === 0) draft.emptyCalls += 1;
    if (skipped !== undefined) {
      draft.skippedCalls += 1;
      draft.skipped ??= skipped;
    }
    if (isFirst && columns !== undefined) {
      draft.columns ??= columns;
      if (areOthers(columns, draft.columns))
        draft.others = { columns: draft.others?.columns ?? columns, calls: 1 + (draft.others?.calls ?? 0) };
    }
    if (begins !== undefined) draft.begins = alsoBegins(draft.begins, begins);
    if (unmet === undefined) draft.isMet = true;
    for (const place of unmet ?? []) if (draft.unmet.size < MOST_PLACES) draft.unmet.add(place);
    for (const doubt of doubts) {
      const known = draft.doubts.get(doubt.code);
      draft.doubts.set(doubt.code, { doubt: known?.doubt ?? doubt, calls: 1 + (known?.calls ?? 0) });
    }
    draft.isStopped ||= stopped;
    if (shaped !== undefined) draft.shaped = sumOf(draft.shaped, shaped);
    for (const field of met) draft.met.add(field);
    if (keys !== undefined) draft.keys ??= keys;
  };
  return {
    addCheckpoint: ({ call, job, pages, items, position, evidence }) => {
      const [iteration = 0] = call;
      const key = call.join('.');
      const before = pages === 1 ? 0 : (open.get(key) ?? 0);
      if (position === undefined) open.delete(key);
      else open.set(key, items);
      add(draftOf(iteration, job, pages === 1 && call.length === TOP_LEVEL), items - before, pages === 1, evidence);
    },
    addPage: ({ iteration, job, index, count, evidence }) =>
      add(
        draftOf(iteration, job.id, index === 0 && job.placeholders === undefined),
        evidence?.shaped?.arrived ?? count,
        index === 0,
        evidence,
      ),
    stopped: (iteration, id) => {
      draftOf(iteration, id).isStopped = true;
    },
    jobs: () => [...drafts.values()],
    copy: () => createEvidenceTracker([...drafts.values()]),
  };
}

/** The length of the key of a top-level call: the numbers of its iteration and its job. */
const TOP_LEVEL = 2;

/** The maximum number of paths in a message; more would not help a reader. */
const MOST_PLACES = 10;

const keyOf = (iteration: number, id: string): string => `${iteration} ${id}`;

const fresh = (iteration: number, id: string): Draft => ({
  iteration,
  id,
  pages: 0,
  items: 0,
  calls: 0,
  emptyCalls: 0,
  skippedCalls: 0,
  isMet: false,
  unmet: new Set(),
  met: new Set(),
  doubts: new Map(),
  isStopped: false,
});

function alsoBegins(before: JobEvidence['begins'], print: string): NonNullable<JobEvidence['begins']> {
  if (before === undefined) return { print, calls: 1 };
  return before !== 'differ' && before.print === print ? { print, calls: before.calls + 1 } : 'differ';
}

function sumOf(before: Shaped | undefined, { arrived, delivered, dropped }: Shaped): Shaped {
  if (before === undefined) return { arrived, delivered, dropped };
  const was = before.dropped;
  return {
    arrived: before.arrived + arrived,
    delivered: before.delivered + delivered,
    dropped: {
      unnest: was.unnest + dropped.unnest,
      filter: was.filter + dropped.filter,
      exclude: was.exclude + dropped.exclude,
      unique: was.unique + dropped.unique,
    },
  };
}
