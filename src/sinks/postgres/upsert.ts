/** Moves rows with a primary key into a table: they wait in a temporary table, since the last one of those with the same key counts. */
import { quoted } from '../../core/json/sql-name';
import type { Client } from 'pg';
import { unmatched } from '../row-counts';
import { replacementOf } from '../../tables/schema/changes';
import type { CountedRows } from '../row-counts';
import { listOf } from '../stores/merge';
import { isForeign, numberIn, typesOf } from './table';
import type { ExistingTable, TableColumn } from './table';

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
  /** A name that no column has. */
  readonly row: string;
}

/** The temporary table of this connection that rows wait in. */
export const STAGING = 'pg_temp."headwater rows"';

const matched = (key: readonly string[], a: string, b: string): string =>
  key.map((name) => `${a}.${quoted(name)} = ${b}.${quoted(name)}`).join(' AND ');

/** Makes the temporary table, which has the numbers of its rows; it is dropped with the transaction. */
export async function makeStaging(client: Client, { columns, key, row }: KeyedTarget): Promise<void> {
  const definitions = columns.map(
    ({ name, sqlType }) => `${quoted(name)} ${sqlType}${key.includes(name) ? ' NOT NULL' : ''}, `,
  );
  const numbered = `${quoted(row)} bigint GENERATED ALWAYS AS IDENTITY`;
  await client.query(`CREATE TEMPORARY TABLE "headwater rows" (${definitions.join('')}${numbered}) ON COMMIT DROP`);
}

/** Moves the rows into a table that has no rows with their keys. */
export async function moveInto(client: Client, target: KeyedTarget): Promise<CountedRows> {
  const names = listOf(target.columns.map(({ name }) => name));
  const { rowCount } = await client.query(
    `INSERT INTO ${target.table} AS target (${names}) SELECT ${names} FROM (${lastRows(target)}) last ORDER BY ${quoted(target.row)}`,
  );
  await client.query(`DROP TABLE ${STAGING}`);
  return unmatched(rowCount ?? 0);
}

const lastRows = ({ key, row }: KeyedTarget): string =>
  `SELECT DISTINCT ON (${listOf(key)}) * FROM ${STAGING} ORDER BY ${listOf(key)}, ${quoted(row)} DESC`;

/** The counts of rows that take the place of a whole table. */
export interface ReplacedRows extends CountedRows {
  /** The rows of the table whose key does not come again; absent: unknown. */
  readonly removed?: number;
}

/**
 * Counts the rows that wait whose key a table has, and those that it has with the same values, before it is replaced as a whole; only where
 * the user may read it.
 *
 * @param from the table in SQL
 */
export async function replacedCounts(
  client: Client,
  target: KeyedTarget,
  from: string,
  old: ExistingTable,
): Promise<ReplacedRows> {
  const { columns, key, row } = target;
  const stored = await numberIn(client, `SELECT count(*) FROM (SELECT DISTINCT ${listOf(key)} FROM ${STAGING}) keys`);
  const others = othersOf(target).map(({ name }) => name);
  const replacement = replacementOf(typesOf(old.columns), typesOf(columns), { keys: key, compared: others });
  if (!old.isReadable || replacement?.hasKey !== true) return { stored };
  const compared = isComparable(target, old) ? replacement.compared : undefined;
  const { both = [], added = [], removed = [] } = compared ?? {};
  const ofBoth = columns.filter(({ name }) => both.includes(name));
  const isSame = [
    `${rowOf('target', ofBoth)} IS NOT DISTINCT FROM ${rowOf('staging', ofBoth)}`,
    ...added.map((name) => `staging.${quoted(name)} IS NULL`),
    ...removed.map((name) => `target.${quoted(name)} IS NULL`),
  ].join(' AND ');
  const { rows } = await client.query<{ old: string; matched: string; same: string }>(
    `SELECT (SELECT count(*) FROM ${from}) AS old, count(*) AS matched, count(*) FILTER (WHERE same) AS same
     FROM (SELECT bool_or(${isSame}) AS same FROM (${lastRows(target)}) staging JOIN ${from} target
       ON ${matched(key, 'target', 'staging')} GROUP BY staging.${quoted(row)}) pairs`,
  );
  const [found] = rows;
  const matchedRows = Number(found?.matched);
  const same = compared === undefined ? undefined : Number(found?.same);
  return { stored, matched: matchedRows, same, removed: Number(found?.old) - matchedRows };
}

const othersOf = ({ columns, key }: KeyedTarget): readonly TableColumn[] =>
  columns.filter(({ name }) => !key.includes(name));

/** Not every type of a user has an operator that compares its values. */
const rowOf = (from: string, columns: readonly TableColumn[], further: readonly string[] = []): string =>
  `ROW(${[...columns.map((column) => `${from}.${quoted(column.name)}${isForeign(column) ? '::text' : ''}`), ...further].join(', ')})`;

/** Returns whether rows can be the same as those of a table: the user may read it, and neither the run nor defaults make other values. */
const isComparable = ({ emptied, isOfRun }: KeyedTarget, { columns, isReadable }: ExistingTable): boolean =>
  isReadable &&
  !isOfRun &&
  !columns.some((column) => column.hasDefault === true && emptied.some(({ name }) => name === column.name));

/**
 * Moves the rows into a table that may have rows with the same keys, which they replace completely, in place, since others may refer to
 * them: columns that the new row lacks become NULL, or the default of the table. A table of a user may have no index of the key, so rows
 * are compared.
 */
export async function upsert(client: Client, target: KeyedTarget, existing: ExistingTable): Promise<CountedRows> {
  const { table, key, emptied, row } = target;
  const others = othersOf(target);
  const changes = [
    ...others.map(({ name }) => `${quoted(name)} = staging.${quoted(name)}`),
    ...emptied.map(({ name }) => `${quoted(name)} = DEFAULT`),
  ].join(', ');
  const { isOrdinary } = existing;
  // Only the last row of a key stays.
  await client.query(`DELETE FROM ${STAGING} earlier USING ${STAGING} later
    WHERE ${matched(key, 'earlier', 'later')} AND earlier.${quoted(row)} < later.${quoted(row)}`);
  const stored = await numberIn(client, `SELECT count(*) FROM ${STAGING}`);
  let changed: number | undefined;
  if (changes !== '') {
    const update = `UPDATE ${table} target SET ${changes} FROM ${STAGING} staging WHERE ${matched(key, 'target', 'staging')}`;
    const returned = key.map((name) => `staging.${quoted(name)}`).join(', ');
    const isOther = `${rowOf('target', [...others, ...emptied])} IS DISTINCT FROM ${rowOf(
      'staging',
      others,
      emptied.map(() => 'NULL'),
    )}`;
    // An equal row is not written again. Several old rows may have one key.
    if (isOrdinary && isComparable(target, existing))
      changed = await numberIn(
        client,
        `WITH changed AS (${update} AND ${isOther} RETURNING ${returned}) SELECT count(*) FROM (SELECT DISTINCT * FROM changed) changed`,
      );
    else await client.query(update);
  }
  const there = `SELECT FROM ${table} target WHERE ${matched(key, 'target', 'staging')}`;
  const { rowCount } = await client.query(`DELETE FROM ${STAGING} staging WHERE EXISTS (${there})`);
  await moveInto(client, target);
  if (rowCount === null || !isOrdinary) return { stored };
  const same = changes === '' ? rowCount : changed === undefined ? undefined : rowCount - changed;
  return { stored, matched: rowCount, same };
}
