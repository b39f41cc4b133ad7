/** The ids of rows that have arrays (docs/language/tables.md#arrays-and-links), and the writer of rows. */
import { hash } from 'node:crypto';
import { losesDigits, withAllDigits } from '../../core/json/literals';
import { isList, isObject } from '../../core/json/objects';
import { textOf } from '../../core/json/scalars';
import { stringifyJson, stringifyValue } from '../../core/json/stringify';
import type { Item, Json } from '../../core/model';
import type { ListField, ObjectPlan, TablePlan } from './table-plan';

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
