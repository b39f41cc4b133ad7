/** Merges the rows of a run with those of a table. */
import { quoted } from '../../core/json/sql-name';
import { FatalError } from '../../core/errors/errors';
import { checkKey } from '../../tables/table';
import { freeName, isAmong } from '../../tables/names';
import { checkKeyTypes, comparedColumns, replacementOf } from '../../tables/schema/changes';
import type { NamedTypes } from '../../tables/schema/changes';
import type { ColumnType } from '../../tables/schema/column-type';
import type { Column } from '../../tables/schema/schema';
import type { LearnedLoad, TableLoad } from '../loading/load-flat';
import { LINK, keyOfType } from '../loading/mapped-items';
import { convertedColumns } from '../loading/query';
import { unmatched } from '../row-counts';
import type { StoredRows, ToldRows } from '../row-counts';
import { asText, literal, namedTypes, pathLiteral, typeName, typeNamed } from '../sql';
import { describe } from './connection';
import type { Database } from './connection';

/** The rows of a run before they are merged; temporary tables have a separate namespace. */
export const STAGE = '"temp"."main"."_headwater_stage"';
const STAGED = '"temp"."main"."_headwater_staged"';

/** Returns the column of {@link STAGE} with the number of a row, in SQL. */
const rowOf = ({ columns }: TableLoad): string =>
  quoted(freeName('row of stage', isAmong(columns.map(({ name }) => name))));

/**
 * Makes {@link STAGE}, and checks that it has all values of the pages.
 *
 * @throws FatalError SINK_FAILED when a value is missing
 */
export async function stage(database: Database, load: TableLoad): Promise<void> {
  const names = load.columns.map(({ name }) => name);
  // The number of a row is `rowid` only if no column has this name: the rows have columns named by their indexes.
  const places = names.map((_, at) => quoted(`c${String(at)}`));
  await database.run(
    `CREATE OR REPLACE TEMP TABLE "_headwater_staged" AS SELECT * FROM (${load.query}) AS staged (${places.join(', ')})`,
  );
  const named = [...places.map((place, at) => `${place} AS ${quoted(names[at] ?? '')}`), `rowid AS ${rowOf(load)}`];
  await database.run(`CREATE OR REPLACE TEMP VIEW "_headwater_stage" AS SELECT ${named.join(', ')} FROM ${STAGED}`);
  await checkComplete(database, STAGE, load);
}

/** @throws FatalError SINK_FAILED when rows of the load are missing, or a value is NULL that is not NULL in the pages */
export async function checkComplete(database: Database, from: string, load: TableLoad): Promise<void> {
  const { columns, rows, dataType } = load;
  const counts = ['count(*)', ...columns.map(({ name }) => `count(${quoted(name)})`)];
  const [found = []] = await database.rows(`SELECT ${counts.join(', ')} FROM ${from}`);
  const wanted = [rows, ...(await load.filled())];
  const at = wanted.findIndex((count, place) => Number(found[place]) !== count);
  if (at < 0) return;
  const what = at === 0 ? 'rows' : `values in the column ${JSON.stringify(columns[at - 1]?.name)}`;
  const message = `The table ${JSON.stringify(dataType)} got ${String(found[at])} of ${String(wanted[at])} ${what}.`;
  throw new FatalError('SINK_FAILED', `${message} Nothing was stored. This is a defect of Headwater: report it.`);
}

/** Returns the rows of the stage: the last one of those with equal keys, and all whose key columns are all NULL. */
export function stagedRows(load: TableLoad): string {
  const { columns, keys } = load;
  const names = listOf(columns.map(({ name }) => name));
  if (keys.length === 0) return `SELECT ${names} FROM ${STAGE}`;
  const row = rowOf(load);
  const latest = `row_number() OVER (PARTITION BY ${listOf(keys)} ORDER BY ${row} DESC) = 1`;
  return `SELECT ${names} FROM ${STAGE} QUALIFY ${latest} OR (${without(keys)}) ORDER BY ${row}`;
}

/**
 * Counts the rows of the stage that will be stored, those of them whose key a table has, and those that the table has unchanged.
 *
 * @param old the table; absent: it does not exist yet
 */
export async function stagedCounts(
  database: Database,
  load: TableLoad,
  old: { readonly from: string; readonly columns: readonly Column[] } | undefined,
): Promise<StoredRows> {
  if (load.keys.length === 0) return unmatched(load.rows);
  if (old === undefined) return unmatched(await storedIn(database, load));
  const isSame = comparedColumns(load).map((name) => `old.${quoted(name)} IS NOT DISTINCT FROM new.${quoted(name)}`);
  const kept = `(SELECT ${convertedColumns(old.columns, load.columns)} FROM ${old.from}) AS old`;
  return matchedCounts(database, load, kept, isSame);
}

/** Returns how many rows of the stage are stored: one for each key, and all without a key. */
async function storedIn(database: Database, { keys }: TableLoad): Promise<number> {
  const distinct = `SELECT DISTINCT ${listOf(keys)} FROM ${STAGE} WHERE NOT (${without(keys)})`;
  const [[keyed] = []] = await database.rows(`SELECT count(*) FROM (${distinct})`);
  const [[keyless] = []] = await database.rows(`SELECT count(*) FROM ${STAGE} WHERE ${without(keys)}`);
  return Number(keyed) + Number(keyless);
}

/**
 * @param old the table, as `old` in SQL
 * @param isSame the SQL conditions that a row has the same values
 */
async function matchedCounts(
  database: Database,
  load: TableLoad,
  old: string,
  isSame: readonly string[],
): Promise<StoredRows> {
  const { keys, rows } = load;
  const stored = await storedIn(database, load);
  const row = rowOf(load);
  // Most runs have each key once: then there is nothing to look for.
  const last =
    stored === rows ? '' : ` WHERE new.${row} IN (SELECT max(${row}) FROM ${STAGE} GROUP BY ${listOf(keys)})`;
  // Old rows with equal keys, left by runs without a key, are matched by one row together.
  const pairs = `SELECT new.${row} AS number, ${['true', ...isSame].join(' AND ')} AS same FROM ${STAGE} AS new JOIN ${old} ON ${sameKeys(load)}${last}`;
  const [[matched, same] = []] = await database.rows(
    `SELECT count(*), count(*) FILTER (WHERE same) FROM (SELECT bool_or(same) AS same FROM (${pairs}) GROUP BY number)`,
  );
  return { stored, matched: Number(matched), same: Number(same) };
}

/** A table that the rows of a run take the place of. */
export interface ReplacedTable {
  /** The table in SQL. */
  readonly from: string;
  readonly columns: NamedTypes;
}

/**
 * Counts the same for a table that is replaced as a whole.
 *
 * @param old absent: it does not exist yet
 */
export async function replacedCounts(
  database: Database,
  load: TableLoad,
  old: ReplacedTable | undefined,
): Promise<ToldRows> {
  if (old === undefined) return stagedCounts(database, load, undefined);
  const { keys } = load;
  const replacement = replacementOf(old.columns, namedTypes(load.columns), { keys, compared: comparedColumns(load) });
  const { hasKey = true, compared } = replacement ?? {};
  if (replacement === undefined || !hasKey) {
    const { stored } = await stagedCounts(database, load, undefined);
    return replacement === undefined ? { stored } : unmatched(stored);
  }
  const { both = [], added = [], removed = [] } = compared ?? {};
  const table = `(SELECT * FROM ${old.from}) AS old`;
  const told = await matchedCounts(database, load, table, [
    ...both.map((name) => `old.${quoted(name)} IS NOT DISTINCT FROM new.${quoted(name)}`),
    ...added.map((name) => `new.${quoted(name)} IS NULL`),
    ...removed.map((name) => `old.${quoted(name)} IS NULL`),
  ]);
  return compared === undefined ? { stored: told.stored, matched: told.matched } : told;
}

/** Removes {@link STAGE}. */
export async function dropStage(database: Database): Promise<void> {
  await database.run(`DROP VIEW ${STAGE}`);
  await database.run(`DROP TABLE ${STAGED}`);
}

/** Returns the SQL condition that all key columns of a row are NULL. */
const without = (keys: readonly string[], table = ''): string =>
  keys.map((key) => `${table}${quoted(key)} IS NULL`).join(' AND ');

/**
 * Returns the rows of a table in the columns of the load, without those whose keys the stage has, followed by those of the stage.
 *
 * @throws FatalError DESTINATION_INCOMPATIBLE where a key loses how its values are spelled
 */
export function mergedRows(from: string, old: readonly Column[], load: TableLoad): string {
  checkKeyTypes(load.dataType, load.keys, old, load.columns);
  const names = listOf(load.columns.map(({ name }) => name));
  const kept = `(SELECT ${convertedColumns(old, load.columns)} FROM ${from}) AS old`;
  const replaced = load.keys.length === 0 ? '' : ` WHERE NOT EXISTS (FROM ${STAGE} AS new WHERE ${sameKeys(load)})`;
  return `SELECT ${names} FROM ${kept}${replaced} UNION ALL (${stagedRows(load)})`;
}

/** Returns the SQL condition that a row `new` replaces a row `old`; a row without a key is never replaced. */
export const sameKeys = ({ keys }: TableLoad): string =>
  [
    ...keys.map((key) => `old.${quoted(key)} IS NOT DISTINCT FROM new.${quoted(key)}`),
    `NOT (${without(keys, 'old.')})`,
  ].join(' AND ');

export const listOf = (names: readonly string[]): string => names.map(quoted).join(', ');

/**
 * Returns the columns of a table that a run adds to.
 *
 * @throws FatalError DESTINATION_INCOMPATIBLE when it has columns that a run would not make
 */
export async function columnsOf(database: Database, from: string, table: string): Promise<readonly Column[]> {
  return (await describe(database, from)).map(([name, typeName]) => {
    const type = typeNamed(typeName);
    if (type !== undefined) return { name, type };
    const column = `The column ${JSON.stringify(name)} of the table ${JSON.stringify(table)} is of the type ${typeName}`;
    const message = `${column}, which rows cannot be added to. Rename that table, or remove it.`;
    throw new FatalError('DESTINATION_INCOMPATIBLE', message, { table });
  });
}

/** @throws FatalError KEY_NOT_FOUND when no row has one of the columns of the primary key */
export const checkKeys = ({ dataType: table, keys, keyPlace: place, columns }: LearnedLoad): void =>
  checkKey(keys, { table, columns: columns.map(({ name }) => name), place });

/** The tables as they are before the run. */
export interface OldTables {
  /** Returns the columns of a table; none if it does not exist. */
  readonly columns: (table: string) => Promise<readonly Column[]>;
  /** Returns a table in SQL. */
  readonly from: (table: string) => string;
}

/** The SQL condition for removing a row `old`, by table; tables without removed rows are not in it. */
export type GoneRows = ReadonlyMap<string, string>;

/**
 * Finds the child rows of mapped tables that belong to replaced rows, at any depth, before anything is stored
 * (docs/language/mappings.md#child-tables). They are kept in temporary tables.
 *
 * @param loads parents before their children
 * @throws FatalError DESTINATION_INCOMPATIBLE where a key of several columns cannot be compared
 */
export async function findGone(database: Database, loads: readonly TableLoad[], old: OldTables): Promise<GoneRows> {
  const gone = new Map<string, string>();
  for (const { dataType, link, incremental } of loads) {
    if (link === undefined || !incremental) continue;
    const type = (await old.columns(dataType)).find(({ name }) => name === link.column)?.type;
    if (type === undefined) continue;
    const { parent, file } = link;
    const came = `read_json(${pathLiteral(file ?? '')}, format = 'newline_delimited', hive_partitioning = false, columns = {${literal(LINK)}: 'VARCHAR'})`;
    const above = gone.get(parent);
    const sources = [
      ...(file === undefined ? [] : [`SELECT ${quoted(LINK)} AS link FROM ${came}`]),
      ...(above === undefined
        ? []
        : [`SELECT ${await linkOf(parent, link.of, old)} FROM ${old.from(parent)} AS old WHERE ${above}`]),
    ];
    if (sources.length === 0) continue;
    const table = `"temp"."main".${quoted(`_headwater_gone_${gone.size}`)}`;
    const values = `SELECT DISTINCT TRY_CAST(link AS ${typeName(type)}) AS link FROM (${sources.join(' UNION ALL ')}) AS links (link)`;
    await database.run(`CREATE OR REPLACE TEMP TABLE ${quoted(`_headwater_gone_${gone.size}`)} AS ${values}`);
    gone.set(dataType, `EXISTS (SELECT 1 FROM ${table} AS gone WHERE gone.link = old.${quoted(link.column)})`);
  }
  return gone;
}

/** Returns the link value of the child rows of a row `old`, as a string. */
async function linkOf(table: string, of: readonly string[], { columns }: OldTables): Promise<string> {
  const types = new Map((await columns(table)).map(({ name, type }) => [name, type]));
  const [only] = of;
  if (only !== undefined && of.length === 1) return asText(`old.${quoted(only)}`, types.get(only) ?? 'text');
  return of.map((name) => partOf(table, name, types.get(name) ?? 'text')).join(` || ',' || `);
}

const AS_WRITTEN: readonly ColumnType[] = ['integer', 'bigint', 'date', 'text'];

/** Returns a value in a key of several columns, in the spelling of the language. */
function partOf(table: string, name: string, type: ColumnType): string {
  const value = `old.${quoted(name)}`;
  if (type === 'boolean') return `CASE WHEN ${value} THEN '1' ELSE '' END`;
  if (AS_WRITTEN.includes(type)) return `coalesce(CAST(${value} AS VARCHAR), '')`;
  throw keyOfType(table, name, type);
}
