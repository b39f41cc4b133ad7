/** The automatic conversion of items into rows of linked tables (docs/language/tables.md). */
import { FatalError, addFacts } from '../../core/errors/errors';
import { ownValue } from '../../core/json/objects';
import type { Item, JsonObject } from '../../core/model';
import { safeName } from '../names';
import { SpoolFolder, spooledTable } from '../spool';
import type { Spool } from '../spool';
import { KeyBlanksSeen, withPrimaryKeys } from '../table';
import type { GaveWay, ItemsOfPage, PrimaryKeys, Table, TableLink } from '../table';
import { LEGACY_NAMING, NAMING, checkColumns, takenNames } from './columns';
import type { Naming } from './columns';
import { RowWriter, planTables } from './rows';
import type { CreationOrder, ListField, ObjectPlan, PageOfLines, TablePlan } from './rows';
import { STRUCT, STRUCT_VERSION, knownLegacyStructure, knownStructure } from './state';
import type { KnownStructure } from './state';
import { Structure } from './structure';

export interface AutomaticTablesOptions extends PrimaryKeys {
  /** An existing folder; rows wait in a private folder inside it. */
  readonly spoolFolder: string;
  /** The state after the last run (`in/state.json`): columns of earlier runs are kept. */
  readonly state?: JsonObject;
  readonly warn: (message: string) => void;
  /** Level 1 selects the legacy names (docs/language/configuration.md#compatlevel). */
  readonly compatLevel: number;
  /** The maximum number of data columns in a table; default: any number. */
  readonly maxColumns?: number;
  /** The id of the run, so that no two rows have the same id; absent: equal rows have equal ids, as the language specifies. */
  readonly uniqueIn?: string | undefined;
  /** Reads the added pages again, in their order. */
  readonly pagesAgain: () => AsyncIterable<PageOfLines>;
}

export type AutomaticTables = ReturnType<typeof createAutomaticTables>;

/**
 * Turns items into tables with little memory: rows wait in files.
 *
 * @example
 * const tables = createAutomaticTables({ spoolFolder: tmpdir(), warn: console.warn, compatLevel: 3, pagesAgain });
 * await tables.add({ dataType: 'boats', items: [{ id: 1 }], lines: Buffer.from('{"id":1}\n'), isPlain: true, extra: new Map() });
 * for (const { name, columns } of await tables.finish()) console.log(name, columns);
 * await tables.close();
 */
export function createAutomaticTables(options: AutomaticTablesOptions) {
  const { warn, maxColumns = Infinity, uniqueIn, pagesAgain } = options;
  const { naming, known } = interpretState(options);
  const aliases = new Map(known.aliases);
  const folder = new SpoolFolder(options.spoolFolder);
  const builders = new Map<string, DataTypeBuilder>();
  const blanks = new Map(
    Array.from(options.primaryKeys ?? [], ([dataType, columns]) => [dataType, new KeyBlanksSeen(columns)] as const),
  );
  let pages = 0;

  const builderOf = (batch: ItemsOfPage): DataTypeBuilder => {
    const open = builders.get(batch.dataType);
    if (open !== undefined) return open;
    const common = { naming, aliases, warn, openSpool: (header: string) => folder.open(header), maxColumns, uniqueIn };
    const builder = new DataTypeBuilder(batch, pages, known, common);
    builders.set(batch.dataType, builder);
    return builder;
  };

  /** Makes the rows again that do not fit the final structure. */
  const makeAgain = async (): Promise<void> => {
    const end = Math.max(
      0,
      ...Array.from(builders.values(), ({ firstPage, limit }) => (firstPage < limit ? limit : 0)),
    );
    let at = 0;
    if (end === 0) return;
    for await (const page of pagesAgain()) {
      if (isWithoutRows(page)) continue;
      if (builders.get(page.dataType)?.takeAgain(page, at) === true) await folder.flush();
      at += 1;
      if (at >= end) return;
    }
  };

  return {
    /**
     * Merges the items of one page into the structure of their dataType and keeps their rows. Pages must be added in the
     * order in which they were received.
     *
     * @throws FatalError `API_SHAPE` when the items do not fit the structure (docs/language/tables.md#when-kinds-differ)
     */
    add: async (batch: PageOfLines): Promise<void> => {
      if (isWithoutRows(batch)) return;
      blanks.get(batch.dataType)?.see(batch.items);
      const stale = builderOf(batch).take(batch, pages);
      pages += 1;
      await Promise.all(Array.from(stale.values(), (spool) => folder.discard(spool)));
      await folder.flush();
    },
    /**
     * Returns all tables with rows, with final columns. Call it once, after the last page; the rows can be read until `close`.
     *
     * @throws FatalError `API_SHAPE` when different columns go to one table (docs/language/tables.md#names-of-tables), or
     *   a primary key names a column that its table does not have
     */
    finish: async (): Promise<readonly Table[]> => {
      // All rows of dataTypes that share a table are made again, so that they are in the order of their pages.
      const names = Array.from(builders.values()).flatMap(({ tableNames }) => tableNames);
      const shared: Spools | undefined = new Set(names).size < names.length ? new Map<string, Spool>() : undefined;
      for (const builder of builders.values()) builder.end(shared);
      await makeAgain();
      const tables = tablesOf(Array.from(builders.values()).flatMap((builder) => builder.created()));
      for (const { name, columns, count } of tables)
        if (columns.length === 0)
          warn(
            `Nothing in the items of '${name}' makes a column, as in {}: there is no such table, and none of its ${count} rows.`,
          );
      const filled = tables.filter(({ columns }) => columns.length > 0);
      return withPrimaryKeys(filled, options, naming.tableName, blanks);
    },
    /**
     * Returns `json_parser.struct` and `json_parser.structVersion` for `out/state.json`, after `finish`
     * (docs/language/state.md#where-it-is-kept).
     */
    state: (): JsonObject =>
      known.save(new Map(Array.from(builders, ([type, { structure }]) => [type, structure.root])), aliases),
    /** Removes the temporary files; must also be called after a failure. */
    close: (): Promise<void> => folder.remove(),
  };
}

/** Returns whether a page has no items, or only one `null` (docs/language/tables.md#names-of-tables). */
const isWithoutRows = ({ lines }: PageOfLines): boolean =>
  lines.length === 0 || (lines.length <= NULL_LINE.length && lines.toString().trimEnd() === NULL_LINE.trimEnd());

const NULL_LINE = 'null\n';

function interpretState({ state = {}, compatLevel, warn }: AutomaticTablesOptions): {
  readonly naming: Naming;
  readonly known: KnownStructure;
} {
  const struct = ownValue(state, STRUCT);
  const version = struct === undefined ? undefined : Number(ownValue(state, STRUCT_VERSION));
  if (compatLevel === 1) warn('Using legacy JSON parser, because it has been explicitly requested.');
  else if (version === 2) warn('Using legacy JSON parser, because the state has a structure of version 2.');
  else if (version !== undefined && version !== 3)
    warn('The structure in the state is not used, because its version is not known.');
  const naming = compatLevel === 1 || version === 2 ? LEGACY_NAMING : NAMING;
  if (version === 3) return { naming, known: knownStructure(struct) };
  const usable = version === 2 ? struct : undefined;
  return { naming, known: naming === LEGACY_NAMING ? knownLegacyStructure(usable) : knownStructure(undefined) };
}

/** Rows of several tables, by the table's name. */
type Spools = Map<string, Spool>;
const NO_ROWS: Spools = new Map();

/** What the builders of a run have in common. */
interface BuilderOptions extends Pick<AutomaticTablesOptions, 'warn' | 'uniqueIn'> {
  readonly naming: Naming;
  /** Names of extra columns that were renamed because of a key, by raw name; grows. */
  readonly aliases: Map<string, string>;
  readonly openSpool: (header: string) => Spool;
  /** The maximum number of data columns in a table. */
  readonly maxColumns: number;
}

/**
 * Builds the tables of one dataType. Rows are made at once, by the structure so far. When the structure grows, earlier rows no longer fit:
 * they are dropped, and made again at the end.
 */
class DataTypeBuilder {
  readonly dataType: string;
  readonly structure: Structure;
  /** At the end, the rows of pages before this one are made again: the first page whose rows fit the structure. */
  limit: number;
  /** The rows since then. */
  #fresh: Spools = new Map();
  #freshWriter: RowWriter | undefined;
  /** Writes rows that fit the final structure. */
  #lastWriter: RowWriter | undefined;
  /**
   * Raw names of the parent and user columns; a table's header never changes
   * (docs/language/tables.md#parent-and-user-columns).
   */
  readonly #extraNames: readonly string[];
  /** The names of columns in earlier runs. */
  readonly #knownNames: ReadonlySet<string>;

  /**
   * @param first the first batch
   * @param firstPage the number of its page in the run
   */
  constructor(
    first: ItemsOfPage,
    readonly firstPage: number,
    known: KnownStructure,
    private readonly options: BuilderOptions,
  ) {
    this.dataType = first.dataType;
    this.structure = new Structure(first.dataType, options.warn);
    this.#extraNames = [...first.extra.keys()];
    this.limit = firstPage;
    known.restore(this.structure.root, first.dataType);
    this.#knownNames = takenNames(this.structure.root.elementNode());
  }

  /** Returns the names of the tables, each once. */
  get tableNames(): readonly string[] {
    return [...new Set(this.#fresher.tables.map(({ name }) => name))];
  }

  /**
   * Merges the items of a page and makes their rows.
   *
   * @returns the rows that no longer fit
   * @throws FatalError `API_SHAPE` when the items do not fit the structure, or the extra columns the table
   */
  take(page: PageOfLines, number: number): Spools {
    this.#checkExtra(page.extra);
    if (this.#freshWriter?.writeIfFits(page, number) === true) return NO_ROWS;
    const known = this.structure.revision;
    for (const item of page.items) this.#merge(item);
    const stale = this.structure.revision === known ? NO_ROWS : this.#startAfresh(number);
    this.#fresher.write(page, number);
    return stale;
  }

  /**
   * Ends the structure.
   *
   * @param shared the rows of all dataTypes, which share tables; absent: they share none
   */
  end(shared: Spools | undefined): void {
    if (shared !== undefined) this.limit = Infinity;
    this.#lastWriter = this.#writerTo(shared ?? new Map<string, Spool>());
  }

  /** @returns whether the rows of a page had to be made again */
  takeAgain(page: PageOfLines, number: number): boolean {
    if (number >= this.limit) return false;
    this.#lastWriter?.write(page, number);
    return true;
  }

  /** Returns the tables that have rows. */
  created(): readonly Created[] {
    return (this.#lastWriter?.tables ?? []).flatMap((plan, at) => {
      const fresh = this.limit === Infinity ? undefined : this.#fresher.tables[at];
      const created = plan.created ?? fresh?.created;
      const parts = fresh === undefined ? [plan.lines] : [plan.lines, fresh.lines];
      return created === undefined ? [] : [{ builder: this, plan, created, parts }];
    });
  }

  /** Returns the names of the columns of a table. Called in order of creation. */
  columnsOf({ element, extraNames }: TablePlan): readonly string[] {
    return this.options.naming.columns(element, extraNames, this.options.aliases);
  }

  /** Returns whether a column of the items had this name in earlier runs. */
  readonly isKnown = (name: string): boolean => this.#knownNames.has(name);

  /** Returns the writer of the rows that fit the structure so far. */
  get #fresher(): RowWriter {
    return (this.#freshWriter ??= this.#writerTo(this.#fresh));
  }

  /** Returns a writer that fits all pages so far. */
  #writerTo(spools: Spools): RowWriter {
    const { naming, aliases, openSpool, maxColumns, uniqueIn } = this.options;
    const { root } = this.structure;
    checkColumns(root, maxColumns, naming);
    naming.nameNodes(root);
    const spoolOf = (name: string, header: string): Spool => {
      const spool = spools.get(name) ?? openSpool(header);
      spools.set(name, spool);
      return spool;
    };
    return new RowWriter(planTables(root, this.#extraNames, { naming, aliases, spoolOf }), uniqueIn);
  }

  #merge(item: Item): void {
    try {
      this.structure.merge(item);
    } catch (error) {
      throw addFacts(error, { table: this.dataType });
    }
  }

  #startAfresh(page: number): Spools {
    const stale = this.#fresh;
    this.#fresh = new Map();
    this.#freshWriter = undefined;
    this.limit = page;
    return stale;
  }

  #checkExtra(extra: ItemsOfPage['extra']): void {
    const unknown = [...extra.keys()].find((name) => !this.#extraNames.includes(name));
    if (unknown === undefined) return;
    throw new FatalError(
      'API_SHAPE',
      `Error parsing response JSON: The table of '${this.dataType}' was begun without the column '${unknown}'. ` +
        'Give all jobs of this dataType the same "userData" and placeholders, or give this job another "dataType".',
      { table: this.dataType },
    );
  }
}

/** A table that has rows. */
interface Created {
  readonly builder: DataTypeBuilder;
  readonly plan: TablePlan;
  readonly created: CreationOrder;
  readonly parts: readonly Spool[];
}

/**
 * Returns the tables of all builders that have rows (docs/language/tables.md#names-of-tables), some of them perhaps without columns, named in
 * the order of their creation.
 *
 * @throws FatalError `API_SHAPE` when different columns go to one table
 */
function tablesOf(all: readonly Created[]): readonly Table[] {
  const tables = new Map<string, Table>();
  const created = [...all].sort(byCreation);
  for (const { builder, plan, parts } of created) {
    const { name } = plan;
    const { dataType } = builder;
    const columns = builder.columnsOf(plan);
    const known = tables.get(name);
    const gaveWay = gaveWayIn(columns, plan.extraNames, builder.isKnown);
    if (known === undefined)
      tables.set(name, spooledTable({ name, dataType, columns, primaryKey: [], gaveWay }, parts));
    else if (known.columns.join('\n') !== columns.join('\n'))
      throw new FatalError(
        'API_SHAPE',
        `Multiple results for '${name}' table have different columns! Give one of the jobs another "dataType".`,
        { table: name },
      );
  }
  const links = linksBetween(created, tables);
  return Array.from(tables.values(), (table) => {
    const [link, ...others] = links.get(table.name) ?? [];
    return link === undefined || others.length > 0 ? table : { ...table, link };
  });
}

/** @param columns the columns of a table; those of placeholders and of user data come last */
function gaveWayIn(
  columns: readonly string[],
  extra: readonly string[],
  isKnown: (name: string) => boolean,
): ReadonlyMap<string, GaveWay> {
  const named = extra.map((raw, at) => [safeName(raw), columns[columns.length - extra.length + at] ?? ''] as const);
  return new Map(
    named.flatMap(([name, column]) => (name === column ? [] : [[name, { column, isNew: !isKnown(name) }] as const])),
  );
}

/** Returns the links from the tables of arrays to those of the objects that contain them, by the table of the array. */
function linksBetween(
  created: readonly Created[],
  tables: ReadonlyMap<string, Table>,
): ReadonlyMap<string, readonly TableLink[]> {
  const links = new Map<string, TableLink[]>();
  for (const { plan } of created)
    for (const { column, table } of plan.object === undefined ? [] : listsIn(plan.object)) {
      const [from, to] = [tables.get(plan.name)?.columns[column], tables.get(table.name)?.columns.at(-1)];
      if (from === undefined || to === undefined) continue;
      links.set(table.name, [...(links.get(table.name) ?? []), { parent: plan.name, column: to, of: [from] }]);
    }
  return links;
}

const listsIn = ({ fields }: ObjectPlan): readonly ListField[] =>
  fields.flatMap((field) => (field.kind === 'list' ? [field] : field.kind === 'object' ? listsIn(field.object) : []));

const byCreation = (a: Created, b: Created): number =>
  a.created.page - b.created.page || a.created.order - b.created.order;
