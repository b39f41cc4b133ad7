import type { Item, JsonObject } from '../../src/core/model';
import { compileMappings } from '../../src/tables/mapping/mapping';
import type { Mapping } from '../../src/tables/mapping/mapping';
import { STRINGS } from '../../src/tables/mapping/rows';
import type { RowOutput } from '../../src/tables/mapping/rows';

/** Wednesday 16 June 2021, 09:30:15 UTC. */
export const BASE_SECONDS = 1623835815;

/** Emits the rows of an item as strings. */
export const emitRows = (
  mapping: Mapping | undefined,
  item: Item,
  emit: RowOutput['emit'],
  extra: RowOutput['extra'] = new Map(),
): void => mapping?.write({ holder: [item], key: 0 }, { extra, emit, cells: STRINGS });

/** What mappings write for items of one `dataType`: table name → header and rows, cells joined with `|`. */
export function mapped(
  mappings: JsonObject,
  dataType: string,
  items: readonly Item[],
  extra: Readonly<Record<string, string>> = {},
): Record<string, string[]> {
  const { tables, byDataType } = compileMappings(mappings, 'config.mappings', BASE_SECONDS);
  const lines = tables.map(({ columns }) => [columns.join('|')]);
  const columns = new Map(Object.entries(extra));
  for (const item of items)
    emitRows(byDataType.get(dataType), item, (table, cells) => lines[table]?.push(cells.join('|')), columns);
  return Object.fromEntries(tables.map(({ name }, at) => [name, lines[at] ?? []]));
}

/** Each digest by the order of its first appearance: `#1`, `#2`, … . */
export function withNumberedDigests(tables: Record<string, string[]>): Record<string, string[]> {
  const seen: string[] = [];
  const numbered = (line: string): string =>
    line.replace(/\b[0-9a-f]{32}\b/g, (digest) => {
      if (!seen.includes(digest)) seen.push(digest);
      return `#${seen.indexOf(digest) + 1}`;
    });
  return Object.fromEntries(Object.entries(tables).map(([name, lines]) => [name, lines.map(numbered)]));
}
