import { FatalError } from '../../core/errors/errors';
import type { JsonObject } from '../../core/model';
import { csvLine } from '../csv-lines';
import { SpoolFolder, saveChunks, spooledTable } from '../spool';
import { KeyBlanksSeen, keyBlanksIn } from '../table';
import type { ItemsOfPage, Table } from '../table';
import { compileMappings, findLatest } from './mapping';
import { columnsAgree, columnsDiffer, commonPrimaryKey } from './plan';
import { STRINGS } from './rows';
import type { LatestRows, RowOutput } from './rows';

/** The tables of the mappings of a bucket; their rows wait in files. */
export type MappedOutput = ReturnType<typeof createMappedOutput>;

/**
 * Applies mappings to items (docs/language/mappings.md#a-mapping).
 *
 * @param baseSeconds the base of relative dates: the start of the run
 * @throws ConfigurationError when the mappings cannot be used
 */
export function createMappedOutput(mappings: JsonObject, spoolFolder: string, baseSeconds: number) {
  const { tables, byDataType, roots, missing } = compileMappings(mappings, 'config.mappings', baseSeconds);
  const folder = new SpoolFolder(spoolFolder);
  const spools = tables.map(({ columns }) => folder.open(csvLine(columns)));
  const emit = (table: number, cells: readonly string[]): void => spools[table]?.appendCells(cells);
  const blanks = tables.map(({ primaryKey }) => new KeyBlanksSeen(primaryKey));
  const emptyKey: RowOutput['emptyKey'] = (table, column, value) => blanks[table]?.note(column, value);
  let latest: LatestRows | undefined;
  let isMerged: (dataType: string) => boolean = () => false;
  return {
    maps: (dataType: string): boolean => byDataType.has(dataType),
    /**
     * Finds which rows count, before any items are added: the last one of those with the same key.
     *
     * @param pages reads the items of the run in their order
     * @param merges whether rows take the place of those of earlier runs
     */
    learn: async (pages: () => AsyncIterable<ItemsOfPage>, merges: typeof isMerged): Promise<void> => {
      isMerged = merges;
      latest = await findLatest([...byDataType.values()], async function* (isWanted) {
        for await (const page of pages()) {
          const mapping = byDataType.get(page.dataType);
          if (mapping !== undefined && isWanted(mapping)) yield { mapping, items: page.items, extra: page.extra };
        }
      });
    },
    add: async ({ dataType, items, extra }: ItemsOfPage): Promise<void> => {
      const mapping = byDataType.get(dataType);
      const output = { extra, emit, emptyKey, cells: STRINGS, latest, isMerged: isMerged(dataType) };
      for (const key of items.keys()) mapping?.write({ holder: items, key }, output);
      await folder.flush();
    },
    /** Returns every table of every mapping, including those without rows (docs/language/mappings.md#what-else-to-know). */
    finish: (): readonly Table[] =>
      tables.map((table, at) => {
        const dataType = roots.get(table.name) ?? table.name;
        const made = spooledTable({ ...table, dataType }, spools.slice(at, at + 1));
        return { ...made, ...keyBlanksIn(blanks[at]) };
      }),
    /** Returns the places of the mappings whose paths no item has had. */
    missing,
    close: (): Promise<void> => folder.remove(),
  };
}

/**
 * Merges tables of the same name, from mappings, automatic conversion or several iterations, into one
 * (docs/language/tables.md#names-of-tables, docs/language/mappings.md#what-else-to-know): the rows of the later ones follow those of the
 * earlier, and the first primary key counts.
 *
 * @throws FatalError `API_SHAPE` when their columns differ
 * @example
 * appendTables([boatsOfJanuary, crew, boatsOfFebruary]); // boats of both months, crew
 */
export function appendTables(tables: readonly Table[]): readonly Table[] {
  const byName = new Map<string, Table>();
  for (const table of tables) {
    const earlier = byName.get(table.name);
    byName.set(table.name, earlier === undefined ? table : append(earlier, table));
  }
  return [...byName.values()];
}

function append(earlier: Table, later: Table): Table {
  if (!columnsAgree(earlier, later))
    throw new FatalError('API_SHAPE', columnsDiffer(earlier, later), { table: later.name });
  const csv = chain(earlier.csv, later.csv);
  return {
    ...earlier,
    primaryKey: commonPrimaryKey(earlier, later),
    count: earlier.count + later.count,
    rows: chain(earlier.rows, later.rows),
    csv,
    saveCsv: (path) => saveChunks(csvLine(earlier.columns), csv, path),
  };
}

/** Returns all values of the first, then all of the second, each time they are read. */
const chain = <T>(first: AsyncIterable<T>, second: AsyncIterable<T>): AsyncIterable<T> => ({
  async *[Symbol.asyncIterator]() {
    yield* first;
    yield* second;
  },
});
