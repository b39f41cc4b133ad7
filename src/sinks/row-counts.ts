/** The counts of the rows of a table after a commit, derived from the numbers of a destination. */
import type { RowCounts, Stored } from '../core/durable-sink';
import { defined } from '../core/json/objects';

/** The numbers that are counted while rows are stored. */
export interface StoredRows {
  /** Stored rows; of those with equal keys, the last one. */
  readonly stored: number;
  /** Those of them whose key the table had before. */
  readonly matched: number;
  /** Those of the latter that the table had with the same values. */
  readonly same: number;
}

/** Returns the counts of rows that replace none. */
export const unmatched = (stored: number): StoredRows => ({ stored, matched: 0, same: 0 });

/** The numbers of a destination that does not count everything; unknown ones are absent. */
export interface CountedRows {
  readonly stored: number;
  readonly matched?: number | undefined;
  readonly same?: number | undefined;
}

/**
 * Returns the counts of a table.
 *
 * @param before its rows before anything was removed for the run
 * @param after its rows when everything is done
 * @example rowCounts({ stored: 3, matched: 1, same: 0 }, 5, 7) // { added: 2, changed: 1, unchanged: 0, removed: 0, total: 7 }
 */
export const rowCounts = (counted: CountedRows, before: number, after: number): RowCounts =>
  countsOf(counted, {
    removed: counted.matched === undefined ? undefined : before + counted.stored - counted.matched - after,
    total: after,
  });

/** Returns the counts of a table whose rows are not counted: those that are known without it. */
export const countsOf = (
  { stored, matched, same }: CountedRows,
  { removed, total }: Pick<MaybeCounts, 'removed' | 'total'> = {},
): RowCounts => {
  const added = matched === undefined ? undefined : stored - matched;
  const changed = matched === undefined || same === undefined ? undefined : matched - same;
  return knownCounts({ added, changed, unchanged: same, removed, total });
};

type MaybeCounts = { readonly [Count in keyof RowCounts]?: RowCounts[Count] | undefined };

/** Returns the known numbers of a table, in one order. */
export const knownCounts = ({ added, changed, unchanged, removed, total }: MaybeCounts): RowCounts =>
  defined({ added, changed, unchanged, removed, total });

/** Returns the counts of the rows of a run: how many are stored, and how many of those that came were replaced by them. */
export const rowsOfRun = (stored: number, arrived: number): Pick<Stored, 'rows' | 'repeated'> =>
  defined({ rows: stored, repeated: arrived > stored ? arrived - stored : undefined });

/** Returns the counts of a table from which rows were removed before those of the run came; `undefined`: their number is unknown. */
export function withRemoved(counted: Stored, removed: number | undefined): Stored {
  const { added, changed, unchanged, total } = counted;
  return { ...uncounted(counted), ...knownCounts({ added, changed, unchanged, removed, total }) };
}

/**
 * Returns the counts of a table that the run has replaced, and from which rows of the run were removed, since a later row took the place of
 * their parent row.
 *
 * @param total the rows that are left
 */
export const withoutLost = <S extends Omit<Stored, 'name'>>(counted: S, total: number): S => ({
  ...counted,
  ...rowsOfRun(total, counted.rows ?? total),
  ...(counted.added === undefined ? {} : { added: total }),
  ...(counted.total === undefined ? {} : { total }),
});

/** Returns the counts of a table from which rows were removed that may belong to the run itself. */
export const uncounted = ({ name, rows, repeated, changes }: Stored): Stored =>
  defined({ name, rows, repeated, changes });
