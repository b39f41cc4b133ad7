/** Shows rows of a run before its commit, and removes them again (docs/sinks.md#rows-before-the-commit). */
import { quoted } from '../../core/json/sql-name';
import { randomUUID } from 'node:crypto';
import type { Stored } from '../../core/durable-sink';
import { FatalError } from '../../core/errors/errors';
import { defined } from '../../core/json/objects';
import type { JsonObject } from '../../core/model';
import type { ChosenColumn } from '../../language/parts/sink';
import { PARENT_ROW_ID, ROW_ID } from '../../tables/linked/places';
import { literal } from '../sql';
import { schemaChanges, warnOfSchemaChanges } from '../../tables/schema/changes';
import { warnOfUnmet } from '../../tables/schema/column-type';
import { listsIn, withTablesOf } from '../state';
import type { LoadedTable } from './load';
import { loadTables, lockTables } from './load-tables';
import type { LoadedRun, Tabling } from './load-tables';
import { tableName } from './names';
import { loadedPages } from './pages';
import { addEmpty, columnsOf, existingTable, inSchema, standOf, typesOf } from './table';
import type { TablesPlace } from './table';
import type { VisibleRows, VisibleRecord, VisibleTable } from './visible-record';

/** The options for showing rows. */
export interface VisibleLoad extends Omit<Tabling, 'part' | 'unmet'> {
  readonly record: VisibleRecord;
  /** The structure of tables after the last committed run. */
  readonly committed: JsonObject;
}

/** Returns the state of a run without visible rows. */
export const nothingVisible = ({ run, committed }: VisibleLoad): VisibleRows => ({
  ...{ loadId: randomUUID(), run, seq: -1, isStale: false },
  ...{ tables: [], met: [], structure: committed },
});

/**
 * Makes the rows of all pages in the journal visible, inside a transaction. If a call has restarted since, or these pages show that earlier
 * rows of the run belong elsewhere, all rows of the run are made again.
 *
 * @returns what is visible now; the same if no page waits
 * @throws FatalError as `loadTables`
 */
export async function show(load: VisibleLoad, shown: VisibleRows): Promise<VisibleRows> {
  const { client, address, record } = load;
  const from = shown.isStale ? await hidden(load, shown) : shown;
  const { loadId, run } = from;
  const pages = await loadedPages(client, address, { after: from.seq, loadId });
  const { last } = pages;
  if (last === undefined) return from;
  const unmet: ChosenColumn[] = [];
  const known = new Map(from.tables.map((table) => [table.name, table]));
  const part = { before: (table: string) => known.get(table)?.rows ?? 0 };
  const ofPart = { ...load, part, unmet: (columns: readonly ChosenColumn[]) => void unmet.push(...columns) };
  const { structure, loaded: tables } = await loadTables(ofPart, pages, from.structure);
  const loaded = new Map(tables.map((table) => [table.name, table]));
  const missing = new Set(unmet.map(({ place }) => place));
  const met = chosenIn(load, loaded.keys()).flatMap(({ place }) => (missing.has(place) ? [] : place));
  for (const table of loaded.values()) known.set(table.name, joined(known.get(table.name), table));
  const now: VisibleRows = {
    ...{ loadId, run, seq: last, isStale: false, structure },
    ...{ tables: [...known.values()], met: [...new Set([...from.met, ...met])] },
  };
  if (from.tables.some((table) => isElsewhere(table, loaded.get(table.name), from.structure, structure)))
    return show(load, { ...now, isStale: true });
  await record.write(client, now);
  return now;
}

/** Returns whether visible rows of the run would be different if all its pages had come at once. */
function isElsewhere(
  { name, rows, parent }: VisibleTable,
  loaded: LoadedTable | undefined,
  before: JsonObject,
  now: JsonObject,
): boolean {
  if (rows === 0) return false;
  if (parent === undefined && listsIn(now, name) > listsIn(before, name)) return true;
  // A number or a time that has become a string keeps its spelling.
  const changes = loaded === undefined ? [] : schemaChanges(loaded.before, loaded.now);
  return changes.some(({ change, ...to }) => change === 'type_changed' && 'type' in to && SPELLED.includes(to.type));
}

const SPELLED: readonly string[] = ['text', 'jsonb'];

const joined = (known: VisibleTable | undefined, loaded: LoadedTable): VisibleTable => ({
  ...defined({ name: loaded.name, parent: loaded.parent }),
  columns: [...new Set([...(known?.columns ?? []), ...(loaded.column === undefined ? [] : [loaded.column])])],
  rows: (known?.rows ?? 0) + loaded.rows,
  awaited: [...new Set([...(known?.awaited ?? []), ...loaded.awaited])].filter((name) => !loaded.nested.includes(name)),
  before: known?.before ?? loaded.before,
});

/** Returns the columns of these tables whose types are chosen. */
const chosenIn = ({ outputs }: VisibleLoad, tables: Iterable<string>): readonly ChosenColumn[] =>
  Array.from(tables, (table) => {
    const output = outputs.find(({ columnTypes }) => columnTypes?.has(table));
    return [...(output?.columnTypes?.get(table)?.values() ?? [])];
  }).flat();

/** Shows the remaining rows, and returns the counts of all of them; it gives the warnings that are known only then. */
export async function showRest(load: VisibleLoad, shown: VisibleRows): Promise<Omit<LoadedRun, 'loaded'>> {
  const { client, warn, record } = load;
  const { tables, met, structure } = await show(load, shown);
  await record.drop(client);
  const stored: Stored[] = [];
  for (const { name, rows, before, awaited } of tables) {
    if (rows > 0) await addEmpty(client, inSchema(load, name), awaited);
    const now = typesOf(await columnsOf(load, name));
    const table = tableName(name);
    warnOfSchemaChanges(table, before, now, warn);
    const changes = before.length === 0 ? [] : schemaChanges(before, now);
    stored.push({ name: table, rows, ...(changes.length === 0 ? {} : { changes }) });
  }
  const chosen = new Set(tables.map(({ name }) => name));
  const unmet = chosenIn(load, chosen).filter(({ place }) => !met.includes(place));
  warnOfUnmet(unmet, warn);
  const lists = tables.flatMap(({ name, parent, rows }) =>
    parent === undefined ? [] : [{ table: name, parent, rows }],
  );
  return { stored, structure, lists };
}

async function hidden(load: VisibleLoad, shown: VisibleRows): Promise<VisibleRows> {
  const gone = await hide(load, shown);
  const tables = shown.tables.filter(({ name }) => !gone.has(name)).map((table) => ({ ...table, rows: 0 }));
  const structure = withTablesOf(shown.structure, load.committed, gone);
  return { ...shown, seq: -1, isStale: false, tables, met: [], structure };
}

/**
 * Removes the visible rows of a run inside a transaction; rows of lists first, which are known by their parent rows. Tables that the run
 * made, and that nobody else uses, are removed as well.
 *
 * @returns the removed tables
 * @throws FatalError DESTINATION_INCOMPATIBLE if these rows can no longer be distinguished from others in a table
 */
export async function hide(place: TablesPlace, { loadId, tables }: VisibleRows): Promise<ReadonlySet<string>> {
  const { client } = place;
  const roots = tables.filter(({ parent }) => parent === undefined);
  await lockTables(
    place,
    roots.map(({ name }) => name),
  );
  const conditions = new Map<string, string>();
  for (const { name, parent, columns } of tables) {
    const existing = await existingTable(place, name);
    if (existing === undefined) continue;
    const names = new Set(existing.columns.map((column) => column.name));
    const above = parent === undefined ? undefined : conditions.get(parent);
    const needed = parent === undefined ? columns : [PARENT_ROW_ID];
    if (needed.length === 0 || !needed.every((column) => names.has(column))) throw indistinct(place, name, needed);
    if (parent === undefined)
      conditions.set(name, columns.map((column) => `${quoted(column)} = ${literal(loadId)}`).join(' OR '));
    else if (above !== undefined)
      conditions.set(
        name,
        `${quoted(PARENT_ROW_ID)} IN (SELECT ${quoted(ROW_ID)} FROM ${inSchema(place, parent)} WHERE ${above})`,
      );
  }
  for (const [name, condition] of [...conditions].reverse())
    await client.query(`DELETE FROM ${inSchema(place, name)} WHERE ${condition}`);
  const gone = new Set<string>();
  for (const root of roots) {
    const family = familyOf(root, tables);
    if (!(await isUnused(place, family))) continue;
    for (const { name } of family) {
      await client.query(`DROP TABLE IF EXISTS ${inSchema(place, name)}`);
      gone.add(name);
    }
  }
  return gone;
}

/** Returns the table of items and those of the lists in them, parents before their children. */
function familyOf(root: VisibleTable, tables: readonly VisibleTable[]): readonly VisibleTable[] {
  const names = new Set([root.name]);
  for (const { name, parent } of tables) if (parent !== undefined && names.has(parent)) names.add(name);
  return tables.filter(({ name }) => names.has(name));
}

async function isUnused(place: TablesPlace, family: readonly VisibleTable[]): Promise<boolean> {
  if (family.some(({ before }) => before.length > 0)) return false;
  for (const { name } of family) {
    const existing = await existingTable(place, name);
    if (existing?.hasDependents === true) return false;
    // Rows that another run adds at this moment are complete when the lock is taken.
    if (existing !== undefined)
      await place.client.query(`LOCK TABLE ${inSchema(place, name)} IN ACCESS EXCLUSIVE MODE`);
    if ((await standOf(place, name)) === 'filled') return false;
  }
  return true;
}

const indistinct = ({ address }: TablesPlace, table: string, columns: readonly string[]): FatalError =>
  new FatalError(
    'DESTINATION_INCOMPATIBLE',
    `The destination ${address.name}, table ${JSON.stringify(table)}, cannot be used: it has rows of a run that was not committed, and they ` +
      `cannot be distinguished from others, since a column that it had is missing: ${columns.join(', ')}. Put the table right, and remove ` +
      `the row of this destination from the table "shown" of the schema ${JSON.stringify(address.journalSchema)}.`,
    { table },
  );
