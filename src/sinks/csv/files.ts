import { createReadStream, existsSync } from 'node:fs';
import { readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { addFacts } from '../../errors';
import type { OutputPlan } from '../../plan/plan';
import type { Bucket, Table } from '../../tables/table';
import { safeName } from '../../tables/names';
import { safeFileName } from '../files/file-name';
import { saveGrown } from './append';

/** How the files of tables are named, and what lies beside them. */
export interface CsvLayout {
  /** What is added to the name of a table's file. */
  readonly suffix: '' | '.csv';
  /** `always`: files are named `bucket.table`; `if-several`: only where tables of several buckets meet. */
  readonly bucketPrefix: 'always' | 'if-several';
  /**
   * Whether a `.manifest` lies beside each file (docs/language/tables.md#files-and-buckets). A file then has the rows
   * of its run, and no older ones.
   */
  readonly manifests: boolean;
}

/** The default layout: one CSV file a table, and nothing beside it. */
export const PLAIN: CsvLayout = { suffix: '.csv', bucketPrefix: 'if-several', manifests: false };

export interface CsvPlaces {
  /** The folder for new files, which is empty at first. */
  readonly staging: string;
  /** The folder of the files that rows are added to. */
  readonly old: string;
  readonly layout: CsvLayout;
}

/**
 * Writes tables as CSV files, one a table (docs/language/tables.md#files-and-buckets): UTF-8, every field quoted, the
 * header first. Where the configuration says so (`incrementalOutput`), rows are added to those of the old file; with
 * manifests, these say so, and a file has the rows of its run.
 *
 * @returns the names of the files
 * @throws FatalError TABLE_NAME for a table whose name cannot be that of a file
 * @example await writeTables(await buckets.finish(), { staging: 'out/.new', old: 'out', layout: PLAIN })
 */
export async function writeTables(
  buckets: readonly Bucket[],
  { staging, old, layout }: CsvPlaces,
): Promise<readonly string[]> {
  const { manifests } = layout;
  const made: string[] = [];
  for (const bucket of buckets)
    for (const table of bucket.tables) {
      const file = fileName(bucket, table, layout, buckets.length > 1);
      const path = join(staging, file);
      const grows = bucket.incremental && !manifests;
      await (grows ? saveGrown(join(old, file), table, path) : table.saveCsv(path)).catch((error: unknown): never => {
        throw addFacts(error, { table: table.name });
      });
      made.push(file);
      if (!manifests) continue;
      await writeFile(join(staging, `${file}.manifest`), JSON.stringify(manifestOf(bucket, table)));
      made.push(`${file}.manifest`);
    }
  return made;
}

/**
 * Writes a file without rows for each table that has no rows any more: its old rows must not pass for those of this run. With
 * manifests, somebody else knows which tables a run has.
 *
 * @param types the dataTypes of the pages of the run
 * @returns the names of the files
 */
export async function emptyOld(
  types: ReadonlySet<string>,
  outputs: readonly OutputPlan[],
  { staging, old, layout: { manifests, suffix } }: CsvPlaces,
): Promise<readonly string[]> {
  if (manifests || outputs.some(({ incremental }) => incremental)) return [];
  const made = new Set(await readdir(staging));
  const emptied: string[] = [];
  for (const type of types) {
    const file = `${safeName(type)}${suffix}`;
    if (made.has(file) || !existsSync(join(old, file))) continue;
    await writeFile(join(staging, file), `${await headerOf(join(old, file))}\n`);
    emptied.push(file);
  }
  return emptied;
}

/** The first line; a name of a column has no line end. */
async function headerOf(path: string): Promise<string> {
  const lines = createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Infinity });
  for await (const line of lines) return line;
  return '';
}

/** Moves files from one folder to another. */
export async function moveFiles(files: readonly string[], from: string, to: string): Promise<void> {
  for (const file of files) await rename(join(from, file), join(to, file));
}

function fileName({ name }: Bucket, table: Table, { bucketPrefix, suffix }: CsvLayout, several: boolean): string {
  const prefix = name === undefined || (bucketPrefix === 'if-several' && !several) ? '' : `${name}.`;
  return safeFileName(`${prefix}${table.name}${suffix}`);
}

/** The manifest with which storage loads the file (docs/language/tables.md#files-and-buckets). */
const manifestOf = ({ name, incremental }: Bucket, table: Table): object => ({
  ...(name === undefined ? {} : { destination: `in.c-${name}.${table.name}` }),
  incremental,
  ...(table.primaryKey.length === 0 ? {} : { primary_key: table.primaryKey }),
});
