import type { Client } from 'pg';
import { quoted } from './postgres-names';
import type { TableColumn } from './postgres-table';

/** Rows that wait in a table of this connection for their place in the target. */
export interface Staging {
  /** As SQL has it. */
  readonly table: string;
  /** Of the number of a row, in order; as SQL has it. */
  readonly row: string;
}

/** What rows with a key are put into. */
export interface KeyedTarget {
  /** As SQL has it. */
  readonly table: string;
  readonly columns: readonly TableColumn[];
  /** Names of the columns of the key. */
  readonly key: readonly string[];
}

const STAGING = 'pg_temp."headwater rows"';

const listed = (names: readonly string[]): string => names.map(quoted).join(', ');
const matched = (key: readonly string[], a: string, b: string): string =>
  key.map((name) => `${a}.${quoted(name)} = ${b}.${quoted(name)}`).join(' AND ');
const assigned = (names: readonly string[], from: string): string =>
  names.map((name) => `${quoted(name)} = ${from}.${quoted(name)}`).join(', ');

/** Makes the table in which rows wait; it goes with the transaction. */
export async function makeStaging(client: Client, { columns, key }: KeyedTarget): Promise<Staging> {
  const names = columns.map(({ name }) => name);
  let row = 'row';
  while (names.includes(row)) row += '_';
  const definitions = columns.map(
    ({ name, sqlType }) => `${quoted(name)} ${sqlType}${key.includes(name) ? ' NOT NULL' : ''}`,
  );
  definitions.push(`${quoted(row)} bigint GENERATED ALWAYS AS IDENTITY`);
  await client.query(`CREATE TEMPORARY TABLE "headwater rows" (${definitions.join(', ')}) ON COMMIT DROP`);
  return { table: STAGING, row: quoted(row) };
}

/** Moves the rows into a table that has no rows; of those with the same key, the last one. */
export async function fill(client: Client, target: KeyedTarget, staging: Staging): Promise<number> {
  const { rowCount } = await client.query(insertion(target, staging));
  await drop(client, staging);
  return rowCount ?? 0;
}

/**
 * Moves the rows into a table that may have rows with the same keys, whose columns they change; of those with the same
 * key, the last one.
 */
export async function upsert(client: Client, target: KeyedTarget, staging: Staging): Promise<number> {
  const isUnique = await hasUniqueIndex(client, target);
  const rows = await (isUnique ? upsertByIndex : upsertByComparison)(client, target, staging);
  await drop(client, staging);
  return rows;
}

const othersOf = ({ columns, key }: KeyedTarget): readonly string[] =>
  columns.map(({ name }) => name).filter((name) => !key.includes(name));

function insertion({ table, columns, key }: KeyedTarget, { table: staging, row }: Staging): string {
  const names = listed(columns.map(({ name }) => name));
  const keys = listed(key);
  return `INSERT INTO ${table} AS target (${names}) SELECT ${names} FROM (
    SELECT DISTINCT ON (${keys}) * FROM ${staging} ORDER BY ${keys}, ${row} DESC) last ORDER BY ${row}`;
}

async function upsertByIndex(client: Client, target: KeyedTarget, staging: Staging): Promise<number> {
  const others = othersOf(target);
  const action = others.length === 0 ? 'NOTHING' : `UPDATE SET ${assigned(others, 'excluded')}`;
  await client.query(`${insertion(target, staging)} ON CONFLICT (${listed(target.key)}) DO ${action}`);
  const { rows } = await client.query<{ count: string }>(
    `SELECT count(*) FROM (SELECT DISTINCT ${listed(target.key)} FROM ${staging.table}) keys`,
  );
  return Number(rows[0]?.count);
}

/** ON CONFLICT needs an index, which a table that somebody else made may not have. */
async function upsertByComparison(client: Client, target: KeyedTarget, staging: Staging): Promise<number> {
  const { table, key } = target;
  const others = othersOf(target);
  // Only the last row of a key is left.
  await client.query(`DELETE FROM ${staging.table} earlier USING ${staging.table} later
    WHERE ${matched(key, 'earlier', 'later')} AND earlier.${staging.row} < later.${staging.row}`);
  const { rows } = await client.query<{ count: string }>(`SELECT count(*) FROM ${staging.table}`);
  if (others.length > 0)
    await client.query(
      `UPDATE ${table} target SET ${assigned(others, 'staging')} FROM ${staging.table} staging WHERE ${matched(key, 'target', 'staging')}`,
    );
  const there = `SELECT FROM ${table} target WHERE ${matched(key, 'target', 'staging')}`;
  await client.query(`DELETE FROM ${staging.table} staging WHERE EXISTS (${there})`);
  await client.query(insertion(target, staging));
  return Number(rows[0]?.count);
}

async function hasUniqueIndex(client: Client, { table, key }: KeyedTarget): Promise<boolean> {
  const { rows } = await client.query<{ names: readonly string[] }>(
    `SELECT array(SELECT attname::text FROM pg_attribute a
       WHERE a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey[0:i.indnkeyatts - 1])) AS names
     FROM pg_index i WHERE i.indrelid = to_regclass($1) AND i.indisunique AND i.indimmediate AND i.indisvalid
       AND i.indpred IS NULL AND i.indexprs IS NULL`,
    [table],
  );
  return rows.some(({ names }) => names.length === key.length && key.every((name) => names.includes(name)));
}

const drop = async (client: Client, { table }: Staging): Promise<void> => {
  await client.query(`DROP TABLE ${table}`);
};

/** Makes the key the primary key of a table that the run has made. */
export async function addPrimaryKey(client: Client, { table, key }: KeyedTarget, constraint: string): Promise<void> {
  await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${quoted(constraint)} PRIMARY KEY (${listed(key)})`);
}
