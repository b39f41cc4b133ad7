/** Items as rows with columns of STRUCT and LIST, by docs/sinks.md#struct-and-list, and the rows that are found in the place of them. */
import type { FoundTable } from './expected';
import { fault } from './expected';
import type { Cell, Shape } from './found-structs';
import { cellIn, shown } from './found-structs';
import { sorted } from './found-rows';
import { NULL } from './json-value';
import type { Value } from './json-value';
import type { Load } from './linked-model';
import { StructPlace } from './struct-places';
import type { Type } from './types';

interface ExpectedRow {
  readonly run: number;
  readonly cells: ReadonlyMap<StructPlace, Value>;
}

/** The table of one dataType, over several runs. */
export class StructModel {
  readonly #root: StructPlace;
  readonly #extra = new Map<string, StructPlace>();
  #rows: ExpectedRow[] = [];
  #run = -1;

  /** @param digits the digits that a decimal has at most */
  constructor(
    readonly dataType: string,
    private readonly digits: number,
  ) {
    this.#root = new StructPlace('', digits, -1);
  }

  /** As that of `LinkedModel`. */
  run(items: readonly { readonly item: Value; readonly extra: ReadonlyMap<string, string> }[], load: Load): void {
    this.#run += 1;
    if (load === 'replace') {
      this.#rows = [];
      this.#root.forget();
      for (const place of this.#extra.values()) place.forget();
    }
    for (const { item, extra } of items) {
      const members = item.kind === 'object' ? item.members : [['value', item] as const];
      const cells = new Map(members.map(([key, value]) => [this.#root.field(key), value] as const));
      for (const [name, value] of extra) cells.set(this.#extraAt(name), { kind: 'string', value });
      for (const [place, value] of cells) place.add(value);
      const row = { run: this.#run, cells };
      const own = typeof load === 'object' ? this.#keyOf(row, load.key) : '';
      if (own !== '')
        this.#rows = this.#rows.filter((other) => this.#keyOf(other, (load as { key: string }).key) !== own);
      this.#rows.push(row);
    }
    for (const place of this.#columns) place.endColumn(this.#run);
  }

  /** As that of `LinkedModel`. */
  faults(found: ReadonlyMap<string, FoundTable>, sortedBy: readonly string[]): readonly string[] {
    const table = found.get(this.dataType) ?? { columns: [], rows: [] };
    const faults: string[] = [];
    const columns = new Map(this.#columns.map((place) => [place.name, place] as const));
    const at = (name: string): number => table.columns.findIndex((column) => column.name === name);
    if (table.rows.length > 0) {
      for (const { name, type, shape = flat(type) } of table.columns) {
        const [is, wanted] = [shown(shape), shown(columns.get(name)?.shape)];
        if (is !== wanted) faults.push(`${this.dataType}.${name} is ${is}, not ${wanted}`);
      }
      for (const name of columns.keys())
        if (at(name) < 0) faults.push(`${this.dataType}: the column ${name} is missing`);
    }
    const wanted = sorted(this.#rows, (row) => sortedBy.map((column) => this.#keyOf(row, column)).join());
    const there = sorted(table.rows, (row) => sortedBy.map((column) => row[at(column)] ?? '').join());
    if (there.length !== wanted.length)
      return [...faults, `${this.dataType}: ${there.length} rows, not ${wanted.length}`];
    for (const [index, { run, cells }] of wanted.entries())
      for (const { name, type, shape = flat(type) } of table.columns) {
        const place = columns.get(name);
        const cell = cellIn(there[index]?.[at(name)] ?? null, shape);
        const reason = place === undefined ? undefined : faultAt(cell, shape, cells.get(place) ?? NULL, place, run);
        if (reason !== undefined) faults.push(`${this.dataType}[${index}].${name}: ${reason}`);
      }
    return faults;
  }

  get #columns(): readonly StructPlace[] {
    return [...this.#root.present, ...this.#extra.values()];
  }

  #extraAt(name: string): StructPlace {
    const known = this.#extra.get(name) ?? new StructPlace(name, this.digits, 0);
    this.#extra.set(name, known);
    return known;
  }

  #keyOf({ cells }: ExpectedRow, key: string): string {
    for (const [{ name }, value] of cells)
      if (name === key) return value.kind === 'number' ? value.literal : value.kind === 'string' ? value.value : '';
    return '';
  }
}

const flat = (type: Type): Shape => ({ kind: 'value', type });

/** Why a cell does not hold what was sent in a run; `undefined` where it does. */
function faultAt(cell: Cell, shape: Shape, value: Value, place: StructPlace, run: number): string | undefined {
  if (value.kind === 'null') return cell === null ? undefined : `${JSON.stringify(cell)} in place of null`;
  if (shape.kind === 'value') {
    if (typeof cell !== 'string') return `null in place of a ${value.kind}`;
    // What had other types before was written again.
    if (shape.type === 'json' && place.kindIn(run) !== 'json') return place.rewrittenFault(cell, value, run);
    return fault(cell, shape.type, { value, column: { type: place.typeIn(run) } });
  }
  if (cell === null || typeof cell === 'string') return `${cell} in place of a ${value.kind}`;
  if (shape.kind === 'list') {
    if (value.kind !== 'list' || !Array.isArray(cell)) return `a list in place of a ${value.kind}`;
    if (cell.length !== value.elements.length) return `${cell.length} elements, not ${value.elements.length}`;
    const { element } = place;
    for (const [at, each] of value.elements.entries()) {
      const reason =
        element === undefined
          ? 'no elements were expected'
          : faultAt(cell[at] as Cell, shape.element, each, element, run);
      if (reason !== undefined) return `[${at}]: ${reason}`;
    }
    return undefined;
  }
  if (value.kind !== 'object' || Array.isArray(cell)) return `a struct in place of a ${value.kind}`;
  const sent = new Map(value.members.map(([key, member]) => [place.field(key).name, member] as const));
  for (const name of sent.keys()) if (!shape.fields.has(name)) return `no field ${name}`;
  for (const [name, field] of shape.fields) {
    const inner = place.present.find((each) => each.name === name);
    const member = (cell as { readonly [key: string]: Cell })[name] ?? null;
    const reason =
      inner === undefined ? 'was not expected' : faultAt(member, field, sent.get(name) ?? NULL, inner, run);
    if (reason !== undefined) return `.${name}: ${reason}`;
  }
  return undefined;
}
