/** What became of the lines of one file, counted while it is made. */
import type { RowCounts, Stored } from '../../core/durable-sink';
import { ROW_ID } from '../../tables/linked/places';
import { rowsOfRun, toldCounts, unmatched } from '../row-counts';
import type { ToldRows } from '../row-counts';

/** What is counted of a file. */
export interface LineCounts {
  /** Lines of the run. */
  arrived: number;
  /** Lines of the old file; `undefined`: nobody reads it. */
  old: number | undefined;
  /** Old lines that went with others, before those of the run came. */
  gone: number;
  /** Lines that keys were compared of; absent: none were. */
  merged?: ToldRows & { readonly total: number };
  /** Lines that went at the end, since they belong to none of another table: some of them may be of the run. */
  orphans: number;
}

/** @example rowsOfLines({ arrived: 2, old: 3, gone: 0, orphans: 0 }) // { rows: 2, added: 2, changed: 0, unchanged: 0, removed: 0, total: 5 } */
export function rowsOfLines(counts: LineCounts, isAdded: boolean): Omit<Stored, 'name'> {
  const { arrived, old, gone, orphans, merged } = counts;
  const told = merged ?? unmatched(arrived);
  const rows = rowsOfRun(told.stored, arrived);
  const total = merged?.total ?? (isAdded ? (old ?? 0) - gone : 0) + arrived;
  // Some of those that went may be of this run.
  if (orphans > 0) return { ...rows, total: total - orphans };
  const { stored, matched = 0 } = told;
  const removed = old === undefined ? undefined : old + stored - matched - total;
  return { ...rows, ...(toldCounts(told, { removed, total }) satisfies RowCounts) };
}

/** An id that each run gives anew stands first in a row of a linked table. */
const OWN_ID = new RegExp(`^\\{"${ROW_ID}":\\d+,?`);
/** What the columns of the run are called, which stand last; they have numbers where an item has a member of the name. */
const OF_RUN = /,?"_run_id(_\d+)?":"[^"]*","_page(_\d+)?":\d+,"_extracted_at(_\d+)?":"[^"]*"\}$/;

/**
 * What of a line tells whether the row has changed.
 *
 * @example comparedPart({ isLinked: true, hasRun: false })?.(Buffer.from('{"_row_id":7,"id":1}')) // '"id":1}'
 */
export function comparedPart({
  isLinked,
  hasRun,
}: {
  readonly isLinked: boolean;
  readonly hasRun: boolean;
}): ((line: Buffer) => string) | undefined {
  if (!isLinked && !hasRun) return undefined;
  return (line) => {
    const text = line.toString('utf8');
    const own = isLinked ? text.replace(OWN_ID, '') : text;
    return hasRun ? own.replace(OF_RUN, '') : own;
  };
}
