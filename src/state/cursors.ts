/** How far jobs have come in a field that grows, inside the state of a run (docs/extensions/incremental.md). */
import { furthest } from '../json/furthest';
import { entriesOf, isObject, objectFrom, ownValue } from '../json/keys';
import type { Checkpoint, Cursors, Json, JsonObject, Page } from '../model';

const KEY = 'headwater.cursors';

/** How far a page of a job comes. */
type Reached = Pick<Checkpoint, 'job' | 'cursor' | 'items'>;

/** Adds up the cursors of pages, in any order. */
export interface CursorTracker {
  readonly add: (reached: Reached) => void;
  readonly addPage: (page: Pick<Page, 'job' | 'cursor' | 'count'>) => void;
  /** Whether a job got items, and none of them had a value to go by. */
  readonly isWithout: (job: string) => boolean;
  /** The state with the cursors of the run; those of other jobs stay as they are. */
  readonly into: (state: JsonObject) => JsonObject;
}

/** The cursors in a state, by the id of the job and by its parents as {@link Checkpoint.cursor} names them. */
export function cursorsOf(state: JsonObject): Cursors {
  const jobs = ownValue(state, KEY);
  if (!isObject(jobs)) return new Map();
  return new Map(
    entriesOf(jobs).map(([job, parents]) => [job, new Map(isObject(parents) ? entriesOf(parents) : [])] as const),
  );
}

/** @example createCursorTracker(state) */
export function createCursorTracker(state: JsonObject): CursorTracker {
  const jobs = new Map([...cursorsOf(state)].map(([job, parents]) => [job, new Map(parents)] as const));
  let hasAny = false;
  const withItems = new Set<string>();
  const withValues = new Set<string>();
  const reach = (job: string, cursor: Checkpoint['cursor'] | undefined, items: number): void => {
    if (items > 0) withItems.add(job);
    if (cursor === undefined) return;
    withValues.add(job);
    hasAny = true;
    const parents = jobs.get(job) ?? new Map<string, Json>();
    jobs.set(job, parents);
    const reached = furthest(parents.get(cursor.parent), cursor.value);
    if (reached !== undefined) parents.set(cursor.parent, reached);
  };
  return {
    add: ({ job, cursor, items }) => reach(job, cursor, items),
    addPage: ({ job, cursor, count }) => reach(job.id, cursor, count),
    isWithout: (job) => withItems.has(job) && !withValues.has(job),
    into: (next) =>
      hasAny
        ? objectFrom(
            new Map<string, Json>(entriesOf(next)).set(
              KEY,
              objectFrom([...jobs].map(([job, parents]) => [job, objectFrom(parents)] as const)),
            ),
          )
        : next,
  };
}
