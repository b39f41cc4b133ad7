/** Finds the tables in files. */
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** The format of a file. */
export type FileFormat = 'parquet' | 'csv' | 'ndjson';

/** A table, and the files of its rows. */
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
/** Matches names that are hidden from readers: work in progress, and folders of programs. */
const HIDDEN = /^[._]/;
const DEEPEST = 8;

/** Returns the table of one file; `undefined`: it has no known format. */
export function tableOfFile(path: string): TableFiles | undefined {
  const [, name = '', extension = ''] = FILE.exec(basename(path)) ?? [];
  const format = FORMATS[extension.toLowerCase()];
  return format === undefined ? undefined : { name, format, files: [path] };
}

/** Returns the tables of a folder: one for each file, and one for each folder, whose files are parts of it. */
export async function tablesIn(folder: string): Promise<readonly TableFiles[]> {
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
