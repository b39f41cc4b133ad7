import { withAllDigits } from '../../json/literals';
import type { JsonObject } from '../../model';
import { csvLine } from '../files/csv-lines';
import { compileMappings } from './mapping';
import { SpoolFolder } from '../files/spool';
import { spooledTable } from '../files/spooled-table';
import type { ItemsOfPage, Table } from '../table';

/** Tables of the mappings of a bucket: their rows wait in files. */
export interface MappedOutput {
  readonly maps: (dataType: string) => boolean;
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
  const { tables, byDataType, missing } = compileMappings(mappings, 'config.mappings', baseSeconds);
  const folder = new SpoolFolder(spoolFolder);
  const spools = tables.map(({ columns }) => folder.open(csvLine(columns)));
  const emit = (table: number, cells: readonly string[]): void => spools[table]?.appendCells(cells);
  return {
    maps: (dataType) => byDataType.has(dataType),
    add: async ({ dataType, items, extra }) => {
      const mapping = byDataType.get(dataType);
      for (const item of withAllDigits(items)) mapping?.rows(item, extra, emit);
      await folder.flush();
    },
    finish: () => tables.map((table, at) => spooledTable(table, spools.slice(at, at + 1))),
    missing,
    close: () => folder.remove(),
  };
}
