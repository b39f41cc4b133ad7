/** What a commit did to the rows of a table, from what a destination counts of it. */
import type { RowCounts, Stored } from '../core/durable-sink';

/** What was counted while rows were stored. */
export interface StoredRows {
  /** Rows that were stored: of those with equal keys, the last one. */
  readonly stored: number;
  /** Those of them whose key the table had before. */
  readonly matched: number;
  /** Those of the latter that the table had with the same values. */
  readonly same: number;
}

/** Rows that take the place of none. */
export const unmatched = (stored: number): StoredRows => ({ stored, matched: 0, same: 0 });

/**
 * Tells what became of a table.
 *
 * @param before its rows before anything was removed for the run
 * @param after its rows when all is done
 * @example rowCounts({ stored: 3, matched: 1, same: 0 }, 5, 7) // { added: 2, changed: 1, unchanged: 0, removed: 0, total: 7 }
 */
export const rowCounts = (
  { stored, matched, same }: StoredRows,
  before: number,
  after: number,
): Required<RowCounts> => ({
  added: stored - matched,
  changed: matched - same,
  unchanged: same,
  removed: before + stored - matched - after,
  total: after,
});

/** What a destination has counted that does not count all: what it does not know is absent. */
export interface ToldRows {
  readonly stored: number;
  readonly matched?: number | undefined;
  readonly same?: number | undefined;
}

/** What became of a table whose rows are not counted: what is told anyway where the rows are stored. */
export const toldCounts = (
  { stored, matched, same }: ToldRows,
  { removed, total }: Pick<MaybeCounts, 'removed' | 'total'> = {},
): RowCounts => {
  const isCompared = matched !== undefined && same !== undefined;
  return knownCounts({
    added: matched === undefined ? undefined : stored - matched,
    changed: isCompared ? matched - same : undefined,
    unchanged: same,
    removed,
    total,
  });
};

type MaybeCounts = { readonly [Count in keyof RowCounts]?: RowCounts[Count] | undefined };

/** Those numbers of a table that are known, in one order. */
export const knownCounts = ({ added, changed, unchanged, removed, total }: MaybeCounts): RowCounts => ({
  ...(added === undefined ? {} : { added }),
  ...(changed === undefined ? {} : { changed }),
  ...(unchanged === undefined ? {} : { unchanged }),
  ...(removed === undefined ? {} : { removed }),
  ...(total === undefined ? {} : { total }),
});

/** What is told of the rows of a run: those that are stored, and how many of those that came gave way to them. */
export const rowsOfRun = (stored: number, arrived: number): Pick<Stored, 'rows' | 'repeated'> => ({
  rows: stored,
  ...(arrived > stored ? { repeated: arrived - stored } : {}),
});

/** What is told of a table from which rows went before those of the run came; `undefined`: nobody knows how many. */
export function withRemoved(told: Stored, removed: number | undefined): Stored {
  const { added, changed, unchanged, total } = told;
  return { ...uncounted(told), ...knownCounts({ added, changed, unchanged, removed, total }) };
}

/** What is told of a table from which rows went that may be of the run itself. */
export const uncounted = ({ name, rows, repeated, changes }: Stored): Stored => ({
  name,
  ...(rows === undefined ? {} : { rows }),
  ...(repeated === undefined ? {} : { repeated }),
  ...(changes === undefined ? {} : { changes }),
});
