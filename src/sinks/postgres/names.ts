import { createHash } from 'node:crypto';
import type { Client } from 'pg';
import { FatalError } from '../../core/errors/errors';
import { quoted, shortHash, shortened } from '../../core/json/sql-name';
import { inTransaction } from './session';

/** Names that PostgreSQL refuses for columns, even in quotes. */
const SYSTEM_COLUMNS = ['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'];

/** Returns the name of a column; one that PostgreSQL would cut or refuse ends with a hash instead. */
export const columnName = (name: string): string => {
  const isTaken = SYSTEM_COLUMNS.includes(name);
  return isTaken ? `${name}_${shortHash(name)}` : shortened(name);
};

/**
 * Returns the name of the table of a data type; one that PostgreSQL would cut ends with a hash instead.
 *
 * @throws FatalError TABLE_NAME for a name that no table can have
 * @example tableName('user') // 'user'
 */
export const tableName = (dataType: string): string => {
  if (dataType !== '' && dataType.isWellFormed() && !dataType.includes('\0')) return shortened(dataType);
  const message = `A table of PostgreSQL cannot be named ${JSON.stringify(dataType)}. Give the job another dataType.`;
  throw new FatalError('TABLE_NAME', message, { table: dataType });
};

/** Returns the number of an advisory lock. */
export const lockOf = (...parts: readonly string[]): string =>
  createHash('sha256')
    .update(JSON.stringify(['headwater', ...parts]))
    .digest()
    .readBigInt64BE()
    .toString();

/**
 * Returns whether a schema or a table exists.
 *
 * @example await exists(client, 'regclass', '"_headwater"."pages"') // false
 */
export async function exists(client: Client, kind: 'regnamespace' | 'regclass', of: string): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>(`SELECT to_${kind}($1) IS NOT NULL AS there`, [of]);
  return rows[0]?.there === true;
}

/** Makes a schema. A user without the right to make schemas may use an existing one. */
export async function makeSchema(client: Client, of: string): Promise<void> {
  if (!(await exists(client, 'regnamespace', quoted(of)))) await client.query(`CREATE SCHEMA ${quoted(of)}`);
}

/**
 * Makes a table of the destination itself if there is none, in an existing schema.
 *
 * @param table the table in SQL
 * @param columns their definitions in SQL
 */
export async function makeOwnTable(client: Client, table: string, columns: string): Promise<void> {
  if (await exists(client, 'regclass', table)) return;
  await inTransaction(client, async () => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [lockOf('make')]);
    await client.query(`CREATE TABLE IF NOT EXISTS ${table} (${columns})`);
  });
}
