import { FatalError } from '../../core/errors/errors';
import type { Warn } from '../../language/parts/sink';
import type { OutputPlan } from '../../plan/plan';
import { findLatest, mappingsByBucket, tablesOfBuckets } from '../../tables/mapping/mapping';
import type { Mapping, MappingsOfBucket } from '../../tables/mapping/mapping';
import type { MappedTable } from '../../tables/mapping/plan';
import { JSON_VALUES } from '../../tables/mapping/rows';
import type { LatestRows } from '../../tables/mapping/rows';
import { namedColumns } from '../../tables/run-columns';
import { asColumnType } from '../../tables/schema/column-type';
import type { ChosenTypes, ColumnType } from '../../tables/schema/column-type';
import { addsRows, withRoots } from '../../tables/table';
import { itemsOf } from '../journal/journal';
import type { ItemsOfRun, PageOfItems, PagesInFiles, PlaceOfItems } from '../journal/journal';
import { SplitRows, withRows } from './split-rows';
import type { RowsOfPage } from './split-rows';

/**
 * Returns the rows of mapped tables, with the pages of others unchanged from the journal.
 *
 * @throws FatalError API_SHAPE from its methods where a dataType without a mapping has the name of a mapped table
 */
export function withMappedItems(journal: PagesInFiles, { tables, isMapped }: MappedItems): PagesInFiles {
  const places = tables.flatMap((table) => table.places);
  const names = new Set(tables.map(({ name }) => name));
  const isLeft = (place: PlaceOfItems): boolean => {
    if (isMapped(place)) return false;
    if (names.has(place.dataType)) throw sharedTable(place.dataType);
    return true;
  };
  return withRows(journal, places, isLeft);
}

/** Returns the error for a table that both a mapping and items without one would fill: their columns are unrelated. */
const sharedTable = (table: string): FatalError =>
  new FatalError(
    'API_SHAPE',
    `The table ${JSON.stringify(table)} is that of a mapping, and of a dataType without one. ` +
      'Give one of them another name: the dataType of the job, or the destination in the mapping.',
    { table },
  );

/** The options for mapping the items of a run to rows, which sinks of typed tables read instead of pages. */
export interface MapOptions {
  /** The outputs of the runs of the configuration, by their numbers. */
  readonly outputs: readonly OutputPlan[];
  /** Returns the pages of the run in their order; they are read once, and once more for each depth of tables with repeated keys. */
  readonly pages: (isWanted: (place: ItemsOfRun) => boolean) => AsyncIterable<PageOfItems>;
  /** An existing folder for temporary files, which the caller removes. */
  readonly folder: string;
  /** The start of the run in Unix seconds. */
  readonly startedAt: number;
  /** Is called with paths that no item has. */
  readonly warn?: Warn | undefined;
}

/** A mapped table of the run. */
export interface MappedTableOfRun extends Omit<MappedTable, 'types'> {
  readonly types: ChosenTypes;
  /** The output of the run that maps it. */
  readonly output: OutputPlan;
  /** The places of its rows; empty: there are none. */
  readonly places: readonly PlaceOfItems[];
  /** The places of the keys of parents that came, in lines as `LinkRows` writes them; only child tables of merged rows have them. */
  readonly links: readonly PlaceOfItems[];
}

/** Items that were mapped. */
export interface MappedItems {
  /** The tables, parents before their children. */
  readonly tables: readonly MappedTableOfRun[];
  readonly isMapped: (items: ItemsOfRun) => boolean;
  /** The given outputs, with the primary keys of mapped tables. */
  readonly outputs: readonly OutputPlan[];
}

/**
 * Applies the mappings of a configuration (docs/language/mappings.md): makes rows of JSON, in one file for each table. The last of the rows
 * with the same primary key counts, so that the rows of its child tables are those of one item.
 *
 * @returns `undefined` if nothing is mapped
 * @throws FatalError API_SHAPE when a value fits no cell; ConfigurationError when tables of several buckets differ
 * @example (await mapItems({ outputs, pages, folder, startedAt }))?.tables // [{ name: 'boats', places: […], … }]
 */
export async function mapItems(options: MapOptions): Promise<MappedItems | undefined> {
  const { outputs, pages, folder, startedAt, warn } = options;
  const compiled = mappingsByBucket(outputs, startedAt);
  if (compiled.size === 0) return undefined;
  const mappingOf = ({ run, dataType }: ItemsOfRun): Mapping | undefined =>
    compiled.get(outputs[run]?.bucket)?.mappings.byDataType.get(dataType);
  const isMapped = (items: ItemsOfRun): boolean => mappingOf(items) !== undefined;
  const tables = tablesOfBuckets(compiled);
  const rows = new Map([...tables.values()].map((table) => [table.name, new MappedRows(table)]));
  const links = new Map([...rows.keys()].map((name) => [name, new LinkRows(name)]));
  const files = { rows: new SplitRows(`${folder}/mapped`), links: new SplitRows(`${folder}/links`) };
  try {
    const latest = await latestRows(options, compiled, mappingOf);
    for await (const page of pages(isMapped)) {
      const mapping = mappingOf(page) as Mapping;
      const isMerged = isAdded(outputs, page);
      const items = itemsOf(page, 'spelling');
      for (const key of items.keys()) {
        mapping.write(
          { holder: items, key },
          {
            ...{ extra: namedColumns(page), cells: JSON_VALUES },
            emit: (table, cells) => rows.get(nameOf(mapping, table))?.add(cells),
            ...{ latest, isMerged },
            ...(isMerged ? { link: (table, cell) => links.get(nameOf(mapping, table))?.add(cell) } : {}),
          },
        );
      }
      for (const table of rows.values()) await files.rows.add(table, page);
      for (const link of links.values()) await files.links.add(link, page);
    }
    await files.rows.end();
    await files.links.end();
  } finally {
    await files.rows.close();
    await files.links.close();
  }
  for (const { mappings } of compiled.values())
    for (const place of mappings.missing())
      warn?.('MAPPED_PATH_MISSING', `${place}: no item of this run has it. Correct the path.`);
  const placesOf = (of: SplitRows, name: string): readonly PlaceOfItems[] =>
    of.places().filter(({ dataType }) => dataType === name);
  const roots = [...compiled.values()].flatMap(({ mappings }) => [...mappings.roots]);
  const written = withRoots(outputs, roots).map((output) => ({ ...output, primaryKeys: keysOf(output, tables) }));
  return {
    tables: Array.from(tables.values(), (table) => ({
      ...table,
      output: written[outputs.indexOf(table.output)] ?? table.output,
      types: new Map(Array.from(table.types ?? [], ([column, type]) => [column, asColumnType(type)] as const)),
      places: placesOf(files.rows, table.name),
      links: placesOf(files.links, table.name),
    })),
    isMapped,
    outputs: written,
  };
}

const nameOf = ({ tables }: Mapping, at: number): string => tables[at]?.name ?? '';

const keysOf = (
  { primaryKeys = new Map<string, readonly string[]>() }: OutputPlan,
  tables: ReadonlyMap<string, MappedTable>,
): ReadonlyMap<string, readonly string[]> =>
  new Map([...primaryKeys, ...Array.from(tables.values(), ({ name, primaryKey }) => [name, primaryKey] as const)]);

/** Returns which rows count, for tables with child tables. */
function latestRows(
  { pages }: MapOptions,
  compiled: ReadonlyMap<string | undefined, MappingsOfBucket>,
  mappingOf: (items: ItemsOfRun) => Mapping | undefined,
): Promise<LatestRows> {
  const mappings = [...compiled.values()].flatMap((each) => [...each.mappings.byDataType.values()]);
  return findLatest(mappings, async function* (isWanted) {
    const isKeyed = (items: ItemsOfRun): boolean => {
      const mapping = mappingOf(items);
      return mapping !== undefined && isWanted(mapping);
    };
    for await (const page of pages(isKeyed))
      yield { mapping: mappingOf(page) as Mapping, items: itemsOf(page, 'spelling'), extra: namedColumns(page) };
  });
}

const isAdded = (outputs: readonly OutputPlan[], { run, dataType }: ItemsOfRun): boolean => {
  const output = outputs[run];
  return output !== undefined && addsRows(output, dataType);
};

/** The member of a line with the link value of the child rows of a parent, as a string. */
export const LINK = 'link';
/** The same value in the type of child rows. */
export const CELL = 'cell';

/** The rows of a mapped table as lines of JSON, each with all columns in their order. */
class MappedRows implements RowsOfPage {
  readonly name: string;
  /** The columns that a job adds are in the mapping, or nowhere. */
  readonly parent = {};
  readonly out = new Lines();
  readonly #keys: readonly string[];

  constructor(table: MappedTable) {
    this.name = table.name;
    this.#keys = table.columns.map((column) => `${JSON.stringify(column)}:`);
  }

  /** @param cells JSON; an empty one is a missing value */
  add(cells: readonly string[]): void {
    this.out.add(`{${this.#keys.map((key, at) => key + (cells[at] || 'null')).join(',')}}\n`);
  }
}

/** The keys of parents whose rows came, as strings, for the rows of a child table. */
class LinkRows implements RowsOfPage {
  readonly parent = {};
  readonly out = new Lines();

  constructor(readonly name: string) {}

  /** @param cell JSON; an empty key has no child rows */
  add(cell: string): void {
    if (cell === '') return;
    const text = cell.startsWith('"') ? cell : JSON.stringify(cell);
    this.out.add(`{"${LINK}":${text},"${CELL}":${cell}}\n`);
  }
}

class Lines {
  rows = 0;
  #lines: string[] = [];

  add(line: string): void {
    this.#lines.push(line);
    this.rows += 1;
  }

  readonly take = (): Buffer => {
    const bytes = Buffer.from(this.#lines.join(''));
    this.#lines = [];
    this.rows = 0;
    return bytes;
  };
}

/** A key of several columns is a string in the child rows, which cannot be restored for every type. */
export const keyOfType = (table: string, column: string, type: ColumnType): FatalError =>
  new FatalError(
    'DESTINATION_INCOMPATIBLE',
    `Rows below those of ${JSON.stringify(table)} cannot be found: its key of several columns has ${JSON.stringify(column)} of the type ${type}. ` +
      'Set "parentKey.disable" below it, or "type": "string" for that column, in a new table.',
    { table },
  );
