import type { Doubt, Evidence } from '../../evidence';
import type { Checkpoint, Page } from '../../model';

/** What the pages of one job tell together. */
export interface JobEvidence {
  /** The number of the iteration, and the id of the job. */
  readonly iteration: number;
  readonly id: string;
  readonly pages: number;
  readonly items: number;
  readonly calls: number;
  /** Calls whose first page had no items. */
  readonly emptyCalls: number;
  /** Whether any response had a value at the place of the items. */
  readonly isMet: boolean;
  /** Places of lists with items in the responses that had none. */
  readonly unmet: ReadonlySet<string>;
  /** One a code: the first, and how many calls have it. */
  readonly doubts: ReadonlyMap<string, { readonly doubt: Doubt; readonly calls: number }>;
  readonly isStopped: boolean;
}

/** Adds up what pages tell of the completeness of their jobs. What it holds does not grow with the pages. */
export interface EvidenceBook {
  /** Of a page that is safe from before. */
  readonly addCheckpoint: (checkpoint: Checkpoint) => void;
  readonly addPage: (page: Page) => void;
  /** A stop of the configuration ended a call of the job. */
  readonly stopped: (iteration: number, id: string) => void;
  readonly jobs: () => readonly JobEvidence[];
  /** Another book that goes on from here. */
  readonly copy: () => EvidenceBook;
}

type Draft = { -readonly [K in keyof JobEvidence]: JobEvidence[K] } & {
  unmet: Set<string>;
  doubts: Map<string, { readonly doubt: Doubt; readonly calls: number }>;
};

/**
 * @example
 * const book = createEvidenceBook();
 * book.addPage(page);
 * book.jobs()[0]?.items
 */
export function createEvidenceBook(from: readonly JobEvidence[] = []): EvidenceBook {
  const drafts = new Map<string, Draft>();
  /** Items of calls that are not over, to know how many a page of them added. */
  const open = new Map<string, number>();
  for (const job of from)
    drafts.set(keyOf(job.iteration, job.id), { ...job, unmet: new Set(job.unmet), doubts: new Map(job.doubts) });

  /** @param isAnew whether this is the first page of a top-level job: what it had, before it began again, does not count */
  const draftOf = (iteration: number, id: string, isAnew = false): Draft => {
    const key = keyOf(iteration, id);
    const draft = (isAnew ? undefined : drafts.get(key)) ?? fresh(iteration, id);
    drafts.set(key, draft);
    return draft;
  };
  const add = (draft: Draft, items: number, isFirst: boolean, evidence: Evidence | undefined): void => {
    const { unmet, doubts = [], stopped = false } = evidence ?? {};
    draft.pages += 1;
    draft.items += items;
    if (isFirst) draft.calls += 1;
    if (isFirst && items === 0) draft.emptyCalls += 1;
    if (unmet === undefined) draft.isMet = true;
    for (const place of unmet ?? []) if (draft.unmet.size < MOST_PLACES) draft.unmet.add(place);
    for (const doubt of doubts) {
      const known = draft.doubts.get(doubt.code);
      draft.doubts.set(doubt.code, { doubt: known?.doubt ?? doubt, calls: 1 + (known?.calls ?? 0) });
    }
    draft.isStopped ||= stopped;
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
      add(draftOf(iteration, job.id, index === 0 && job.placeholders === undefined), count, index === 0, evidence),
    stopped: (iteration, id) => {
      draftOf(iteration, id).isStopped = true;
    },
    jobs: () => [...drafts.values()],
    copy: () => createEvidenceBook([...drafts.values()]),
  };
}

/** Numbers in the call of a top-level job: those of its iteration and of the job. */
const TOP_LEVEL = 2;

/** More places help nobody. */
const MOST_PLACES = 10;

const keyOf = (iteration: number, id: string): string => `${iteration} ${id}`;

const fresh = (iteration: number, id: string): Draft => ({
  iteration,
  id,
  pages: 0,
  items: 0,
  calls: 0,
  emptyCalls: 0,
  isMet: false,
  unmet: new Set(),
  doubts: new Map(),
  isStopped: false,
});
