/** Shows rows of a run before its commit, and takes them away again (docs/sinks.md#rows-before-the-commit). */
import { randomUUID } from 'node:crypto';
import type { Stored } from '../../core/durable-sink';
import type { JsonObject } from '../../core/model';
import { schemaChanges } from '../../tables/schema/schema-changes';
import { tellChanges } from '../../tables/schema/table-changes';
import { warnOfUnmet } from '../../tables/schema/chosen-type';
import type { ChosenColumn } from '../../language/parts/output-plan';
import type { LoadedTable } from './load';
import { hide } from './hide';
import { chosenOf, inSchema, loadTables } from './load-tables';
import type { Tabling } from './load-tables';
import { tableName } from './names';
import { loadedPages } from './pages';
import type { Shown, ShownRecord, ShownTable } from './shown';
import { addEmpty, existingTable } from './table';
import { listsIn, withTablesOf } from '../linked/structure';

/** What rows are shown with. */
export interface Showing extends Omit<Tabling, 'before' | 'told' | 'unmet' | 'isShown'> {
  readonly record: ShownRecord;
  /** What the last run that was committed has left of the structure of tables. */
  readonly committed: JsonObject;
}

/** A run of which nothing is visible yet. */
export const nothingShown = (run: string, structure: JsonObject): Shown => ({
  ...{ loadId: randomUUID(), run, seq: -1, isStale: false },
  ...{ tables: [], met: [], structure },
});

/**
 * Makes the rows of all pages visible that wait in the journal, inside a transaction. Where a call has begun again since, or where these
 * pages say that earlier rows of the run belong elsewhere, all rows of the run are made anew.
 *
 * @returns what is visible now; the same, where no page waits
 * @throws FatalError as `loadTables`
 */
export async function show(load: Showing, shown: Shown): Promise<Shown> {
  const { client, address, record } = load;
  const from = shown.isStale ? await hidden(load, shown) : shown;
  const { loadId, run } = from;
  const pages = loadedPages(address, { after: from.seq, loadId });
  const last = await pages.last(client);
  if (last === undefined) return from;
  const loaded = new Map<string, LoadedTable>();
  const unmet: ChosenColumn[] = [];
  const known = new Map(from.tables.map((table) => [table.name, table]));
  const { structure } = await loadTables(
    {
      ...load,
      isShown: true,
      before: (table) => known.get(table)?.rows ?? 0,
      told: (table) => void loaded.set(table.name, table),
      unmet: (columns) => void unmet.push(...columns),
    },
    pages,
    from.structure,
  );
  const missing = new Set(unmet.map(({ place }) => place));
  const met = chosenIn(load, loaded.keys()).flatMap(({ place }) => (missing.has(place) ? [] : place));
  for (const table of loaded.values()) known.set(table.name, joined(known.get(table.name), table));
  const now: Shown = {
    ...{ loadId, run, seq: last, isStale: false, structure },
    ...{ tables: [...known.values()], met: [...new Set([...from.met, ...met])] },
  };
  if (from.tables.some((table) => isElsewhere(table, loaded.get(table.name), from.structure, structure)))
    return show(load, { ...now, isStale: true });
  await record.write(client, now);
  return now;
}

/** Whether rows of the run that are there would not be as they are, had all its pages come at once. */
function isElsewhere(
  { name, rows, parent }: ShownTable,
  loaded: LoadedTable | undefined,
  before: JsonObject,
  now: JsonObject,
): boolean {
  if (rows === 0) return false;
  if (parent === undefined && listsIn(now, name) > listsIn(before, name)) return true;
  // A number or a time that has become a string is spelled as it came.
  const changes = loaded === undefined ? [] : schemaChanges(loaded.before, loaded.now);
  return changes.some(({ change, ...to }) => change === 'type_changed' && 'type' in to && SPELLED.includes(to.type));
}

const SPELLED: readonly string[] = ['text', 'jsonb'];

const joined = (known: ShownTable | undefined, loaded: LoadedTable): ShownTable => ({
  name: loaded.name,
  ...(loaded.parent === undefined ? {} : { parent: loaded.parent }),
  columns: [...new Set([...(known?.columns ?? []), ...(loaded.column === undefined ? [] : [loaded.column])])],
  rows: (known?.rows ?? 0) + loaded.rows,
  awaited: [...new Set([...(known?.awaited ?? []), ...loaded.awaited])].filter((name) => !loaded.nested.includes(name)),
  before: known?.before ?? loaded.before,
});

/** The columns of these tables whose types are chosen. */
const chosenIn = (load: Showing, tables: Iterable<string>): readonly ChosenColumn[] =>
  Array.from(tables, (dataType) => [...(chosenOf(load, { dataType })?.values() ?? [])]).flat();

/** What the run has stored, once all of it is visible; warns of what is known only then. */
export async function storedOf(load: Showing, { tables, met }: Shown): Promise<readonly Stored[]> {
  const { client, warn } = load;
  const stored: Stored[] = [];
  for (const { name, rows, before, awaited } of tables) {
    if (rows > 0) await addEmpty(client, inSchema(load, name), awaited);
    const existing = await existingTable(client, inSchema(load, name));
    const now = existing?.columns.map((column) => [column.name, column.sqlType] as const) ?? [];
    const table = tableName(name);
    tellChanges(table, before, now, warn);
    const changes = before.length === 0 ? [] : schemaChanges(before, now);
    stored.push({ name: table, rows, ...(changes.length === 0 ? {} : { changes }) });
  }
  const chosen = chosenIn(
    load,
    tables.map(({ name }) => name),
  );
  warnOfUnmet(
    chosen.filter(({ place }) => !met.includes(place)),
    warn,
  );
  return stored;
}

async function hidden(load: Showing, shown: Shown): Promise<Shown> {
  const gone = await hide(load, shown);
  const tables = shown.tables.filter(({ name }) => !gone.has(name)).map((table) => ({ ...table, rows: 0 }));
  const structure = withTablesOf(shown.structure, load.committed, gone);
  return { ...shown, seq: -1, isStale: false, tables, met: [], structure };
}
