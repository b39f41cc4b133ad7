/** The tables that lie in files. */
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** How a file is read. */
export type FileFormat = 'parquet' | 'csv' | 'ndjson';

/** A table, and the files that its rows are in. */
export interface TableFiles {
  readonly name: string;
  readonly format: FileFormat;
  readonly files: readonly string[];
}

const FILE = /^(.+?)\.(parquet|csv|tsv|ndjson|jsonl)(\.gz|\.zst)?$/i;
const FORMATS: Readonly<Record<string, FileFormat>> = {
  tsv: 'csv',
  jsonl: 'ndjson',
  csv: 'csv',
  ndjson: 'ndjson',
  parquet: 'parquet',
};
/** What is not for readers: work in progress, and folders of programs. */
const HIDDEN = /^[._]/;
const DEEPEST = 8;

/** The table of one file; `undefined`: it is none of these. */
export function tableOfFile(path: string): TableFiles | undefined {
  const [, name = '', extension = ''] = FILE.exec(basename(path)) ?? [];
  const format = FORMATS[extension.toLowerCase()];
  return format === undefined ? undefined : { name, format, files: [path] };
}

/** The tables of a folder: those of its files, and of its folders, whose files are parts of one table. */
export async function tablesIn(folder: string): Promise<readonly TableFiles[]> {
  const tables: TableFiles[] = [];
  for (const entry of await entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      const parts = (await filesBelow(path, DEEPEST)).flatMap((file) => tableOfFile(file) ?? []);
      const [first] = parts;
      if (first === undefined) continue;
      const alike = parts.filter(({ format }) => format === first.format);
      tables.push({ name: entry.name, format: first.format, files: alike.flatMap(({ files }) => files) });
    } else tables.push(...[tableOfFile(path) ?? []].flat());
  }
  return tables;
}

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
