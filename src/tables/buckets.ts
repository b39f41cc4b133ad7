import { merge } from '../core/json/objects';
import type { JsonObject } from '../core/model';
import { FatalError } from '../core/errors/errors';
import { KeyBlanksSeen, addsRows, keyBlanksIn } from './table';
import type { Bucket, ItemsOfPage, Table } from './table';
import type { OutputPlan } from '../plan/plan';
import { createAutomaticTables } from './automatic/automatic';
import type { AutomaticTables, AutomaticTablesOptions } from './automatic/automatic';
import type { PageOfLines } from './automatic/rows';
import { csvLine } from './csv-lines';
import { compileMappings, findLatest } from './mapping/mapping';
import { columnsAgree, columnsDiffer, commonPrimaryKey } from './mapping/plan';
import { STRINGS } from './mapping/rows';
import type { LatestRows, RowOutput } from './mapping/rows';
import { SpoolFolder, saveChunks, spooledTable } from './spool';

export interface BucketsOptions {
  /** The outputs of the runs of the configuration, by their numbers. */
  readonly outputs: readonly OutputPlan[];
  /** An existing folder; rows wait in private folders inside it. */
  readonly spoolFolder: string;
  /** The state after the last run (docs/language/state.md#where-it-is-kept). */
  readonly state: JsonObject;
  readonly warn: (message: string) => void;
  /** Is called at the end with each place of a mapping whose path no item has had. */
  readonly missing?: (place: string) => void;
  /** The start of the run in Unix seconds. */
  readonly startedAt: number;
  /** True if tables keep the limits of `outputs`; the language itself (8) has none. */
  readonly limitsColumns?: boolean;
  readonly uniqueIn?: AutomaticTablesOptions['uniqueIn'];
  /** Reads the pages of the run; it may be called several times. */
  readonly pages: () => AsyncIterable<PageOfTables>;
}

/** A page, and the run of the configuration that it belongs to; its lines are as the API wrote them, if possible. */
export interface PageOfTables extends PageOfLines {
  readonly run: number;
}

interface BucketTables extends Omit<Bucket, 'tables'> {
  readonly automatic: AutomaticTables;
  readonly mapped: ReturnType<typeof createMappedOutput> | undefined;
}

/**
 * Turns pages into rows of linked tables, bucket by bucket (docs/language/configuration.md#iterations): runs of the same bucket share their
 * tables, use the mappings of the first of them, and are incremental if the last of them is.
 *
 * @throws ConfigurationError when mappings cannot be used
 */
export function createBuckets(options: BucketsOptions) {
  const { outputs, spoolFolder, state, warn, startedAt, limitsColumns = false, uniqueIn, pages } = options;
  const pagesOf = async function* (bucket: string | undefined): AsyncGenerator<PageOfTables> {
    for await (const page of pages()) if (outputs[page.run]?.bucket === bucket) yield page;
  };
  const fill = ({ bucket: name, mappings, compatLevel, maxColumns = Infinity }: OutputPlan): BucketTables => {
    const own = outputs.filter(({ bucket }) => bucket === name);
    const mapped = mappings === undefined ? undefined : createMappedOutput(mappings, spoolFolder, startedAt);
    const automatic = createAutomaticTables({
      ...{ spoolFolder, state, warn, compatLevel, uniqueIn },
      primaryKeys: new Map(own.flatMap(({ primaryKeys = new Map() }) => [...primaryKeys])),
      keyPlaces: new Map(own.flatMap(({ keyPlaces = new Map() }) => [...keyPlaces])),
      ...(limitsColumns ? { maxColumns } : {}),
      pagesAgain: async function* () {
        for await (const page of pagesOf(name)) if (mapped?.maps(page.dataType) !== true) yield page;
      },
    });
    return { ...(name === undefined ? {} : { name }), output: own.at(-1) ?? { incremental: false }, automatic, mapped };
  };
  const buckets = new Map<string | undefined, BucketTables>();
  for (const output of outputs) if (!buckets.has(output.bucket)) buckets.set(output.bucket, fill(output));

  return {
    /**
     * Finds which of the rows of mapped tables count: the last one of those with the same key, with its child rows. Must be called before
     * the first page where a key has one row.
     */
    learn: async (): Promise<void> => {
      for (const { name, output, mapped } of buckets.values())
        await mapped?.learn(
          () => pagesOf(name),
          (dataType) => addsRows(output, dataType),
        );
    },
    /**
     * Adds a page to the tables of its run's bucket. Pages come in the order in which they were received.
     *
     * @throws FatalError API_SHAPE when the items do not fit the tables
     */
    add: async (page: PageOfTables): Promise<void> => {
      const { automatic, mapped } = buckets.get(outputs[page.run]?.bucket) ?? {};
      await (mapped?.maps(page.dataType) === true ? mapped : automatic)?.add(page);
    },
    /** Returns all tables, after the last page; their rows can be read until `close`. */
    finish: (): Promise<readonly Bucket[]> =>
      Promise.all(
        Array.from(buckets.values(), async ({ automatic, mapped, ...bucket }) => {
          for (const place of mapped?.missing() ?? []) options.missing?.(place);
          return { ...bucket, tables: appendTables([...(mapped?.finish() ?? []), ...(await automatic.finish())]) };
        }),
      ),
    /** Returns the structure for the next run, after `finish`; empty if mappings are configured. */
    state: (): JsonObject =>
      [...buckets.values()]
        .filter(({ mapped }) => mapped === undefined)
        .reduce<JsonObject>((states, { automatic }) => merge(states, automatic.state()), {}),
    /** Removes the waiting rows; must also be called after a failure. */
    close: async (): Promise<void> => {
      for (const { automatic, mapped } of buckets.values()) {
        await automatic.close();
        await mapped?.close();
      }
    },
  };
}

/**
 * Applies mappings to items (docs/language/mappings.md#a-mapping).
 *
 * @param baseSeconds the base of relative dates: the start of the run
 * @throws ConfigurationError when the mappings cannot be used
 */
function createMappedOutput(mappings: JsonObject, spoolFolder: string, baseSeconds: number) {
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
