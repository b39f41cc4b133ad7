/**
 * Entries of a mapping → where each cell of a row stands, and which tables there are
 * (docs/language/mappings.md#a-mapping).
 */
import type { ColumnEntry, MappingEntry, ParentKey, TableEntry, UserEntry } from './entry';
import type { MappingPath } from './path';
import type { Refuse } from './reader';
import type { MappedTables } from './tables';

/** How the rows of one table are made. */
export interface RowPlan {
  /** The number of the table. */
  readonly table: number;
  /** How many tables are above it. */
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
  | { readonly kind: 'self'; readonly path: MappingPath }
  /** Rows without a way back. */
  | { readonly kind: 'loose'; readonly place: string; readonly path: MappingPath; readonly plan: RowPlan }
  /** Rows that end with the key of this row; without a primary key, the row repeats it in the column `linkAt`. */
  | {
      readonly kind: 'linked';
      /** Where it stands in the configuration. */
      readonly place: string;
      readonly path: MappingPath;
      readonly plan: RowPlan;
      readonly linkAt: number | undefined;
    };

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
  const typed = types.size === 0 ? {} : { types };
  const table = tables.add({ name, columns, primaryKey: key.map(({ source }) => source.column), ...typed }, place);
  const children = entries.flatMap((entry): ChildTablePlan | [] => {
    if (entry.kind === 'self') return entry;
    if (entry.kind !== 'table') return [];
    const plan = planTable(childOf(entry, key), tables, refuse, depth + 1);
    if (entry.parentKey === undefined) return { kind: 'loose', place: entry.place, path: entry.path, plan };
    const of = keyed ? key.map(({ source }) => source.column) : [entry.table];
    tables.link(entry.table, { parent: name, column: entry.parentKey.column, of });
    return {
      kind: 'linked',
      place: entry.place,
      path: entry.path,
      plan,
      linkAt: keyed ? undefined : columns.indexOf(entry.table),
    };
  });
  return { table, depth, width: columns.length, cells, key, children };
}

/** The depths of tables with a key and child tables: of rows with the same key, only the last one has its child rows. */
export function keyedDepthsOf({ key, depth, children }: RowPlan): readonly number[] {
  const below = children.flatMap((child) => (child.kind === 'self' ? [] : keyedDepthsOf(child.plan)));
  return [...new Set([...(key.length > 0 && children.length > 0 ? [depth] : []), ...below])];
}

/** The column that links to a key of one column has its type. */
function childOf({ table, parentKey, ...entry }: TableEntry, key: readonly CellPlan[]): TableDefinition {
  const [only] = key;
  const type = key.length === 1 ? only?.source.type : undefined;
  const typed = parentKey === undefined || type === undefined ? parentKey : { ...parentKey, type };
  return { ...entry, name: table, ...(typed === undefined ? {} : { parentKey: typed }) };
}

/**
 * The columns of a table (docs/language/mappings.md#child-tables), and the cells that are filled from outside the row.
 */
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
