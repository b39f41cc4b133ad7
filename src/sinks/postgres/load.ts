/** Makes the columns of tables of PostgreSQL, and loads rows into them by COPY. */
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
import { checkKeys } from '../stores/merge';
import type { PostgresAddress } from './address';
import { columnName, tableName } from './names';
import { copyInto, copyWriter, unstorable } from './rows';
import type { CopyWriter } from './rows';
import { asServerError, isPassing, postgresFailure } from './session';
import {
  NUMERIC,
  alterTable,
  createTable,
  existingTable,
  knownColumns,
  layoutOf,
  unfilledColumn,
  withEmptyColumns,
} from './table';
import type { ExistingTable, TableColumn, TableLayout } from './table';
import { addPrimaryKey, fill, makeStaging, replacedCounts, tableFacts, upsert } from './upsert';
import type { KeyedTarget, OldRows, ReplacedRows } from './upsert';

/** What is loaded, and the destination. */
export interface Load {
  readonly client: Client;
  readonly address: PostgresAddress;
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

/** Returns a table in SQL. */
export const inSchema = ({ address }: Pick<Load, 'address'>, table: string): string =>
  `${quoted(address.schema)}.${quoted(tableName(table))}`;

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
      tables.push({ dataType, output, rows, kept, known: kept === undefined ? [] : knownColumns(kept) });
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

/** Returns the table that stays, if there is one: something that depends on it, such as views and rights, would be lost with it. */
async function keptTable(load: Load, name: string, isIncremental: boolean): Promise<ExistingTable | undefined> {
  const table = inSchema(load, name);
  const existing = await existingTable(load.client, table);
  if (existing === undefined) return undefined;
  if (isIncremental) return withEmptyColumns(load.client, table, existing);
  return existing.hasDependents ? existing : undefined;
}

/** @throws FatalError SINK_FAILED with the table, in the place of an error of the server */
async function inTable<T>({ address }: Load, name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (asServerError(error) === undefined || isPassing(error)) throw error;
    throw postgresFailure('SINK_FAILED', address, error, { table: tableName(name) });
  }
}

/** The table that rows are loaded into. */
interface Target extends Omit<KeyedTarget, 'emptied'> {
  /** True if the run makes it: for now without a primary key. */
  readonly isNew: boolean;
  /** True if it has no rows yet. */
  readonly isEmpty: boolean;
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
  const { rowsToCopy } = write;
  const name = tableName(write.table);
  const table = inSchema(load, write.table);
  const isIncremental = write.mode !== 'replace';
  const existing = await existingTable(client, table);
  const kept = rowsToCopy?.kept;
  /** The rows that the run takes the place of as a whole. */
  const replaced = isIncremental ? undefined : existing;
  const old: OldRows | undefined =
    replaced === undefined
      ? undefined
      : { table, columns: replaced.columns, isEmptied: kept !== undefined || rowsToCopy === undefined };
  const isKeyed = rowsToCopy !== undefined && write.keys.length > 0;
  const emptied = old?.isEmptied === true && !isKeyed ? await removeAll(client, table) : undefined;
  // Counting the rows of an old table may take long; a table that is shared with a user may have rows that are not visible here.
  const removed = replaced === undefined ? 0 : emptied;
  const isWhole = isIncremental ? existing === undefined : existing?.hasDependents !== true;
  if (rowsToCopy === undefined) {
    if (existing === undefined && !isIncremental && write.columns.length > 0)
      await createTable(client, table, write.columns.map(unfilledColumn));
    return { stored: { name, rows: 0, ...countsOf(unmatched(0), { removed, total: isWhole ? 0 : undefined }) } };
  }
  checkKeys(write);
  const { layout, met, optional } = rowsToCopy;
  const unique = shortHash(JSON.stringify([load.run, table]));
  const made = existing === undefined ? name : `headwater ${unique}`;
  const target: Target = {
    table: kept === undefined ? `${quoted(address.schema)}.${quoted(made)}` : table,
    columns: layout.columns,
    key: write.keys.map(columnName),
    isOfRun:
      met.added.some((added) => runColumn(added) !== undefined) ||
      (write.isLinked === true && met.keys.includes(ROW_ID)),
    isNew: kept === undefined,
    isEmpty: kept === undefined || !isIncremental,
  };
  const [before, now] = [typesOf(existing?.columns ?? []), typesOf(layout.columns)];
  if (kept === undefined) await createTable(client, target.table, layout.columns);
  else {
    if (isIncremental) {
      checkKeyTypes(name, target.key, kept.columns, layout.columns);
      const hasRows = async () => (await client.query(`SELECT FROM ${table} LIMIT 1`)).rows.length > 0;
      await checkOldKey(name, target.key, namesOf(kept.columns), hasRows);
    }
    if (load.part === undefined) warnOfSchemaChanges(name, before, now, load.warn);
    await alterTable(client, table, kept.columns, layout.columns);
  }
  const counted = await loadInto(load, write, target, { writer: copyWriter(layout, met, name), name, old });
  const { stored: rows } = counted;
  if (target.isNew && target.key.length > 0) await addPrimaryKey(client, target, `headwater ${unique} key`);
  if (existing !== undefined && kept === undefined) {
    await client.query(`DROP TABLE ${table}`);
    await client.query(`ALTER TABLE ${target.table} RENAME TO ${quoted(name)}`);
  }
  const ofLoad = layout.columns[layout.columnOfExtra(LOAD_ID) ?? -1]?.name;
  const changes = existing === undefined ? [] : schemaChanges(before, now);
  return {
    stored: {
      name,
      ...rowsOfRun(rows, write.rows),
      ...countsOf(counted, { removed: counted.removed ?? removed, total: isWhole ? rows : undefined }),
      ...(changes.length === 0 ? {} : { changes }),
    },
    loaded: {
      ...{ name: write.table, rows, awaited: layout.awaited, nested: optional, before, now },
      ...(write.parent === undefined ? {} : { parent: write.parent }),
      ...(ofLoad === undefined ? {} : { column: ofLoad }),
    },
  };
}

const typesOf = (columns: readonly TableColumn[]): NamedTypes =>
  columns.map(({ name, sqlType, cause }) => [name, sqlType, cause]);

/** How the rows of a table are written. */
interface Loading {
  readonly writer: CopyWriter;
  readonly name: string;
  /** The rows that are replaced as a whole; absent: there are none. */
  readonly old: OldRows | undefined;
}

/** Loads the rows of all pages, and counts them. */
async function loadInto(
  load: Load,
  write: CopyWrite,
  { table, columns, key, isOfRun, isNew, isEmpty }: Target,
  { writer, name, old }: Loading,
): Promise<ReplacedRows> {
  const { client } = load;
  const chosen = writer.places.flatMap((place) => columns[place] ?? []);
  const into = (target: string): string => `${target} (${chosen.map((column) => quoted(column.name)).join(', ')})`;
  if (key.length === 0) {
    const stored = await copyPages(load, write, into(table), writer, name);
    return isNew || (await tableFacts(client, table)).isOrdinary ? unmatched(stored) : { stored };
  }
  const filledNames = chosen.map((column) => column.name);
  const emptied = columns.flatMap((column) =>
    column.isGenerated === true || [...key, ...filledNames].includes(column.name) ? [] : [column],
  );
  const target: KeyedTarget = { table, columns: chosen, emptied, key, isOfRun };
  const staging = await makeStaging(client, target);
  await copyPages(load, write, into(staging.table), writer, name);
  if (!isEmpty) return upsert(client, target, staging);
  const replaced = old === undefined ? undefined : await replacedCounts(client, target, staging, old);
  if (old?.isEmptied === true) await removeAll(client, old.table);
  const counted = await fill(client, target, staging);
  return replaced ?? counted;
}

/** Removes all rows of a table, and returns how many; `undefined`: unknown. */
const removeAll = async (client: Client, table: string): Promise<number | undefined> =>
  (await client.query(`DELETE FROM ${table}`)).rowCount ?? undefined;

/** The characters of lines that are copied at once. */
const CHARACTERS_AT_ONCE = 1_000_000;

async function copyPages(
  { client, address, part }: Load,
  { table: dataType, rowsToCopy }: CopyWrite,
  into: string,
  writer: CopyWriter,
  table: string,
): Promise<number> {
  const first = part?.before(dataType) ?? 0;
  let [rows, copied, lines] = [0, 0, ''];
  const refused: Parameters<CopyWriter['lines']>[1] = (index, cause) =>
    unstorable(address.name, table, first + rows + index + 1, cause);
  const copy = async (): Promise<void> => {
    try {
      if (lines !== '') await copyInto(client, into, lines);
    } catch (error) {
      if (asServerError(error) === undefined || isPassing(error)) throw error;
      throw postgresFailure('SINK_FAILED', address, error, { table, rowsBefore: first + copied });
    }
    [copied, lines] = [rows, ''];
  };
  for await (const page of rowsToCopy?.pages() ?? []) {
    lines += writer.lines(page, refused);
    rows += page.count;
    if (lines.length >= CHARACTERS_AT_ONCE) await copy();
  }
  await copy();
  return rows;
}
