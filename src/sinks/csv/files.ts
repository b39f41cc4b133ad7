import { createReadStream, existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { addFacts } from '../../core/errors/errors';
import type { Stored } from '../../core/durable-sink';
import { addsRows } from '../../tables/table';
import { linksBelow, parentsFirst } from './child-tables';
import type { TablesOfTypes } from './child-tables';
import type { OutputPlan } from '../../plan/plan';
import type { Bucket, Table } from '../../tables/table';
import { safeName } from '../../tables/names';
import { compressFile, nameAs, oldFileOf, withPlain } from '../files/old-files';
import type { Compression } from '../files/old-files';
import type { Warn } from '../../language/parts/sink';
import { safeFileName } from '../files/durable-files';
import { rowsOfRun, countsOf, unmatched } from '../row-counts';
import type { ReplacedRows } from '../files/folder-sink';
import { countRows } from './old-file';
import { saveAppended } from './append';
import type { RowsAround, RowsToRemove, SavedRows } from './append';

/** The names of the files of tables, and the files beside them. */
export interface CsvLayout {
  /** The suffix of the name of a table's file. */
  readonly suffix: '' | '.csv';
  /** `always`: files are named `bucket.table`; `if-several`: only if there are tables of several buckets. */
  readonly bucketPrefix: 'always' | 'if-several';
  /**
   * True if there is a `.manifest` beside each file (docs/language/tables.md#files-and-buckets). A file then has the rows of its run, and
   * no older ones.
   */
  readonly manifests: boolean;
}

/** The default layout: one CSV file for each table, and no other files. */
export const PLAIN: CsvLayout = { suffix: '.csv', bucketPrefix: 'if-several', manifests: false };

export interface CsvPlaces {
  /** The folder for new files, which is empty at first. */
  readonly staging: string;
  /** The folder of the files that rows are added to. */
  readonly old: string;
  readonly layout: CsvLayout;
  readonly compress?: Compression | undefined;
  /** Is called with keys that look alike in files. */
  readonly warn?: Warn;
}

/** The new files of tables, and the counts of the rows of each. */
export interface MadeTables {
  readonly files: MadeFiles;
  readonly stored: readonly Stored[];
  /** The tables whose rows replace those of an old file. */
  readonly replaced: readonly ReplacedRows[];
}

/** The names of new files, and whether they contain the rows of old ones. */
export type MadeFiles = ReadonlyMap<string, 'replaced' | 'grown'>;

/**
 * Writes tables as CSV files, one for each table (docs/language/tables.md#files-and-buckets): UTF-8, every field quoted, the header first.
 * Where the configuration says so (`incrementalOutput`), rows are added to those of the old file; with manifests, the manifests say so, and
 * a file has the rows of its run.
 *
 * @param known the tables that earlier runs made of a dataType: their rows are removed with their parents
 * @throws FatalError TABLE_NAME for a table whose name cannot be that of a file
 * @example await writeTables(await buckets.finish(), new Map(), { staging: 'out/.new', old: 'out', layout: PLAIN })
 */
export async function writeTables(
  buckets: readonly Bucket[],
  known: TablesOfTypes,
  { staging, old, layout, compress, warn }: CsvPlaces,
): Promise<MadeTables> {
  const { manifests } = layout;
  const made = new Map<string, 'replaced' | 'grown'>();
  const stored: Stored[] = [];
  const replaced: ReplacedRows[] = [];
  for (const bucket of buckets) {
    const toRemove = new Map<string, RowsToRemove>();
    const removeFrom = (name: string): RowsToRemove => {
      const rows = toRemove.get(name) ?? { old: new Set(), ofRun: new Map() };
      toRemove.set(name, rows);
      return rows;
    };
    for (const table of parentsFirst(bucket, known)) {
      const file = fileName(bucket, table, layout, buckets.length > 1);
      const path = join(staging, file);
      const isAdded = addsRows(bucket.output, table.dataType ?? table.name);
      const grows = isAdded && !manifests;
      const remove = removeFrom(table.name);
      const isAbsent = !bucket.tables.includes(table);
      if (isAbsent && (!grows || remove.old.size === 0)) continue;
      const below = linksBelow(table, bucket, known).map(([child, { of }]) => ({ of, ...removeFrom(child) }));
      const rows = { remove, below, warn };
      const oldFile = (): string | undefined => oldFileOf(old, file);
      const saved = await (
        manifests ? savePart(table, path) : (grows ? saveAfterOld : saveInPlace)(oldFile, table, path, rows)
      ).catch((error: unknown): never => {
        throw addFacts(error, { table: table.name });
      });
      if (!isAbsent)
        stored.push({
          ...{ name: nameAs(`${table.name}${layout.suffix}`, compress), ...saved },
          ...rowsOfRun(saved.rows, table.count),
        });
      const before = grows || manifests ? undefined : oldFile();
      if (before !== undefined)
        replaced.push(replacedRows(before, { name: nameAs(file, compress), path, after: saved.total ?? saved.rows }));
      await compressFile(path, compress);
      made.set(nameAs(file, compress), grows ? 'grown' : 'replaced');
      if (!manifests) continue;
      await writeFile(join(staging, `${file}.manifest`), JSON.stringify(manifestOf(bucket, table, isAdded)));
      made.set(`${file}.manifest`, 'replaced');
    }
  }
  return { files: made, stored, replaced };
}

/** @param path the path of the uncompressed new file, beside which the old one may be decompressed */
const replacedRows = (
  old: string,
  { name, path, after }: { readonly name: string; readonly path: string; readonly after: number },
): ReplacedRows => ({ name, after, before: () => withPlain(old, `${path}.old`, countRows) });

/**
 * Writes a file without rows for each table that no longer has rows, so that its old rows do not look like those of this run. With
 * manifests, the consumer knows which tables a run has.
 *
 * @param types the dataTypes of which the run has all rows
 * @returns these files, and their old rows
 * @param known the tables that earlier runs made of a dataType
 */
export async function emptyOld(
  types: ReadonlySet<string>,
  known: TablesOfTypes,
  outputs: readonly OutputPlan[],
  { staging, old, layout: { manifests, suffix }, compress }: CsvPlaces,
): Promise<Omit<MadeTables, 'stored'>> {
  const emptied = new Map<string, 'replaced' | 'grown'>();
  const rows: ReplacedRows[] = [];
  if (manifests) return { files: emptied, replaced: rows };
  const made = new Set(await readdir(staging));
  const replaced = [...types].filter((type) => !outputs.some((output) => addsRows(output, type)));
  for (const table of new Set(replaced.flatMap((type) => [safeName(type), ...(known.get(type)?.keys() ?? [])]))) {
    const file = `${table}${suffix}`;
    const name = nameAs(file, compress);
    // The file in the form of this run comes first.
    const source = [name, file, nameAs(file, 'gzip')].map((each) => join(old, each)).find((path) => existsSync(path));
    if (made.has(name) || source === undefined) continue;
    const header = await withPlain(source, join(staging, `${file}.old`), headerOf);
    await writeFile(join(staging, file), `${header}\n`);
    await compressFile(join(staging, file), compress);
    emptied.set(name, 'replaced');
    rows.push(replacedRows(source, { name, path: join(staging, file), after: 0 }));
  }
  return { files: emptied, replaced: rows };
}

/** Makes a file whose rows the consumer adds to others, or puts in their place. */
async function savePart(table: Table, path: string): Promise<SavedRows> {
  await table.saveCsv(path);
  return { rows: table.count };
}

type Save = (oldFile: () => string | undefined, table: Table, path: string, rows: RowsAround) => Promise<SavedRows>;

/** Makes a file in the place of an old one, which is not read: which of its keys come again is not known. */
const saveInPlace: Save = async (oldFile, table, path, rows) => {
  const saved = await saveAppended(undefined, table, path, rows);
  if (oldFile() === undefined) return saved;
  const { rows: stored, total } = saved;
  return { rows: stored, ...countsOf(table.primaryKey.length === 0 ? unmatched(stored) : { stored }, { total }) };
};

/** Makes a file with the rows of an old one, if it exists, and those of a table. */
const saveAfterOld: Save = async (oldFile, table, path, rows) =>
  withPlain(oldFile(), `${path}.old`, (plain) => saveAppended(plain, table, path, rows));

/** Returns the first line; a column name contains no line end. */
async function headerOf(path: string): Promise<string> {
  const lines = createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Infinity });
  for await (const line of lines) return line;
  return '';
}

/** Returns the name of the uncompressed file of a table. */
export function fileName(
  { name }: Bucket,
  table: Table,
  { bucketPrefix, suffix }: CsvLayout,
  several: boolean,
): string {
  const prefix = name === undefined || (bucketPrefix === 'if-several' && !several) ? '' : `${name}.`;
  return safeFileName(`${prefix}${table.name}${suffix}`);
}

/** Returns the manifest by which storage loads the file (docs/language/tables.md#files-and-buckets). */
const manifestOf = ({ name }: Bucket, table: Table, incremental: boolean): object => ({
  ...(name === undefined ? {} : { destination: `in.c-${name}.${table.name}` }),
  incremental,
  ...(table.primaryKey.length === 0 ? {} : { primary_key: table.primaryKey }),
});
