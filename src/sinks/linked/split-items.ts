/** The items of a run as rows of linked tables: what sinks of flat tables read in place of pages. */
import { ownValue } from '../../json/keys';
import { withMember } from '../../json/literals';
import { parseData } from '../../json/parse';
import { stringifyJson } from '../../json/stringify';
import type { Json, JsonObject } from '../../model';
import type { OutputPlan } from '../../plan/plan';
import { keepJson, keptTable, LinkedTable, Names, recallTable } from '../../tables/linked/places';
import { emptyColumns, KeyTwice, PlaceChanged, Splitter, tablesOf } from '../../tables/linked/splitter';
import { pagesAt } from '../journal/reader';
import type { PageOfItems, PagesInFiles, PlaceOfItems } from '../journal/journal';
import { SplitRows } from './split-rows';

/** A table of the run beside others that belong to it. */
export interface Relative {
  readonly name: string;
  /** The dataType whose items it comes from. */
  readonly dataType: string;
  /** The table whose rows its rows belong to; absent for the table of the items themselves. */
  readonly parent?: string;
  /** How the run that its first page is of writes. */
  readonly output: OutputPlan;
  /** Columns in which there was nothing but null. */
  readonly empty: readonly string[];
}

/** Items that were split into rows. */
export interface SplitItems {
  readonly places: readonly PlaceOfItems[];
  /** All tables that were split, parents before their children; those without rows, too. */
  readonly relatives: readonly Relative[];
  /** What the next run has to know of the tables, by dataType. */
  readonly structure: JsonObject;
}

/** The dataType of items, and the run that they are of. */
type ItemsOfRun = Pick<PlaceOfItems, 'dataType' | 'run'>;

/** Items before they are split. */
export interface UnsplitPages {
  readonly places: () => AsyncIterable<ItemsOfRun> | Iterable<ItemsOfRun>;
  readonly pages: (isWanted: (place: Pick<PlaceOfItems, 'dataType'>) => boolean) => AsyncIterable<PageOfItems>;
}

export interface SplitOptions extends UnsplitPages {
  /** An existing folder for temporary files, which the caller removes. */
  readonly folder: string;
  /** The dataTypes whose items are split; pages of others stay as they are. */
  readonly dataTypes: ReadonlySet<string>;
  /** What earlier runs have left in {@link SplitItems.structure}. */
  readonly structure: JsonObject;
  /** How each run of the configuration writes, by its number. */
  readonly outputs: readonly OutputPlan[];
  /** The id of the last row of a table of the destination; 0: it has none. Tables that are replaced begin anew. */
  readonly lastRow: (table: string) => Promise<number>;
  /** The columns of a table of the destination that rows are added to, where they hold JSON, or a type that somebody else chose. */
  readonly jsonColumns: (table: string) => Promise<readonly string[]>;
}

/**
 * Splits items into rows of linked tables, in files.
 *
 * @example
 * const split = await splitItems({ ...journal, outputs, folder, dataTypes: new Set(['orders']), structure: {}, lastRow });
 * split.relatives; // [{ name: 'orders', … }, { name: 'orders_lines', parent: 'orders', … }]
 */
export async function splitItems(options: SplitOptions): Promise<SplitItems> {
  const { dataTypes, structure, folder, outputs } = options;
  const names = new Names();
  const runs = new Map<string, number>();
  for await (const { dataType, run } of options.places()) {
    names.take(dataType);
    if (!runs.has(dataType)) runs.set(dataType, run);
  }
  const families: Family[] = [];
  for (const [at, dataType] of [...dataTypes].entries()) {
    const output = outputs[runs.get(dataType) ?? 0] as OutputPlan;
    families.push(new Family(dataType, output, ownValue(structure, dataType) ?? null, names, `${folder}/${at}`));
  }
  for (const family of families) await family.split(options);
  return {
    places: families.flatMap(({ rows }) => rows.places()),
    relatives: families.flatMap(({ relatives }) => relatives()),
    structure: families.reduce((kept, { root }) => withMember(kept, root.name, keptTable(root)), structure),
  };
}

/** The pages of tables that were split, beside those of others as they are in the journal. */
export function withSplitItems(
  journal: PagesInFiles,
  { places }: SplitItems,
  dataTypes: ReadonlySet<string>,
): PagesInFiles {
  const isLeft = ({ dataType }: Pick<PlaceOfItems, 'dataType'>): boolean => !dataTypes.has(dataType);
  return {
    places: async function* () {
      for await (const place of journal.places()) if (isLeft(place)) yield place;
      yield* places;
    },
    pages: async function* (isWanted = () => true) {
      yield* journal.pages((place) => isLeft(place) && isWanted(place));
      yield* pagesAt(places.filter(isWanted));
    },
  };
}

/** The tables of one dataType. */
class Family {
  readonly root: LinkedTable;
  readonly rows: SplitRows;
  readonly #splitter: Splitter;

  constructor(
    dataType: string,
    private readonly output: OutputPlan,
    kept: Json,
    tables: Names,
    files: string,
  ) {
    this.root = new LinkedTable(dataType, undefined, 0, false);
    recallTable(this.root, kept, tables);
    this.root.isLinked = [...tablesOf(this.root)].length > 1;
    this.#splitter = new Splitter(this.root, tables);
    this.rows = new SplitRows(files);
  }

  /** Begins again as often as something turns up that changes earlier rows; each time more is known. */
  async split(options: SplitOptions): Promise<void> {
    for (;;)
      try {
        await this.#splitOnce(options);
        return;
      } catch (error) {
        if (!(error instanceof PlaceChanged)) throw error;
      } finally {
        await this.rows.close();
      }
  }

  async #splitOnce({ pages, lastRow, jsonColumns }: SplitOptions): Promise<void> {
    await this.rows.begin();
    keepJson(this.root, await jsonColumns(this.root.name));
    for (const table of tablesOf(this.root)) {
      table.out.take();
      table.rowId = this.output.incremental ? await lastRow(table.name) : 0;
    }
    for await (const page of pages(({ dataType }) => dataType === this.root.name)) {
      this.#splitPage(page);
      for (const table of tablesOf(this.root)) await this.rows.add(table, page);
    }
    await this.rows.end();
  }

  #splitPage({ lines }: PageOfItems): void {
    const bytes = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength);
    const before = Array.from(tablesOf(this.root), (table) => [table, table.rowId] as const);
    try {
      this.#splitter.split(bytes);
    } catch (error) {
      if (!(error instanceof KeyTwice)) throw error;
      for (const [table, rowId] of before) {
        table.out.take();
        table.rowId = rowId;
      }
      this.#splitter.split(lastKeysOnly(bytes));
    }
  }

  readonly relatives = (): readonly Relative[] =>
    Array.from(tablesOf(this.root), (table) => ({
      name: table.name,
      dataType: this.root.name,
      output: this.output,
      ...(table.parent === undefined ? {} : { parent: table.parent.name }),
      empty: emptyColumns(table),
    }));
}

/** The lines, with the last one of equal keys of an object. */
const lastKeysOnly = (lines: Buffer): Buffer =>
  Buffer.from(
    lines
      .toString('utf8')
      .trimEnd()
      .split('\n')
      .map((line) => `${stringifyJson(parseData(line, 'spelling'))}\n`)
      .join(''),
  );
