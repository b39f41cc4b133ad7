/** The cursors of jobs, in a field whose values grow, inside the state of a run (docs/language/incremental.md). */
import type { JobOutcome, Outcome } from '../../core/events';
import { entriesOf, isObject, objectAt, objectFrom, ownValue } from '../../core/json/objects';
import { furthest, isEarlier, isTime, movedBack } from '../../core/json/order';
import type { Checkpoint, Cursors, Json, JsonObject, Page, PageCursor } from '../../core/model';
import type { OutputPlan } from '../../plan/plan';

/** The key of the cursors in a state. */
export const CURSORS = 'headwater.cursors';

/** The part of a checkpoint that says how far a page comes. */
type Reached = Pick<Checkpoint, 'job' | 'cursor' | 'items' | 'evidence'>;

/** Returns whether a run got all items of a job; `failed`: the job did not reach its end, and none of its items count. */
export type IsWhole = (job: string) => boolean | 'failed';

/** Adds up the cursors of pages, in any order. */
export interface CursorTracker {
  readonly add: (reached: Reached) => void;
  readonly addPage: (page: Pick<Page, 'job' | 'cursor' | 'count' | 'evidence'>) => void;
  /** Returns whether a job got items without any value for the cursor. */
  readonly isWithout: (job: string) => boolean;
  /**
   * Returns whether a job got items from before the value that it asked from, which was reduced by `lag`; for dates and times by another
   * day, since APIs use other time zones, or whole days.
   */
  readonly isPassedOver: (job: string, lag: number) => boolean;
  /** Returns whether a job got items that are not beyond its cursor before the run: rows of earlier runs may come again. */
  readonly isMet: (job: string) => boolean;
  /**
   * Returns whether a job keeps its cursor, at least for one of its parents: it did not get all items, or was stopped, and the missing ones
   * may be older than those it got.
   */
  readonly isHeld: (job: string, isWhole: IsWhole) => boolean;
  /** Returns whether a job got items from after the start of the run: the next run gets them again. */
  readonly isBeyond: (job: string) => boolean;
  /** Returns whether a job ignored items for its cursor, since they lie in the future. */
  readonly isAhead: (job: string) => boolean;
  /** Returns whether the values of a job are dates that cannot be ordered. */
  readonly isUnordered: (job: string) => boolean;
  /** Returns the state with the cursors of the run; those of other jobs, and of jobs that keep theirs, are unchanged. */
  readonly into: (state: JsonObject, isWhole: IsWhole) => JsonObject;
}

/** Returns the cursors in a state, by the id of the job and by its parents as {@link PageCursor.parent} names them. */
export function cursorsOf(state: JsonObject): Cursors {
  const jobs = ownValue(state, CURSORS);
  if (!isObject(jobs)) return new Map();
  return new Map(
    entriesOf(jobs).map(([job, parents]) => [job, new Map(isObject(parents) ? entriesOf(parents) : [])] as const),
  );
}

/** @example createCursorTracker(state) */
export function createCursorTracker(state: JsonObject): CursorTracker {
  const before = cursorsOf(state);
  const run = new Map<string, Map<string, Way>>();
  const withItems = new Set<string>();
  const stopped = new Set<string>();
  const reach = (job: string, items: number, page: Pick<Page, 'cursor' | 'evidence'>): void => {
    const { cursor, evidence } = page;
    const isStopped = evidence?.stopped === true;
    if (items > 0) withItems.add(job);
    // A page without items does not show which parent it belongs to.
    if (cursor === undefined && isStopped) stopped.add(job);
    if (cursor === undefined) return;
    const parents = run.get(job) ?? new Map<string, Way>();
    run.set(job, parents.set(cursor.parent, together(parents.get(cursor.parent), { ...cursor, isStopped })));
  };
  const ofJob = (job: string): readonly Way[] => [...(run.get(job)?.values() ?? [])];
  const orderedOf = (job: string): readonly Way[] => ofJob(job).filter((way) => way.isUnordered !== true);
  const knownOf = (job: string, parent: string): Json | undefined => before.get(job)?.get(parent);
  const isBehind = (job: string, isWhole: IsWhole, { isStopped, ...cursor }: Way): boolean =>
    isWhole(job) === 'failed' || ((isStopped || stopped.has(job) || isWhole(job) === false) && !isAscending(cursor));
  const advanced = (job: string, isWhole: IsWhole): JsonObject =>
    objectFrom([
      ...(before.get(job) ?? []),
      ...ofJob(job)
        .filter((way) => !isBehind(job, isWhole, way))
        .map(({ parent, value }) => [parent, furthest(knownOf(job, parent), value) ?? value] as const),
    ]);
  return {
    add: (reached) => reach(reached.job, reached.items, reached),
    addPage: (page) => reach(page.job.id, page.count, page),
    isWithout: (job) => withItems.has(job) && !run.has(job),
    isPassedOver: (job, lag) =>
      orderedOf(job).some(({ parent, least }) => {
        const known = knownOf(job, parent);
        return known !== undefined && isEarlier(least, aDayEarlier(movedBack(known, lag)));
      }),
    isMet: (job) =>
      orderedOf(job).some(({ parent, least }) => {
        const known = knownOf(job, parent);
        return known !== undefined && !isEarlier(known, least);
      }),
    isHeld: (job, isWhole) =>
      ofJob(job).some((way) => isBehind(job, isWhole, way) && !isSame(knownOf(job, way.parent), way.value)),
    isBeyond: (job) => orderedOf(job).some(({ furthest }) => furthest !== undefined),
    isAhead: (job) => ofJob(job).some((way) => way.isAhead === true),
    isUnordered: (job) => ofJob(job).some((way) => way.isUnordered === true),
    into: (next, isWhole) => {
      if (run.size === 0) return next;
      const jobs = [...new Set([...before.keys(), ...run.keys()])];
      const cursors = objectFrom(jobs.map((job) => [job, advanced(job, isWhole)] as const));
      return objectFrom(new Map<string, Json>(entriesOf(next)).set(CURSORS, cursors));
    },
  };
}

/** The cursor of a call, and whether the configuration stopped it. */
interface Way extends PageCursor {
  readonly isStopped: boolean;
}

/** Returns the cursor after two pages, the second of which came later. */
function together(a: Way | undefined, b: Way): Way {
  if (a === undefined) return b;
  return {
    parent: b.parent,
    value: furthest(a.value, b.value) ?? b.value,
    least: isEarlier(b.least, a.least) ? b.least : a.least,
    ascends: a.ascends && b.ascends && !isEarlier(b.least, latestOf(a)),
    isStopped: a.isStopped || b.isStopped,
    ...(a.furthest === undefined && b.furthest === undefined
      ? {}
      : { furthest: furthest(latestOf(a), latestOf(b)) ?? latestOf(b) }),
    ...(a.isAhead === true || b.isAhead === true ? { isAhead: true } : {}),
    ...(a.isUnordered === true || b.isUnordered === true ? { isUnordered: true } : {}),
  };
}

const latestOf = ({ furthest, value }: PageCursor): Json => furthest ?? value;

/** Returns whether items ascend; items that all have one value do not show it. */
const isAscending = (cursor: PageCursor): boolean => cursor.ascends && isEarlier(cursor.least, latestOf(cursor));

const isSame = (known: Json | undefined, value: Json): boolean =>
  known !== undefined && !isEarlier(known, value) && !isEarlier(value, known);

const DAY = 86_400;

/** Returns a date or a time a day earlier; any other value unchanged. */
const aDayEarlier = (value: Json): Json => (isTime(value) ? movedBack(value, DAY) : value);

const TIME = 'time';
const PREVIOUS_START = 'previousStart';

/**
 * Returns the start of the last successful run in Unix seconds; 0 if the state of a run does not contain it
 * (docs/language/state.md#where-it-is-kept).
 */
export function previousStartOf(state: JsonObject): number {
  const seconds = Number(ownValue(timeOf(state), PREVIOUS_START) ?? 0);
  return Number.isFinite(seconds) ? Math.trunc(seconds) : 0;
}

/**
 * Returns the state for the next run, after a successful one (docs/language/state.md#where-it-is-kept). Everything else in it is kept.
 *
 * @param startedAt Unix seconds: the start of the run
 * @example nextState({ mine: 1 }, 1500000000) // { mine: 1, time: { previousStart: 1500000000 } }
 */
export const nextState = (state: JsonObject, startedAt: number): JsonObject => withPreviousStart(state, startedAt);

/** Returns the state with another start of the last run; 0: there was none. */
export function withPreviousStart(state: JsonObject, seconds: number): JsonObject {
  const time = objectFrom(new Map(entriesOf(timeOf(state))).set(PREVIOUS_START, seconds));
  return objectFrom(new Map(entriesOf(state)).set(TIME, time));
}

const timeOf = (state: JsonObject): JsonObject => objectAt(state, TIME);

/** Which jobs of a run are complete, of those that ask only for new items, those below them included (docs/language/incremental.md). */
export interface CompleteJobs {
  /**
   * Returns whether the cursor of a job counts. It does not if a job below it lacks anything: later runs would call that for other items,
   * and never again for those whose call is incomplete.
   */
  readonly isWhole: IsWhole;
  /** Returns the places of the incomplete jobs below a job. */
  readonly lackingBelow: (job: string) => readonly string[];
}

/**
 * @param jobs the outcomes of the jobs of the run
 * @example completeJobs(outputs, finished.jobs).isWhole('orders') // true
 */
export function completeJobs(
  outputs: readonly OutputPlan[],
  jobs: readonly Pick<JobOutcome, 'id' | 'path' | 'outcome' | 'isAccepted'>[],
): CompleteJobs {
  const asking = outputs.flatMap(({ incrementalJobs = [] }) => incrementalJobs);
  const has = (id: string, end: Outcome): boolean => jobs.some((job) => job.id === id && job.outcome === end);
  const lacking = new Set(
    jobs.filter(({ outcome, isAccepted }) => outcome === 'failed' || isAccepted === true).map(({ path }) => path),
  );
  const lackingBelow = (id: string): readonly string[] => {
    const below = asking.filter((job) => job.id === id).flatMap((job) => job.below ?? []);
    return [...new Set(below.map(({ path }) => path))].filter((path) => lacking.has(path));
  };
  const isWhole: IsWhole = (id) => (has(id, 'failed') || lackingBelow(id).length > 0 ? 'failed' : !has(id, 'doubtful'));
  return { isWhole, lackingBelow };
}
