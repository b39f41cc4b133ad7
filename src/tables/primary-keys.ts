import { FatalError } from '../core/errors/errors';
import { namesText } from '../language/expressions/nearest';
import type { Table } from './table';

/** The columns of primary keys by dataType. */
export type PrimaryKeys = ReadonlyMap<string, readonly string[]>;

/**
 * Gives the tables of dataTypes their primary keys (docs/extensions/primary-keys.md); child tables have none.
 *
 * @param tableName the name of the table of a dataType
 * @throws FatalError API_SHAPE for a key with a column that its table does not have
 * @example withPrimaryKeys([boats], new Map([['boats', ['id']]]), safeName)
 */
export function withPrimaryKeys(
  tables: readonly Table[],
  keys: PrimaryKeys,
  tableName: (dataType: string) => string,
): readonly Table[] {
  const byTable = new Map(Array.from(keys, ([dataType, columns]) => [tableName(dataType), columns]));
  return tables.map((table) => {
    const primaryKey = byTable.get(table.name);
    return primaryKey === undefined ? table : { ...table, primaryKey: checked(primaryKey, table) };
  });
}

function checked(primaryKey: readonly string[], { name, columns }: Table): readonly string[] {
  const missing = primaryKey.filter((column) => !columns.includes(column));
  if (missing.length === 0) return primaryKey;
  throw new FatalError(
    'API_SHAPE',
    `The primary key of the table '${name}' names ${namesText(missing)}, which it does not have. ` +
      `Its columns: ${namesText(columns)}.`,
    { table: name },
  );
}
