/** The rows of the automatic conversion: plans to make them, and the ids of rows that have arrays (docs/language/tables.md#arrays-and-links). */
import { hash } from 'node:crypto';
import { losesDigits, withAllDigits } from '../../core/json/literals';
import { isList, isObject } from '../../core/json/objects';
import { textOf } from '../../core/json/scalars';
import { stringifyJson, stringifyValue } from '../../core/json/stringify';
import type { Item, Json, JsonObject } from '../../core/model';
import { csvLine } from '../csv-lines';
import type { Spool } from '../spool';
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
    | { readonly kind: 'cell' }
    | { readonly kind: 'object'; readonly object: ObjectPlan }
    | { readonly kind: 'list'; readonly table: TablePlan }
  );
export type ListField = Extract<Field, { readonly kind: 'list' }>;

interface FieldPlace {
  readonly key: string;
  /** True if every object inherits such a property, so that the key has to be checked to be an own one. */
  readonly inherited: boolean;
  /** The index of its first column. */
  readonly column: number;
}

/** The objects at one place, and the one of the current row. */
export interface ObjectPlan {
  /** The dataType and the keys joined with `.`. */
  readonly path: string;
  /** The plan of the parent object, in the same row. */
  readonly enclosing: ObjectPlan | undefined;
  readonly table: TablePlan;
  readonly fields: readonly Field[];
  /** The range of its columns: the first index is included, the second is not. */
  readonly columns: readonly [number, number];
  value: JsonObject;
  /** The JSON text of the value, or empty if it is not serialized yet; only items have theirs from the start. */
  text: string;
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
  readonly cells: string[];
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
      ...{ cells: [], place: '', extra: [], created: undefined },
    };
    if (element.kind === 'object') {
      table.object = planObject(path, element, table, undefined, 0);
      table.dataColumns = table.object.columns[1];
    }
    for (let at = table.dataColumns + extraNames.length; at > 0; at -= 1) table.cells.push('');
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
    const object: ObjectPlan = { path, enclosing, table, fields, columns, value: {}, text: '', id: '' };
    for (const [key, child] of node.children) {
      const place: FieldPlace = { key, inherited: key in Object.prototype, column: columns[1] };
      const inner = `${path}.${key}`;
      if (child.kind === 'object') {
        const nested = planObject(inner, child, table, object, columns[1]);
        fields.push({ ...place, kind: 'object', object: nested });
        columns[1] = nested.columns[1];
        continue;
      }
      if (child.kind === 'array') {
        const list = planTable(inner, child, [PARENT_ID]);
        below.push(list);
        fields.push({ ...place, kind: 'list', table: list });
      } else fields.push({ ...place, kind: 'cell' });
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

/**
 * Returns the id of an object: its path and 32 hexadecimal digits, the same in every run.
 *
 * @param path the dataType and the keys joined with `.`
 * @param content the object's JSON text
 * @param around what distinguishes equal objects: the id of the enclosing object, or the extra columns of the row
 * @example rowId('boats', '{"id":1}', '') // 'boats_' and 32 digits
 */
const rowId = (path: string, content: string, around: string): string =>
  // Unlike the result of a template, that of join is one piece in memory: it is read character by character for each row below.
  [path, hash('sha256', around === '' ? content : `${content}\n${around}`).slice(0, 32)].join('_');

/**
 * Makes the rows of one dataType, by plans that fit all its items (docs/language/tables.md#columns). It runs for every cell, so it
 * allocates little.
 */
export class RowWriter {
  readonly #items: TablePlan;
  #page = 0;
  #tablesCreated = 0;

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
   * @param texts the JSON texts of the items
   * @param extra values of the extra columns, by raw name
   * @param page the number of the page in the run
   */
  write(items: readonly Item[], texts: readonly string[], extra: ReadonlyMap<string, string>, page: number): void {
    this.#page = page;
    this.#tablesCreated = 0;
    this.#items.extra = this.#items.extraNames.map((name) => extra.get(name) ?? '');
    const exact = withAllDigits(items);
    for (let at = 0; at < exact.length; at += 1) {
      if (this.uniqueIn !== undefined) this.#items.place = `${this.uniqueIn}:${page}:${at}`;
      this.#row(this.#items, exact[at] as Item, texts[at] as string);
    }
  }

  #row(table: TablePlan, value: Json, text: string): void {
    table.created ??= { page: this.#page, order: this.#tablesCreated++ };
    const { cells, object, dataColumns, extra } = table;
    if (object !== undefined) {
      object.text = text;
      this.#fill(object, cells, value);
    } else if (dataColumns === 1) cells[0] = cellOf(value);
    for (let at = 0; at < extra.length; at += 1) cells[dataColumns + at] = extra[at] as string;
    for (const { from, to } of table.moves) {
      cells[to] = cells[from] as string;
      cells[from] = '';
    }
    table.lines.appendCells(cells);
  }

  #fill(object: ObjectPlan, cells: string[], value: Json | undefined): void {
    if (!isObject(value)) {
      cells.fill('', object.columns[0], object.columns[1]);
      return;
    }
    object.value = value;
    object.id = '';
    const exact = withAllDigits(value);
    for (const field of object.fields) {
      const inner = field.inherited && !Object.hasOwn(exact, field.key) ? undefined : exact[field.key];
      if (field.kind === 'cell') cells[field.column] = cellOf(inner);
      else if (field.kind === 'object') this.#fill(field.object, cells, inner);
      else cells[field.column] = this.#list(object, field, inner);
    }
  }

  /** Makes the rows of an array, or of a single value in its place; returns the id that links them, or nothing if there are none. */
  #list(object: ObjectPlan, { table }: ListField, value: Json | undefined): string {
    if (isEmpty(value)) return '';
    const id = idOf(object);
    table.extra = [id];
    if (!isList(value)) {
      table.place = '';
      this.#row(table, value, '');
      return id;
    }
    for (const [at, element] of withAllDigits(value).entries()) {
      if (this.uniqueIn !== undefined) table.place = String(at);
      this.#row(table, element, '');
    }
    return id;
  }
}

function cellOf(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  if (typeof value === 'object') return stringifyJson(value);
  const plain = typeof value === 'number' ? String(value) : 'e';
  return plain.includes('e') ? textOf(value) : plain;
}

/** Returns the id of the object whose row is in progress. */
function idOf(object: ObjectPlan): string {
  if (object.id !== '') return object.id;
  const content = object.text === '' ? contentText(object.value) : object.text;
  const around = object.enclosing === undefined ? aroundRow(object.table) : idOf(object.enclosing);
  object.id = rowId(object.path, content, around);
  return object.id;
}

const aroundRow = ({ extra, place }: TablePlan): string =>
  (extra.length === 0 ? '' : JSON.stringify(extra)) + (place === '' ? '' : `\n${place}`);

/** Returns whether a value is nothing, and so no element of an array. */
const isEmpty = (value: Json | undefined): value is undefined | null =>
  value === undefined ||
  value === null ||
  (typeof value === 'object' && (isList(value) ? value.length === 0 : Object.keys(value).length === 0));
