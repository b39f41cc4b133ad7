import { quoted } from '../../core/json/sql-name';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from 'pg';
import type { Stored } from '../../core/durable-sink';
import { entriesOf } from '../../core/json/objects';
import type { JsonObject } from '../../core/model';
import type { ChosenColumn } from '../../language/parts/sink';
import { PARENT_ROW_ID, ROW_ID } from '../../tables/linked/places';
import type { ColumnNames } from '../../tables/schema/column-names';
import { chosenFlat, isDecimal, warnOfUnmet } from '../../tables/schema/column-type';
import type { ColumnType } from '../../tables/schema/column-type';
import { timeTypeOf } from '../../tables/schema/time-type';
import { addsAnyRows, addsRows, withRoots } from '../../tables/table';
import { objectIn } from '../files/checksum';
import type { PlaceOfItems } from '../journal/journal';
import { pagesAt } from '../journal/reader';
import { splitItems } from '../loading/linked-items';
import type { Relative } from '../loading/linked-items';
import { LINK, keyOfType, mapItems, sharedTable } from '../loading/mapped-items';
import type { ItemsOfRun, MapOptions, MappedItems, MappedTableOfRun } from '../loading/mapped-items';
import { runOf } from '../loading/split-rows';
import { uncounted, withRemoved, withoutLost } from '../row-counts';
import { isSplit, namesIn, withMappedNames, withNames } from '../state';
import type { ListTable } from '../state';
import { loadTable, pageGroupsOf } from './load';
import type { Load } from './load';
import { columnName, lockOf, tableName } from './names';
import type { FilledTable, LoadedPages, PageOfLines } from './pages';
import { copyInto, copyLine } from './rows';
import { existingTable, isForeign } from './table';

/** The result for the loaded pages. */
export interface LoadedRun {
  readonly stored: readonly Stored[];
  /** The structure of the tables for later runs. */
  readonly structure: JsonObject;
  readonly lists: readonly ListTable[];
}

/** The options for making tables of items. */
export interface Tabling extends Load, Pick<MapOptions, 'startedAt' | 'warn'> {
  readonly isLinked: (dataType: string) => boolean;
  /** Tables without a page whose rows the run replaces all the same. */
  readonly unfed: readonly string[];
  /** True if the pages are some of a run that only adds rows: the rows of a row's lists then exist as long as the row does. */
  readonly isVisible?: true;
  /** Is called with chosen types that no item has; default: `warn` is called. */
  readonly unmet?: (columns: readonly ChosenColumn[]) => void;
}

/**
 * Loads all tables of a run inside a transaction. Items with a mapping are mapped; others with objects or lists are split into linked
 * tables first.
 *
 * @param structure the structure of tables from earlier runs
 * @throws FatalError as {@link loadTable}
 */
export async function loadTables(load: Tabling, journal: LoadedPages, structure: JsonObject): Promise<LoadedRun> {
  const { client, outputs } = load;
  const fed = await journal.tables(client);
  const unfed = load.unfed.map((dataType) => ({ dataType, runs: [runOf(outputs, dataType)] }));
  const all = [...fed, ...unfed];
  await lockTables(
    load,
    all.map(({ dataType }) => dataType),
  );
  if (outputs.every(({ mappings }) => mappings === undefined)) return loadLinked(load, journal, all, structure);
  const folder = await mkdtemp(join(tmpdir(), 'headwater-postgres-'));
  try {
    const pages = (isWanted: (items: ItemsOfRun) => boolean) => pagesOf(client, journal, all, isWanted);
    const mapped = await mapItems({ ...load, pages, folder });
    const isMapped = (items: ItemsOfRun): boolean => mapped?.isMapped(items) === true;
    const names = new Set(mapped?.tables.map(({ name }) => name));
    const others = all.flatMap(({ dataType, runs }) => {
      const left = runs.filter((run) => !isMapped({ dataType, run }));
      if (left.length > 0 && names.has(dataType)) throw sharedTable(dataType);
      return left.length === 0 ? [] : [{ dataType, runs: left }];
    });
    const linked = await loadLinked(load, journal, others, withMappedNames(structure, names));
    const { stored, lists } = await loadMapped(load, mapped);
    return { ...linked, stored: [...linked.stored, ...stored], lists: [...linked.lists, ...lists] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function loadMapped(load: Load, mapped?: MappedItems): Promise<Pick<LoadedRun, 'stored' | 'lists'>> {
  if (mapped === undefined) return { stored: [], lists: [] };
  const gone = await removeGone(load.client, mapped.tables, (table) => inSchema(load, table));
  const stored: Stored[] = [];
  const lists: ListTable[] = [];
  for (const { name, output, places, columns, types, link } of mapped.tables) {
    const filled = { dataType: name, runs: [mapped.outputs.indexOf(output)], declared: columns, types };
    const table = await loadTable({ ...load, outputs: mapped.outputs }, { ...filled, groups: () => groupsAt(places) });
    stored.push(gone.has(name) ? withRemoved(table, gone.get(name)) : table);
    if (link !== undefined) lists.push({ table: name, parent: link.parent, rows: table.rows ?? 0 });
  }
  return { stored, lists };
}

async function loadLinked(
  load: Tabling,
  journal: LoadedPages,
  tables: readonly FilledTable[],
  structure: JsonObject,
): Promise<LoadedRun> {
  const { client } = load;
  const nested = await journal.nested(client);
  const isNested = ({ dataType }: FilledTable): boolean =>
    load.isLinked(dataType) && (nested.has(dataType) || isSplit(structure, dataType));
  const warnOfUnmetTypes = load.unmet ?? ((columns) => warnOfUnmet(columns, load.warn));
  const stored: Stored[] = [];
  let known = structure;
  for (const table of tables) {
    if (isNested(table)) continue;
    const chosen = chosenOf(load, table);
    const unmet = (key: string): void => warnOfUnmetTypes([chosen?.get(key) ?? []].flat());
    const named = (names: Required<ColumnNames>): void => void (known = withNames(known, table.dataType, names));
    const names = { names: namesIn(structure, table.dataType), named };
    const pages = { ...table, groups: () => groupsOf(client, journal, table) };
    stored.push(await loadTable(load, { ...pages, ...names, types: chosenFlat(chosen), unmet }));
  }
  const split = tables.filter(isNested);
  // Even if nothing is split, the earlier names of tables of lists count.
  if (split.length === 0 && entriesOf(structure).length === 0) return { stored, structure: known, lists: [] };
  const folder = await mkdtemp(join(tmpdir(), 'headwater-postgres-'));
  try {
    const linked = await splitItems({
      ...{ places: () => tables.flatMap(({ dataType, runs }) => runs.map((run) => ({ dataType, run }))) },
      pages: (isWanted) => pagesOf(client, journal, tables.filter(isWanted)),
      ...{ folder, structure: known, outputs: load.outputs, dataTypes: new Set(split.map(({ dataType }) => dataType)) },
      lastRow: (table) => lastRow(load, table),
      jsonColumns: (table) => jsonColumns(load, table),
    });
    const runs = new Map(split.map((table) => [table.dataType, table.runs]));
    const roots = linked.relatives.map(({ name, dataType }) => [name, dataType] as const);
    const ofRoots = { ...load, outputs: withRoots(load.outputs, roots) };
    const lists: ListTable[] = [];
    const hasLost = new Set<string>();
    for (const relative of linked.relatives) {
      const places = linked.places.filter(({ dataType }) => dataType === relative.name);
      const filled = {
        dataType: relative.name,
        runs: runs.get(relative.dataType) ?? [],
        empty: relative.empty,
        nested: relative.nested,
        types: relative.types,
        names: relative.names,
        alike: relative.alike,
        ...(relative.parent === undefined ? {} : { parent: relative.parent }),
      };
      const loaded = await loadTable(ofRoots, { ...filled, groups: () => groupsAt(places) });
      const { name: table, parent } = relative;
      const result = hasLost.has(parent ?? '') ? await pruneReplaced(load, relative, loaded) : loaded;
      if ((result.repeated ?? 0) > 0) hasLost.add(table);
      if (parent !== undefined) lists.push({ table, parent, rows: result.rows ?? 0 });
      if (parent === undefined || result.rows !== 0) stored.push(result);
    }
    warnOfUnmetTypes(linked.unmet);
    const pruned = new Set<string>();
    if (load.isVisible !== true)
      for (const relative of linked.relatives)
        if ((await prune(load, relative)) !== 0) pruned.add(tableName(relative.name));
    return {
      stored: stored.map((table) => (pruned.has(table.name) ? uncounted(table) : table)),
      ...{ structure: linked.structure, lists },
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the columns of a table whose types are chosen. */
export const chosenOf = (
  { outputs }: Pick<Load, 'outputs'>,
  { dataType }: Pick<FilledTable, 'dataType'>,
): ReadonlyMap<string, ChosenColumn> | undefined =>
  outputs.find(({ columnTypes }) => columnTypes?.has(dataType))?.columnTypes?.get(dataType);

/** Returns the pages of a table that belong to its runs. */
async function* groupsOf(client: Client, journal: LoadedPages, { dataType, runs }: FilledTable) {
  for await (const pages of pageGroupsOf(client, journal, dataType))
    yield pages.filter(({ run }) => runs.includes(run));
}

async function* pagesOf(
  client: Client,
  journal: LoadedPages,
  tables: readonly FilledTable[],
  isWanted: (items: ItemsOfRun) => boolean = () => true,
) {
  for (const table of tables) {
    const { dataType, runs } = table;
    if (!runs.some((run) => isWanted({ dataType, run }))) continue;
    for await (const pages of groupsOf(client, journal, table))
      for (const page of pages)
        if (isWanted({ dataType, run: page.run })) yield { ...page, dataType, lines: Buffer.from(page.lines) };
  }
}

async function* groupsAt(places: readonly PlaceOfItems[]): AsyncGenerator<readonly PageOfLines[]> {
  for await (const { lines, ...page } of pagesAt(places))
    yield [{ ...page, lines: Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength).toString() }];
}

/** Returns a table in SQL. */
export const inSchema = ({ address }: Pick<Load, 'address'>, table: string): string =>
  `${quoted(address.schema)}.${quoted(tableName(table))}`;

/**
 * Makes other configurations that fill the same tables wait until the transaction has ended, since what each reads, such as the last id of
 * a row, has to stay the same until then.
 *
 * @param names the tables of items; those of lists are included
 */
export async function lockTables(load: Pick<Load, 'client' | 'address'>, names: readonly string[]): Promise<void> {
  const locks = names.map((name) => lockOf('table', inSchema(load, name)));
  // The order is the same for all, so that there is no deadlock.
  const sorted = 'SELECT DISTINCT unnest($1::bigint[]) AS lock ORDER BY lock';
  await load.client.query(`SELECT pg_advisory_xact_lock(lock) FROM (${sorted}) locks`, [locks]);
}

async function lastRow(load: Load, name: string): Promise<number> {
  const table = inSchema(load, name);
  const existing = await existingTable(load.client, table);
  if (existing?.columns.some((column) => column.name === ROW_ID) !== true) return 0;
  const { rows } = await load.client.query<{ last: string | null }>(
    `SELECT max(${quoted(ROW_ID)}) AS last FROM ${table}`,
  );
  return Number(rows[0]?.last ?? 0);
}

async function jsonColumns(load: Load, name: string): Promise<readonly string[]> {
  const existing = await existingTable(load.client, inSchema(load, name));
  if (existing === undefined || !(existing.hasDependents || load.outputs.some(addsAnyRows))) return [];
  return existing.columns.filter((column) => column.type === 'json' || isForeign(column)).map((column) => column.name);
}

/** Removes the rows of a table that is merged whose parent rows no longer exist, and returns how many; `null`: unknown. */
async function prune(load: Load, relative: Relative): Promise<number | null> {
  return addsRows(relative.output, relative.dataType) ? removeOrphans(load, relative) : 0;
}

/** Removes the rows of a table that is replaced whose parent rows gave way to later ones, and corrects its counts. */
async function pruneReplaced(load: Load, relative: Relative, stored: Stored): Promise<Stored> {
  const { rows = 0 } = stored;
  const gone = addsRows(relative.output, relative.dataType) ? 0 : await removeOrphans(load, relative);
  if (gone === 0) return stored;
  return gone === null ? uncounted(stored) : withoutLost(stored, rows - gone);
}

async function removeOrphans(load: Load, { name, parent }: Relative): Promise<number | null> {
  const table = inSchema(load, name);
  if (parent === undefined || (await existingTable(load.client, table)) === undefined) return 0;
  const parents = `SELECT FROM ${inSchema(load, parent)} parent WHERE parent.${quoted(ROW_ID)} = child.${quoted(PARENT_ROW_ID)}`;
  return (await load.client.query(`DELETE FROM ${table} child WHERE NOT EXISTS (${parents})`)).rowCount;
}

/**
 * Removes the child rows of mapped tables that belong to replaced rows, at any depth, before anything is stored
 * (docs/language/mappings.md#child-tables).
 *
 * @param tables parents before their children
 * @param inSchema returns a table in SQL
 * @returns how many rows of a table were removed; `undefined`: unknown
 * @throws FatalError DESTINATION_INCOMPATIBLE where a key of several columns cannot be compared
 */
async function removeGone(
  client: Client,
  tables: readonly MappedTableOfRun[],
  inSchema: (table: string) => string,
): Promise<ReadonlyMap<string, number | undefined>> {
  const gone = new Map<string, string>();
  for (const { name, link, links, output } of tables) {
    if (link === undefined || !addsRows(output, name)) continue;
    const type = (await typesOf(client, inSchema(name))).get(columnName(link.column));
    if (type === undefined) continue;
    const waiting = quoted(`headwater gone ${gone.size}`);
    await client.query(`CREATE TEMPORARY TABLE ${waiting} (link text) ON COMMIT DROP`);
    for await (const { lines } of pagesAt(links)) {
      const texts = Buffer.from(lines).toString('utf8').split('\n').slice(0, -1).flatMap(linkIn);
      const fitting = TIMES.includes(type) ? texts.filter((text) => timeTypeOf(text) !== undefined) : texts;
      await copyInto(client, `pg_temp.${waiting}`, fitting.map((text) => copyLine([text], ['text'])).join(''));
    }
    const above = gone.get(link.parent);
    if (above !== undefined) {
      const types = await typesOf(client, inSchema(link.parent));
      const isComparable = !TIMES.includes(type) || (link.of.length === 1 && types.get(link.of[0] ?? '') === type);
      if (isComparable)
        await client.query(
          `INSERT INTO pg_temp.${waiting} SELECT ${linkOf(link.parent, link.of, types)} FROM ${inSchema(link.parent)} old WHERE ${above}`,
        );
    }
    const column = `old.${quoted(columnName(link.column))}`;
    gone.set(name, `${comparable(column, type)} IN (SELECT ${readAs(type)} FROM pg_temp.${waiting})`);
  }
  const removed = new Map<string, number | undefined>();
  for (const [name, isGone] of gone) {
    const { rowCount } = await client.query(`DELETE FROM ${inSchema(name)} old WHERE ${isGone}`);
    removed.set(name, rowCount ?? undefined);
  }
  return removed;
}

const linkIn = (line: string): readonly string[] => {
  const text = objectIn(line)?.[LINK];
  return typeof text === 'string' ? [text] : [];
};

async function typesOf(client: Client, table: string): Promise<ReadonlyMap<string, ColumnType>> {
  const existing = await existingTable(client, table);
  return new Map(existing?.columns.map(({ name, type }) => [name, type]));
}

const TIMES: readonly ColumnType[] = ['timestamp', 'timestamptz'];
const isNumber = (type: ColumnType): boolean => ['integer', 'bigint', 'double'].includes(type) || isDecimal(type);

const comparable = (column: string, type: ColumnType): string =>
  isNumber(type) ? `${column}::numeric` : TIMES.includes(type) ? column : textOf(column);

/** Returns a link in the form for comparing it with a column of this type. */
function readAs(type: ColumnType): string {
  if (isNumber(type)) return String.raw`CASE WHEN link ~ '^-?\d+(\.\d+)?([eE][+-]?\d+)?$' THEN link::numeric END`;
  if (type === 'timestamp') return 'link::timestamp';
  return type === 'timestamptz' ? 'link::timestamptz' : 'link';
}

const textOf = (column: string): string => `to_jsonb(${column}) #>> '{}'`;

/** Returns the link value of the child rows of a row `old`, as a string. */
function linkOf(table: string, of: readonly string[], types: ReadonlyMap<string, ColumnType>): string {
  const parts = of.map((name) => {
    const column = columnName(name);
    const value = `old.${quoted(column)}`;
    const type = types.get(column) ?? 'text';
    if (of.length === 1) return textOf(value);
    if (type === 'boolean') return `CASE WHEN ${value} THEN '1' ELSE '' END`;
    if (AS_WRITTEN.includes(type)) return `coalesce(${value}::text, '')`;
    throw keyOfType(table, name, type);
  });
  return parts.join(` || ',' || `);
}

const AS_WRITTEN: readonly ColumnType[] = ['integer', 'bigint', 'date', 'text'];
