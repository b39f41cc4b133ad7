/** Items as rows of linked tables, by docs/sinks.md#objects-and-lists, and the rows that are found in the place of them. */
import type { FoundTable, Sent } from './expected';
import { fault } from './expected';
import { FoundRows, sorted } from './found-rows';
import type { Row } from './found-rows';
import { NULL } from './json-value';
import type { Value } from './json-value';
import type { Place } from './linked-places';
import { frozen, LINKS, TableModel, TakenNames } from './linked-places';
import { ColumnModel } from './types';

/** Objects and lists below this level stay JSON. */
const DEEPEST = 16;

/** A row, and those of its lists, each in its order. */
interface ExpectedRow {
  readonly cells: Map<string, Sent>;
  readonly lists: Map<TableModel, ExpectedRow[]>;
}

export interface LinkedOptions {
  /** The digits that a decimal has at most. */
  readonly digits: number;
  /** Whether objects and lists are one column of JSON. */
  readonly nestedJson?: boolean;
  /** Whether cells are JSON, and a column is there only where a row has something in it. */
  readonly untyped?: boolean;
}

/** The tables of one dataType, over several runs. */
export class LinkedModel {
  readonly #root: TableModel;
  readonly #tables = new Map<string, TableModel>();
  #rows: ExpectedRow[] = [];
  /** The places where the run had null. */
  #wasNull = new Set<Place>();

  constructor(
    readonly dataType: string,
    private readonly options: LinkedOptions,
  ) {
    this.#root = new TableModel(undefined, '', 0, options.nestedJson === true ? [] : LINKS);
    this.#root.name = dataType;
    this.#tables.set(dataType, this.#root);
  }

  /**
   * Takes the items of a run.
   *
   * @param load what becomes of the rows of earlier runs; a text: those with the same value in this column make room
   */
  run(items: readonly { readonly item: Value; readonly extra: ReadonlyMap<string, string> }[], load: Load): void {
    this.#wasNull = new Set();
    if (load === 'replace') {
      this.#rows = [];
      for (const table of this.#tables.values()) table.columns.clear();
    }
    while (items.some(({ item }) => this.#findLists(this.#root, item)));
    for (const { item, extra } of items) {
      const row = this.#row(this.#root, item);
      for (const [name, value] of extra) this.#cell(row, this.#root, name, { kind: 'string', value });
      if (typeof load === 'object') this.#replace(row, load.key);
      this.#rows.push(row);
    }
    for (const table of this.#tables.values()) {
      this.#claimEmpty(table, table.objects);
      for (const column of table.columns.values()) column.end();
    }
  }

  #replace(row: ExpectedRow, key: string): void {
    const own = keyText(row, key);
    if (own !== undefined) this.#rows = this.#rows.filter((other) => keyText(other, key) !== own);
  }

  /** @returns whether there is a list where none was before */
  #findLists(table: TableModel, item: Value): boolean {
    if (this.options.nestedJson === true) return false;
    let found = false;
    const element = (list: TableModel, value: Value): void =>
      value.kind === 'object' ? members(list, list.objects, value) : visit(list, list.value, value);
    const members = (in_: TableModel, place: Place, value: Value): void => {
      if (value.kind !== 'object') return;
      for (const [key, member] of value.members) visit(in_, place.member(key), member);
    };
    const visit = (in_: TableModel, place: Place, value: Value): void => {
      if (value.kind === 'null') return;
      const canSplit = place.depth < DEEPEST;
      if (value.kind === 'list' && canSplit) {
        found ||= place.list === undefined;
        place.list ??= new TableModel(in_, place.name, place.depth + 1);
        for (const one of value.elements) element(place.list, one);
      } else if (place.list !== undefined) element(place.list, value);
      else if (canSplit) members(in_, place, value);
    };
    element(table, item);
    return found;
  }

  #row(table: TableModel, value: Value): ExpectedRow {
    const row: ExpectedRow = { cells: new Map(), lists: new Map() };
    if (value.kind === 'object') this.#members(row, table, table.objects, value);
    else this.#value(row, table, table.value, value);
    return row;
  }

  #members(row: ExpectedRow, table: TableModel, place: Place, value: Value): void {
    place.members ??= new Map();
    if (value.kind === 'object')
      for (const [key, member] of value.members) this.#value(row, table, place.member(key), member);
  }

  #value(row: ExpectedRow, table: TableModel, place: Place, value: Value): void {
    if (value.kind === 'null') this.#wasNull.add(place);
    const nested = this.options.nestedJson === true;
    if (value.kind === 'null' && !nested) return;
    const canSplit = place.depth < DEEPEST && !nested;
    const { list } = place;
    if (list !== undefined && (canSplit || value.kind !== 'list')) {
      this.#nameOf(list);
      const elements = value.kind === 'list' ? value.elements : [value];
      row.lists.set(
        list,
        elements.map((element) => this.#row(list, element)),
      );
    } else if (value.kind === 'object' && canSplit) this.#members(row, table, place, value);
    else {
      place.column ??= table.names.claim(place.name);
      this.#cell(row, table, place.column, value);
    }
  }

  #nameOf(list: TableModel): void {
    if (list.name !== '' || list.parent === undefined) return;
    const names = new TakenNames();
    for (const name of this.#tables.keys()) names.claim(name);
    const safe = list.of.toWellFormed().replace(/[^\p{L}\p{M}\p{N}_]+/gu, '_');
    list.name = names.claim(`${list.parent.name}_${safe.replace(/^_(?=.)|(?<=.)_$/gu, '')}`);
    this.#tables.set(list.name, list);
  }

  #cell(row: ExpectedRow, table: TableModel, name: string, value: Value): void {
    const column = table.columns.get(name) ?? new ColumnModel(this.options.digits);
    table.columns.set(name, column);
    column.add(value);
    row.cells.set(name, { value, column: frozen(column) });
  }

  /** A place where only null was met has a column, too. */
  #claimEmpty(table: TableModel, place: Place): void {
    for (const member of place.members?.values() ?? []) {
      if (member.list !== undefined) continue;
      if (member.members !== undefined) this.#claimEmpty(table, member);
      else if (this.#wasNull.has(member)) {
        member.column ??= table.names.claim(member.name);
        if (!table.columns.has(member.column))
          table.columns.set(member.column, ColumnModel.ofNull(this.options.digits));
      }
    }
  }

  /**
   * Compares with the tables that are there.
   *
   * @param found all tables of the destination, by name
   * @param sortedBy columns that tell rows of items apart; those that have equal values there stay in their order
   * @returns what is wrong
   */
  faults(found: ReadonlyMap<string, FoundTable>, sortedBy: readonly string[]): readonly string[] {
    const faults: string[] = [];
    const rows = new Map(Array.from(this.#tables.keys(), (name) => [name, new FoundRows(found.get(name))] as const));
    for (const [name, model] of this.#tables) {
      faults.push(...this.#columnFaults(name, model, found.get(name)));
      const there = rows.get(name) as FoundRows;
      for (const column of model.columns.keys())
        if (there.all.length > 0 && !there.has(column) && this.options.untyped !== true)
          faults.push(`${name}: the column ${column} is missing`);
    }
    const items = rows.get(this.dataType) as FoundRows;
    const wanted = sorted(this.#rows, (row) =>
      sortedBy.map((column) => valueText(row.cells.get(column)?.value)).join(),
    );
    const there = sorted(items.all, (row) => sortedBy.map((column) => unquoted(items.cell(row, column) ?? '')).join());
    if (there.length !== wanted.length) faults.push(`${this.dataType}: ${there.length} rows, not ${wanted.length}`);
    else
      for (const [at, row] of wanted.entries())
        this.#compare(this.#root, row, there[at] as Row, `${this.dataType}[${at}]`, rows, faults);
    for (const [name, { left, ids }] of rows) {
      if (left > 0 && faults.length === 0) faults.push(`${name}: ${left} rows belong to nothing`);
      if (this.options.nestedJson !== true && new Set(ids).size !== ids.length)
        faults.push(`${name}: row ids are not unique`);
    }
    return faults;
  }

  #columnFaults(name: string, model: TableModel, found: FoundTable | undefined): readonly string[] {
    // A table without rows keeps the columns that it had.
    if (found === undefined || found.rows.length === 0) return [];
    return found.columns.flatMap(({ name: column, type }) => {
      if (LINKS.includes(column) && this.options.nestedJson !== true) return [];
      const wanted = model.columns.get(column)?.type;
      if (wanted === undefined) return [`${name}: no column ${column} (${type}) was expected`];
      return wanted === type || this.options.untyped === true ? [] : [`${name}.${column} is ${type}, not ${wanted}`];
    });
  }

  #compare(
    table: TableModel,
    wanted: ExpectedRow,
    row: Row,
    at: string,
    found: ReadonlyMap<string, FoundRows>,
    faults: string[],
  ): void {
    const there = found.get(table.name) as FoundRows;
    there.left -= 1;
    const isLink = (name: string): boolean => LINKS.includes(name) && this.options.nestedJson !== true;
    for (const [place, { name, type }] of there.columns.entries()) {
      if (isLink(name)) continue;
      const reason = fault(row[place] ?? null, type, wanted.cells.get(name) ?? { value: NULL, column: { type } });
      if (reason !== undefined) faults.push(`${at}.${name}: ${reason}`);
    }
    for (const name of wanted.cells.keys()) if (!there.has(name)) faults.push(`${at}.${name}: no such column`);
    const id = there.cell(row, '_row_id');
    for (const list of this.#tables.values()) {
      if (list.parent !== table) continue;
      const elements = (found.get(list.name) as FoundRows).of(id);
      const expected = wanted.lists.get(list) ?? [];
      if (elements.length !== expected.length)
        faults.push(`${at} has ${elements.length} rows in ${list.name}, not ${expected.length}`);
      else
        for (const [position, element] of expected.entries())
          this.#compare(list, element, elements[position] as Row, `${at}.${list.name}[${position}]`, found, faults);
    }
  }
}

/** What becomes of the rows of earlier runs. */
export type Load = 'replace' | 'append' | { readonly key: string };

const keyText = (row: ExpectedRow, key: string): string | undefined =>
  valueText(row.cells.get(key)?.value) || undefined;

function valueText(value: Value | undefined): string {
  if (value?.kind === 'number') return value.literal;
  return value?.kind === 'string' ? value.value : '';
}

/** A cell may be the JSON of a text. */
const unquoted = (cell: string): string => (/^".*"$/s.test(cell) ? (JSON.parse(cell) as string) : cell);
