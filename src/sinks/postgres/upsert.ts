import { quoted } from '../../core/json/sql-name';
import type { Client } from 'pg';
import { unmatched } from '../row-counts';
import { freeName, isAmong } from '../../tables/names';
import { replacementOf } from '../../tables/schema/changes';
import type { CountedRows } from '../row-counts';
import { isForeign } from './table';
import type { TableColumn } from './table';

/** A temporary table of this connection whose rows are to be moved into the target. */
export interface Staging {
  /** The table in SQL. */
  readonly table: string;
  /** The column of row numbers in SQL. */
  readonly row: string;
}

/** A table that rows with a key are moved into. */
export interface KeyedTarget {
  /** The table in SQL. */
  readonly table: string;
  /** The columns that the rows fill. */
  readonly columns: readonly TableColumn[];
  /** The other columns, which get their defaults when a row replaces an old one. */
  readonly emptied: readonly TableColumn[];
  /** True if it has columns whose values differ in each run, whatever the items are. */
  readonly isOfRun: boolean;
  /** The names of the columns of the key. */
  readonly key: readonly string[];
}

const STAGING = 'pg_temp."headwater rows"';

const listed = (names: readonly string[]): string => names.map(quoted).join(', ');
const matched = (key: readonly string[], a: string, b: string): string =>
  key.map((name) => `${a}.${quoted(name)} = ${b}.${quoted(name)}`).join(' AND ');
/** Returns the assignments for a row that replaces an old one. */
const assigned = (target: KeyedTarget, from: string): string =>
  [
    ...othersOf(target).map((name) => `${quoted(name)} = ${from}.${quoted(name)}`),
    ...target.emptied.map(({ name }) => `${quoted(name)} = DEFAULT`),
  ].join(', ');

/** Makes the staging table; it is dropped with the transaction. */
export async function makeStaging(client: Client, { columns, key }: KeyedTarget): Promise<Staging> {
  const row = freeName('row', isAmong(columns.map(({ name }) => name)));
  const definitions = columns.map(
    ({ name, sqlType }) => `${quoted(name)} ${sqlType}${key.includes(name) ? ' NOT NULL' : ''}`,
  );
  definitions.push(`${quoted(row)} bigint GENERATED ALWAYS AS IDENTITY`);
  await client.query(`CREATE TEMPORARY TABLE "headwater rows" (${definitions.join(', ')}) ON COMMIT DROP`);
  return { table: STAGING, row: quoted(row) };
}

/** Moves the rows into a table without rows: the last one of those with the same key. */
export async function fill(client: Client, target: KeyedTarget, staging: Staging): Promise<CountedRows> {
  const { rowCount } = await client.query(insertion(target, staging));
  await drop(client, staging);
  return unmatched(rowCount ?? 0);
}

/** A table that the rows of a run take the place of as a whole. */
export interface OldRows {
  /** The table in SQL. */
  readonly table: string;
  readonly columns: readonly TableColumn[];
  /** True if the table stays, and its rows are removed. */
  readonly isEmptied: boolean;
}

/** The counts of rows that take the place of a whole table. */
export interface ReplacedRows extends CountedRows {
  /** The rows of the table whose key does not come again; absent: unknown. */
  readonly removed?: number;
}

/**
 * Counts the rows of a staging table whose key a table has, and those that it has with the same values, before it is replaced; only where
 * the user may read it.
 */
export async function replacedCounts(
  client: Client,
  target: KeyedTarget,
  { table: staging, row }: Staging,
  old: OldRows,
): Promise<ReplacedRows> {
  const { columns, emptied, key, isOfRun } = target;
  const stored = await countOf(client, `(SELECT DISTINCT ${listed(key)} FROM ${staging}) keys`);
  const [before, now] = [old.columns, columns].map((each) => each.map(({ name, sqlType }) => [name, sqlType] as const));
  const replacement = replacementOf(before ?? [], now ?? [], { keys: key, compared: othersOf(target) });
  const facts = await tableFacts(client, old.table);
  if (facts.withDefault === undefined || replacement?.hasKey !== true) return { stored };
  const hasDefaults = emptied.some(({ name }) => facts.withDefault?.includes(name) === true);
  const compared = isOfRun || hasDefaults ? undefined : replacement.compared;
  const { both = [], added = [], removed = [] } = compared ?? {};
  const ofName = new Map([...old.columns, ...columns].map((column) => [column.name, column]));
  const cells = (from: string): readonly string[] =>
    both.flatMap((name) => {
      const column = ofName.get(name);
      return column === undefined ? [] : [valueOf(from, column)];
    });
  const isSame = [
    `ROW(${cells('target').join(', ')}) IS NOT DISTINCT FROM ROW(${cells('staging').join(', ')})`,
    ...added.map((name) => `staging.${quoted(name)} IS NULL`),
    ...removed.map((name) => `target.${quoted(name)} IS NULL`),
  ].join(' AND ');
  const last = `SELECT DISTINCT ON (${listed(key)}) * FROM ${staging} ORDER BY ${listed(key)}, ${row} DESC`;
  const { rows } = await client.query<{ old: string; matched: string; same: string }>(
    `SELECT (SELECT count(*) FROM ${old.table}) AS old, count(*) AS matched, count(*) FILTER (WHERE same) AS same
     FROM (SELECT bool_or(${isSame}) AS same FROM (${last}) staging JOIN ${old.table} target
       ON ${matched(key, 'target', 'staging')} GROUP BY staging.${row}) pairs`,
  );
  const [found] = rows;
  const matchedRows = Number(found?.matched);
  return {
    ...{ stored, matched: matchedRows, removed: Number(found?.old) - matchedRows },
    ...(compared === undefined ? {} : { same: Number(found?.same) }),
  };
}

const othersOf = ({ columns, key }: KeyedTarget): readonly string[] =>
  columns.map(({ name }) => name).filter((name) => !key.includes(name));

function insertion({ table, columns, key }: KeyedTarget, { table: staging, row }: Staging): string {
  const names = listed(columns.map(({ name }) => name));
  const keys = listed(key);
  return `INSERT INTO ${table} AS target (${names}) SELECT ${names} FROM (
    SELECT DISTINCT ON (${keys}) * FROM ${staging} ORDER BY ${keys}, ${row} DESC) last ORDER BY ${row}`;
}

/** Not every type of a user has an operator that compares its values. */
const valueOf = (row: string, column: TableColumn): string =>
  `${row}.${quoted(column.name)}${isForeign(column) ? '::text' : ''}`;

/** Counts the rows of a table, or of a query in brackets with a name; `before` is what stands before the statement. */
export const countOf = async (client: Client, source: string, before = ''): Promise<number> => {
  const { rows } = await client.query<{ count: string }>(`${before}SELECT count(*) FROM ${source}`);
  return Number(rows[0]?.count);
};

/** The properties of a table that matter for replacing rows. */
interface TableFacts {
  /** True if it is no view and has no parts, triggers or rules, which may do something else than a statement says. */
  readonly isOrdinary: boolean;
  /** The names of columns with a default; `undefined`: not all values may be read. */
  readonly withDefault: readonly string[] | undefined;
}

export async function tableFacts(client: Client, table: string): Promise<TableFacts> {
  const { rows } = await client.query<{ ordinary: boolean; readable: boolean; defaults: readonly string[] }>(
    `SELECT relkind = 'r' AND NOT relhastriggers AND NOT relhasrules AS ordinary, has_table_privilege(oid, 'SELECT') AS readable,
       array(SELECT attname::text FROM pg_attribute WHERE attrelid = oid AND attnum > 0 AND atthasdef) AS defaults
     FROM pg_class WHERE oid = to_regclass($1)`,
    [table],
  );
  const [found] = rows;
  return { isOrdinary: found?.ordinary === true, withDefault: found?.readable === true ? found.defaults : undefined };
}

/**
 * Returns the SQL condition that a row of the target differs from the one that replaces it: an equal row is not written again. `undefined`:
 * it cannot be decided, or each row differs.
 */
function differing(target: KeyedTarget, from: string, { withDefault }: TableFacts): string | undefined {
  const { columns, key, emptied, isOfRun } = target;
  if (withDefault === undefined || isOfRun || emptied.some(({ name }) => withDefault.includes(name))) return undefined;
  const others = columns.filter(({ name }) => !key.includes(name));
  const [old, made] = [
    [...others, ...emptied].map((column) => valueOf('target', column)),
    [...others.map((column) => valueOf(from, column)), ...emptied.map(() => 'NULL')],
  ];
  return `ROW(${old.join(', ')}) IS DISTINCT FROM ROW(${made.join(', ')})`;
}

/**
 * Moves the rows into a table that may have rows with the same keys, which they replace completely, in place, since others may refer to
 * them: columns that the new row lacks become NULL, or the default of the table. The last one of those with the same key counts. A table of
 * a user may have no index of the key, so rows are compared.
 */
export async function upsert(client: Client, target: KeyedTarget, staging: Staging): Promise<CountedRows> {
  const { table, key } = target;
  const changes = assigned(target, 'staging');
  const facts = await tableFacts(client, table);
  const differs = changes === '' || !facts.isOrdinary ? undefined : differing(target, 'staging', facts);
  // Only the last row of a key stays.
  await client.query(`DELETE FROM ${staging.table} earlier USING ${staging.table} later
    WHERE ${matched(key, 'earlier', 'later')} AND earlier.${staging.row} < later.${staging.row}`);
  const stored = await countOf(client, staging.table);
  let changed: number | undefined;
  if (changes !== '') {
    const update = `UPDATE ${table} target SET ${changes} FROM ${staging.table} staging WHERE ${matched(key, 'target', 'staging')}`;
    const returned = key.map((name) => `staging.${quoted(name)}`).join(', ');
    if (differs === undefined) await client.query(update);
    // Several old rows may have one key.
    else
      changed = await countOf(
        client,
        `(SELECT DISTINCT * FROM changed) changed`,
        `WITH changed AS (${update} AND ${differs} RETURNING ${returned}) `,
      );
  }
  const there = `SELECT FROM ${table} target WHERE ${matched(key, 'target', 'staging')}`;
  const { rowCount } = await client.query(`DELETE FROM ${staging.table} staging WHERE EXISTS (${there})`);
  await client.query(insertion(target, staging));
  await drop(client, staging);
  if (rowCount === null || !facts.isOrdinary) return { stored };
  const same = changes === '' ? rowCount : changed === undefined ? undefined : rowCount - changed;
  return { stored, matched: rowCount, same };
}

const drop = async (client: Client, { table }: Staging): Promise<void> => {
  await client.query(`DROP TABLE ${table}`);
};

/** Makes the key the primary key of a table that the run has made. */
export async function addPrimaryKey(
  client: Client,
  { table, key }: Pick<KeyedTarget, 'table' | 'key'>,
  constraint: string,
): Promise<void> {
  await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${quoted(constraint)} PRIMARY KEY (${listed(key)})`);
}
