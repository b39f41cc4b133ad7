import { quoted } from '../../core/json/sql-name';
import type { Client } from 'pg';
import type { Stored } from '../../core/durable-sink';
import { shortHash } from '../../core/json/sql-name';
import type { Warn } from '../../language/parts/sink';
import type { OutputPlan } from '../../plan/plan';
import { ROW_ID } from '../../tables/linked/places';
import { LOAD_ID, addedColumns, runColumn } from '../../tables/run-columns';
import { checkKeyTypes, checkOldKey, namesOf, schemaChanges, warnOfSchemaChanges } from '../../tables/schema/changes';
import type { NamedTypes } from '../../tables/schema/changes';
import { warnOfAlikeKeys } from '../../tables/schema/column-names';
import type { AlikeKeys, ColumnLimit, ColumnNames } from '../../tables/schema/column-names';
import type { ChosenTypes } from '../../tables/schema/column-type';
import { createSchema } from '../../tables/schema/schema';
import { addsRows, keyNotFound, keyPlaceOf } from '../../tables/table';
import { rowsOfRun, countsOf, unmatched } from '../row-counts';
import type { PostgresAddress } from './address';
import { columnName, tableName } from './names';
import type { FilledTable, LoadedPages, PageOfLines } from './pages';
import { UnstorableRowError, copyInto, copyWriter, itemsOf, keysOfItem, unstorable } from './rows';
import type { CopyWriter, SeenColumns } from './rows';
import { asServerError, isPassing, postgresFailure } from './session';
import { NUMERIC, alterTable, createTable, existingTable, knownColumns, layoutOf, withEmptyColumns } from './table';
import type { ExistingTable, TableColumn, TableLayout } from './table';
import { addPrimaryKey, fill, makeStaging, replacedCounts, tableFacts, upsert } from './upsert';
import type { KeyedTarget, OldRows, ReplacedRows } from './upsert';

/** What is loaded, and the destination. */
export interface Load {
  readonly client: Client;
  readonly address: PostgresAddress;
  readonly outputs: readonly OutputPlan[];
  /** The id of the run. */
  readonly run: string;
  /** Is called with columns that change. */
  readonly warn?: Warn;
  /** Returns how many rows of the run a table already has; absent: none. */
  readonly before?: (table: string) => number;
  /** Is called with each existing table whose rows are replaced, in SQL, and the number of its rows; absent: they are not counted. */
  readonly replacing?: (name: string, table: string, rows: number) => void;
  /** Is called with each table that rows are loaded into. */
  readonly onLoaded?: (table: LoadedTable) => void;
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

/** The table that rows are loaded into. */
interface Target extends Omit<KeyedTarget, 'emptied'> {
  /** True if the run makes it: for now without a primary key. */
  readonly isNew: boolean;
  /** True if it has no rows yet. */
  readonly isEmpty: boolean;
}

/**
 * Loads the pages of one table inside a transaction. A full load makes the table again beside the old one and swaps them; if something that
 * depends on the old one would be lost with it, such as views and rights, only its rows are replaced. An incremental load adds rows, or
 * replaces those with the same primary key.
 *
 * @throws FatalError SINK_FAILED which names the table, and the row if PostgreSQL does
 * @example await loadTable(load, { dataType: 'user', runs: [0], groups }) // { name: 'user', rows: 2 }
 */
export async function loadTable(load: Load, filled: FilledPages): Promise<Stored> {
  const name = tableName(filled.dataType);
  try {
    return { name, ...(await loadRows(load, filled, name)) };
  } catch (error) {
    if (asServerError(error) === undefined || isPassing(error)) throw error;
    throw postgresFailure('SINK_FAILED', load.address, error, { table: name });
  }
}

async function loadRows(load: Load, filled: FilledPages, name: string): Promise<Omit<Stored, 'name'>> {
  const { client, address, outputs } = load;
  const table = `${quoted(address.schema)}.${quoted(name)}`;
  const plans = filled.runs.flatMap((run) => outputs[run] ?? []);
  const isIncremental = plans.every((plan) => addsRows(plan, filled.dataType));
  const found = await existingTable(client, table);
  const existing = found !== undefined && isIncremental ? await withEmptyColumns(client, table, found) : found;
  const kept = isIncremental || existing?.hasDependents === true ? existing : undefined;
  const learned = await learn(filled, kept, mostOf(plans), load.onLoaded !== undefined);
  const { layout } = learned;
  if (load.onLoaded === undefined) warnOfAlikeKeys(name, filled.alike ?? learned.alike, load.warn);
  const key = keyOf(plans, filled.dataType, learned, name);
  /** The rows that the run takes the place of as a whole. */
  const replaced = isIncremental ? undefined : existing;
  if (replaced !== undefined && load.replacing !== undefined) load.replacing(name, table, await countOf(client, table));
  const old: OldRows | undefined =
    replaced === undefined
      ? undefined
      : { table, columns: replaced.columns, isEmptied: kept !== undefined || learned.rows === 0 };
  const isKeyed = learned.rows > 0 && key.length > 0;
  const emptied = old?.isEmptied === true && !isKeyed ? await removeAll(client, table) : undefined;
  // Counting the rows of an old table may take long; a table that is shared with a user may have rows that are not visible here.
  const removed = replaced === undefined ? 0 : emptied;
  const isWhole = isIncremental ? existing === undefined : existing?.hasDependents !== true;
  if (learned.rows === 0) {
    if (existing === undefined && !isIncremental && filled.declared !== undefined)
      await createTable(client, table, layout.columns);
    return { rows: 0, ...countsOf(unmatched(0), { removed, total: isWhole ? 0 : undefined }) };
  }
  const unique = shortHash(JSON.stringify([load.run, table]));
  const made = existing === undefined ? name : `headwater ${unique}`;
  const target: Target = {
    table: kept === undefined ? `${quoted(address.schema)}.${quoted(made)}` : table,
    columns: layout.columns,
    key,
    ofRun: columnsOfRun(learned, filled),
    isNew: kept === undefined,
    isEmpty: kept === undefined || !isIncremental,
  };
  if (kept === undefined) await createTable(client, target.table, layout.columns);
  else {
    if (isIncremental) {
      checkKeyTypes(name, target.key, kept.columns, layout.columns);
      const hasRows = async () => (await client.query(`SELECT FROM ${table} LIMIT 1`)).rows.length > 0;
      await checkOldKey(name, target.key, namesOf(kept.columns), hasRows);
    }
    if (load.onLoaded === undefined)
      warnOfSchemaChanges(name, typesOf(kept.columns), typesOf(layout.columns), load.warn);
    await alterTable(client, table, kept.columns, layout.columns);
  }
  const stored = await loadInto(load, filled, target, { writer: copyWriter(layout, learned.seen, name), name, old });
  const { stored: rows } = stored;
  if (target.isNew && target.key.length > 0) await addPrimaryKey(client, target, `headwater ${unique} key`);
  const ofLoad = layout.columns[layout.columnOfExtra(LOAD_ID) ?? -1]?.name;
  load.onLoaded?.({
    ...{ name: filled.dataType, rows, awaited: layout.awaited, nested: (filled.nested ?? []).map(columnName) },
    ...{ before: typesOf(existing?.columns ?? []), now: typesOf(layout.columns) },
    ...(filled.parent === undefined ? {} : { parent: filled.parent }),
    ...(ofLoad === undefined ? {} : { column: ofLoad }),
  });
  const counts = {
    ...rowsOfRun(rows, learned.rows),
    ...countsOf(stored, { removed: stored.removed ?? removed, total: isWhole ? rows : undefined }),
  };
  if (existing === undefined) return counts;
  const changes = schemaChanges(typesOf(existing.columns), typesOf(layout.columns));
  const all = { ...counts, ...(changes.length === 0 ? {} : { changes }) };
  if (kept !== undefined) return all;
  await client.query(`DROP TABLE ${table}`);
  await client.query(`ALTER TABLE ${target.table} RENAME TO ${quoted(name)}`);
  return all;
}

/** @param table the table in SQL */
export async function countOf(client: Client, table: string): Promise<number> {
  const { rows } = await client.query<{ rows: string }>(`SELECT count(*) AS rows FROM ${table}`);
  return Number(rows[0]?.rows);
}

const typesOf = (columns: readonly TableColumn[]): NamedTypes =>
  columns.map(({ name, sqlType, cause }) => [name, sqlType, cause]);

/** Returns the names of the columns whose values differ in each run. */
function columnsOfRun({ layout, seen }: Learned, { nested }: FilledPages): readonly string[] {
  const ofRun = [...seen.extras].filter((name) => runColumn(name) !== undefined).map(layout.columnOfExtra);
  // The tables of lists lead to the rows of linked tables by their ids.
  const places = nested === undefined ? ofRun : [...ofRun, layout.columnOf(ROW_ID)];
  return places.flatMap((place) => layout.columns[place ?? -1]?.name ?? []);
}

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
  filled: FilledPages,
  { table, columns, key, ofRun, isNew, isEmpty }: Target,
  { writer, name, old }: Loading,
): Promise<ReplacedRows> {
  const { client } = load;
  const chosen = writer.places.flatMap((place) => columns[place] ?? []);
  const into = (target: string): string => `${target} (${chosen.map((column) => quoted(column.name)).join(', ')})`;
  if (key.length === 0) {
    const stored = await copyPages(load, filled, into(table), writer, name);
    return isNew || (await tableFacts(client, table)).isOrdinary ? unmatched(stored) : { stored };
  }
  const filledNames = chosen.map((column) => column.name);
  const emptied = columns.flatMap((column) =>
    column.isGenerated === true || [...key, ...filledNames].includes(column.name) ? [] : [column],
  );
  const target: KeyedTarget = { table, columns: chosen, emptied, key, ofRun };
  const staging = await makeStaging(client, target);
  await copyPages(load, filled, into(staging.table), writer, name);
  if (!isEmpty) return upsert(client, target, staging);
  const replaced = old === undefined ? undefined : await replacedCounts(client, target, staging, old);
  if (old?.isEmptied === true) await removeAll(client, old.table);
  const counted = await fill(client, target, staging);
  return replaced ?? counted;
}

/** Removes all rows of a table, and returns how many; `undefined`: unknown. */
const removeAll = async (client: Client, table: string): Promise<number | undefined> =>
  (await client.query(`DELETE FROM ${table}`)).rowCount ?? undefined;

async function copyPages(
  { client, address, before: rowsBefore }: Load,
  { groups, dataType }: FilledPages,
  into: string,
  writer: CopyWriter,
  table: string,
): Promise<number> {
  const first = rowsBefore?.(dataType) ?? 0;
  let rows = 0;
  for await (const pages of groups()) {
    const before = first + rows;
    const linesOf = (page: PageOfLines): string => {
      try {
        return writer.lines(page);
      } catch (error) {
        if (!(error instanceof UnstorableRowError)) throw error;
        throw unstorable(address.name, table, first + rows + error.index + 1, error.reason);
      } finally {
        rows += page.count;
      }
    };
    const lines = pages.map(linesOf).join('');
    try {
      if (lines !== '') await copyInto(client, into, lines);
    } catch (error) {
      if (asServerError(error) === undefined || isPassing(error)) throw error;
      throw postgresFailure('SINK_FAILED', address, error, { table, rowsBefore: before });
    }
  }
  return rows;
}

/** Returns the limit of a table: runs that share it share the highest of their limits. */
const mostOf = (plans: readonly OutputPlan[]): number =>
  Math.max(1, ...plans.map(({ maxColumns = Infinity }) => maxColumns));

/** Returns the columns of the primary key in the database; none where there are no rows. */
function keyOf(
  plans: readonly OutputPlan[],
  dataType: string,
  { layout: { columns, columnOfField }, rows }: Learned,
  table: string,
): readonly string[] {
  if (rows === 0) return [];
  const keyed = plans.filter(({ primaryKeys }) => primaryKeys?.has(dataType) === true);
  const keyPlace = keyPlaceOf(keyed[0] ?? {}, dataType);
  return [...new Set(keyed.flatMap(({ primaryKeys }) => primaryKeys?.get(dataType) ?? []))].map((field) => {
    const column = columns[columnOfField(field, keyPlace) ?? -1];
    if (column !== undefined) return column.name;
    throw keyNotFound(field, { table, columns: columns.map((each) => each.name), place: keyPlace });
  });
}

/** The maximum number of columns of a table of PostgreSQL. */
const MOST_COLUMNS = 1600;

/** The columns of a table, learned from its items. */
export interface Learned {
  readonly layout: TableLayout;
  readonly seen: SeenColumns;
  /** The keys that a reader may take for one another. */
  readonly alike: readonly AlikeKeys[];
  readonly rows: number;
}

/** A table with its pages. */
export interface FilledPages extends FilledTable {
  /** Returns the pages in their order, as many at a time as memory may hold; they can be read several times. */
  readonly groups: () => AsyncIterable<readonly PageOfLines[]>;
  /** The parent table; absent: it is a table of items. */
  readonly parent?: string;
  /** Columns whose values are all null; absent: items have a null there. */
  readonly empty?: readonly string[];
  /** Columns that are created only if they have values; absent: none. */
  readonly nested?: readonly string[];
  /** Columns that are created in any case, in this order, and make the table even without rows. */
  readonly declared?: readonly string[];
  /** The column types of the configuration; absent: none. */
  readonly types?: ChosenTypes;
  /** The members that columns belong to since earlier runs; absent: unknown. */
  readonly names?: ColumnNames;
  /** Is called with the members that columns belong to now, if there are rows. */
  readonly named?: (names: Required<ColumnNames>) => void;
  /** The members that a reader may take for one another; absent: those are among the keys of its rows. */
  readonly alike?: readonly AlikeKeys[];
  /** Is called with keys of a chosen type that no item has. */
  readonly unmet?: (key: string) => void;
}

/**
 * Reads all pages of a table for its columns.
 *
 * @param kept the table that the rows are added to, if it exists
 * @param most the maximum number of columns
 * @param isOfSome whether they are some pages of a run: columns without values are left out
 * @throws FatalError TABLE_COLUMNS
 * @example (await learn(filled, undefined)).layout.columns // [{ name: 'id', … }]
 */
async function learn(
  { dataType, groups, empty = [], declared = [], types, names, named, unmet }: FilledPages,
  kept: ExistingTable | undefined,
  most = Infinity,
  isOfSome = false,
): Promise<Learned> {
  const known = kept === undefined ? [] : knownColumns(kept);
  const schema = createSchema(known, limitOf(dataType, most), NUMERIC, types, names);
  const seen: SeenColumns = { keys: new Set(), extras: new Set() };
  let rows = 0;
  for (const name of declared) schema.columnFor(name);
  for await (const pages of groups())
    for (const page of pages) {
      const items = itemsOf(page);
      const added = addedColumns(page);
      schema.see(items, added);
      for (const item of items) for (const key of keysOfItem(item)) seen.keys.add(key);
      if (items.length > 0) for (const name of added.keys()) seen.extras.add(name);
      rows += items.length;
    }
  if (rows > 0) for (const key of types?.keys() ?? []) if (!seen.keys.has(key)) unmet?.(key);
  if (rows > 0) for (const name of empty) schema.columnFor(name);
  const layout = layoutOf(schema, kept?.columns, isOfSome);
  if (rows > 0) named?.(schema.names());
  return { layout, seen, alike: schema.alike(), rows };
}

const limitOf = (table: string, most: number): ColumnLimit =>
  most <= MOST_COLUMNS ? { table, most } : { table, most: MOST_COLUMNS, remedy: 'PostgreSQL takes no more of them.' };

/** Returns the pages of a table in their order, as many at a time as memory may hold. */
export async function* pageGroupsOf(
  client: Client,
  journal: LoadedPages,
  dataType: string,
): AsyncGenerator<readonly PageOfLines[]> {
  let pages = await journal.pagesAfter(client, dataType, -1);
  while (pages.length > 0) {
    yield pages.map(({ page }) => page);
    pages = await journal.pagesAfter(client, dataType, pages.at(-1)?.seq ?? Infinity);
  }
}
