/** The SQL that stores the rows of a run, and counts what it does to those that are there: the same in every database. */
import { quoted } from '../../core/json/sql-name';
import { checkKey } from '../../tables/table';
import { freeName, isAmong } from '../../tables/names';
import { comparedColumns, replacementOf } from '../../tables/schema/changes';
import type { NamedTypes } from '../../tables/schema/changes';
import { isDecimal } from '../../tables/schema/column-type';
import type { ColumnType } from '../../tables/schema/column-type';
import type { Column } from '../../tables/schema/schema';
import type { TableWrite } from '../loading/load-flat';
import { keyOfType } from '../loading/mapped-items';
import { unmatched } from '../row-counts';
import type { StoredRows, CountedRows } from '../row-counts';
import type { Cell } from './cells';

/**
 * A connection to a database, and how its SQL differs from that of others. Names are quoted by `"`, and texts joined by `||`, as the standard
 * says; parameters are `?`.
 */
export interface SqlDialect {
  /** Runs a statement. */
  readonly run: (sql: string, cells?: readonly Cell[]) => Promise<unknown>;
  /** Returns the rows of a query as lists of cells, in the types of the driver. */
  readonly rows: (sql: string, cells?: readonly Cell[]) => Promise<readonly (readonly unknown[])[]>;
  /** Returns the type of a column in SQL. */
  readonly type: (type: ColumnType) => string;
  /** Returns the condition that two values are equal, or both NULL. */
  readonly same: (one: string, other: string) => string;
  /** Returns the SQL of a value of a column, in a wider type; a value that becomes text is written as JSON writes it. */
  readonly converted: (value: string, from: ColumnType, to: ColumnType) => string;
  /** Returns the SQL that converts a string to a value of a type; for a string without such a value, NULL or anything that equals no value. */
  readonly parsed: (text: string, type: ColumnType) => string;
  /** What stands behind a temporary table that rows are looked up in by their keys, for a database that would not use its index. */
  readonly hint?: string;
  /** Returns a temporary table in SQL, in which no table of users is. */
  readonly temporary: (name: string) => string;
  /**
   * Returns the statement that makes a table.
   *
   * @param table the table in SQL
   * @param columns the definitions of its columns in SQL
   */
  readonly create: (table: string, columns: readonly string[], isTemporary?: boolean) => string;
}

/** How the rows of a run get into tables of a database. */
export interface SqlRows<W extends TableWrite> {
  /**
   * Adds the rows of a write to a table, in their order.
   *
   * @param into the table in SQL
   * @param isEmpty whether it has no rows yet
   * @throws FatalError SINK_FAILED when rows or values did not arrive
   */
  readonly fill: (into: string, write: W, isEmpty: boolean) => Promise<void>;
  /**
   * Makes a temporary table of the rows of a write.
   *
   * @param into the table in SQL, which does not exist
   * @param row a name that no column has
   * @returns the column with the number of a row, in SQL; later rows have higher ones
   * @throws FatalError SINK_FAILED as above
   */
  readonly stage: (into: string, write: W, row: string) => Promise<string>;
  /** Returns a query for the keys in a file of links, as texts. */
  readonly links: (file: string) => Promise<string>;
}

/** The rows of a write in a temporary table: of those with equal keys, the last one. */
export interface Staged<W extends TableWrite = TableWrite> {
  readonly write: W;
  /** The table in SQL. */
  readonly from: string;
  /** The column of row numbers in SQL. */
  readonly row: string;
  /** The number of rows. */
  readonly stored: number;
}

/** Puts the rows of a write into a temporary table. The next stage takes its place. */
export async function stage<W extends TableWrite>(db: SqlDialect, rows: SqlRows<W>, write: W): Promise<Staged<W>> {
  const { columns, keys } = write;
  const from = db.temporary('_headwater_stage');
  await db.run(`DROP TABLE IF EXISTS ${from}`);
  const row = await rows.stage(from, write, freeName('row of stage', isAmong(columns.map(({ name }) => name))));
  if (keys.length === 0) return { write, from, row, stored: write.rows };
  const last = `SELECT max(${row}) AS last FROM ${from} GROUP BY ${listOf(keys)}`;
  await db.run(`DELETE FROM ${from} WHERE ${hasKey(keys)} AND ${row} NOT IN (SELECT last FROM (${last}) AS lasts)`);
  const [[stored] = []] = await db.rows(`SELECT count(*) FROM ${from}`);
  return { write, from, row, stored: Number(stored) };
}

/** Returns a query for the rows of a stage. */
export const stagedRows = ({ write: { columns, keys }, from, row }: Staged): string =>
  `SELECT ${listOf(columns.map(({ name }) => name))} FROM ${from}${keys.length === 0 ? '' : ` ORDER BY ${row}`}`;

/** The rows that a table has before the run. */
export interface OldRows<Columns> {
  /** The table, or a query in brackets, in SQL. */
  readonly from: string;
  readonly columns: Columns;
}

/**
 * Counts the rows of a stage that will be stored, those of them whose key a table has, and those that the table has unchanged.
 *
 * @param old the table that they are added to; absent: it does not exist yet
 */
export function stagedCounts(
  db: SqlDialect,
  staged: Staged,
  old: OldRows<readonly Column[]> | undefined,
): Promise<StoredRows> {
  const { write, stored } = staged;
  if (old === undefined || write.keys.length === 0) return Promise.resolve(unmatched(stored));
  const isWide = old.columns.length === write.columns.length && hasSameTypes(old.columns, write.columns);
  const from = isWide ? old.from : `(SELECT ${convertedColumns(db, old.columns, write.columns)} FROM ${old.from})`;
  return matchedCounts(db, staged, from, { both: comparedColumns(write), added: [], removed: [] });
}

/**
 * Counts the same for a table that is replaced as a whole: it may have had other columns.
 *
 * @param old its columns with types that are compared with those of the write; absent: it does not exist yet
 */
export async function replacedCounts(
  db: SqlDialect,
  staged: Staged,
  old: OldRows<NamedTypes> | undefined,
): Promise<CountedRows> {
  const { write, stored } = staged;
  if (old === undefined) return unmatched(stored);
  const now = write.columns.map(({ name, type }) => [name, type] as const);
  const replacement = replacementOf(old.columns, now, { keys: write.keys, compared: comparedColumns(write) });
  if (replacement === undefined) return { stored };
  if (!replacement.hasKey) return unmatched(stored);
  const { compared } = replacement;
  const counts = await matchedCounts(db, staged, old.from, compared ?? { both: [], added: [], removed: [] });
  return compared === undefined ? { stored, matched: counts.matched } : counts;
}

/** The columns that decide whether a row is the same: those of both tables, and those of one of them alone. */
type Compared = Readonly<Record<'both' | 'added' | 'removed', readonly string[]>>;

async function matchedCounts(
  db: SqlDialect,
  { write: { keys }, from, row, stored }: Staged,
  old: string,
  { both, added, removed }: Compared,
): Promise<StoredRows> {
  const isSame = [
    '1 = 1',
    ...both.map((name) => db.same(`new.${quoted(name)}`, `old.${quoted(name)}`)),
    ...added.map((name) => `new.${quoted(name)} IS NULL`),
    ...removed.map((name) => `old.${quoted(name)} IS NULL`),
  ].join(' AND ');
  // Old rows with equal keys, left by runs without a key, are replaced by one row together.
  const pairs = `SELECT max(CASE WHEN ${isSame} THEN 1 ELSE 0 END) AS same FROM ${old} AS old JOIN ${from} AS new${db.hint ?? ''} ON ${sameKeys(db, keys)} GROUP BY new.${row}`;
  const [[matched, same] = []] = await db.rows(`SELECT count(*), sum(same) FROM (${pairs}) AS pairs`);
  return { stored, matched: Number(matched), same: Number(same ?? 0) };
}

/** Returns a query for the rows of a table in the columns of a write, without those that its stage replaces, followed by the stage. */
export function mergedRows(db: SqlDialect, staged: Staged, old: OldRows<readonly Column[]>): string {
  const { columns, keys } = staged.write;
  const kept = `(SELECT ${convertedColumns(db, old.columns, columns)} FROM ${old.from}) AS old`;
  const replaced = keys.length === 0 ? '' : ` WHERE NOT ${isReplaced(db, staged)}`;
  return `SELECT ${listOf(columns.map(({ name }) => name))} FROM ${kept}${replaced} UNION ALL (${stagedRows(staged)})`;
}

/** Returns the SQL condition that a row of a stage takes the place of a row. */
export const isReplaced = (db: SqlDialect, { write: { keys }, from }: Staged, old = 'old'): string =>
  `EXISTS (SELECT 1 FROM ${from} AS new WHERE ${sameKeys(db, keys, old)})`;

/** Returns the SQL condition that a row `new` replaces a row of a table; a row without a key is never replaced. */
const sameKeys = (db: SqlDialect, keys: readonly string[], old = 'old'): string =>
  [...keys.map((key) => db.same(`${old}.${quoted(key)}`, `new.${quoted(key)}`)), hasKey(keys, `${old}.`)].join(' AND ');

/** Returns the SQL condition that not all key columns of a row are NULL. */
const hasKey = (keys: readonly string[], of = ''): string =>
  `NOT (${keys.map((key) => `${of}${quoted(key)} IS NULL`).join(' AND ')})`;

/** Returns the columns of a table in the order and types of another one; those that it lacks are NULL. */
const convertedColumns = (db: SqlDialect, from: readonly Column[], to: readonly Column[]): string => {
  const types = new Map(from.map(({ name, type }) => [name, type]));
  const values = to.map(({ name, type }) => {
    const old = types.get(name);
    return `${old === undefined ? `CAST(NULL AS ${db.type(type)})` : db.converted(quoted(name), old, type)} AS ${quoted(name)}`;
  });
  return values.join(', ');
};

export const hasSameTypes = (old: readonly Column[], columns: readonly Column[]): boolean =>
  old.every(({ type }, at) => type === columns[at]?.type);

export const listOf = (names: readonly string[]): string => names.map(quoted).join(', ');

/** @throws FatalError KEY_NOT_FOUND when no row has one of the columns of the primary key */
export const checkKeys = ({ table, keys, keyPlace: place, columns }: TableWrite): void =>
  checkKey(keys, { table, columns: columns.map(({ name }) => name), place });

/** The tables as they are before the run. */
export interface OldTables {
  /** Returns the columns of a table; none if it does not exist. */
  readonly columns: (table: string) => Promise<readonly Column[]>;
  /** Returns a table in SQL. */
  readonly from: (table: string) => string;
}

/** The SQL condition for removing a row, by table; tables without removed rows are not in it. */
export type GoneRows = ReadonlyMap<string, string>;

/**
 * Finds the child rows of mapped tables that belong to replaced rows, at any depth, before anything is stored
 * (docs/language/mappings.md#child-tables). They are kept in temporary tables.
 *
 * @param writes parents before their children
 * @throws FatalError DESTINATION_INCOMPATIBLE where a key of several columns cannot be compared
 */
export async function findGone<W extends TableWrite>(
  db: SqlDialect,
  rows: SqlRows<W>,
  writes: readonly W[],
  old: OldTables,
): Promise<GoneRows> {
  const gone = new Map<string, string>();
  for (const { table, link, mode } of writes) {
    if (link === undefined || mode === 'replace') continue;
    const type = (await old.columns(table)).find(({ name }) => name === link.column)?.type;
    if (type === undefined) continue;
    const { parent, of, file } = link;
    const above = gone.get(parent);
    const sources = [
      ...(file === undefined ? [] : [await rows.links(file)]),
      ...(above === undefined
        ? []
        : [
            `SELECT ${linkOf(db, { table: parent, of, columns: await old.columns(parent) })} AS link FROM ${old.from(parent)} AS old WHERE ${above}`,
          ]),
    ];
    if (sources.length === 0) continue;
    const links = db.temporary(`_headwater_gone_${gone.size}`);
    await db.run(`DROP TABLE IF EXISTS ${links}`);
    await db.run(db.create(links, [`link ${db.type(type)}`], true));
    const values = `SELECT DISTINCT ${db.parsed('link', type)} FROM (${sources.join(' UNION ALL ')}) AS links`;
    await db.run(`INSERT INTO ${links} ${values}`);
    const column = quoted(link.column);
    gone.set(table, `(${column} IS NOT NULL AND ${column} IN (SELECT link FROM ${links} WHERE link IS NOT NULL))`);
  }
  return gone;
}

interface ParentKey {
  readonly table: string;
  /** The columns of the key. */
  readonly of: readonly string[];
  readonly columns: readonly Column[];
}

/** Returns the link value of the child rows of a row `old`, as a string. */
export function linkOf(db: Pick<SqlDialect, 'type' | 'converted'>, { table, of, columns }: ParentKey): string {
  const parts = of.map((name) => {
    const type = columns.find((column) => column.name === name)?.type ?? 'text';
    const value = `old.${quoted(name)}`;
    const text = db.converted(value, type, 'text');
    if (of.length === 1) return text;
    // The language joins the values of several columns, and writes a boolean as "1" or nothing.
    if (type === 'boolean') return `CASE WHEN ${text} = 'true' THEN '1' ELSE '' END`;
    if (type === 'double' || type === 'json' || isDecimal(type) || isRespelled(db, type))
      throw keyOfType(table, name, type);
    return `coalesce(${text}, '')`;
  });
  return parts.join(` || ',' || `);
}

/** Returns whether values of a type are times that are no longer spelled as the API spelled them. */
export const isRespelled = (db: Pick<SqlDialect, 'type'>, type: ColumnType): boolean =>
  (type === 'timestamp' || type === 'timestamptz') && db.type(type) !== db.type('text');
