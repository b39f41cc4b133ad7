import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from 'pg';
import type { Stored } from '../../durable-sink';
import type { JsonObject } from '../../model';
import type { OutputPlan } from '../../plan/plan';
import { PARENT_ROW_ID, ROW_ID } from '../../tables/linked/places';
import { pagesAt } from '../journal/reader';
import type { PlaceOfItems } from '../journal/journal';
import { splitItems } from '../linked/split-items';
import type { Relative } from '../linked/split-items';
import { isSplit } from '../linked/structure';
import type { FilledTable, PageOfLines, PostgresJournal } from './journal';
import { pageGroupsOf } from './learn';
import { loadTable } from './load';
import type { Load } from './load';
import { quoted, tableName } from './names';
import { existingTable, isForeign } from './table';

/**
 * Loads all tables of a run inside a transaction. Items that hold objects or lists are split into linked tables first.
 *
 * @param structure what earlier runs have left of the structure of tables
 * @throws FatalError as {@link loadTable}
 */
export async function loadTables(
  load: Load & { readonly isLinked: (dataType: string) => boolean },
  journal: PostgresJournal,
  structure: JsonObject,
): Promise<{ readonly stored: readonly Stored[]; readonly structure: JsonObject }> {
  const { client } = load;
  const tables = await journal.tables(client);
  const nested = await journal.nested(client);
  const isNested = ({ dataType }: FilledTable): boolean =>
    load.isLinked(dataType) && (nested.has(dataType) || isSplit(structure, dataType));
  const stored: Stored[] = [];
  for (const table of tables)
    if (!isNested(table))
      stored.push(await loadTable(load, { ...table, groups: () => pageGroupsOf(client, journal, table.dataType) }));
  const split = tables.filter(isNested);
  if (split.length === 0) return { stored, structure };
  const folder = await mkdtemp(join(tmpdir(), 'headwater-postgres-'));
  try {
    const linked = await splitItems({
      ...{ places: () => tables.flatMap(({ dataType, runs }) => runs.map((run) => ({ dataType, run }))) },
      pages: (isWanted) => pagesOf(client, journal, tables.filter(isWanted)),
      ...{ folder, structure, outputs: load.outputs, dataTypes: new Set(split.map(({ dataType }) => dataType)) },
      lastRow: (table) => lastRow(load, table),
      jsonColumns: (table) => jsonColumns(load, table),
    });
    const runs = new Map(split.map((table) => [table.dataType, table.runs]));
    for (const relative of linked.relatives) {
      const places = linked.places.filter(({ dataType }) => dataType === relative.name);
      const filled = { dataType: relative.name, runs: runs.get(relative.dataType) ?? [], empty: relative.empty };
      const result = await loadTable(load, { ...filled, groups: () => groupsAt(places) });
      if (relative.parent === undefined || result.rows !== 0) stored.push(result);
    }
    for (const relative of linked.relatives) await prune(load, relative);
    return { stored, structure: linked.structure };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function* pagesOf(client: Client, journal: PostgresJournal, tables: readonly FilledTable[]) {
  for (const { dataType } of tables)
    for await (const pages of pageGroupsOf(client, journal, dataType))
      for (const page of pages) yield { ...page, dataType, lines: Buffer.from(page.lines) };
}

async function* groupsAt(places: readonly PlaceOfItems[]): AsyncGenerator<readonly PageOfLines[]> {
  for await (const { run, extra, count, lines } of pagesAt(places))
    yield [{ run, extra, count, lines: Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength).toString() }];
}

const inSchema = ({ address }: Load, table: string): string => `${quoted(address.schema)}.${quoted(tableName(table))}`;

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
  if (existing === undefined || !(existing.hasDependents || load.outputs.some(({ incremental }) => incremental)))
    return [];
  return existing.columns.filter((column) => column.type === 'json' || isForeign(column)).map((column) => column.name);
}

/** Removes the rows of a table that belong to rows which are no more. */
async function prune(load: Load, { name, parent, output }: Relative & { readonly output: OutputPlan }): Promise<void> {
  const table = inSchema(load, name);
  if (parent === undefined || !output.incremental || (await existingTable(load.client, table)) === undefined) return;
  const parents = `SELECT FROM ${inSchema(load, parent)} parent WHERE parent.${quoted(ROW_ID)} = child.${quoted(PARENT_ROW_ID)}`;
  await load.client.query(`DELETE FROM ${table} child WHERE NOT EXISTS (${parents})`);
}
