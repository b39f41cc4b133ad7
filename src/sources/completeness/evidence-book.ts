import type { Doubt, Evidence, Shaped } from '../../evidence';
import type { Checkpoint, Page } from '../../model';

/** What the pages of one job tell together. */
export interface JobEvidence {
  /** The number of the iteration, and the id of the job. */
  readonly run: number;
  readonly id: string;
  readonly pages: number;
  /** As the API gave them. */
  readonly items: number;
  /** What the job made of them, where it makes anything of them. */
  readonly shaped?: Shaped;
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
  readonly stopped: (run: number, id: string) => void;
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
    drafts.set(keyOf(job.run, job.id), { ...job, unmet: new Set(job.unmet), doubts: new Map(job.doubts) });

  /** @param isAnew whether this is the first page of a top-level job: what it had, before it began again, does not count */
  const draftOf = (run: number, id: string, isAnew = false): Draft => {
    const key = keyOf(run, id);
    const draft = (isAnew ? undefined : drafts.get(key)) ?? fresh(run, id);
    drafts.set(key, draft);
    return draft;
  };
  const add = (draft: Draft, items: number, isFirst: boolean, evidence: Evidence | undefined): void => {
    const { unmet, doubts = [], stopped = false, shaped } = evidence ?? {};
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
    if (shaped !== undefined) draft.shaped = sumOf(draft.shaped, shaped);
  };
  return {
    addCheckpoint: ({ call, job, pages, items, position, evidence }) => {
      const [run = 0] = call;
      const key = call.join('.');
      const before = pages === 1 ? 0 : (open.get(key) ?? 0);
      if (position === undefined) open.delete(key);
      else open.set(key, items);
      add(draftOf(run, job, pages === 1 && call.length === TOP_LEVEL), items - before, pages === 1, evidence);
    },
    addPage: ({ run, job, index, count, evidence }) =>
      add(
        draftOf(run, job.id, index === 0 && job.placeholders === undefined),
        evidence?.shaped?.arrived ?? count,
        index === 0,
        evidence,
      ),
    stopped: (run, id) => {
      draftOf(run, id).isStopped = true;
    },
    jobs: () => [...drafts.values()],
    copy: () => createEvidenceBook([...drafts.values()]),
  };
}

/** Numbers in the call of a top-level job: those of its run and of the job. */
const TOP_LEVEL = 2;

/** More places help nobody. */
const MOST_PLACES = 10;

const keyOf = (run: number, id: string): string => `${run} ${id}`;

const fresh = (run: number, id: string): Draft => ({
  run,
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
