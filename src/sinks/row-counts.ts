/** What a commit did to the rows of a table, from what a destination counts of it. */
import type { RowCounts } from '../durable-sink';

/** What was counted while rows were stored. */
export interface StoredRows {
  /** Rows that were stored: of those with equal keys, the last one. */
  readonly stored: number;
  /** Those of them whose key the table had before. */
  readonly matched: number;
}

/** Rows that take the place of none. */
export const unmatched = (stored: number): StoredRows => ({ stored, matched: 0 });

/**
 * Tells what became of a table.
 *
 * @param before its rows before anything was removed for the run
 * @param after its rows when all is done
 * @example rowCounts({ stored: 3, matched: 1 }, 5, 7) // { added: 2, changed: 1, removed: 0, total: 7 }
 */
export const rowCounts = ({ stored, matched }: StoredRows, before: number, after: number): Required<RowCounts> => ({
  added: stored - matched,
  changed: matched,
  removed: before + stored - matched - after,
  total: after,
});

/** Those numbers of a table that are known, in one order. */
export const knownCounts = ({ added, changed, removed, total }: RowCounts): RowCounts => ({
  ...(added === undefined ? {} : { added }),
  ...(changed === undefined ? {} : { changed }),
  ...(removed === undefined ? {} : { removed }),
  ...(total === undefined ? {} : { total }),
});
