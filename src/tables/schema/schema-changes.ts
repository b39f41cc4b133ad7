import type { SchemaChange } from '../../core/durable-sink';

/** The names of columns and their types, as the destination spells them. */
export type NamedTypes = readonly (readonly [name: string, type: string])[];

/**
 * What has become of the columns of a table.
 *
 * @example schemaChanges([['id', 'INTEGER']], [['id', 'BIGINT']])
 * // [{ change: 'type_changed', column: 'id', from: 'INTEGER', type: 'BIGINT' }]
 */
export function schemaChanges(before: NamedTypes, after: NamedTypes = before): readonly SchemaChange[] {
  const [old, made] = [new Map(before), new Map(after)];
  const added = after.flatMap(([column, type]): SchemaChange[] => {
    const from = old.get(column);
    if (from === undefined) return [{ change: 'column_added', column, type }];
    return from === type ? [] : [{ change: 'type_changed', column, from, type }];
  });
  const removed = before.filter(([column]) => !made.has(column));
  return [...added, ...removed.map(([column]): SchemaChange => ({ change: 'column_removed', column }))];
}
