/** The items of a run as rows of mapped tables: what sinks of typed tables read in place of pages. */
import { parseList } from '../../core/json/parse';
import type { JsonArray } from '../../core/model';
import { addsAnyRows, addsRows, withRoots } from '../../tables/loads';
import type { OutputPlan } from '../../plan/plan';
import { JSON_VALUES } from '../../tables/mapping/cell';
import { mappingsByBucket, tablesOfBuckets } from '../../tables/mapping/by-bucket';
import type { MappingsOfBucket } from '../../tables/mapping/by-bucket';
import { findLatest } from '../../tables/mapping/find-latest';
import type { LatestRows } from '../../tables/mapping/latest';
import type { Mapping } from '../../tables/mapping/mapping';
import type { MappedTable } from '../../tables/mapping/tables';
import type { Warn } from '../../language/parts/sink';
import { namedColumns } from '../../tables/run-columns';
import { SplitRows } from '../linked/split-rows';
import type { PageOfItems, PlaceOfItems } from '../journal/journal';
import { asColumnType } from '../../tables/schema/chosen-type';
import type { ChosenTypes } from '../../tables/schema/chosen-type';
import { LinkRows, MappedRows } from './mapped-rows';

export interface MapOptions {
  /** How each run of the configuration writes, by its number. */
  readonly outputs: readonly OutputPlan[];
  /** The pages of the run in their order; they are read once, and once more for each depth of tables where keys may come again. */
  readonly pages: (isWanted: (place: ItemsOfRun) => boolean) => AsyncIterable<PageOfItems>;
  /** An existing folder for temporary files, which the caller removes. */
  readonly folder: string;
  /** The start of the run in Unix seconds. */
  readonly startedAt: number;
  /** Hears of paths that no item has. */
  readonly warn?: Warn;
}

/** The dataType of items, and the run that they are of. */
export type ItemsOfRun = Pick<PlaceOfItems, 'dataType' | 'run'>;

/** A mapped table of the run. */
export interface MappedTableOfRun extends Omit<MappedTable, 'types'> {
  readonly types: ChosenTypes;
  /** How the run that maps it writes. */
  readonly output: OutputPlan;
  /** Where its rows are; none: there are no rows. */
  readonly places: readonly PlaceOfItems[];
  /** Where the keys of the parents that came are, in lines as `LinkRows` writes them; child tables of rows that are merged have them. */
  readonly links: readonly PlaceOfItems[];
}

/** Items that were mapped. */
export interface MappedItems {
  /** Parents before their children. */
  readonly tables: readonly MappedTableOfRun[];
  readonly isMapped: (items: ItemsOfRun) => boolean;
  /** As they are given, but with the primary keys of mapped tables. */
  readonly outputs: readonly OutputPlan[];
}

/**
 * Applies the mappings of a configuration (docs/language/mappings.md): rows of JSON, in a file a table. Of rows with the
 * same primary key, in tables that are merged, the last one counts, so that the rows of its child tables are those of one item.
 *
 * @returns `undefined` where nothing is mapped
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
      const items = itemsOf(page);
      for (const key of items.keys()) {
        mapping.write(
          { holder: items, key },
          {
            ...{ extra: namedColumns(page), cells: JSON_VALUES },
            emit: (table, cells) => rows.get(nameOf(mapping, table))?.add(cells),
            ...(isMerged ? { latest, link: (table, cell) => links.get(nameOf(mapping, table))?.add(cell) } : {}),
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

/** Which rows count, where tables with child tables are merged. */
function latestRows(
  { outputs, pages }: MapOptions,
  compiled: ReadonlyMap<string | undefined, MappingsOfBucket>,
  mappingOf: (items: ItemsOfRun) => Mapping | undefined,
): Promise<LatestRows> {
  const mappings = [...compiled.values()].flatMap((each) => [...each.mappings.byDataType.values()]);
  return findLatest(outputs.some(addsAnyRows) ? mappings : [], async function* (isWanted) {
    const isMerged = (items: ItemsOfRun): boolean => {
      const mapping = mappingOf(items);
      return mapping !== undefined && isAdded(outputs, items) && isWanted(mapping);
    };
    for await (const page of pages(isMerged))
      yield { mapping: mappingOf(page) as Mapping, items: itemsOf(page), extra: namedColumns(page) };
  });
}

const isAdded = (outputs: readonly OutputPlan[], { run, dataType }: ItemsOfRun): boolean => {
  const output = outputs[run];
  return output !== undefined && addsRows(output, dataType);
};

function itemsOf({ lines, count }: PageOfItems): JsonArray {
  if (count === 0) return [];
  const text = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength).toString('utf8');
  return parseList(text.trimEnd().split('\n'), 'spelling');
}
