import type { Warn } from '../../language/parts/sink';
import { schemaChanges } from './schema-changes';
import type { NamedTypes } from './schema-changes';

/**
 * Warns of each column of a table that a run adds, or gives another type, for whoever reads the table.
 *
 * @param old the columns before the run; none: the table is new, and nothing has changed
 * @throws FatalError WARNINGS where warnings count as errors
 * @example tellChanges('orders', [['n', 'INTEGER']], [['n', 'BIGINT']], warn)
 */
export function tellChanges(table: string, old: NamedTypes, now: NamedTypes, warn: Warn | undefined): void {
  if (old.length === 0) return;
  for (const change of schemaChanges(old, now)) {
    const column = `the column ${JSON.stringify(change.column)} of the table ${JSON.stringify(table)}`;
    if (change.change === 'column_added') warn?.('TABLE_CHANGED', `${column} is new: ${change.type}.`);
    else if (change.change === 'type_changed')
      warn?.('TABLE_CHANGED', `${column} was ${change.from}, and is ${change.type} now.`);
  }
}
