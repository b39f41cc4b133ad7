/** The rows of the automatic conversion (docs/language/tables.md): plans for them, and a writer that copies most values from the bytes of items without parsing them. */
import { hash } from 'node:crypto';
import { losesDigits, withAllDigits } from '../../core/json/literals';
import { parseList } from '../../core/json/parse';
import { textOf } from '../../core/json/scalars';
import { stringifyJson, stringifyValue } from '../../core/json/stringify';
import type { Json } from '../../core/model';
import { CLOSE_LIST, COMMA, FALSE, LINE_END, NULL, OPEN_LIST, OPEN_OBJECT, QUOTE, Spellings, TRUE } from '../bytes';
import { endOfNested, endOfPlainString, endOfScalar, isCanonicalNumber } from '../bytes';
import { RowOfCells, csvLine } from '../csv-lines';
import { skipString } from '../../core/json/skip-value';
import type { Spool, SpoolMark } from '../spool';
import type { ItemsOfPage } from '../table';
import type { ColumnMove, Naming } from './columns';
import type { TreeNode } from './structure';

/** The extra column of the rows of an array: the id of the object that has the array. */
const PARENT_ID = 'JSON_parentId';

/** The creation time of a table, by its first row: tables are created in this order. */
export interface CreationOrder {
  readonly page: number;
  /** The position among the tables of that page. */
  readonly order: number;
}

/** The target of a key of an object: a cell, the cells of a nested object, or a cell and the rows of an array. */
export type Field = FieldPlace &
  (
    | { readonly kind: 'cell'; readonly node: TreeNode }
    | { readonly kind: 'object'; readonly object: ObjectPlan }
    | { readonly kind: 'list'; readonly table: TablePlan }
  );
export type ListField = Extract<Field, { readonly kind: 'list' }>;

interface FieldPlace {
  /** The index of its first column. */
  readonly column: number;
  /** The number of the last object that has the key; where its value begins and ends, and whether it is a string with escapes. */
  metIn: number;
  from: number;
  end: number;
  isEscaped: boolean;
}

/** The objects at one place, and the one of the current row. */
export interface ObjectPlan {
  /** The dataType and the keys joined with `.`. */
  readonly path: string;
  /** The plan of the parent object, in the same row. */
  readonly enclosing: ObjectPlan | undefined;
  readonly table: TablePlan;
  readonly fields: readonly Field[];
  readonly keys: Spellings<Field | undefined>;
  /** The range of its columns: the first index is included, the second is not. */
  readonly columns: readonly [number, number];
  /** Where its JSON text is. */
  from: number;
  end: number;
  /** The row id, or empty if it was not needed yet. */
  id: string;
}

/** One table, and its current row. */
export interface TablePlan {
  readonly name: string;
  readonly element: TreeNode;
  /** Raw names of the extra columns. */
  readonly extraNames: readonly string[];
  dataColumns: number;
  /** Only tables of objects have one. */
  object: ObjectPlan | undefined;
  readonly moves: readonly ColumnMove[];
  readonly row: RowOfCells;
  readonly lines: Spool;
  /** Values of the extra columns. */
  extra: readonly string[];
  /** Distinguishes the row from equal ones beside it; empty: equal rows have equal ids. */
  place: string;
  created: CreationOrder | undefined;
}

/** The input of a plan. */
interface Planning {
  readonly naming: Naming;
  /** Names of extra columns that were renamed because of a key, by raw name. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Returns the spool for the rows of a table, by its name; the header is the most likely first line. */
  readonly spoolOf: (tableName: string, header: string) => Spool;
}

/**
 * Compiles a structure tree for making rows: indexes of columns instead of names, and buffers for the current row.
 *
 * @param root the array of the items
 * @param userNames raw names of the extra columns of the items
 * @returns the plans of the table of the items, and of those of all arrays in them; that of the items first
 */
export function planTables(
  root: TreeNode,
  userNames: readonly string[],
  { naming, aliases, spoolOf }: Planning,
): readonly [TablePlan, ...TablePlan[]] {
  const below: TablePlan[] = [];
  const planTable = (path: string, list: TreeNode, extraNames: readonly string[]): TablePlan => {
    const element = list.elementNode();
    const name = naming.tableName(path);
    const table: TablePlan = {
      ...{ name, element, extraNames, dataColumns: element.kind === 'scalar' ? 1 : 0, object: undefined },
      moves: naming.moves(element, extraNames),
      lines: spoolOf(name, csvLine(naming.columns(element, extraNames, new Map(aliases)))),
      ...{ row: new RowOfCells(), place: '', extra: [], created: undefined },
    };
    if (element.kind === 'object') {
      table.object = planObject(path, element, table, undefined, 0);
      table.dataColumns = table.object.columns[1];
    }
    for (let at = table.dataColumns + extraNames.length; at > 0; at -= 1) table.row.text(at - 1, '');
    return table;
  };
  const planObject = (
    path: string,
    node: TreeNode,
    table: TablePlan,
    enclosing: ObjectPlan | undefined,
    first: number,
  ): ObjectPlan => {
    const fields: Field[] = [];
    const columns: [number, number] = [first, first];
    const byKey = new Map<string, Field>();
    const keys = new Spellings((key) => byKey.get(key));
    const object: ObjectPlan = { path, enclosing, table, fields, keys, columns, from: 0, end: 0, id: '' };
    const add = (key: string, field: Field): void => {
      fields.push(field);
      byKey.set(key, field);
    };
    for (const [key, child] of node.children) {
      const place: FieldPlace = { column: columns[1], metIn: 0, from: 0, end: 0, isEscaped: false };
      const inner = `${path}.${key}`;
      if (child.kind === 'object') {
        const nested = planObject(inner, child, table, object, columns[1]);
        add(key, { ...place, kind: 'object', object: nested });
        columns[1] = nested.columns[1];
        continue;
      }
      if (child.kind === 'array') {
        const list = planTable(inner, child, [PARENT_ID]);
        below.push(list);
        add(key, { ...place, kind: 'list', table: list });
      } else add(key, { ...place, kind: 'cell', node: child });
      columns[1] += 1;
    }
    return object;
  };
  return [planTable(root.path, root, userNames), ...below];
}

/**
 * Returns the JSON text of a value without one: equal values have equal texts. Items have the text of the API, where only values with equal
 * spelling are equal.
 */
export function contentText(value: Json): string {
  try {
    if (!losesDigits(value)) return JSON.stringify(value);
  } catch {
    // Only an integer beyond 2^53 gets here.
  }
  return stringifyValue(value);
}

/** A page as lines, from which its rows are made again when the structure has grown. */
export interface PageOfLines extends ItemsOfPage {
  /** Its items, one a line, without white space between tokens. */
  readonly lines: Buffer;
  /** True if `JSON.parse` can read the lines without loss. */
  readonly isPlain: boolean;
}

/** Thrown at a value for which the structure may have to grow. */
const GROWS = new Error('The structure grows.');

/**
 * Makes the rows of one dataType, by plans that fit all its items (docs/language/tables.md#columns). It runs for every cell, so it
 * allocates little.
 */
export class RowWriter {
  readonly #items: TablePlan;
  #page = 0;
  #isPlain = false;
  #tablesCreated = 0;
  #objects = 0;
  /** True while any value fits, since the structure has grown by the items. */
  #isMerged = true;
  /** True if the string whose end was found last has escapes. */
  #isEscaped = false;

  /**
   * @param tables the table of the items first
   * @param uniqueIn the id of the run; equal rows then have different ids. Absent: they have the same
   */
  constructor(
    readonly tables: readonly [TablePlan, ...TablePlan[]],
    private readonly uniqueIn?: string,
  ) {
    this.#items = tables[0];
  }

  /**
   * Appends the rows of one page.
   *
   * @param page the number of the page in the run
   */
  write({ lines, isPlain, extra }: PageOfLines, page: number): void {
    this.#page = page;
    this.#isPlain = isPlain;
    this.#tablesCreated = 0;
    this.#items.extra = this.#items.extraNames.map((name) => extra.get(name) ?? '');
    for (let [at, item] = [0, 0]; at < lines.length; item += 1) {
      if (this.uniqueIn !== undefined) this.#items.place = `${this.uniqueIn}:${page}:${item}`;
      at = this.#row(this.#items, lines, at);
      if (lines[at] === LINE_END) at += 1;
    }
  }

  /**
   * Does the same where all items of the page fit the structure as it is.
   *
   * @returns false if the structure may have to grow by one of them: then there are no rows of the page
   */
  writeIfFits(page: PageOfLines, number: number): boolean {
    const marks = this.tables.map(({ lines }) => lines.mark());
    this.#isMerged = false;
    try {
      this.write(page, number);
      return true;
    } catch (error) {
      if (error !== GROWS) throw error;
      this.tables.forEach((table, at) => {
        table.lines.backTo(marks[at] as SpoolMark);
        if (table.created?.page === number) table.created = undefined;
      });
      return false;
    } finally {
      this.#isMerged = true;
    }
  }

  /** @returns the end of the value */
  #row(table: TablePlan, lines: Buffer, from: number): number {
    table.created ??= { page: this.#page, order: this.#tablesCreated++ };
    const { row, object, dataColumns, extra } = table;
    const byte = lines[from];
    const isObject = byte === OPEN_OBJECT;
    const isScalar = !isObject && byte !== OPEN_LIST;
    if (byte !== NULL && !(object === undefined ? isScalar && dataColumns === 1 : isObject)) this.#mayGrow();
    let end: number;
    if (object !== undefined && isObject) end = this.#fill(object, lines, from);
    else {
      end = this.#endOf(lines, from);
      if (object !== undefined) clear(object);
      else if (dataColumns === 1) this.#cell(table, 0, lines, from, end);
    }
    for (let at = 0; at < extra.length; at += 1) row.text(dataColumns + at, extra[at] as string);
    for (const { from, to } of table.moves) row.move(from, to);
    table.lines.appendRow(row);
    return end;
  }

  /** @returns the end of the object */
  #fill(object: ObjectPlan, lines: Buffer, from: number): number {
    const number = (this.#objects += 1);
    let at = from + 1;
    for (let place = 0; lines[at] === QUOTE; place += 1) {
      const { of: field, bytes } = object.keys.at(lines, at, place);
      at += bytes.length;
      const end = this.#endOf(lines, at);
      if (field === undefined) this.#mayGrow();
      else {
        // The last of several values of a key counts.
        field.metIn = number;
        field.from = at;
        field.end = end;
        field.isEscaped = this.#isEscaped;
      }
      at = lines[end] === COMMA ? end + 1 : end;
    }
    object.from = from;
    object.end = at + 1;
    object.id = '';
    for (const field of object.fields) this.#field(object, field, field.metIn === number ? lines : undefined);
    return at + 1;
  }

  /** @param lines absent: the object has no such key */
  #field(object: ObjectPlan, field: Field, lines: Buffer | undefined): void {
    const { from, end, column } = field;
    const { row } = object.table;
    const byte = lines === undefined ? NULL : lines[from];
    if (field.kind === 'object') {
      if (byte !== NULL && byte !== OPEN_OBJECT) this.#mayGrow();
      if (lines === undefined || byte !== OPEN_OBJECT) clear(field.object);
      else this.#fill(field.object, lines, from);
    } else if (lines === undefined || byte === NULL) row.text(column, '');
    else if (field.kind === 'list') row.text(column, this.#list(object, field, lines));
    else {
      if (byte === OPEN_OBJECT || byte === OPEN_LIST || field.node.kind === 'null') this.#mayGrow();
      this.#isEscaped = field.isEscaped;
      this.#cell(object.table, column, lines, from, end);
    }
  }

  /** Makes the rows of an array, or of a single value in its place; returns the id that links them, or nothing if there are none. */
  #list(object: ObjectPlan, { table, from, end }: ListField, lines: Buffer): string {
    const isList = lines[from] === OPEN_LIST;
    if (lines[from] === OPEN_OBJECT && table.object === undefined) this.#mayGrow();
    if (end === from + 2 && (isList || lines[from] === OPEN_OBJECT)) return '';
    const id = this.#idOf(object, lines);
    table.extra = [id];
    if (!isList) {
      table.place = '';
      this.#row(table, lines, from);
      return id;
    }
    for (let [at, position] = [from + 1, 0]; lines[at] !== CLOSE_LIST; position += 1) {
      if (this.uniqueIn !== undefined) table.place = String(position);
      at = this.#row(table, lines, at);
      if (lines[at] === COMMA) at += 1;
    }
    return id;
  }

  /** Notes where a cell is in the lines, if it is there as it is written. */
  #cell({ row }: TablePlan, column: number, lines: Buffer, from: number, end: number): void {
    const byte = lines[from];
    if (byte === QUOTE && !this.#isEscaped) row.span(column, lines, from + 1, end - 1);
    else if (byte === NULL || byte === FALSE) row.text(column, '');
    else if (byte === TRUE) row.text(column, '1');
    else if (isCanonicalNumber(lines, from, end, this.#isPlain)) row.span(column, lines, from, end);
    else row.text(column, cellOf(lines.toString('utf8', from, end)));
  }

  /**
   * Returns the id of the object whose row is in progress: its path and 32 hexadecimal digits, the same in every run. They come from its JSON
   * text, and from what distinguishes equal objects: the id of the enclosing object, or the extra columns of the row.
   */
  #idOf(object: ObjectPlan, lines: Buffer): string {
    if (object.id !== '') return object.id;
    const { path, enclosing, table } = object;
    const content = lines.subarray(object.from, object.end);
    const around = enclosing === undefined ? aroundRow(table) : this.#idOf(enclosing, lines);
    // An item has the text of the API.
    const text = enclosing === undefined && table === this.#items ? content : contentText(valueOf(content.toString()));
    // Unlike the result of a template, that of join is one piece in memory: it is read character by character for each row below.
    object.id = [path, hash('sha256', around === '' ? text : `${text.toString()}\n${around}`).slice(0, 32)].join('_');
    return object.id;
  }

  #mayGrow(): void {
    if (!this.#isMerged) throw GROWS;
  }

  /** Returns the end of a value, and notes whether a string has escapes. */
  #endOf(lines: Buffer, from: number): number {
    const byte = lines[from];
    this.#isEscaped = false;
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) return endOfNested(lines, from);
    if (byte !== QUOTE) return endOfScalar(lines, from);
    const end = endOfPlainString(lines, from);
    if (end !== undefined) return end;
    this.#isEscaped = true;
    return skipString(lines, from);
  }
}

/** Empties the cells of an object that is null, or not there. */
function clear({ table, columns }: ObjectPlan): void {
  for (let at = columns[0]; at < columns[1]; at += 1) table.row.text(at, '');
}

/** Returns the cell of a value from its JSON text. */
function cellOf(text: string): string {
  const value = valueOf(text);
  return typeof value === 'object' && value !== null ? stringifyJson(value) : textOf(value);
}

const valueOf = (text: string): Json => withAllDigits(parseList([text]))[0] ?? null;

const aroundRow = ({ extra, place }: TablePlan): string =>
  (extra.length === 0 ? '' : JSON.stringify(extra)) + (place === '' ? '' : `\n${place}`);
