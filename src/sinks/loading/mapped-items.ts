import { FatalError } from '../../core/errors/errors';
import type { Warn } from '../../language/parts/sink';
import type { OutputPlan } from '../../plan/plan';
import { findLatest, mappingsByBucket, tablesOfBuckets } from '../../tables/mapping/mapping';
import type { Mapping, MappingsOfBucket } from '../../tables/mapping/mapping';
import type { MappedTable } from '../../tables/mapping/plan';
import { JSON_VALUES } from '../../tables/mapping/rows';
import type { LatestRows, RowOutput } from '../../tables/mapping/rows';
import { namedColumns } from '../../tables/run-columns';
import { asColumnType } from '../../tables/schema/column-type';
import type { ChosenTypes, ColumnType } from '../../tables/schema/column-type';
import { addsRows, withRoots } from '../../tables/table';
import { itemsOf } from '../journal/journal';
import type { ItemsOfRun, PagesInFiles, PlaceOfItems } from '../journal/journal';
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
export interface MapOptions extends Pick<PagesInFiles, 'pages'> {
  /** The outputs of the runs of the configuration, by their numbers. */
  readonly outputs: readonly OutputPlan[];
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
  /** The places of the keys of parents that came, in lines as `linkOf` writes them; only child tables of merged rows have them. */
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
 * with the same primary key counts, so that the rows of its child tables are those of one item. Pages are read once, and once more for
 * each depth of tables with repeated keys.
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
  const rows = new Map([...tables.keys()].map((name) => [name, new Lines(name)]));
  const links = new Map([...tables.keys()].map((name) => [name, new Lines(name)]));
  const keys = new Map(
    [...tables.values()].map(({ name, columns }) => [name, columns.map((column) => `${JSON.stringify(column)}:`)]),
  );
  const files = { rows: new SplitRows(`${folder}/mapped`), links: new SplitRows(`${folder}/links`) };
  try {
    const latest = await latestRows(options, compiled, mappingOf);
    for await (const page of pages(isMapped)) {
      const mapping = mappingOf(page) as Mapping;
      const isMerged = isAdded(outputs, page);
      const items = itemsOf(page, 'spelling');
      const link: RowOutput['link'] = (table, cell) => {
        // An empty key has no child rows.
        if (cell !== '') links.get(nameOf(mapping, table))?.add(linkOf(cell));
      };
      const output: RowOutput = {
        ...{ extra: namedColumns(page), cells: JSON_VALUES, latest, isMerged },
        emit: (table, cells) => {
          const name = nameOf(mapping, table);
          rows.get(name)?.add(rowOf(keys.get(name) ?? [], cells));
        },
        ...(isMerged ? { link } : {}),
      };
      for (const key of items.keys()) mapping.write({ holder: items, key }, output);
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

/** @param cells JSON; an empty one is a missing value */
const rowOf = (keys: readonly string[], cells: readonly string[]): string =>
  `{${keys.map((key, at) => key + (cells[at] || 'null')).join(',')}}\n`;

/** @param cell JSON */
const linkOf = (cell: string): string =>
  `{"${LINK}":${cell.startsWith('"') ? cell : JSON.stringify(cell)},"${CELL}":${cell}}\n`;

/** The lines of a table that come from the current page. */
class Lines implements RowsOfPage {
  /** The columns that a job adds are in the mapping, or nowhere. */
  readonly parent = {};
  readonly out = {
    rows: 0,
    take: (): Buffer => {
      const bytes = Buffer.from(this.#lines.join(''));
      this.#lines = [];
      this.out.rows = 0;
      return bytes;
    },
  };
  #lines: string[] = [];

  constructor(readonly name: string) {}

  add(line: string): void {
    this.#lines.push(line);
    this.out.rows += 1;
  }
}

/** A key of several columns is a string in the child rows, which cannot be restored for every type. */
export const keyOfType = (table: string, column: string, type: ColumnType): FatalError =>
  new FatalError(
    'DESTINATION_INCOMPATIBLE',
    `Rows below those of ${JSON.stringify(table)} cannot be found: its key of several columns has ${JSON.stringify(column)} of the type ${type}. ` +
      'Set "parentKey.disable" below it, or "type": "string" for that column, in a new table.',
    { table },
  );
