/** This tells whether tables are there, and have rows. */
import type { TableStand } from '../../core/durable-sink';
import type { Load } from './load';
import { inSchema } from './load-tables';
import { existingTable } from './table';

/** How a table stands. */
export async function standOf(load: Pick<Load, 'client' | 'address'>, name: string): Promise<TableStand> {
  const table = inSchema(load, name);
  if ((await existingTable(load.client, table)) === undefined) return 'gone';
  return (await load.client.query(`SELECT FROM ${table} LIMIT 1`)).rows.length > 0 ? 'filled' : 'empty';
}

/** This tells whether a table is there and has rows. */
export const hasRows = async (load: Pick<Load, 'client' | 'address'>, name: string): Promise<boolean> =>
  (await standOf(load, name)) === 'filled';
