/** The tables of pages, made by the code of sinks. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json, Page } from '../../core/model';
import type { OutputPlan } from '../../plan/plan';
import { loadTables } from '../../sinks/loading/load';
import { fileJournal } from '../../sinks/journal/file-journal';
import { linkedIn } from '../../sinks/options';
import type { NestingOptions } from '../../sinks/options';
import { BY_CELLS } from '../../sinks/stores/cells';
import type { Cell, CellWrite } from '../../sinks/stores/cells';
import type { TablePreview } from './model';

/**
 * Returns the tables of the pages of one job in a database. Their rows are made in files, in a temporary folder that is removed before this
 * resolves.
 *
 * @param most the maximum number of rows of each table
 */
export async function tablesOf(
  pages: readonly Page[],
  outputs: readonly OutputPlan[],
  { most, startedAt, nested }: NestingOptions & { readonly most: number; readonly startedAt: number },
): Promise<readonly TablePreview[]> {
  if (pages.length === 0) return [];
  const folder = await mkdtemp(join(tmpdir(), 'headwater-preview-'));
  const journal = fileJournal(join(folder, 'pages'));
  try {
    await journal.open();
    await journal.begin({ id: 'preview', fingerprint: '', startedAt, previousStart: 0 });
    for (const page of pages) await journal.append(page);
    const how = { known: () => Promise.resolve([]), lastRow: () => Promise.resolve(0), structure: {}, outputs, folder };
    const isLinked = linkedIn(outputs, nested === undefined ? {} : { nested });
    const source = { places: journal.places, pages: journal.pages };
    return await loadTables(BY_CELLS, { ...how, ...source, isLinked, startedAt }, (loads) =>
      Promise.all(loads.map((load) => tableOf(load, most))),
    );
  } finally {
    await journal.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function tableOf(load: CellWrite, most: number): Promise<TablePreview> {
  const { table: name, parent, columns, rows: count } = load;
  const rows: Json[][] = [];
  for await (const page of load.pages()) {
    for (const cells of page.slice(0, most - rows.length)) rows.push(cells.map(valueOf));
    if (rows.length >= most) break;
  }
  return { name, ...(parent === undefined ? {} : { parent }), columns, rows, count };
}

/** Returns the value of a cell, which has a `bigint` for every integer. */
const valueOf = (cell: Cell): Json =>
  typeof cell === 'bigint' && Number.isSafeInteger(Number(cell)) ? Number(cell) : cell;
