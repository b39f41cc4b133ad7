import { quoted } from '../../core/json/sql-name';
import type { Client } from 'pg';
import { defined } from '../../core/json/objects';
import type { TableStand } from '../../core/durable-sink';
import type { PostgresAddress } from './address';
import { columnName, tableName } from './names';
import { isNestedType, wider, decimalOf, digitsOfType, isDecimal } from '../../tables/schema/column-type';
import type { ColumnType, ScalarType, DecimalLimit, DecimalType } from '../../tables/schema/column-type';
import { withEmptyMarked } from '../../tables/schema/changes';
import type { NamedTypes } from '../../tables/schema/changes';
import type { Column, TableSchema } from '../../tables/schema/schema';

/**
 * JSON is stored as `jsonb`: it keeps every digit of a number, and unlike `json` it can be compared, sorted and indexed. Only the order of
 * the keys of an object is lost.
 */
const SQL_TYPES: Readonly<Record<Exclude<ScalarType, DecimalType>, string>> = {
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
/** The digits of a `numeric` column. */
export const NUMERIC: DecimalLimit = { whole: 131_072, fraction: 16_383, total: Infinity };
const TYPES = new Map<string, ColumnType>([
  ...Object.entries(SQL_TYPES).map(([type, sql]) => [sql, type as ColumnType] as const),
  ['numeric', decimalOf(NUMERIC, NUMERIC) ?? 'text'],
]);
export const sqlTypeOf = (type: ColumnType, isChosen = false): string =>
  isNestedType(type)
    ? SQL_TYPES.json
    : isDecimal(type)
      ? isChosen
        ? type.replace('decimal', 'numeric')
        : 'numeric'
      : SQL_TYPES[type];

/** A column of a table in the database. */
export interface TableColumn {
  /** The name in the database. */
  readonly name: string;
  /** The type of its values. */
  readonly type: ColumnType;
  readonly sqlType: string;
  /** The JSON of the value that it got another type for. */
  readonly cause?: string;
  /** True if the configuration sets the type. */
  readonly isChosen?: boolean;
  /** True if no row has a value in it, so that it may get any type. */
  readonly isEmpty?: boolean;
  /** True if the database generates its values: identity columns, expressions. */
  readonly isGenerated?: boolean;
  readonly hasDefault?: boolean;
}

/** A table that exists before a run is committed. */
export interface ExistingTable {
  readonly columns: readonly TableColumn[];
  /** True if other objects that depend on it would be lost with it: views, indexes, rights or rules of a user. */
  readonly hasDependents: boolean;
  /** True if it is no view and has no parts, triggers or rules, which may do something else than a statement says. */
  readonly isOrdinary: boolean;
  /** True if the user may read all values. */
  readonly isReadable: boolean;
}

/** The columns that the items of a run need. */
export interface TableLayout {
  readonly columns: readonly TableColumn[];
  /** The names of columns that wait for a value, in a layout of some pages of a run: their types are not known yet. */
  readonly awaited: readonly string[];
  /** True if numbers are in columns that keep their spelling. */
  readonly keepsSpelling: boolean;
  /** Returns the column of each key of an item; `value` for items that are no objects. */
  readonly columnOf: (key: string) => number | undefined;
  readonly columnOfExtra: (name: string) => number | undefined;
}

/** Returns the types of columns in SQL. */
export const typesOf = (columns: readonly TableColumn[]): NamedTypes =>
  columns.map(({ name, sqlType, cause }) => [name, sqlType, cause]);

/** Returns a column of a table that has no rows yet: its type is the chosen one, or a guess. */
export const unfilledColumn = ({ name, type }: Column): TableColumn => ({
  name: columnName(name),
  ...{ type, sqlType: sqlTypeOf(type, true) },
});

/** A connection, and the place of its tables. */
export interface TablesPlace {
  readonly client: Client;
  readonly address: PostgresAddress;
}

/** Returns a table in SQL. */
export const inSchema = ({ address }: Pick<TablesPlace, 'address'>, name: string): string =>
  `${quoted(address.schema)}.${quoted(tableName(name))}`;

/** Returns the table of a name, if it exists. */
export async function existingTable(place: TablesPlace, name: string): Promise<ExistingTable | undefined> {
  const { rows } = await place.client.query<FoundTable>(FACTS, [inSchema(place, name)]);
  // Columns of a type that a user chose accept strings, and keep their type.
  const typed = (column: ColumnFound): TableColumn => ({ ...column, type: typeOfSql(column.sqlType) });
  const [found] = rows;
  return found && { ...found, columns: found.columns.map(typed) };
}

type ColumnFound = Omit<TableColumn, 'type'>;
type FoundTable = Omit<ExistingTable, 'columns'> & { readonly columns: readonly ColumnFound[] };

const typeOfSql = (sqlType: string): ColumnType =>
  sqlType === 'json' ? 'json' : (TYPES.get(sqlType) ?? numericOf(sqlType) ?? 'text');

/** Returns a numeric type with limits, as a chosen type has them. */
function numericOf(sqlType: string): DecimalType | undefined {
  const digits = digitsOfType(sqlType.replace('numeric', 'decimal'));
  return digits === undefined ? undefined : decimalOf(digits, NUMERIC);
}

const FACTS = `
  SELECT NOT pg_has_role(c.relowner, 'USAGE') OR c.relkind <> 'r' OR c.relacl IS NOT NULL
    OR EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attacl IS NOT NULL)
    OR EXISTS (SELECT FROM pg_description d WHERE d.classoid = 'pg_class'::regclass AND d.objoid = c.oid)
    OR EXISTS (SELECT FROM pg_depend d WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = c.oid
      AND d.deptype IN ('n', 'a') AND NOT EXISTS (SELECT FROM pg_constraint k
        WHERE d.classid = 'pg_constraint'::regclass AND k.oid = d.objid AND k.conrelid = c.oid AND k.contype IN ('p', 'n')))
    AS "hasDependents", relkind = 'r' AND NOT relhastriggers AND NOT relhasrules AS "isOrdinary",
    has_table_privilege(oid, 'SELECT') AS "isReadable",
    coalesce((SELECT json_agg(json_build_object('name', attname, 'sqlType', format_type(atttypid, atttypmod), 'isGenerated',
        attidentity <> '' OR attgenerated <> '' OR coalesce(pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval(%', false),
        'hasDefault', atthasdef) ORDER BY attnum)
      FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped), '[]') AS columns
  FROM pg_class c WHERE c.oid = to_regclass($1)`;

/**
 * Combines the columns of a table and those of the items.
 *
 * @param isOfSome whether they are some pages of a run: columns without values are left out
 */
export function layoutOf(
  schema: TableSchema,
  existing: readonly TableColumn[] = [],
  isOfSome: boolean = false,
): TableLayout {
  const learned = schema.learned();
  const awaited: string[] = [];
  const columns = [...existing];
  const placeOf = new Map(existing.map(({ name }, at) => [name, at]));
  const places = learned.map(({ name, columnType: type, cause, filled, isChosen }, at) => {
    // The first columns of the schema are those of the table.
    const inDatabase = columnName(name);
    const own = at < existing.length ? at : (placeOf.get(inDatabase) ?? columns.length);
    const column = columns[own];
    if (column === undefined && isOfSome && !isChosen && filled === 0) {
      awaited.push(inDatabase);
      return undefined;
    }
    if (column === undefined) {
      placeOf.set(inDatabase, own);
      columns.push({ name: inDatabase, type, sqlType: sqlTypeOf(type, isChosen), isChosen });
    } else if (isChosen) columns[own] = { ...column, type, sqlType: sqlTypeOf(type, true), isChosen };
    else if (filled > 0) columns[own] = { ...withValues(column, type), ...defined({ cause }) };
    return own;
  });
  const placed = (at: number | undefined): number | undefined => (at === undefined ? undefined : places[at]);
  return {
    columns,
    awaited,
    keepsSpelling:
      learned.some(({ mixed, isChosen }) => mixed || isChosen) ||
      columns.some(({ type }) => type === 'json' || isDecimal(type)),
    columnOf: (key) => placed(schema.indexOf(key)),
    columnOfExtra: (name) => placed(schema.indexOfExtra(name)),
  };
}

/** Returns an existing column for values of a type: values have to fit the limits of a column, since PostgreSQL would round them. */
function withValues(column: TableColumn, type: ColumnType): TableColumn {
  if (column.isEmpty === true) return { ...column, type, sqlType: sqlTypeOf(type) };
  if (numericOf(column.sqlType) !== undefined) return { ...column, isChosen: true };
  if (isForeign(column)) return column;
  const wide = wider(column.type, type);
  if (wide === column.type) return column;
  return { ...column, type: wide, sqlType: sqlTypeOf(wide) };
}

/** Returns whether a column is of a type that no run would choose. */
export const isForeign = ({ sqlType }: TableColumn): boolean => !TYPES.has(sqlType) && numericOf(sqlType) === undefined;

/** Returns the columns of a table; none if it does not exist. */
export const columnsOf = async (place: TablesPlace, name: string): Promise<readonly TableColumn[]> =>
  (await existingTable(place, name))?.columns ?? [];

/** Returns the status of a table. */
export async function standOf(place: TablesPlace, name: string): Promise<TableStand> {
  if ((await existingTable(place, name)) === undefined) return 'gone';
  const { rows } = await place.client.query(`SELECT FROM ${inSchema(place, name)} LIMIT 1`);
  return rows.length > 0 ? 'filled' : 'empty';
}

/** Returns the cells of the first row of a query. */
const cellsIn = async (client: Client, text: string): Promise<readonly unknown[]> =>
  (await client.query<unknown[]>({ text, rowMode: 'array' })).rows[0] ?? [];

/** Returns the number that a query has in the first cell of its first row; 0 for NULL. */
export const numberIn = async (client: Client, sql: string): Promise<number> =>
  Number((await cellsIn(client, sql))[0] ?? 0);

/**
 * Returns the table that stays, if there is one: the one that rows are added to, with its columns without values known; or the one that
 * something depends on, such as views and rights, which would be lost with it. A table with defaults or views belongs to a user, and keeps
 * its types.
 */
export async function keptTable(
  place: TablesPlace,
  name: string,
  isIncremental: boolean,
): Promise<ExistingTable | undefined> {
  const existing = await existingTable(place, name);
  if (existing === undefined || existing.hasDependents) return existing;
  if (!isIncremental) return undefined;
  const ask = (sql: string): Promise<readonly unknown[]> => cellsIn(place.client, sql);
  const isAsked = ({ sqlType }: TableColumn): boolean => sqlType === 'text';
  return { ...existing, columns: await withEmptyMarked(existing.columns, inSchema(place, name), ask, isAsked) };
}

/** Adds columns whose values are all null, if they do not exist by now. */
export async function addEmpty(client: Client, table: string, names: readonly string[]): Promise<void> {
  const added = names.map((name) => `ADD COLUMN IF NOT EXISTS ${quoted(name)} ${sqlTypeOf('text')}`);
  if (added.length > 0) await client.query(`ALTER TABLE ${table} ${added.join(', ')}`);
}

const definition = ({ name, sqlType }: TableColumn): string => `${quoted(name)} ${sqlType}`;

export const createTable = (client: Client, table: string, columns: readonly TableColumn[]): Promise<unknown> =>
  client.query(`CREATE TABLE ${table} (${columns.map(definition).join(', ')})`);

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
    return [`ALTER COLUMN ${quoted(column.name)} TYPE ${column.sqlType} USING ${converted(column, before)}`];
  });
  if (changes.length > 0) await client.query(`ALTER TABLE ${table} ${changes.join(', ')}`);
}

/** Returns a time in the form of other destinations, whatever the time zone of the session. */
const inUtc = (name: string): string =>
  `rtrim(rtrim(to_char(${quoted(name)} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z'`;

function converted({ name, type, sqlType }: TableColumn, before: TableColumn): string {
  if (before.type === 'timestamptz' && type === 'json') return `to_jsonb(${inUtc(name)})`;
  if (before.type === 'timestamptz' && type === 'text') return inUtc(name);
  if (type === 'json') return `to_jsonb(${quoted(name)})`;
  // The same number may be spelled 1.0 and 1.
  if (isDecimal(before.type) && type === 'text')
    return `CASE WHEN scale(${quoted(name)}) > 0 THEN rtrim(rtrim(${quoted(name)}::text, '0'), '.') ELSE ${quoted(name)}::text END`;
  return type === 'text' ? textOf(quoted(name)) : `${quoted(name)}::${sqlType}`;
}

/** Returns the SQL of a value as a string, as JSON writes it. */
export const textOf = (value: string): string => `to_jsonb(${value}) #>> '{}'`;
