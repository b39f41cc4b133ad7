/** How many columns a table may have: as the configuration says, or as its database does. */
import type { OutputPlan } from '../../plan/plan';
import type { ColumnLimit } from './column-names';

interface LimitedOutput extends OutputPlan {
  /** A sentence that says whose limit `maxColumns` is; absent: that of the configuration, which may be raised. */
  readonly limitedBy?: string;
}

/**
 * Outputs with tables that have no more columns than a database takes.
 *
 * @example limitedOutputs(outputs, 2000, 'SQLite takes no more of them.')
 */
export const limitedOutputs = (
  outputs: readonly OutputPlan[],
  most: number,
  limitedBy: string,
): readonly OutputPlan[] =>
  outputs.map((output) =>
    (output.maxColumns ?? Infinity) < most ? output : { ...output, maxColumns: most, limitedBy },
  );

/** The limit of a table of a run. */
export const limitOf = (
  { maxColumns: most = Infinity, limitedBy: remedy }: LimitedOutput,
  table: string,
): ColumnLimit => ({ table, most, ...(remedy === undefined ? {} : { remedy }) });
