import type { Client } from 'pg';
import { columnName, quoted } from './names';
import { wider } from '../schema/column-type';
import type { ColumnType } from '../schema/column-type';
import { decimalOf, isDecimal } from '../schema/decimal-type';
import type { DecimalLimit, DecimalType } from '../schema/decimal-type';
import type { Column, TableSchema } from '../schema/schema';

/**
 * JSON is stored as `jsonb`: it keeps every digit of a number, and unlike `json` it can be compared, sorted and indexed.
 * Only the order of the keys of an object is not kept.
 */
const SQL_TYPES: Readonly<Record<Exclude<ColumnType, DecimalType>, string>> = {
  boolean: 'boolean',
  integer: 'integer',
  bigint: 'bigint',
  double: 'double precision',
  date: 'date',
  timestamp: 'timestamp without time zone',
  timestamptz: 'timestamp with time zone',
  json: 'jsonb',
  text: 'text',
};
/** The digits that a column of `numeric` takes. */
export const NUMERIC: DecimalLimit = { whole: 131_072, fraction: 16_383, total: Infinity };
const TYPES = new Map<string, ColumnType>([
  ...Object.entries(SQL_TYPES).map(([type, sql]) => [sql, type as ColumnType] as const),
  ['numeric', decimalOf(NUMERIC, NUMERIC) ?? 'text'],
]);
const sqlTypeOf = (type: ColumnType): string => (isDecimal(type) ? 'numeric' : SQL_TYPES[type]);

/** A column of a table in the database. */
export interface TableColumn {
  /** The name in the database. */
  readonly name: string;
  /** How values are written. */
  readonly type: ColumnType;
  readonly sqlType: string;
  /** Whether the database generates its values: identity columns, expressions. */
  readonly isGenerated?: boolean;
}

/** A table that is there before a run is committed. */
export interface ExistingTable {
  readonly columns: readonly TableColumn[];
  /** Whether other objects depend on it that would be lost with it: views, indexes, rights or rules of somebody else. */
  readonly hasDependents: boolean;
}

/** What the items of a run need. */
export interface TableLayout {
  readonly columns: readonly TableColumn[];
  /** Whether numbers stand in columns that keep how they are spelled. */
  readonly keepsSpelling: boolean;
  /** The column of each key of an item; `value` for items that are no objects. */
  readonly columnOf: (key: string) => number | undefined;
  readonly columnOfExtra: (name: string) => number | undefined;
}

/** The table of a name, if there is one. */
export async function existingTable(client: Client, table: string): Promise<ExistingTable | undefined> {
  const { rows: found } = await client.query<{ oid: string; adorned: boolean }>(ADORNED, [table]);
  const [row] = found;
  if (row === undefined) return undefined;
  const { rows } = await client.query<{ name: string; sqlType: string; isGenerated: boolean }>(
    `SELECT attname AS name, format_type(atttypid, atttypmod) AS "sqlType", attidentity <> '' OR attgenerated <> ''
       OR coalesce(pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval(%', false) AS "isGenerated"
     FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
     WHERE attrelid = $1 AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [row.oid],
  );
  // Columns of a type that somebody else chose take strings, and keep their type.
  const columns = rows.map((column) => ({ ...column, type: typeOfSql(column.sqlType) }));
  return { columns, hasDependents: row.adorned };
}

const typeOfSql = (sqlType: string): ColumnType => (sqlType === 'json' ? 'json' : (TYPES.get(sqlType) ?? 'text'));

const ADORNED = `
  SELECT c.oid, NOT pg_has_role(c.relowner, 'USAGE') OR c.relkind <> 'r' OR c.relacl IS NOT NULL
    OR EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attacl IS NOT NULL)
    OR EXISTS (SELECT FROM pg_description d WHERE d.classoid = 'pg_class'::regclass AND d.objoid = c.oid)
    OR EXISTS (SELECT FROM pg_depend d WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = c.oid
      AND d.deptype IN ('n', 'a') AND NOT EXISTS (SELECT FROM pg_constraint k
        WHERE d.classid = 'pg_constraint'::regclass AND k.oid = d.objid AND k.conrelid = c.oid AND k.contype IN ('p', 'n')))
    AS adorned
  FROM pg_class c WHERE c.oid = to_regclass($1)`;

/** Brings together the columns of a table and those of the items. */
export function layoutOf(schema: TableSchema, existing: readonly TableColumn[] = []): TableLayout {
  const facts = schema.facts();
  const columns = [...existing];
  const placeOf = new Map(existing.map(({ name }, at) => [name, at]));
  const places = schema.columns().map(({ name, type }, at) => {
    // The first columns of the schema are those of the table.
    const inDatabase = columnName(name);
    const own = at < existing.length ? at : (placeOf.get(inDatabase) ?? columns.length);
    const column = columns[own];
    if (column === undefined) {
      placeOf.set(inDatabase, own);
      columns.push({ name: inDatabase, type, sqlType: sqlTypeOf(type) });
      return own;
    }
    if (facts[at]?.filled !== 0) columns[own] = widened(column, type);
    return own;
  });
  const placed = (at: number | undefined): number | undefined => (at === undefined ? undefined : places[at]);
  return {
    columns,
    keepsSpelling: facts.some(({ mixed }) => mixed) || columns.some(({ type }) => type === 'json' || isDecimal(type)),
    columnOf: (key) => placed(schema.indexOf(key)),
    columnOfExtra: (name) => placed(schema.indexOfExtra(name)),
  };
}

function widened(column: TableColumn, type: ColumnType): TableColumn {
  if (isForeign(column)) return column;
  const wide = wider(column.type, type);
  return { ...column, type: wide, sqlType: sqlTypeOf(wide) };
}

/** Whether a column is of a type that no run would choose. */
export const isForeign = ({ sqlType }: TableColumn): boolean => !TYPES.has(sqlType);

/** What a schema is to know of the columns that a table has. */
export const knownColumns = ({ columns }: ExistingTable): readonly Column[] =>
  columns.map(({ name, type }) => ({ name, type }));

const definition = ({ name, sqlType }: TableColumn): string => `${quoted(name)} ${sqlType}`;

export const createTable = async (client: Client, table: string, columns: readonly TableColumn[]): Promise<void> => {
  await client.query(`CREATE TABLE ${table} (${columns.map(definition).join(', ')})`);
};

/** Adds columns, and changes types to wider ones: strings become JSON strings. */
export async function alterTable(
  client: Client,
  table: string,
  existing: readonly TableColumn[],
  columns: readonly TableColumn[],
): Promise<void> {
  const changes = columns.flatMap((column, at) => {
    const before = existing[at];
    if (before === undefined) return [`ADD COLUMN ${definition(column)}`];
    if (before.sqlType === column.sqlType) return [];
    return [`ALTER COLUMN ${quoted(column.name)} TYPE ${column.sqlType} USING ${converted(column)}`];
  });
  if (changes.length > 0) await client.query(`ALTER TABLE ${table} ${changes.join(', ')}`);
}

function converted({ name, type, sqlType }: TableColumn): string {
  if (type === 'json') return `to_jsonb(${quoted(name)})`;
  return type === 'text' ? `to_jsonb(${quoted(name)}) #>> '{}'` : `${quoted(name)}::${sqlType}`;
}
