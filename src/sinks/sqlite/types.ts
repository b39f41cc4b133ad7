/** The types of columns that SQLite does not know: they are kept beside the receipt. */
import { FatalError } from '../../core/errors/errors';
import { isObject, objectFrom, ownValue } from '../../core/json/keys';
import { withMember } from '../../core/json/literals';
import { parseJson } from '../../core/json/parse';
import type { JsonObject } from '../../core/model';
import type { ColumnType } from '../../tables/schema/column-type';
import { isDecimal } from '../../tables/schema/decimal-type';
import type { Column } from '../../tables/schema/schema';
import { storageOf } from './cells';
import type { StorageType } from './cells';

/** What the types of a table are when nothing is known of them. */
const WIDEST: Readonly<Record<StorageType, ColumnType>> = { INTEGER: 'bigint', REAL: 'double', TEXT: 'text' };
const KNOWN: readonly ColumnType[] = [
  ...(['boolean', 'integer', 'bigint', 'double', 'date', 'timestamp', 'timestamptz', 'json', 'text'] as const),
];

/** The types as they are kept, or with those of a table in place of what was known of it. */
export function typesOf(kept: unknown, table?: string, columns: readonly Column[] = []): JsonObject {
  const known = typeof kept === 'string' ? parseJson(kept) : kept;
  const types = isObject(known as JsonObject) ? (known as JsonObject) : {};
  if (table === undefined) return types;
  return withMember(types, table, objectFrom(columns.map(({ name, type }) => [name, type])));
}

/**
 * The type of a column that rows are added to.
 *
 * @param declared as the table has it
 * @throws FatalError DESTINATION_INCOMPATIBLE for a type that a run would not make
 */
export function typeIn(table: string, column: string, declared: string, known: JsonObject): ColumnType {
  const storage = declared.toUpperCase() === 'INT' ? 'INTEGER' : declared.toUpperCase();
  const kept = ownValue(known, column);
  const type = typeof kept === 'string' ? (KNOWN.find((each) => each === kept) ?? decimalIn(kept)) : undefined;
  if (type !== undefined && storageOf(type) === storage) return type;
  if (storage === 'INTEGER' || storage === 'REAL' || storage === 'TEXT') return WIDEST[storage];
  const what = `The column ${JSON.stringify(column)} of the table ${JSON.stringify(table)} is of the type ${declared}`;
  throw new FatalError(
    'DESTINATION_INCOMPATIBLE',
    `${what}, which rows cannot be added to. Rename that table, or remove it.`,
    { table },
  );
}

function decimalIn(text: string): ColumnType | undefined {
  const type = text as ColumnType;
  return isDecimal(type) ? type : undefined;
}
