/** Tables as files of a format, one file a table: the format says how rows get into a file and out of it, and the sink does the rest. */
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DurableSink } from '../../core/durable-sink';
import { FatalError } from '../../core/errors/errors';
import { stringifyJson } from '../../core/json/stringify';
import type { Nesting } from '../../language/configuration/jobs/table';
import type { Warn } from '../../language/parts/sink';
import type { OutputPlan } from '../../plan/plan';
import { PARENT_ROW_ID, ROW_ID } from '../../tables/linked/places';
import { checkOldKey, comparedColumns, namesOf } from '../../tables/schema/changes';
import type { NamedTypes } from '../../tables/schema/changes';
import { isDecimal } from '../../tables/schema/column-type';
import type { ColumnType } from '../../tables/schema/column-type';
import type { KnownColumn, Column } from '../../tables/schema/schema';
import { fileJournal } from '../journal/file-journal';
import { keyOfType } from '../loading/mapped-items';
import { checkNames, tableFailure } from '../loading/refusals';
import { unmatched } from '../row-counts';
import type { CountedRows } from '../row-counts';
import { filePlace } from '../s3/address';
import { fileSink } from '../s3/sink';
import { BY_CELLS, convertedCell, fittedCell } from '../stores/cells';
import type { Cell, CellRows, CellWrite } from '../stores/cells';
import { checkKeys } from '../stores/merge';
import { linksIn } from '../stores/sql-store';
import { storeRun } from '../stores/store';
import type { StoredInto } from '../stores/store';
import { checkedObject, checkedText } from './checksum';
import { fileNameFor, safeFileName, textOf } from './durable-files';
import { workFolderIn } from './folder-sink';
import type { Preparation, Prepared } from './folder-sink';
import { LatestRows } from './old-files';

/** A format of files that tables are stored in. */
export interface FileFormat {
  /** The end of the names of its files, for example `.arrow`. */
  readonly suffix: string;
  /**
   * Makes a file.
   *
   * @param path the file, which does not exist
   * @param rows some rows at a time; cells are in the order of the columns
   */
  readonly write: (path: string, columns: readonly Column[], rows: AsyncIterable<CellRows>) => Promise<void>;
  /**
   * Returns the rows of a file that `write` made, some at a time.
   *
   * @param columns those that it was made with; each cell is returned as it was given, or as an equal one
   */
  readonly read: (path: string, columns: readonly Column[]) => AsyncIterable<CellRows>;
}

export interface FormatSinkOptions {
  /** The scheme of the destination, for example `arrow`. */
  readonly scheme: string;
  /** What follows the scheme in the address: a folder, or `s3://BUCKET/PREFIX`. */
  readonly place: string;
  readonly format: FileFormat;
  /** The outputs of the runs of the configuration, by their numbers. */
  readonly outputs: readonly OutputPlan[];
  /** How objects and lists in items are stored if the job does not say it; default `tables`. */
  readonly nested?: Nesting;
  /** The folder where pages for a bucket wait; default: in `.headwater` of the current folder. */
  readonly journal?: string;
  /** Is called with warnings about tables; absent: there are none. */
  readonly warn?: Warn;
}

/**
 * Makes a sink of tables as files, one for each dataType and one for the lists at each place in its items. A commit puts new files in the
 * place of old ones; rows that are added or merged make a file of the old rows and their own. Keys of the run are kept in memory.
 *
 * @param options the format, and where the files are
 * @returns a sink whose methods throw the errors of a folder or a bucket; DESTINATION_DAMAGED for a file without the rows that were stored
 * @example const sink = formatSink({ scheme: 'arrow', place: 'out', format: { suffix: '.arrow', write, read }, outputs });
 */
export function formatSink(options: FormatSinkOptions): DurableSink {
  const { scheme, format, outputs, journal } = options;
  const { folder, bucket } = filePlace(scheme, options.place, journal);
  const isThere = (table: string): boolean => existsSync(join(folder, fileOf(table, format)));
  return fileSink(bucket, {
    name: bucket?.name ?? `${scheme}:${folder}`,
    ...{ folder, makes: 'tables', maps: true, addsRunColumns: true, outputs },
    isTable: (file) => file === TABLES || file.endsWith(format.suffix),
    // Changes of columns are reported in any case.
    alwaysReads: true,
    journal: fileJournal(join(workFolderIn(folder), 'journal')),
    prepare: (preparation) => makeFiles(preparation, options),
    isThere,
    hasRows: async (table) => isThere(table) && ((await tablesIn(folder)).get(table)?.rows ?? 1) > 0,
  });
}

const fileOf = (table: string, { suffix }: FileFormat): string => safeFileName(fileNameFor(`${table}${suffix}`));

async function makeFiles(
  { staging, scratch, folder, ...run }: Preparation,
  { scheme, format, nested, warn }: FormatSinkOptions,
): Promise<Prepared> {
  const files = new TableFiles(format, { folder, staging, kept: await tablesIn(folder) });
  const failed = (write: CellWrite) => tableFailure(scheme, write);
  const source = { ...run, folder: scratch, nested, warn, failed };
  const named = <T extends { readonly name: string }>(of: T): T => ({ ...of, name: fileOf(of.name, format) });
  return storeRun(BY_CELLS, files, source, async (writes, storeAll) => {
    checkNames(writes, scheme);
    const { stored, replaced, state } = await storeAll();
    await writeFile(join(staging, TABLES), textOfTables(files.tables));
    return { stored: stored.map(named), replaced: replaced.map(named), state };
  });
}

/** What is kept of a table from one run to the next: its file need not say it. */
interface KeptTable {
  readonly columns: readonly KnownColumn[];
  readonly rows: number;
  /** The highest id of its rows; 0 if they have none. */
  readonly lastRow: number;
}

/** The tables of a folder while a run changes them: the new files are in the staging folder. */
class TableFiles implements StoredInto<CellWrite> {
  readonly #made = new Map<string, KeptTable>();

  constructor(
    private readonly format: FileFormat,
    private readonly place: {
      readonly folder: string;
      readonly staging: string;
      readonly kept: ReadonlyMap<string, KeptTable>;
    },
  ) {}

  /** All tables after the run. */
  get tables(): ReadonlyMap<string, KeptTable> {
    return new Map([...this.place.kept, ...this.#made]);
  }

  readonly known = (table: string): Promise<readonly KnownColumn[]> => Promise.resolve(this.#now(table)?.columns ?? []);

  readonly declared = (table: string): Promise<NamedTypes> =>
    Promise.resolve((this.#now(table)?.columns ?? []).map(({ name, type }) => [name, type] as const));

  readonly count = (table: string): Promise<number> => Promise.resolve(this.#now(table)?.rows ?? 0);

  readonly lastRow = (table: string): Promise<number> => Promise.resolve(this.#now(table)?.lastRow ?? 0);

  readonly removeGone = async (writes: readonly CellWrite[]): Promise<void> => {
    const gone = new Map<string, Set<string>>();
    for (const { table, link, mode } of writes) {
      const now = this.#read(table);
      if (link === undefined || mode === 'replace' || now === undefined) continue;
      const at = indexOf(now.columns, link.column);
      const { type = 'text' } = now.columns[at] ?? {};
      const links = new Set(Array.from(gone.get(table) ?? [], (text) => cellText(text, type)));
      if (link.file !== undefined)
        for await (const rows of linksIn(link.file)) for (const [text] of rows) links.add(cellText(String(text), type));
      if (links.size === 0) continue;
      const below = writes.flatMap((write) =>
        write.link?.parent === table ? [[write.table, linkIn(table, write.link.of, now.columns)] as const] : [],
      );
      const isKept = (cells: readonly Cell[]): boolean => {
        if (!links.has(String(cells[at] ?? ''))) return true;
        for (const [child, linkOf] of below) gone.set(child, (gone.get(child) ?? new Set()).add(linkOf(cells)));
        return false;
      };
      await this.#make(table, now.columns, filtered(now.rows(), isKept));
    }
  };

  readonly store = async (write: CellWrite): Promise<CountedRows> => {
    const { table, mode, keys, rows } = write;
    if (rows > 0) checkKeys(write);
    const old = this.#now(table);
    const isAdded = mode !== 'replace';
    if (isAdded && rows === 0) return unmatched(0);
    if (isAdded && old === undefined && this.#isInFolder(table))
      throw unknownFile(this.place.folder, fileOf(table, this.format), table);
    // A table that loses all of its rows keeps its columns.
    const columns = rows === 0 && old !== undefined ? old.columns : write.columns;
    if (columns.length === 0) return unmatched(0);
    if (isAdded && old !== undefined)
      await checkOldKey(table, keys, namesOf(old.columns), () => Promise.resolve(old.rows > 0));
    const merge = new Merge(write);
    await merge.learn();
    const rowsLeft = merge.rows(isAdded ? this.#read(table) : undefined);
    await this.#make(table, withEmpty(columns, write, isAdded ? old : undefined), rowsLeft);
    if (isAdded || old === undefined) return merge.counts;
    // Which of the keys of the replaced rows come again is not known.
    return keys.length === 0 ? unmatched(rows) : { stored: merge.counts.stored };
  };

  readonly prune = async ({ table, parent = '' }: CellWrite): Promise<void> => {
    const [lists, items] = [this.#read(table), this.#read(parent)];
    if (lists === undefined || items === undefined) return;
    const ids = new Set<Cell>();
    for await (const rows of items.rows())
      for (const cells of rows) ids.add(cells[indexOf(items.columns, ROW_ID)] ?? null);
    const at = indexOf(lists.columns, PARENT_ROW_ID);
    const left = filtered(lists.rows(), (cells) => ids.has(cells[at] ?? null));
    await this.#make(table, lists.columns, left);
  };

  #now(table: string): KeptTable | undefined {
    const made = this.#made.get(table);
    if (made !== undefined) return made;
    return this.#isInFolder(table) ? this.place.kept.get(table) : undefined;
  }

  #isInFolder(table: string): boolean {
    return existsSync(join(this.place.folder, fileOf(table, this.format)));
  }

  #read(table: string): TableRows | undefined {
    const now = this.#now(table);
    if (now === undefined) return undefined;
    const { folder, staging } = this.place;
    const path = join(this.#made.has(table) ? staging : folder, fileOf(table, this.format));
    const { columns, rows: wanted } = now;
    const read = (): AsyncIterable<CellRows> => this.format.read(path, columns);
    return {
      columns,
      rows: async function* () {
        let count = 0;
        for await (const some of read()) {
          count += some.length;
          yield some;
        }
        if (count === wanted) return;
        const message = `${JSON.stringify(path)} has ${count} rows, and ${wanted} were stored. Restore the file, or move it away.`;
        throw new FatalError('DESTINATION_DAMAGED', message, { table });
      },
    };
  }

  async #make(table: string, columns: readonly KnownColumn[], rows: AsyncIterable<CellRows>): Promise<void> {
    const path = join(this.place.staging, fileOf(table, this.format));
    const draft = `${path}.draft`;
    let [count, lastRow] = [0, 0];
    const id = indexOf(columns, ROW_ID);
    const counted = async function* (): AsyncGenerator<CellRows> {
      for await (const some of rows) {
        count += some.length;
        for (const cells of some) lastRow = Math.max(lastRow, Number(cells[id] ?? 0));
        yield some;
      }
    };
    await this.format.write(draft, columns, counted());
    await rename(draft, path);
    this.#made.set(table, { columns, rows: count, lastRow });
  }
}

function unknownFile(folder: string, file: string, table: string): FatalError {
  const message =
    `Rows cannot be added to ${JSON.stringify(join(folder, file))}: no run that ${JSON.stringify(TABLES)} beside it knows has made it. ` +
    'Move the file away, or restore that one.';
  return new FatalError('DESTINATION_INCOMPATIBLE', message, { table });
}

/** The rows of a table in a file. */
interface TableRows {
  readonly columns: readonly KnownColumn[];
  /** Returns the rows. It throws FatalError DESTINATION_DAMAGED where the file has another number of them than were stored. */
  readonly rows: () => AsyncIterable<CellRows>;
}

async function* filtered(
  rows: AsyncIterable<CellRows>,
  isKept: (cells: readonly Cell[]) => boolean,
): AsyncGenerator<CellRows> {
  for await (const some of rows) yield some.filter(isKept);
}

const indexOf = (columns: readonly Column[], name: string): number =>
  columns.findIndex((column) => column.name === name);

/** Returns a key as `String` writes its cell in a column of a type, so that both can be compared. */
const cellText = (text: string, type: ColumnType): string =>
  String((type === 'json' ? undefined : fittedCell(JSON.stringify(text), type)) ?? text);

/** Returns a function that returns the link value of the child rows of a row. */
function linkIn(table: string, of: readonly string[], columns: readonly Column[]): (cells: readonly Cell[]) => string {
  const parts = of.map((name) => ({ name, at: indexOf(columns, name) }));
  const isOne = parts.length === 1;
  return (cells) => {
    const texts = parts.map(({ name, at }) => {
      const { type = 'text' } = columns[at] ?? {};
      if (!isOne && (type === 'double' || type === 'json' || isDecimal(type))) throw keyOfType(table, name, type);
      return !isOne && type === 'boolean' ? (cells[at] === true ? '1' : '') : String(cells[at] ?? '');
    });
    return texts.join(',');
  };
}

/** Returns columns that say which of them still have no value. */
const withEmpty = (
  columns: readonly Column[],
  { filled }: CellWrite,
  old: KeptTable | undefined,
): readonly KnownColumn[] =>
  columns.map(({ name, type }, at) => {
    const wasEmpty = old?.columns.find((column) => column.name === name)?.isEmpty ?? true;
    return { name, type, ...((filled[at] ?? 0) === 0 && wasEmpty ? { isEmpty: true } : {}) };
  });

/** Decides which rows of a run and of its table stay. */
class Merge {
  readonly #latest = new LatestRows();
  readonly #keys: readonly number[];
  readonly #compared: readonly number[];

  constructor(private readonly write: CellWrite) {
    const { columns, keys } = write;
    this.#keys = keys.map((name) => indexOf(columns, name));
    this.#compared = comparedColumns(write).map((name) => indexOf(columns, name));
  }

  /** What is counted of the rows once all of them were read. */
  get counts(): CountedRows {
    return this.#keys.length === 0 ? unmatched(this.write.rows) : this.#latest.counts;
  }

  async learn(): Promise<void> {
    if (this.#keys.length === 0) return;
    for await (const rows of this.write.pages())
      for (const cells of rows) this.#latest.add(digestOf(cells, this.#keys), digestOf(cells, this.#compared));
  }

  /** Returns the rows that stay, in the columns of the write: those of the table first. */
  async *rows(old: TableRows | undefined): AsyncGenerator<CellRows> {
    const { columns } = this.write;
    if (old !== undefined) {
      const from = columns.map(({ name }) => indexOf(old.columns, name));
      const wide = (cells: readonly Cell[]): readonly Cell[] =>
        columns.map(({ type }, at) => {
          const place = from[at] ?? -1;
          const had = old.columns[place];
          return had === undefined ? null : convertedCell(cells[place] ?? null, had.type, type);
        });
      const isKept = (cells: readonly Cell[]): boolean =>
        !this.#latest.replaces(digestOf(cells, this.#keys), () => digestOf(cells, this.#compared));
      for await (const rows of old.rows()) yield rows.map(wide).filter(isKept);
    }
    let at = 0;
    yield* filtered(this.write.pages(), () => !this.#latest.isReplaced(at++));
    if (at === this.write.rows) return;
    const message = `The table ${JSON.stringify(this.write.table)} got ${at} of ${this.write.rows} rows. Nothing was stored. This is a defect of Headwater: report it.`;
    throw new FatalError('SINK_FAILED', message);
  }
}

/** Returns a digest of cells; `undefined` if all of them are null, or there are none. */
function digestOf(cells: readonly Cell[], places: readonly number[]): string | undefined {
  const some = places.map((place) => cells[place] ?? null);
  return some.every((cell) => cell === null) ? undefined : hash('sha1', stringifyJson(some), 'base64');
}

/** The file beside the tables that says of each what its file need not say. */
const TABLES = '.tables.json';

async function tablesIn(folder: string): Promise<ReadonlyMap<string, KeptTable>> {
  type Kept = { readonly tables: readonly (readonly [name: string, kept: KeptTable])[] };
  const found = checkedObject((await textOf(join(folder, TABLES))) ?? '') as Kept | undefined;
  return new Map(found?.tables ?? []);
}

const textOfTables = (tables: ReadonlyMap<string, KeptTable>): string =>
  checkedText({
    tables: Array.from(tables, ([name, { columns, ...kept }]) => [
      name,
      { ...kept, columns: columns.map((column) => ({ ...column })) },
    ]),
  });
