/** Splits the items of a run into rows of linked tables, which sinks of flat tables read instead of pages. */
import { withMember } from '../../core/json/literals';
import { defined, entriesOf, ownValue } from '../../core/json/objects';
import { parseData } from '../../core/json/parse';
import { stringifyJson } from '../../core/json/stringify';
import type { Json, JsonObject } from '../../core/model';
import type { ChosenColumn } from '../../language/parts/sink';
import type { OutputPlan } from '../../plan/plan';
import { keptTable, recallTable, tableToSplit } from '../../tables/linked/known-tables';
import { LinkedTable, columnsAt, keepJson, keepJsonAt, membersOf } from '../../tables/linked/places';
import type { Member, Members } from '../../tables/linked/places';
import {
  KeyTwice,
  PlaceChanged,
  Splitter,
  Unobservable,
  emptyColumns,
  nestedColumns,
  tablesOf,
} from '../../tables/linked/splitter';
import { Names } from '../../tables/names';
import { addedColumns, runColumn } from '../../tables/run-columns';
import { alikeKeys, limitOf } from '../../tables/schema/column-names';
import type { AlikeKeys, ColumnNames } from '../../tables/schema/column-names';
import { asColumnType } from '../../tables/schema/column-type';
import type { ChosenTypes, ColumnType } from '../../tables/schema/column-type';
import { addsRows } from '../../tables/table';
import { bytesOf } from '../journal/journal';
import type { PageOfItems, PagesInFiles, PlaceOfItems } from '../journal/journal';
import { SplitRows, withRows } from './split-rows';

/** Items that were split into rows. */
export interface SplitItems {
  /** The tables of items that are left unchanged, see {@link SplitOptions.observes}: they and their lists have observed rows. */
  readonly observed: readonly LinkedTable[];
  readonly places: readonly PlaceOfItems[];
  /** All tables of the split, parents before their children, including those without rows. */
  readonly relatives: readonly Relative[];
  /** The structure of the tables for the next run, by dataType. */
  readonly structure: JsonObject;
  /** Chosen types of values that no item has. */
  readonly unmet: readonly ChosenColumn[];
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
  for (const { dataType, run } of options.places()) {
    names.take(dataType);
    if (!runs.has(dataType)) runs.set(dataType, run);
  }
  // Tables without items in this run keep their names, and those of their lists.
  for (const [dataType, kept] of entriesOf(structure))
    if (!runs.has(dataType) && names.take(dataType))
      recallTable(new LinkedTable(dataType, undefined, 0, false), kept, names);
  const families: Family[] = [];
  for (const [at, dataType] of [...dataTypes].entries()) {
    const output = outputs[runs.get(dataType) ?? 0] as OutputPlan;
    families.push(new Family(dataType, output, ownValue(structure, dataType) ?? null, names, `${folder}/${at}`));
  }
  for (const family of families) await family.split(options);
  return {
    places: families.flatMap(({ rows }) => rows.places()),
    relatives: families.flatMap(({ relatives }) => relatives()),
    observed: families.flatMap(({ isObserved, root }) => (isObserved ? [root] : [])),
    unmet: families.flatMap(({ unmet }) => unmet()),
    structure: families.reduce((kept, { root }) => withMember(kept, root.name, keptTable(root)), structure),
  };
}

/** Returns the pages of split tables, with those of others unchanged from the journal. */
export const withSplitItems = (
  journal: PagesInFiles,
  { places }: SplitItems,
  dataTypes: ReadonlySet<string>,
): PagesInFiles => withRows(journal, places, ({ dataType }) => !dataTypes.has(dataType));

/** A table of the run that belongs to the items of one dataType: the table of the items, or one of the lists in them. */
export interface Relative {
  readonly name: string;
  /** The dataType whose items it comes from. */
  readonly dataType: string;
  /** The parent table; absent for the table of the items themselves. */
  readonly parent?: string;
  /** The output of the run of its first page. */
  readonly output: OutputPlan;
  /** Columns that are created even if all of their values are null. */
  readonly empty: readonly string[];
  /** Columns that are created only if they have values, since there were objects or lists at their places. */
  readonly nested: readonly string[];
  /** The column types of the configuration. */
  readonly types: ChosenTypes;
  /** The members that its columns belong to, if it has more than the columns of its rows. */
  readonly names: ColumnNames;
  /** The members that a reader may take for one another, by their names within the row. */
  readonly alike: readonly AlikeKeys[];
}

export interface SplitOptions extends PagesInFiles {
  /** An existing folder for temporary files, which the caller removes. */
  readonly folder: string;
  /** The dataTypes whose items are split; pages of others stay as they are. */
  readonly dataTypes: ReadonlySet<string>;
  /** The value of `SplitItems.structure` from earlier runs. */
  readonly structure: JsonObject;
  /** The outputs of the runs of the configuration, by their numbers. */
  readonly outputs: readonly OutputPlan[];
  /** Returns the id of the last row of a table of the destination; 0: it has none. Replaced tables start at 0. */
  readonly lastRow: (table: string) => Promise<number>;
  /** Returns the columns of a table of the destination that rows are added to, if they contain JSON, or a type that a user chose. */
  readonly jsonColumns: (table: string) => Promise<readonly string[]>;
  /** True if items are only observed where the caller can make the same rows itself; absent: all are split. */
  readonly observes?: boolean;
}

/** The tables of one dataType. */
class Family {
  root: LinkedTable;
  readonly rows: SplitRows;
  /** The ids of the last rows of tables of the destination, as far as they were requested. */
  readonly #lastRows = new Map<string, number>();
  /** True if items are observed and not split. */
  isObserved = false;
  #splitter: Splitter;

  constructor(
    dataType: string,
    private readonly output: OutputPlan,
    private readonly kept: Json,
    private readonly tables: Names,
    files: string,
  ) {
    this.root = tableToSplit(dataType, kept, tables);
    this.#splitter = this.#splitterOf(this.root);
    this.rows = new SplitRows(files);
  }

  /** Splits the items; restarts with more knowledge as often as an item changes earlier rows. */
  async split(options: SplitOptions): Promise<void> {
    this.isObserved = options.observes === true && !addsRows(this.output, this.root.name) && this.#chosen.size === 0;
    if (this.isObserved) this.#beginAgain();
    for (;;)
      try {
        await (this.isObserved ? this.#observeOnce(options) : this.#splitOnce(options));
        return;
      } catch (error) {
        // Where items are split, equal keys of an object are dealt with.
        if (error instanceof Unobservable || error instanceof KeyTwice) this.isObserved = false;
        else if (!(error instanceof PlaceChanged)) throw error;
        this.#beginAgain();
      } finally {
        await this.rows.close();
      }
  }

  #beginAgain(): void {
    const limit = this.isObserved ? (table: string) => limitOf(this.output, table) : undefined;
    this.root = tableToSplit(this.root.name, this.kept, this.tables, this.root, limit);
    this.#splitter = this.#splitterOf(this.root);
  }

  /** @throws Unobservable where only written rows contain all values of the items */
  async #observeOnce({ pages }: SplitOptions): Promise<void> {
    const { root } = this;
    for await (const page of pages(({ dataType }) => dataType === root.name)) {
      if (page.count === 0) continue;
      if (page.isPlain !== true || addedColumns(page).size > 0) throw new Unobservable();
      this.#splitter.split(bytesOf(page));
      for (const { observer } of tablesOf(root)) if (observer?.isPlain === false) throw new Unobservable();
    }
    if (!isReadable(root)) throw new Unobservable();
    for (const table of tablesOf(root)) table.observer?.end(emptyColumns(table));
  }

  async #splitOnce({ pages, lastRow, jsonColumns }: SplitOptions): Promise<void> {
    const { root } = this;
    await this.rows.begin();
    keepJson(root, await jsonColumns(root.name));
    for (const [path, { type }] of this.#chosen) if (type === 'json') keepJsonAt(root.members, path.split('.'));
    await this.#askLastRows(lastRow);
    for (const table of tablesOf(root)) table.rowId = this.#lastRowOf(table.name);
    const ofRun = new Set<string>();
    for await (const page of pages(({ dataType }) => dataType === root.name)) {
      this.#splitPage(page);
      for (const name of page.count > 0 ? addedColumns(page).keys() : [])
        if (runColumn(name) === undefined) root.claimAdded(name);
        else ofRun.add(name);
      for (const table of tablesOf(root)) await this.rows.add(table, page);
    }
    await this.rows.end();
    // The columns of the run get their names after all others.
    emptyColumns(root);
    for (const name of ofRun) root.claimAdded(name, runColumn(name)?.name);
    if (await this.#askLastRows(lastRow)) throw new PlaceChanged();
  }

  /** @returns whether a newly found table already has rows */
  async #askLastRows(lastRow: SplitOptions['lastRow']): Promise<boolean> {
    let hasRows = false;
    for (const { name } of tablesOf(this.root)) {
      if (this.#lastRows.has(name)) continue;
      this.#lastRows.set(name, addsRows(this.output, this.root.name) ? await lastRow(name) : 0);
      hasRows ||= this.#lastRowOf(name) > 0;
    }
    return hasRows;
  }

  readonly #lastRowOf = (table: string): number => this.#lastRows.get(table) ?? 0;

  #splitterOf(root: LinkedTable): Splitter {
    return new Splitter(root, this.tables, this.#lastRowOf);
  }

  #splitPage(page: PageOfItems): void {
    const bytes = bytesOf(page);
    const before = new Map(Array.from(tablesOf(this.root), (table) => [table, table.rowId] as const));
    try {
      this.#splitter.split(bytes);
    } catch (error) {
      if (!(error instanceof KeyTwice)) throw error;
      for (const table of tablesOf(this.root)) {
        table.out.take();
        table.rowId = before.get(table) ?? this.#lastRowOf(table.name);
      }
      this.#splitter.split(lastKeysOnly(bytes));
    }
  }

  get #chosen(): ReadonlyMap<string, ChosenColumn> {
    return this.output.columnTypes?.get(this.root.name) ?? new Map();
  }

  readonly unmet = (): readonly ChosenColumn[] =>
    Array.from(this.#chosen).flatMap(([path, column]) =>
      columnsAt(this.root.members, path.split('.')).next().done === true ? [column] : [],
    );

  readonly relatives = (): readonly Relative[] => {
    const relatives = Array.from(tablesOf(this.root), (table) => ({
      name: table.name,
      dataType: this.root.name,
      output: this.output,
      ...defined({ parent: table.parent?.name }),
      empty: emptyColumns(table),
      nested: nestedColumns(table),
      types: new Map<string, ColumnType>(),
      names: table.parent === undefined ? { added: table.added } : {},
      alike: alikeKeys([...namedColumns(table), ...table.added]),
    }));
    for (const [path, { type }] of this.#chosen)
      for (const { table, column } of columnsAt(this.root.members, path.split('.')))
        relatives.find(({ name }) => name === table)?.types.set(column, asColumnType(type));
    return relatives;
  };
}

const namedColumns = ({ members }: LinkedTable): readonly (readonly [string, string])[] =>
  Array.from(membersOf(members)).flatMap(({ name, column }) => (column === undefined ? [] : [[name, column] as const]));

/** Returns the lines, with only the last one of equal keys of an object. */
const lastKeysOnly = (lines: Buffer): Buffer =>
  Buffer.from(
    lines
      .toString('utf8')
      .trimEnd()
      .split('\n')
      .map((line) => `${stringifyJson(parseData(line, 'spelling'))}\n`)
      .join(''),
  );

/**
 * Returns whether each place of items has values of one kind, under keys that differ in more than their case, so that the items can be read
 * by place.
 *
 * @example isReadable(root) // false for [{ id: 1 }, { id: { no: 1 } }]
 */
function isReadable(root: LinkedTable): boolean {
  const isFilled = (member: Member): boolean => (member.of.table.observer?.filledAt(member) ?? 0) > 0;
  const isOneKind = (member: Member): boolean =>
    Number(isFilled(member)) + Number(member.object !== undefined) + Number(member.list !== undefined) <= 1;
  const areReadable = ({ byKey }: Members): boolean => {
    const names = new Names();
    return Array.from(byKey.values()).every(
      (member) =>
        isName(member.key) &&
        names.take(member.key) &&
        isOneKind(member) &&
        (member.object === undefined || areReadable(member.object)) &&
        (member.list === undefined || isTableReadable(member.list)),
    );
  };
  const isTableReadable = ({ members, value }: LinkedTable): boolean =>
    (members.byKey.size === 0 || (!isFilled(value) && value.list === undefined)) &&
    areReadable(members) &&
    (value.list === undefined || (!isFilled(value) && isTableReadable(value.list)));
  const { value } = root;
  return !isFilled(value) && value.list === undefined && isTableReadable(root);
}

const isName = (key: string): boolean => key !== '' && !key.includes('\0') && key.isWellFormed();
