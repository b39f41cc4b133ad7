/** Makes the columns of tables of PostgreSQL, and loads rows into them by COPY. */
import { defined } from '../../core/json/objects';
import { quoted, shortHash } from '../../core/json/sql-name';
import type { Client } from 'pg';
import type { Stored } from '../../core/durable-sink';
import type { Warn } from '../../language/parts/sink';
import type { OutputPlan } from '../../plan/plan';
import { ROW_ID } from '../../tables/linked/places';
import { LOAD_ID, runColumn } from '../../tables/run-columns';
import { checkKeyTypes, checkOldKey, namesOf, schemaChanges, warnOfSchemaChanges } from '../../tables/schema/changes';
import type { NamedTypes } from '../../tables/schema/changes';
import type { MetColumns } from '../../tables/schema/schema';
import { freeName, isAmong } from '../../tables/names';
import { addsRows } from '../../tables/table';
import type { Publication } from '../durable';
import type { PageOfItems } from '../journal/journal';
import { learnTables } from '../loading/learn';
import type { FlatLoader } from '../loading/load';
import { writeOf } from '../loading/load-flat';
import type { TableWrite } from '../loading/load-flat';
import { extentsOf } from '../loading/survey';
import type { TableLines } from '../loading/survey';
import { rowsOfRun, countsOf, unmatched } from '../row-counts';
import { columnName, tableName } from './names';
import { CopyWriter, copyInto } from './rows';
import { asServerError, isPassing, postgresFailure } from './session';
import { NUMERIC, alterTable, createTable, existingTable, inSchema, keptTable, layoutOf, standOf } from './table';
import { typesOf, unfilledColumn } from './table';
import type { ExistingTable, TableLayout, TablesPlace } from './table';
import { checkKeys, listOf } from '../stores/merge';
import { STAGING, makeStaging, moveInto, replacedCounts, upsert } from './upsert';
import type { KeyedTarget, ReplacedRows } from './upsert';

/** What is loaded, and the destination. */
export interface Load extends TablesPlace {
  /** The id of the run. */
  readonly run: string;
  /** Is called with columns that change. */
  readonly warn?: Warn | undefined;
  readonly checkRows?: Publication['checkRows'];
  /** The pages are some of a run that only adds rows; absent: they are all. */
  readonly part?: {
    /** Returns how many rows of the run a table already has. */
    readonly before: (table: string) => number;
  };
}

/** What a run writes to one table, by COPY. */
export interface CopyWrite extends TableWrite {
  /** Its rows; absent: there are none. */
  readonly rowsToCopy?: {
    readonly pages: () => AsyncIterable<PageOfItems>;
    readonly met: MetColumns;
    readonly layout: TableLayout;
    /** The table that stays: rows are added to it, or take the place of its rows; absent: it is made. */
    readonly kept: ExistingTable | undefined;
    /** The columns that earlier pages may await, and that are created only if they have values. */
    readonly optional: readonly string[];
  };
}

/** A table that rows were loaded into. */
export interface LoadedTable {
  readonly name: string;
  /** The parent table; absent: it is a table of items. */
  readonly parent?: string;
  /** The column with the id of the load, if there is one. */
  readonly column?: string;
  readonly rows: number;
  /** The columns of the table before; empty: it did not exist. */
  readonly before: NamedTypes;
  readonly now: NamedTypes;
  /** The names of columns that do not exist yet, since all of their values are null. */
  readonly awaited: readonly string[];
  /** The names of columns that earlier pages may await, and that are created only if they have values. */
  readonly nested: readonly string[];
}

/** The rows of a table after a load. */
export interface StoredTable {
  readonly stored: Stored;
  /** Absent: no rows came. */
  readonly loaded?: LoadedTable;
}

/** The maximum number of columns of a table of PostgreSQL. */
export const MOST_COLUMNS = 1600;

interface CopiedTable extends Pick<TableLines, 'dataType' | 'output' | 'rows' | 'known'> {
  readonly kept: ExistingTable | undefined;
}

/** Learns the columns of tables, for rows that are copied. */
export const byCopy = (load: Load): FlatLoader<CopyWrite> => ({
  load: async ({ empty = () => [], ...options }, store) => {
    const tables: CopiedTable[] = [];
    for (const [dataType, { first, rows }] of extentsOf(options.places(), (place) => place.dataType)) {
      const output = options.outputs[first.run] as OutputPlan;
      const kept = await inTable(load, dataType, () => keptTable(load, dataType, addsRows(output, dataType)));
      tables.push({ dataType, output, rows, kept, known: kept?.columns ?? [] });
    }
    const learned = await learnTables({ ...options, decimals: NUMERIC }, tables);
    // Columns that no item has keep the defaults that a user gave them.
    const met = new Map(Array.from(learned, ([dataType, { schema }]) => [dataType, schema.met()]));
    for (const [dataType, { schema }] of learned) for (const name of empty(dataType)) schema.columnFor(name);
    options.check(learned);
    const writes = tables.flatMap((table): CopyWrite[] => {
      const { dataType, rows, kept } = table;
      const [schema, seen] = [learned.get(dataType)?.schema, met.get(dataType)];
      if (schema === undefined || seen === undefined) return [];
      if (rows === 0) return [writeOf(table, schema)];
      const layout = layoutOf(schema, kept?.columns, load.part !== undefined);
      const pages = (): AsyncIterable<PageOfItems> => options.pages((place) => place.dataType === dataType);
      const optional = options.optional(dataType).map(columnName);
      return [{ ...writeOf(table, schema), rowsToCopy: { pages, met: seen, layout, kept, optional } }];
    });
    return store(writes);
  },
  withoutRows: (write) => write,
});

/**
 * @param rowsBefore the rows of the table before those that are loaded
 * @throws FatalError SINK_FAILED with the table, in the place of an error of the server
 */
async function inTable<T>({ address }: Load, name: string, work: () => Promise<T>, rowsBefore?: number): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (asServerError(error) === undefined || isPassing(error)) throw error;
    throw postgresFailure('SINK_FAILED', address, error, { table: tableName(name), ...defined({ rowsBefore }) });
  }
}

/**
 * Loads the rows of one table inside a transaction. A full load makes the table again beside the old one and swaps them; if something that
 * depends on the old one would be lost with it, only its rows are replaced. An incremental load adds rows, or replaces those with the same
 * primary key.
 *
 * @throws FatalError SINK_FAILED which names the table, and the row if PostgreSQL does
 * @example (await storeTable(load, write)).stored // { name: 'user', rows: 2 }
 */
export const storeTable = (load: Load, write: CopyWrite): Promise<StoredTable> =>
  inTable(load, write.table, () => storeRows(load, write));

async function storeRows(load: Load, write: CopyWrite): Promise<StoredTable> {
  const { client, address } = load;
  const { rowsToCopy, rows: arrived } = write;
  const name = tableName(write.table);
  const table = inSchema(load, write.table);
  const isIncremental = write.mode !== 'replace';
  const existing = await existingTable(load, write.table);
  const kept = rowsToCopy?.kept;
  const key = rowsToCopy === undefined ? [] : write.keys.map(columnName);
  /** True if the rows of the run take the place of all rows of a table that stays. */
  const isEmptied = existing !== undefined && !isIncremental && (kept !== undefined || rowsToCopy === undefined);
  const emptied = isEmptied && key.length === 0 ? await removeAll(client, table) : undefined;
  // Counting the rows of an old table may take long; a table that is shared with a user may have rows that are not visible here.
  const removed = isIncremental || existing === undefined ? 0 : emptied;
  const isWhole = isIncremental ? existing === undefined : existing?.hasDependents !== true;
  const countedAs = (counted: ReplacedRows): Stored => ({
    ...{ name, ...rowsOfRun(counted.stored, arrived) },
    ...countsOf(counted, { removed: counted.removed ?? removed, total: isWhole ? counted.stored : undefined }),
  });
  if (rowsToCopy === undefined) {
    if (existing === undefined && !isIncremental && write.columns.length > 0)
      await createTable(client, table, write.columns.map(unfilledColumn));
    return { stored: countedAs(unmatched(0)) };
  }
  checkKeys(write);
  const { layout, met, optional } = rowsToCopy;
  const { columns } = layout;
  const unique = shortHash(JSON.stringify([load.run, table]));
  const made = `${quoted(address.schema)}.${quoted(existing === undefined ? name : `headwater ${unique}`)}`;
  const [before, now] = [typesOf(existing?.columns ?? []), typesOf(columns)];
  // It is made without a primary key for now.
  if (kept === undefined) await createTable(client, made, columns);
  else {
    if (isIncremental) {
      checkKeyTypes(name, key, kept.columns, columns);
      const hasRows = async (): Promise<boolean> => (await standOf(load, write.table)) === 'filled';
      await checkOldKey(name, key, namesOf(kept.columns), hasRows);
    }
    if (load.part === undefined) warnOfSchemaChanges(name, before, now, load.warn);
    await alterTable(client, table, kept.columns, columns);
  }
  const writer = new CopyWriter(layout, met, { name: address.name, table: name });
  const { filled } = writer;
  const copyTo = (into: string): Promise<number> =>
    copyPages(load, write, `${into} (${listOf(namesOf(filled))})`, writer);
  const target: KeyedTarget = {
    ...{ table: kept === undefined ? made : table, columns: filled, key },
    emptied: columns.filter(
      (column) => column.isGenerated !== true && ![...key, ...namesOf(filled)].includes(column.name),
    ),
    isOfRun:
      met.added.some((added) => runColumn(added) !== undefined) ||
      (write.isLinked === true && met.keys.includes(ROW_ID)),
    row: freeName('row', isAmong(namesOf(filled))),
  };
  const storeKeyed = async (): Promise<ReplacedRows> => {
    await makeStaging(client, target);
    await copyTo(STAGING);
    if (kept !== undefined && isIncremental) return upsert(client, target, kept);
    const old = isIncremental ? undefined : existing;
    const replaced = old && (await replacedCounts(client, target, table, old));
    if (isEmptied) await removeAll(client, table);
    const stored = await moveInto(client, target);
    return replaced ?? stored;
  };
  const storeOthers = async (): Promise<ReplacedRows> => {
    const stored = await copyTo(target.table);
    return kept?.isOrdinary !== false ? unmatched(stored) : { stored };
  };
  const counted = key.length === 0 ? await storeOthers() : await storeKeyed();
  if (kept === undefined && key.length > 0)
    await client.query(
      `ALTER TABLE ${made} ADD CONSTRAINT ${quoted(`headwater ${unique} key`)} PRIMARY KEY (${listOf(key)})`,
    );
  if (existing !== undefined && kept === undefined) {
    await client.query(`DROP TABLE ${table}`);
    await client.query(`ALTER TABLE ${made} RENAME TO ${quoted(name)}`);
  }
  const ofLoad = columns[layout.columnOfExtra(LOAD_ID) ?? -1]?.name;
  const changes = existing === undefined ? [] : schemaChanges(before, now);
  return {
    stored: { ...countedAs(counted), ...(changes.length === 0 ? {} : { changes }) },
    loaded: {
      ...{ name: write.table, rows: counted.stored, awaited: layout.awaited, nested: optional, before, now },
      ...defined({ parent: write.parent, column: ofLoad }),
    },
  };
}

/** Removes all rows of a table, and returns how many; `undefined`: unknown. */
const removeAll = async (client: Client, table: string): Promise<number | undefined> =>
  (await client.query(`DELETE FROM ${table}`)).rowCount ?? undefined;

/** The bytes of lines that are copied at once. */
const BYTES_AT_ONCE = 1_000_000;

async function copyPages(load: Load, write: CopyWrite, into: string, writer: CopyWriter): Promise<number> {
  const first = load.part?.before(write.table) ?? 0;
  const { lines } = writer;
  let [rows, copied] = [0, 0];
  const copy = async (): Promise<void> => {
    if (lines.length > 0)
      await inTable(load, write.table, () => copyInto(load.client, into, lines.bytes), first + copied);
    copied = rows;
    lines.backTo(0);
  };
  for await (const page of write.rowsToCopy?.pages() ?? []) {
    writer.add(page, first + rows);
    rows += page.count;
    if (lines.length >= BYTES_AT_ONCE) await copy();
  }
  await copy();
  return rows;
}
