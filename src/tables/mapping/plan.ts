import { defined } from '../../core/json/objects';
import type { ChosenType } from '../../core/json/column-type';
import type { Table, TableLink } from '../table';
import type { ColumnEntry, MappingEntry, ParentKey, Refuse, SelfEntry, TableEntry, UserEntry } from './reader';

/** A table of a mapping: its columns are known before the first row. */
export interface MappedTable extends Pick<Table, 'name' | 'columns' | 'primaryKey' | 'link'> {
  /** The column types of the mapping; absent: none. */
  readonly types?: ReadonlyMap<string, ChosenType>;
}

/** Returns whether rows of both tables may have one header. */
export const columnsAgree = (a: MappedTable, b: MappedTable): boolean =>
  a.columns.length === b.columns.length && a.columns.every((column, at) => column === b.columns[at]);

/** Returns why two tables of one name cannot become one, and what to do (docs/language/mappings.md#what-else-to-know). */
export const columnsDiffer = (a: MappedTable, b: MappedTable): string =>
  `Multiple results for '${a.name}' table have different columns! ` +
  `One has ${a.columns.join(', ')}; another has ${b.columns.join(', ')}. ` +
  'Give both the same columns in the same order, or another name (dataType or destination) to one of them.';

/** Returns the primary key of tables that become one: the first one that is set. */
export const commonPrimaryKey = (a: MappedTable, b: MappedTable): readonly string[] =>
  a.primaryKey.length > 0 ? a.primaryKey : b.primaryKey;

interface Registered {
  readonly table: MappedTable;
  readonly index: number;
  /** The number of entries that fill it. */
  readonly fillers: number;
  readonly links: readonly TableLink[];
}

/** The tables of mappings, one of each name, numbered in the order of their first mention. */
export class MappedTables {
  readonly #tables = new Map<string, Registered>();

  constructor(private readonly refuse: Refuse) {}

  /** Returns the number of the table; one of the same name must have the same columns. */
  add(table: MappedTable, place: string): number {
    const known = this.#tables.get(table.name);
    const index = known?.index ?? this.#tables.size;
    if (known !== undefined && !columnsAgree(known.table, table)) this.refuse(place, columnsDiffer(known.table, table));
    const primaryKey = commonPrimaryKey(known?.table ?? table, table);
    const { fillers = 0, links = [] } = known ?? {};
    this.#tables.set(table.name, { table: { ...table, primaryKey }, index, fillers: fillers + 1, links });
    return index;
  }

  /** Sets the link from the rows that were added last to those of a parent. */
  link(name: string, link: TableLink): void {
    const known = this.#tables.get(name);
    if (known !== undefined) this.#tables.set(name, { ...known, links: [...known.links, link] });
  }

  all(): readonly MappedTable[] {
    return [...this.#tables.values()].map(({ table, fillers, links }) => {
      const [link, ...others] = links;
      const isTheOnlyOne =
        links.length === fillers && others.every((other) => JSON.stringify(other) === JSON.stringify(link));
      return { ...table, ...(link !== undefined && isTheOnlyOne ? { link } : {}) };
    });
  }
}

/** How the rows of one table are made: the target of each cell, and the child tables (docs/language/mappings.md#a-mapping). */
export interface RowPlan {
  /** The number of the table. */
  readonly table: number;
  /** The number of parent tables above it. */
  readonly depth: number;
  /** The number of columns. */
  readonly width: number;
  readonly cells: readonly CellPlan[];
  /** The cells of the primary key; without any, a digest identifies the row. */
  readonly key: readonly CellPlan[];
  readonly children: readonly ChildTablePlan[];
}

/** A cell that is filled from the item, the extra columns or the parent's key. */
export interface CellPlan {
  readonly at: number;
  readonly source: ColumnEntry | UserEntry | ({ readonly kind: 'parent' } & ParentKey);
}

export type ChildTablePlan =
  /** More rows of the same table. */
  | SelfEntry
  /** Child rows without a link. */
  | (ChildRows & { readonly kind: 'loose' })
  /** Child rows that end with the key of this row; without a primary key, the row repeats it in the column `linkAt`. */
  | (ChildRows & { readonly kind: 'linked'; readonly linkAt: number | undefined });

interface ChildRows extends Pick<TableEntry, 'place' | 'path'> {
  readonly plan: RowPlan;
}

/** A table about to be planned. */
export interface TableDefinition {
  readonly name: string;
  readonly place: string;
  readonly entries: readonly MappingEntry[];
  readonly parentKey?: ParentKey;
}

/** Plans a table and those below it, and registers them, parents first. */
export function planTable(definition: TableDefinition, tables: MappedTables, refuse: Refuse, depth = 0): RowPlan {
  const { name, place, entries, parentKey } = definition;
  const keyed = parentKey?.primaryKey === true || entries.some((entry) => 'primaryKey' in entry && entry.primaryKey);
  const { columns, cells } = layOut(definition, keyed, refuse);
  const key = cells.filter(({ source }) => source.primaryKey);
  const types = new Map(
    cells.flatMap(({ source }) => (source.type === undefined ? [] : [[source.column, source.type]])),
  );
  const primaryKey = key.map(({ source }) => source.column);
  const typed = types.size === 0 ? {} : { types };
  const table = tables.add({ name, columns, primaryKey, ...typed }, place);
  const children = entries.flatMap((entry): ChildTablePlan | [] => {
    if (entry.kind === 'self') return entry;
    if (entry.kind !== 'table') return [];
    const plan = planTable(childOf(entry, key), tables, refuse, depth + 1);
    const child = { place: entry.place, path: entry.path, plan };
    if (entry.parentKey === undefined) return { kind: 'loose', ...child };
    const of = keyed ? primaryKey : [entry.table];
    tables.link(entry.table, { parent: name, column: entry.parentKey.column, of });
    return { kind: 'linked', ...child, linkAt: keyed ? undefined : columns.indexOf(entry.table) };
  });
  return { table, depth, width: columns.length, cells, key, children };
}

/** Returns the depths of tables with a key and child tables: of rows with the same key, only the last one has its child rows. */
export function keyedDepthsOf({ key, depth, children }: RowPlan): readonly number[] {
  const below = children.flatMap((child) => (child.kind === 'self' ? [] : keyedDepthsOf(child.plan)));
  return [...new Set([...(key.length > 0 && children.length > 0 ? [depth] : []), ...below])];
}

/** Returns the child table. A link column to a key of one column has its type. */
function childOf({ table, parentKey, ...entry }: TableEntry, key: readonly CellPlan[]): TableDefinition {
  const named = { ...entry, name: table };
  if (parentKey === undefined) return named;
  const [only, ...others] = key;
  const type = others.length === 0 ? only?.source.type : undefined;
  return { ...named, parentKey: { ...parentKey, ...defined({ type }) } };
}

/** Returns the columns of a table (docs/language/mappings.md#child-tables), and the cells that are filled from outside the row. */
function layOut(
  { name, place, entries, parentKey }: TableDefinition,
  keyed: boolean,
  refuse: Refuse,
): { readonly columns: readonly string[]; readonly cells: readonly CellPlan[] } {
  const columns: string[] = [];
  const cells: CellPlan[] = [];
  const links = new Set<string>();
  const claim = (column: string, where: string): number => {
    if (columns.includes(column))
      refuse(where, `Column '${column}' stands twice in table '${name}'. Rename one with 'destination'.`);
    return columns.push(column) - 1;
  };
  for (const entry of entries) {
    if (entry.kind === 'column' || entry.kind === 'user') {
      cells.push({ at: claim(entry.column, entry.place), source: entry });
    } else if (entry.kind === 'table' && entry.parentKey !== undefined && !keyed && !links.has(entry.table)) {
      // Entries that fill the same child table share one link column.
      links.add(entry.table);
      claim(entry.table, entry.place);
    }
  }
  if (parentKey !== undefined)
    cells.push({ at: claim(parentKey.column, place), source: { kind: 'parent', ...parentKey } });
  return { columns, cells };
}
