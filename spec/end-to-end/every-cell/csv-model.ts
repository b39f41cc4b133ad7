/** Items as the rows of the language's own linked tables, by docs/language/tables.md, compared with CSV files. */
import { decimal, read, sameJson, sameNumber, written } from './json-value';
import type { Value } from './json-value';
import { nameAll, Node, safe } from './csv-structure';
import { sorted as sortedBy } from './found-rows';
import type { FoundTable } from './expected';

/** The id of a row, as what it is a digest of; equal rows have equal ids. */
interface Link {
  readonly path: string;
  readonly of: string;
}
type Cell = Value | Link;
type CsvRow = Map<string, Cell>;

export class CsvModel {
  readonly #root = new Node();
  #tables = new Map<string, CsvRow[]>();
  /** The names of all tables that there were. */
  readonly #known = new Set<string>();
  /** The row that each row of a list belongs to. */
  readonly #above = new Map<CsvRow, CsvRow>();

  constructor(readonly dataType: string) {
    this.#root.kind = 'array';
  }

  /** @param load as for other tables: rows of lists have no key, and go with the rows that they belong to */
  run(
    pages: readonly { readonly items: readonly Value[]; readonly extra: ReadonlyMap<string, string> }[],
    load: 'replace' | 'append' | { readonly key: string },
  ): void {
    const old = load === 'replace' ? new Map<string, CsvRow[]>() : this.#tables;
    this.#tables = new Map();
    for (const { items } of pages) {
      for (const item of items) this.#root.elementNode().merge(item, true);
      nameAll(this.#root);
    }
    for (const { items, extra } of pages)
      for (const item of items)
        this.#row(this.dataType, this.dataType, this.#root.elementNode(), item, extra, written(item));
    if (typeof load === 'object') this.#merge(old, load.key);
    for (const name of new Set([...old.keys(), ...this.#tables.keys()]))
      this.#tables.set(name, [...(old.get(name) ?? []), ...(this.#tables.get(name) ?? [])]);
    for (const [name, rows] of this.#tables) if (rows.length === 0) this.#tables.delete(name);
  }

  /** Of rows with one key the last stays; the others go with the rows of their lists. */
  #merge(old: Map<string, CsvRow[]>, key: string): void {
    const rows = this.#tables.get(this.dataType) ?? [];
    const last = new Map(rows.map((row) => [keyText(row, key), row]));
    const isLast = (row: CsvRow): boolean => keyText(row, key) === '' || last.get(keyText(row, key)) === row;
    const lost = new Set(rows.filter((row) => !isLast(row)));
    const isLost = (row: CsvRow | undefined): boolean =>
      row !== undefined && (lost.has(row) || isLost(this.#above.get(row)));
    for (const [name, all] of this.#tables)
      this.#tables.set(
        name,
        all.filter((row) => !isLost(row)),
      );
    const isGone = (row: CsvRow): boolean => keyText(row, key) !== '' && last.has(keyText(row, key));
    let gone = (old.get(this.dataType) ?? []).filter(isGone);
    old.set(
      this.dataType,
      (old.get(this.dataType) ?? []).filter((row) => !isGone(row)),
    );
    while (gone.length > 0) {
      const links = new Set(gone.flatMap((row) => Array.from(row).flatMap(([name, cell]) => linkIn(name, cell))));
      gone = [];
      for (const [name, children] of old) {
        const isBelow = (row: CsvRow): boolean => {
          const parent = row.get(PARENT);
          return parent !== undefined && 'path' in parent && links.has(parent.of);
        };
        gone.push(...children.filter(isBelow));
        old.set(
          name,
          children.filter((row) => !isBelow(row)),
        );
      }
    }
  }

  #row(
    path: string,
    table: string,
    element: Node,
    value: Value,
    extra: ReadonlyMap<string, string | Link>,
    content: string,
  ): CsvRow {
    const row: CsvRow = new Map();
    const rows = this.#tables.get(table) ?? [];
    this.#tables.set(table, rows);
    this.#known.add(safe(table));
    rows.push(row);
    const around = extra.size === 0 ? '' : JSON.stringify([...extra.values()]);
    if (element.kind === 'object') this.#fill(row, path, table, element, value, content, around);
    else if (element.kind === 'scalar') row.set('data', value);
    for (const [name, one] of extra) row.set(name, typeof one === 'string' ? { kind: 'string', value: one } : one);
    return row;
  }

  #fill(row: CsvRow, path: string, table: string, node: Node, value: Value, content: string, around: string): void {
    if (value.kind !== 'object') return;
    const link: Link = { path, of: `${path} ${content} ${around}` };
    const given = new Map(value.members);
    for (const [key, child] of node.children) {
      const member = given.get(key);
      if (member === undefined || member.kind === 'null') continue;
      const inner = `${path}.${key}`;
      if (child.kind === 'object')
        this.#fill(row, inner, `${table}.${key}`, child, member, canonical(member), JSON.stringify(link));
      else if (child.kind === 'array') this.#list(row, inner, `${table}.${key}`, child, member, link);
      else row.set(child.name as string, member);
    }
  }

  #list(row: CsvRow, path: string, table: string, node: Node, value: Value, link: Link): void {
    const elements = value.kind === 'list' ? value.elements : [value];
    if (elements.length === 0 || (value.kind === 'object' && value.members.length === 0)) return;
    row.set(node.name as string, link);
    for (const element of elements) {
      const child = this.#row(path, table, node.elementNode(), element, new Map([[PARENT, link]]), canonical(element));
      this.#above.set(child, row);
    }
  }

  /** What is wrong in the files of this dataType; `key` tells rows of items apart whose order is free. */
  faults(found: ReadonlyMap<string, FoundTable>, key?: string): readonly string[] {
    const faults: string[] = [];
    const ids = new Map<string, string>();
    const links = new Map<string, string>();
    for (const [path, rows] of this.#tables) {
      const name = safe(path);
      const isOrdered = key === undefined || path !== this.dataType;
      const table = found.get(name) ?? { columns: [], rows: [] };
      const columns = table.columns.map((column) => column.name);
      const there = table.rows.map((cells) => new Map(columns.map((column, at) => [column, cells[at] ?? ''])));
      const wanted = isOrdered ? rows : sortedBy(rows, (row) => keyText(row, key));
      const sorted = isOrdered ? there : sortedBy(there, (row) => row.get(key) ?? '');
      if (there.length !== rows.length) faults.push(`${name}: ${there.length} rows, not ${rows.length}`);
      for (const [at, row] of wanted.entries()) {
        for (const column of row.keys()) if (!columns.includes(column)) faults.push(`${name}: no column ${column}`);
        for (const column of columns) {
          const cell = sorted[at]?.get(column) ?? '';
          if (!holds(cell, row.get(column), ids, links))
            faults.push(`${name}[${at}].${column}: ${JSON.stringify(cell)} in place of ${shown(row.get(column))}`);
        }
      }
    }
    // A table that has no rows any more keeps its columns at most.
    for (const name of this.#known) {
      const left = found.get(name)?.rows.length ?? 0;
      if (left > 0 && !Array.from(this.#tables.keys(), safe).includes(name))
        faults.push(`${name}: ${left} rows, not 0`);
    }
    return faults;
  }
}

/** The column of a row of a list that leads to its parent. */
const PARENT = 'JSON_parentId';

/** What the rows of a list have in that column, where a cell leads to one. */
const linkIn = (name: string, cell: Cell): readonly string[] => (name !== PARENT && 'path' in cell ? [cell.of] : []);

/** The text of a value in which numbers that are the same are written alike. */
function canonical(value: Value): string {
  if (value.kind === 'number') {
    const { digits, exponent } = decimal(value.literal) ?? { digits: 0n, exponent: 0 };
    return `${digits}e${exponent}`;
  }
  if (value.kind === 'list') return `[${value.elements.map(canonical).join()}]`;
  if (value.kind !== 'object') return written(value);
  return `{${value.members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join()}}`;
}

/** @param ids the id of each link that was met, and the other way round in `links` */
function holds(cell: string, value: Cell | undefined, ids: Map<string, string>, links: Map<string, string>): boolean {
  if (value === undefined) return cell === '';
  if ('path' in value) {
    const { path, of } = value;
    if (!cell.startsWith(`${path}_`) || !/^[0-9a-f]{32}$/.test(cell.slice(path.length + 1))) return false;
    const [id, link] = [ids.get(of) ?? cell, links.get(cell) ?? of];
    ids.set(of, id);
    links.set(cell, link);
    return id === cell && link === of;
  }
  if (value.kind === 'null') return cell === '';
  if (value.kind === 'boolean') return cell === (value.value ? '1' : '');
  if (value.kind === 'string') return cell === value.value.toWellFormed();
  if (value.kind === 'number') return sameNumber(cell, value.literal) && !/\.\d*0$/.test(cell.replace(/\.0E/, 'E'));
  return sameJson(read(cell), value);
}

const shown = (value: Cell | undefined): string =>
  value === undefined ? 'nothing' : 'path' in value ? value.path : written(value);

const keyText = (row: CsvRow, key: string): string => {
  const value = row.get(key);
  return value === undefined || 'path' in value ? '' : value.kind === 'string' ? value.value : written(value);
};
