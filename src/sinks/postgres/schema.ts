/** Schemas and tables, and whether they are there. */
import type { Client } from 'pg';
import { quoted } from './names';

/** @example await exists(client, 'regclass', '"_headwater"."pages"') // false */
export async function exists(client: Client, kind: 'regnamespace' | 'regclass', of: string): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>(`SELECT to_${kind}($1) IS NOT NULL AS there`, [of]);
  return rows[0]?.there === true;
}

/** Makes a schema. Who has no right to make schemas may use one that is there. */
export async function makeSchema(client: Client, of: string): Promise<void> {
  if (!(await exists(client, 'regnamespace', quoted(of)))) await client.query(`CREATE SCHEMA ${quoted(of)}`);
}
