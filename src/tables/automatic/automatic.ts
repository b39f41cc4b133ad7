/** The automatic conversion of items into rows of linked tables (docs/language/tables.md). */
import { FatalError, addFacts } from '../../core/errors/errors';
import { ownValue } from '../../core/json/objects';
import type { Item, JsonObject } from '../../core/model';
import { safeName } from '../names';
import { SpoolFolder, spooledTable } from '../spool';
import type { Spool } from '../spool';
import { KeyBlanksSeen, withKeyBlanks, withPrimaryKeys } from '../table';
import type { GaveWay, ItemsOfPage, PrimaryKeys, Table, TableLink } from '../table';
import { checkColumns, createNaming, legacyNaming, takenNames } from './columns';
import type { Naming } from './columns';
import { RowWriter } from './rows';
import type { PageOfLines } from './rows';
import { STRUCT, STRUCT_VERSION, knownLegacyStructure, knownStructure } from './state';
import { Structure } from './structure';
import { planTables } from './table-plan';
import type { CreationOrder, ListField, ObjectPlan, TablePlan } from './table-plan';

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

export interface AutomaticTables {
  /**
   * Merges the items of one page into the structure of their dataType and keeps their rows. Pages must be added in the
   * order in which they were received.
   *
   * @throws FatalError `API_SHAPE` when the items do not fit the structure (docs/language/tables.md#when-kinds-differ)
   */
  readonly add: (batch: PageOfLines) => Promise<void>;
  /**
   * Returns all tables with rows, with final columns. Call it once, after the last page; the rows can be read until `close`.
   *
   * @throws FatalError `API_SHAPE` when different columns go to one table (docs/language/tables.md#names-of-tables), or
   *   a primary key names a column that its table does not have
   */
  readonly finish: () => Promise<readonly Table[]>;
  /**
   * Returns `json_parser.struct` and `json_parser.structVersion` for `out/state.json`, after `finish`
   * (docs/language/state.md#where-it-is-kept).
   */
  readonly state: () => JsonObject;
  /** Removes the temporary files; must also be called after a failure. */
  readonly close: () => Promise<void>;
}

/**
 * Turns items into tables with little memory: rows wait in files.
 *
 * @example
 * const tables = createAutomaticTables({ spoolFolder: tmpdir(), warn: console.warn, compatLevel: 3, pagesAgain });
 * await tables.add({ dataType: 'boats', items: [{ id: 1 }], lines: Buffer.from('{"id":1}\n'), isPlain: true, extra: new Map() });
 * for (const { name, columns } of await tables.finish()) console.log(name, columns);
 * await tables.close();
 */
export function createAutomaticTables(options: AutomaticTablesOptions): AutomaticTables {
  const { warn, maxColumns = Infinity } = options;
  const { legacy, known } = interpretState(options);
  const aliases = new Map(known.aliases);
  const naming = legacy ? legacyNaming : createNaming(aliases);
  const folder = new SpoolFolder(options.spoolFolder);
  const builders = new Map<string, DataTypeBuilder>();
  const knownNames = new Map<string, ReadonlySet<string>>();
  const blanks = new Map(
    Array.from(options.primaryKeys ?? [], ([dataType, columns]) => [dataType, new KeyBlanksSeen(columns)] as const),
  );
  let pages = 0;

  const builderOf = (batch: ItemsOfPage): DataTypeBuilder => {
    const open = builders.get(batch.dataType);
    if (open !== undefined) return open;
    const builder = new DataTypeBuilder(batch, pages, {
      naming,
      warn,
      openSpool: (header) => folder.open(header),
      maxColumns,
      uniqueIn: options.uniqueIn,
    });
    known.restore(builder.structure.root, batch.dataType);
    knownNames.set(batch.dataType, takenNames(builder.structure.root.elementNode()));
    builders.set(batch.dataType, builder);
    return builder;
  };

  return {
    add: async (batch) => {
      if (isWithoutRows(batch)) return;
      blanks.get(batch.dataType)?.see(batch.items);
      const stale = builderOf(batch).take(batch, pages);
      pages += 1;
      await Promise.all(Array.from(stale.values(), (spool) => folder.discard(spool)));
      await folder.flush();
    },
    finish: async () => {
      const tables = await finishTables({
        ...{
          builders: [...builders.values()],
          pagesAgain: options.pagesAgain,
          naming,
          flush: () => folder.flush(),
        },
        isKnown: (dataType, name) => knownNames.get(dataType)?.has(name) === true,
      });
      for (const { name, columns, count } of tables)
        if (columns.length === 0)
          warn(
            `Nothing in the items of '${name}' makes a column, as in {}: there is no such table, and none of its ${count} rows.`,
          );
      const filled = tables.filter(({ columns }) => columns.length > 0);
      const nameOf = (dataType: string): string => naming.tableName(dataType);
      return withKeyBlanks(withPrimaryKeys(filled, options, nameOf), blanks, nameOf);
    },
    state: () => known.save(new Map(Array.from(builders, ([type, { structure }]) => [type, structure.root])), aliases),
    close: () => folder.remove(),
  };
}

/** Returns whether a page has no items, or only one `null` (docs/language/tables.md#names-of-tables). */
const isWithoutRows = ({ lines }: PageOfLines): boolean =>
  lines.length === 0 || (lines.length <= NULL_LINE.length && lines.toString().trimEnd() === NULL_LINE.trimEnd());

const NULL_LINE = 'null\n';

function interpretState({ state = {}, compatLevel, warn }: AutomaticTablesOptions) {
  const struct = ownValue(state, STRUCT);
  const version = struct === undefined ? undefined : Number(ownValue(state, STRUCT_VERSION));
  if (compatLevel === 1) warn('Using legacy JSON parser, because it has been explicitly requested.');
  else if (version === 2) warn('Using legacy JSON parser, because the state has a structure of version 2.');
  else if (version !== undefined && version !== 3)
    warn('The structure in the state is not used, because its version is not known.');
  const legacy = compatLevel === 1 || version === 2;
  if (version === 3) return { legacy, known: knownStructure(struct) };
  const usable = version === 2 ? struct : undefined;
  return { legacy, known: legacy ? knownLegacyStructure(usable) : knownStructure(undefined) };
}

/** Rows of several tables, by the table's name. */
export type Spools = Map<string, Spool>;
const NO_ROWS: Spools = new Map();

export interface DataTypeBuilderOptions {
  readonly naming: Naming;
  readonly openSpool: (header: string) => Spool;
  readonly warn: (message: string) => void;
  /** The maximum number of data columns in a table. */
  readonly maxColumns: number;
  readonly uniqueIn: string | undefined;
}

/**
 * Builds the tables of one dataType. Rows are made at once, by the structure so far. When the structure grows, earlier rows no longer fit:
 * they are dropped, and made again at the end.
 */
class DataTypeBuilder {
  readonly dataType: string;
  readonly structure: Structure;
  readonly firstPage: number;
  /** The first page whose rows fit the structure. */
  firstFresh: number;
  /** The rows since then. */
  fresh: Spools = new Map();
  #freshWriter: RowWriter | undefined;
  /**
   * Raw names of the parent and user columns; a table's header never changes
   * (docs/language/tables.md#parent-and-user-columns).
   */
  readonly #extraNames: readonly string[];

  /**
   * @param first the first batch
   * @param page the number of its page in the run
   */
  constructor(
    first: ItemsOfPage,
    page: number,
    private readonly options: DataTypeBuilderOptions,
  ) {
    this.dataType = first.dataType;
    this.structure = new Structure(first.dataType, options.warn);
    this.#extraNames = [...first.extra.keys()];
    this.firstPage = page;
    this.firstFresh = page;
  }

  /** Returns the writer of {@link fresh}. */
  get freshWriter(): RowWriter {
    this.#freshWriter ??= this.writerTo(this.fresh);
    return this.#freshWriter;
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
    this.freshWriter.write(page, number);
    return stale;
  }

  /** Returns a writer that fits all pages so far. */
  writerTo(spools: Spools): RowWriter {
    const { naming, openSpool, maxColumns, uniqueIn } = this.options;
    checkColumns(this.structure.root, maxColumns, naming);
    naming.nameNodes(this.structure.root);
    const spoolOf = (name: string, header: string): Spool => {
      const spool = spools.get(name) ?? openSpool(header);
      spools.set(name, spool);
      return spool;
    };
    return new RowWriter(planTables(this.structure.root, this.#extraNames, { naming, spoolOf }), uniqueIn);
  }

  #merge(item: Item): void {
    try {
      this.structure.merge(item);
    } catch (error) {
      throw addFacts(error, { table: this.dataType });
    }
  }

  #startAfresh(page: number): Spools {
    const stale = this.fresh;
    this.fresh = new Map();
    this.#freshWriter = undefined;
    this.firstFresh = page;
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

/** A builder at the end of a run: the rows of pages before `limit` are made again. */
interface Remake {
  readonly builder: DataTypeBuilder;
  /** Writes rows that fit the final structure. */
  readonly writer: RowWriter;
  readonly limit: number;
}

/** A table that has rows. */
interface Created {
  readonly dataType: string;
  readonly plan: TablePlan;
  readonly created: CreationOrder;
  readonly parts: readonly Spool[];
}

export interface UnfinishedTables {
  readonly builders: readonly DataTypeBuilder[];
  readonly pagesAgain: AutomaticTablesOptions['pagesAgain'];
  readonly naming: Naming;
  /** Returns whether a column of the items of a dataType had this name in earlier runs. */
  readonly isKnown: (dataType: string, name: string) => boolean;
  /** Writes the memory of the spools to files, if it is large. */
  readonly flush: () => Promise<void>;
}

/**
 * Returns the tables of all builders that have rows (docs/language/tables.md#names-of-tables), some of them perhaps without columns, named in
 * the order of their creation.
 *
 * @throws FatalError `API_SHAPE` when different columns go to one table
 */
async function finishTables(unfinished: UnfinishedTables): Promise<readonly Table[]> {
  const { builders, pagesAgain, naming, isKnown, flush } = unfinished;
  const remakes = planRemakes(builders);
  await makeAgain(remakes, pagesAgain, flush);
  const tables = new Map<string, Table>();
  const created = remakes.flatMap(createdTables).sort(byCreation);
  for (const { dataType, plan, parts } of created) {
    const columns = naming.columns(plan.element, plan.extraNames);
    const known = tables.get(plan.name);
    const gaveWay = gaveWayIn(columns, plan.extraNames, (name) => isKnown(dataType, name));
    if (known === undefined)
      tables.set(plan.name, spooledTable({ name: plan.name, dataType, columns, primaryKey: [], gaveWay }, parts));
    else if (known.columns.join('\n') !== columns.join('\n')) throw differentColumns(plan.name);
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

/** Returns which rows are made again: all rows of dataTypes that share a table, so that they are in the order of their pages. */
function planRemakes(builders: readonly DataTypeBuilder[]): readonly Remake[] {
  const names = builders.flatMap((builder) => [...new Set(builder.freshWriter.tables.map(({ name }) => name))]);
  const shared: Spools | undefined = new Set(names).size < names.length ? new Map<string, Spool>() : undefined;
  return builders.map((builder) => {
    const limit = shared === undefined ? builder.firstFresh : Infinity;
    return { builder, limit, writer: builder.writerTo(shared ?? new Map<string, Spool>()) };
  });
}

async function makeAgain(
  remakes: readonly Remake[],
  pagesAgain: UnfinishedTables['pagesAgain'],
  flush: () => Promise<void>,
): Promise<void> {
  const byType = new Map(remakes.map((remake) => [remake.builder.dataType, remake]));
  const end = Math.max(0, ...remakes.map(({ builder, limit }) => (builder.firstPage < limit ? limit : 0)));
  let at = 0;
  if (end === 0) return;
  for await (const page of pagesAgain()) {
    if (isWithoutRows(page)) continue;
    const remake = byType.get(page.dataType);
    if (remake !== undefined && at < remake.limit) {
      remake.writer.write(page, at);
      await flush();
    }
    at += 1;
    if (at >= end) return;
  }
}

function createdTables({ builder, writer, limit }: Remake): readonly Created[] {
  const keepsFresh = limit !== Infinity;
  return writer.tables.flatMap((plan, at) => {
    const fresh = keepsFresh ? builder.freshWriter.tables[at] : undefined;
    const created = plan.created ?? fresh?.created;
    const parts = fresh === undefined ? [plan.lines] : [plan.lines, fresh.lines];
    return created === undefined ? [] : [{ dataType: builder.dataType, plan, created, parts }];
  });
}

const byCreation = (a: Created, b: Created): number =>
  a.created.page - b.created.page || a.created.order - b.created.order;

const differentColumns = (name: string): FatalError =>
  new FatalError(
    'API_SHAPE',
    `Multiple results for '${name}' table have different columns! Give one of the jobs another "dataType".`,
    { table: name },
  );
