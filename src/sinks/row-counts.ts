/** What a commit did to the rows of a table, from what a destination counts of it. */
import type { RowCounts, Stored } from '../durable-sink';

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

/** What became of a table whose rows are not counted: what the statements tell, which stored the rows. */
export const toldCounts = (
  { stored, matched }: { readonly stored: number; readonly matched: number | undefined },
  { removed, total }: { readonly removed?: number | undefined; readonly total?: number | undefined } = {},
): RowCounts =>
  knownCounts({
    ...(matched === undefined ? {} : { added: stored - matched, changed: matched }),
    ...(removed === undefined ? {} : { removed }),
    ...(total === undefined ? {} : { total }),
  });

type MaybeCounts = { readonly [Count in keyof RowCounts]: RowCounts[Count] | undefined };

/** Those numbers of a table that are known, in one order. */
export const knownCounts = ({ added, changed, removed, total }: MaybeCounts): RowCounts => ({
  ...(added === undefined ? {} : { added }),
  ...(changed === undefined ? {} : { changed }),
  ...(removed === undefined ? {} : { removed }),
  ...(total === undefined ? {} : { total }),
});

/** What is told of a table from which rows went before those of the run came; `undefined`: nobody knows how many. */
export function withRemoved(told: Stored, removed: number | undefined): Stored {
  const { added, changed, total } = told;
  return { ...uncounted(told), ...knownCounts({ added, changed, removed, total }) };
}

/** What is told of a table from which rows went that may be of the run itself. */
export const uncounted = ({ name, rows, changes }: Stored): Stored => ({
  name,
  ...(rows === undefined ? {} : { rows }),
  ...(changes === undefined ? {} : { changes }),
});
