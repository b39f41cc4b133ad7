import type { JsonObject } from '../../core/model';
import { csvLine } from '../files/csv-lines';
import { STRINGS } from './cell';
import { findLatest } from './find-latest';
import type { LatestRows } from './latest';
import { compileMappings } from './mapping';
import { KeyBlanksSeen, keyBlanksIn } from '../key-blanks';
import type { RowOutput } from './rows';
import { SpoolFolder } from '../files/spool';
import { spooledTable } from '../files/spooled-table';
import type { ItemsOfPage, Table } from '../table';

/** Tables of the mappings of a bucket: their rows wait in files. */
export interface MappedOutput {
  readonly maps: (dataType: string) => boolean;
  /**
   * Finds which rows count, before any items are added: of those with the same key, in tables that are merged, the last one.
   *
   * @param pages reads the items of the run in their order
   */
  readonly learn: (pages: () => AsyncIterable<ItemsOfPage>, isMerged: (dataType: string) => boolean) => Promise<void>;
  readonly add: (batch: ItemsOfPage) => Promise<void>;
  /** Every table of every mapping, those without rows too (docs/language/mappings.md#what-else-to-know). */
  readonly finish: () => readonly Table[];
  /** Places of the mappings whose paths no item has had. */
  readonly missing: () => readonly string[];
  readonly close: () => Promise<void>;
}

/**
 * Applies mappings to items (docs/language/mappings.md#a-mapping).
 *
 * @param baseSeconds the moment that relative dates refer to: the start of the run
 * @throws ConfigurationError when the mappings cannot be used
 */
export function createMappedOutput(mappings: JsonObject, spoolFolder: string, baseSeconds: number): MappedOutput {
  const { tables, byDataType, roots, missing } = compileMappings(mappings, 'config.mappings', baseSeconds);
  const folder = new SpoolFolder(spoolFolder);
  const spools = tables.map(({ columns }) => folder.open(csvLine(columns)));
  const emit = (table: number, cells: readonly string[]): void => spools[table]?.appendCells(cells);
  const blanks = tables.map(({ primaryKey }) => new KeyBlanksSeen(primaryKey));
  const emptyKey: RowOutput['emptyKey'] = (table, column, value) => blanks[table]?.note(column, value);
  const merged = new Map<string, LatestRows>();
  return {
    maps: (dataType) => byDataType.has(dataType),
    learn: async (pages, isMerged) => {
      const keyed = new Map([...byDataType].filter(([dataType]) => isMerged(dataType)));
      const latest = await findLatest([...keyed.values()], async function* (isWanted) {
        for await (const page of pages()) {
          const mapping = keyed.get(page.dataType);
          if (mapping !== undefined && isWanted(mapping)) yield { mapping, items: page.items, extra: page.extra };
        }
      });
      for (const dataType of keyed.keys()) merged.set(dataType, latest);
    },
    add: async ({ dataType, items, extra }) => {
      const mapping = byDataType.get(dataType);
      const latest = merged.get(dataType);
      const output = { extra, emit, emptyKey, cells: STRINGS, ...(latest === undefined ? {} : { latest }) };
      for (const key of items.keys()) mapping?.write({ holder: items, key }, output);
      await folder.flush();
    },
    finish: () =>
      tables.map((table, at) => {
        const dataType = roots.get(table.name) ?? table.name;
        const made = spooledTable({ ...table, dataType }, spools.slice(at, at + 1));
        return { ...made, ...keyBlanksIn(blanks[at]) };
      }),
    missing,
    close: () => folder.remove(),
  };
}
