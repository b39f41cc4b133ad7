import { merge } from '../core/json/objects';
import type { Item, JsonObject, Page } from '../core/model';
import { addsRows } from './table';
import type { Bucket, ItemsOfPage, PrimaryKeys } from './table';
import type { OutputPlan } from '../plan/plan';
import { createAutomaticTables } from './automatic/automatic';
import type { AutomaticTables, AutomaticTablesOptions, PageWithTexts } from './automatic/automatic';
import { appendTables, createMappedOutput } from './mapping/output';
import type { MappedOutput } from './mapping/output';

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
  /** Reads the pages of the run again. */
  readonly pagesAgain: () => AsyncIterable<PageOfTables>;
}

/** The part of a page that tables use. */
export interface PageOfTables extends Pick<Page, 'iteration' | 'table' | 'items' | 'extra'> {
  /** Returns the JSON texts of the items, if possible as the API wrote them, which is cheaper than serializing them again. */
  readonly texts: () => readonly string[];
}

/** The items of a page, which are parsed when they are first read. */
class LazyItems implements ItemsOfPage {
  readonly dataType: string;
  readonly extra: Page['extra'];

  constructor(private readonly page: PageOfTables) {
    this.dataType = page.table;
    this.extra = page.extra;
  }

  get items(): readonly Item[] {
    return this.page.items;
  }
}

interface BucketTables {
  readonly automatic: AutomaticTables;
  readonly mapped?: MappedOutput;
}

/**
 * Turns pages into rows of linked tables, bucket by bucket (docs/language/configuration.md#iterations): runs of the same bucket share their
 * tables, use the mappings of the first of them, and are incremental if the last of them is.
 *
 * @throws ConfigurationError when mappings cannot be used
 */
export function createBuckets(options: BucketsOptions) {
  const { outputs, spoolFolder, state, warn, startedAt, limitsColumns = false, uniqueIn, pagesAgain } = options;
  const keysOf = (name: string | undefined): PrimaryKeys => {
    const own = outputs.filter(({ bucket }) => bucket === name);
    return {
      primaryKeys: new Map(own.flatMap(({ primaryKeys = new Map() }) => [...primaryKeys])),
      keyPlaces: new Map(own.flatMap(({ keyPlaces = new Map() }) => [...keyPlaces])),
    };
  };
  const fill = ({ bucket, mappings, compatLevel, maxColumns = Infinity }: OutputPlan): BucketTables => {
    const mapped = mappings === undefined ? undefined : createMappedOutput(mappings, spoolFolder, startedAt);
    const automaticPages = async function* (all: AsyncIterable<PageOfTables>): AsyncGenerator<PageWithTexts> {
      for await (const page of all)
        if (outputs[page.iteration]?.bucket === bucket && mapped?.maps(page.table) !== true)
          yield { dataType: page.table, extra: page.extra, items: page.items, texts: page.texts() };
    };
    return {
      automatic: createAutomaticTables({
        ...{ spoolFolder, state, warn, compatLevel, ...keysOf(bucket), uniqueIn },
        ...(limitsColumns ? { maxColumns } : {}),
        pagesAgain: () => automaticPages(pagesAgain()),
      }),
      ...(mapped === undefined ? {} : { mapped }),
    };
  };
  const tablesOfBuckets = new Map<string | undefined, BucketTables>();
  for (const output of outputs)
    if (!tablesOfBuckets.has(output.bucket)) tablesOfBuckets.set(output.bucket, fill(output));

  const outputOf = (name: string | undefined): Bucket['output'] =>
    outputs.findLast(({ bucket }) => bucket === name) ?? { incremental: false };

  const finishOne = async (name: string | undefined, { automatic, mapped }: BucketTables): Promise<Bucket> => {
    for (const place of mapped?.missing() ?? []) options.missing?.(place);
    const output = outputOf(name);
    const tables = appendTables([...(mapped?.finish() ?? []), ...(await automatic.finish())]);
    return { ...(name === undefined ? {} : { name }), output, tables };
  };

  return {
    /**
     * Finds which of the rows of mapped tables count: the last one of those with the same key, with its child rows. Must be called before
     * the first page where a key has one row.
     *
     * @param pages reads the pages of the run; it may be called several times
     */
    learn: async (pages: () => AsyncIterable<PageOfTables>): Promise<void> => {
      for (const [name, { mapped }] of tablesOfBuckets) {
        const output = outputOf(name);
        const ofBucket = async function* (): AsyncGenerator<ItemsOfPage> {
          for await (const page of pages()) if (outputs[page.iteration]?.bucket === name) yield new LazyItems(page);
        };
        await mapped?.learn(ofBucket, (dataType) => addsRows(output, dataType));
      }
    },
    /**
     * Adds a page to the tables of its run's bucket. Pages come in the order in which they were received.
     *
     * @throws FatalError API_SHAPE when the items do not fit the tables
     */
    add: async (page: PageOfTables): Promise<void> => {
      const { iteration, table: dataType, items, extra } = page;
      const tables = tablesOfBuckets.get(outputs[iteration]?.bucket);
      if (tables?.mapped?.maps(dataType) === true) await tables.mapped.add({ dataType, items, extra });
      else await tables?.automatic.add({ dataType, items, extra, texts: page.texts() });
    },
    /** Returns all tables, after the last page; their rows can be read until `close`. */
    finish: (): Promise<readonly Bucket[]> =>
      Promise.all([...tablesOfBuckets].map(([name, tables]) => finishOne(name, tables))),
    /** Returns the structure for the next run, after `finish`; empty if mappings are configured. */
    state: (): JsonObject =>
      [...tablesOfBuckets.values()]
        .filter(({ mapped }) => mapped === undefined)
        .reduce<JsonObject>((states, { automatic }) => merge(states, automatic.state()), {}),
    /** Removes the waiting rows; must also be called after a failure. */
    close: async (): Promise<void> => {
      for (const { automatic, mapped } of tablesOfBuckets.values()) {
        await automatic.close();
        await mapped?.close();
      }
    },
  };
}
