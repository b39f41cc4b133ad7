/** Opens loaded data in any format. */
import { open, stat } from 'node:fs/promises';
import { FatalError } from '../../core/errors/errors';
import { openDuckdb, openFiles } from './duckdb';
import { tableOfFile, tablesIn } from './files';
import type { LoadedData } from './model';
import { openSqliteData } from './sqlite';

/**
 * Opens loaded data for reading: a file of DuckDB or SQLite; a folder with files of Parquet, CSV or lines of JSON; or one such file. Each
 * table has its own name. Statements can neither write nor read anything else.
 *
 * @throws FatalError DESTINATION_ADDRESS if there is none; DESTINATION_LOCKED while another process writes; PACKAGE_MISSING
 * @example
 * const data = await openData('headwater.duckdb');
 * const { columns, rows } = await data.query('SELECT river, count(*) FROM stations GROUP BY river');
 * for await (const some of rows) console.log(columns, some);
 * await data.close();
 */
export async function openData(path: string): Promise<LoadedData> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new FatalError('DESTINATION_ADDRESS', `There is no ${JSON.stringify(path)}.`, { cause });
  });
  if (found.isDirectory()) {
    const tables = await tablesIn(path);
    if (tables.length > 0) return openFiles(tables);
    throw new FatalError('DESTINATION_ADDRESS', `${JSON.stringify(path)} has no files of Parquet, CSV or NDJSON.`);
  }
  const table = tableOfFile(path);
  if (table !== undefined) return openFiles([table]);
  if (found.size === 0)
    throw new FatalError('DESTINATION_ADDRESS', `${JSON.stringify(path)} is empty: no run has stored anything there.`);
  return (await begin(path)).startsWith('SQLite format 3') ? openSqliteData(path) : openDuckdb(path);
}

async function begin(path: string): Promise<string> {
  const handle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(16), 0, 16, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
