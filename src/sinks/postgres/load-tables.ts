/** Loads all tables of a run: their rows are made as for the stores of tables, and counted without reading the tables again. */
import { quoted } from '../../core/json/sql-name';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Stored } from '../../core/durable-sink';
import type { JsonObject } from '../../core/model';
import { PARENT_ROW_ID, ROW_ID } from '../../tables/linked/places';
import { limitedOutputs } from '../../tables/schema/column-names';
import { isDecimal } from '../../tables/schema/column-type';
import type { ColumnType } from '../../tables/schema/column-type';
import { timeTypeOf } from '../../tables/schema/time-type';
import { addsAnyRows } from '../../tables/table';
import { loadTables as loadInto } from '../loading/load';
import type { LoadOptions } from '../loading/load';
import { listsAmong, mayLose } from '../loading/load-flat';
import { uncounted, withRemoved, withoutLost } from '../row-counts';
import type { ListTable } from '../state';
import { linkOf } from '../stores/merge';
import { linksIn } from '../stores/sql-store';
import { MOST_COLUMNS, byCopy, storeTable } from './load';
import type { CopyWrite, Load, LoadedTable } from './load';
import { columnName, lockOf } from './names';
import type { JournalPages } from './pages';
import { copyCell, copyInto } from './rows';
import { columnsOf, existingTable, inSchema, isForeign, numberIn, sqlTypeOf, standOf, textOf } from './table';
import type { TablesPlace } from './table';

/** The result for the loaded pages. */
export interface LoadedRun {
  readonly stored: readonly Stored[];
  readonly loaded: readonly LoadedTable[];
  /** The structure of the tables for later runs. */
  readonly structure: JsonObject;
  readonly lists: readonly ListTable[];
}

/** The options for making tables of items. */
export interface Tabling
  extends
    Load,
    Pick<LoadOptions, 'outputs' | 'startedAt' | 'warn' | 'isLinked' | 'unmet'>,
    Required<Pick<LoadOptions, 'unfed'>> {}

/**
 * Loads all tables of a run inside a transaction.
 *
 * @param structure the structure of tables from earlier runs
 * @throws FatalError as {@link storeTable}
 */
export async function loadTables(load: Tabling, pages: JournalPages, structure: JsonObject): Promise<LoadedRun> {
  const { unfed } = load;
  const outputs = limitedOutputs(load.outputs, MOST_COLUMNS, 'PostgreSQL takes no more of them.');
  await lockTables(load, [...Array.from(pages.places(), ({ dataType }) => dataType), ...unfed]);
  const folder = await mkdtemp(join(tmpdir(), 'headwater-postgres-'));
  try {
    const source = {
      ...{ ...load, ...pages, outputs, folder, structure },
      known: (table: string) => columnsOf(load, table),
      lastRow: (table: string) => lastRow(load, table),
      jsonColumns: (table: string) => jsonColumns(load, table),
    };
    return await loadInto(byCopy(load), source, (writes, next) => storeTables(load, writes, next));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function storeTables(load: Load, writes: readonly CopyWrite[], structure: JsonObject): Promise<LoadedRun> {
  const { client, part, checkRows } = load;
  const gone = await removeGone(load, writes);
  const stored: Stored[] = [];
  const loaded: LoadedTable[] = [];
  const hasLost = new Set<string>();
  for (const write of writes) {
    const { table, mode, parent } = write;
    const isCounted = checkRows !== undefined && mode === 'replace' && (await standOf(load, table)) !== 'gone';
    const countNow = (): Promise<number> => numberIn(client, `SELECT count(*) FROM ${inSchema(load, table)}`);
    const before = isCounted ? await countNow() : 0;
    const { stored: counts, loaded: rows } = await storeTable(load, write);
    if (rows !== undefined) loaded.push(rows);
    const lost = part === undefined && mayLose(write, hasLost) ? await removeOrphans(load, write) : 0;
    const left = lost === 0 ? counts : lostFrom(counts, mode === 'replace' ? lost : null);
    const shown = gone.has(table) ? withRemoved(left, gone.get(table)) : left;
    if ((shown.repeated ?? 0) > 0) hasLost.add(table);
    if (isCounted) checkRows(shown.name, before, await countNow());
    if (parent === undefined || shown.rows !== 0) stored.push(shown);
  }
  return { stored, loaded, structure, lists: listsAmong(writes) };
}

/** @param lost the removed rows of the run; `null`: it is unknown how many they are */
const lostFrom = (stored: Stored, lost: number | null): Stored =>
  lost === null ? uncounted(stored) : withoutLost(stored, (stored.rows ?? 0) - lost);

/**
 * Makes other configurations that fill the same tables wait until the transaction has ended, since what each reads, such as the last id of
 * a row, has to stay the same until then.
 *
 * @param names the tables of items; those of lists are included
 */
export async function lockTables(load: TablesPlace, names: readonly string[]): Promise<void> {
  const locks = names.map((name) => lockOf('table', inSchema(load, name)));
  // The order is the same for all, so that there is no deadlock.
  const sorted = 'SELECT DISTINCT unnest($1::bigint[]) AS lock ORDER BY lock';
  await load.client.query(`SELECT pg_advisory_xact_lock(lock) FROM (${sorted}) locks`, [locks]);
}

async function lastRow(load: Load, name: string): Promise<number> {
  const hasIds = (await columnsOf(load, name)).some((column) => column.name === ROW_ID);
  return hasIds ? numberIn(load.client, `SELECT max(${quoted(ROW_ID)}) FROM ${inSchema(load, name)}`) : 0;
}

async function jsonColumns(load: Tabling, name: string): Promise<readonly string[]> {
  const existing = await existingTable(load, name);
  if (existing === undefined || !(existing.hasDependents || load.outputs.some(addsAnyRows))) return [];
  return existing.columns.filter((column) => column.type === 'json' || isForeign(column)).map((column) => column.name);
}

/** Removes the rows of a table of lists whose parent rows no longer exist, and returns how many; `null`: unknown. */
async function removeOrphans(load: Load, { table: name, parent }: CopyWrite): Promise<number | null> {
  if (parent === undefined || (await existingTable(load, name)) === undefined) return 0;
  const parents = `SELECT FROM ${inSchema(load, parent)} parent WHERE parent.${quoted(ROW_ID)} = child.${quoted(PARENT_ROW_ID)}`;
  return (await load.client.query(`DELETE FROM ${inSchema(load, name)} child WHERE NOT EXISTS (${parents})`)).rowCount;
}

/**
 * Removes the child rows of mapped tables that belong to replaced rows, at any depth, before anything is stored
 * (docs/language/mappings.md#child-tables).
 *
 * @param writes parents before their children
 * @returns how many rows of a table were removed; `undefined`: unknown
 * @throws FatalError DESTINATION_INCOMPATIBLE where a key of several columns cannot be compared
 */
async function removeGone(load: Load, writes: readonly CopyWrite[]): Promise<ReadonlyMap<string, number | undefined>> {
  const { client } = load;
  const gone = new Map<string, string>();
  for (const { table: name, link, mode } of writes) {
    if (link === undefined || mode === 'replace') continue;
    const { type } = (await columnsOf(load, name)).find((column) => column.name === columnName(link.column)) ?? {};
    if (type === undefined) continue;
    const waiting = quoted(`headwater gone ${gone.size}`);
    await client.query(`CREATE TEMPORARY TABLE ${waiting} (link text) ON COMMIT DROP`);
    for await (const links of link.file === undefined ? [] : linksIn(link.file)) {
      const fitting = links.filter(([text]) => !TIMES.includes(type) || timeTypeOf(String(text)) !== undefined);
      await copyInto(
        client,
        `pg_temp.${waiting}`,
        fitting.map(([text]) => `${copyCell(String(text), 'text')}\n`).join(''),
      );
    }
    const above = gone.get(link.parent);
    if (above !== undefined) {
      const [columns, of] = [await columnsOf(load, link.parent), link.of.map(columnName)];
      const [first] = columns.filter((column) => column.name === of[0]);
      const isComparable = !TIMES.includes(type) || (of.length === 1 && first?.type === type);
      if (isComparable)
        await client.query(
          `INSERT INTO pg_temp.${waiting} SELECT ${linkOf(LINKS, { table: link.parent, of, columns })} FROM ${inSchema(load, link.parent)} old WHERE ${above}`,
        );
    }
    const column = `old.${quoted(columnName(link.column))}`;
    gone.set(name, `${comparable(column, type)} IN (SELECT ${readAs(type)} FROM pg_temp.${waiting})`);
  }
  const removed = new Map<string, number | undefined>();
  for (const [name, isGone] of gone) {
    const { rowCount } = await client.query(`DELETE FROM ${inSchema(load, name)} old WHERE ${isGone}`);
    removed.set(name, rowCount ?? undefined);
  }
  return removed;
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

/** How the values of keys become strings. */
const LINKS = { type: (type: ColumnType) => sqlTypeOf(type), converted: textOf };
