/** Opens loaded data in any format, and finds the tables in files. */
import { open, stat, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FatalError } from '../../core/errors/errors';
import { openDuckdb, openFiles } from './duckdb';
import type { FileFormat, TableFiles } from './duckdb';
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

const FILE = /^(.+?)\.(parquet|csv|tsv|ndjson|jsonl)(\.gz|\.zst)?$/i;
const FORMATS: Readonly<Record<string, FileFormat>> = {
  tsv: 'csv',
  jsonl: 'ndjson',
  csv: 'csv',
  ndjson: 'ndjson',
  parquet: 'parquet',
};
/** Matches names that are hidden from readers: work in progress, and folders of programs. */
const HIDDEN = /^[._]/;
const DEEPEST = 8;

/** Returns the table of one file; `undefined`: it has no known format. */
function tableOfFile(path: string): TableFiles | undefined {
  const [, name = '', extension = ''] = FILE.exec(basename(path)) ?? [];
  const format = FORMATS[extension.toLowerCase()];
  return format === undefined ? undefined : { name, format, files: [path] };
}

/** Returns the tables of a folder: one for each file, and one for each folder, whose files are parts of it. */
async function tablesIn(folder: string): Promise<readonly TableFiles[]> {
  const found: TableFiles[] = [];
  for (const entry of await entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      const parts = (await filesBelow(path, DEEPEST)).flatMap((file) => tableOfFile(file) ?? []);
      const [first] = parts;
      if (first === undefined) continue;
      const alike = parts.filter(({ format }) => format === first.format);
      found.push({ name: entry.name, format: first.format, files: alike.flatMap(({ files }) => files) });
    } else found.push(...[tableOfFile(path) ?? []].flat());
  }
  // Two files may differ in the extension alone: then each table has the name of its file, extension included.
  const isAlone = ({ name }: TableFiles): boolean => found.filter((other) => other.name === name).length === 1;
  return found.map((table) => (isAlone(table) ? table : { ...table, name: nameOf(table, folder) }));
}

const nameOf = ({ name, files: [first = ''] }: TableFiles, folder: string): string =>
  dirname(first) === folder ? basename(first) : name;

async function filesBelow(folder: string, depth: number): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) found.push(path);
    else if (depth > 0) found.push(...(await filesBelow(path, depth - 1)));
  }
  return found;
}

async function entriesOf(folder: string) {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter(({ name }) => !HIDDEN.test(name)).sort((a, b) => (a.name < b.name ? -1 : 1));
}
