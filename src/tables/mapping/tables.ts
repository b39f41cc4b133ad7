import type { ChosenType } from '../../core/json/column-type';
import type { Refuse } from './reader';
import type { Table, TableLink } from '../table';

/** A table of a mapping: its columns are known before the first row. */
export interface MappedTable extends Pick<Table, 'name' | 'columns' | 'primaryKey' | 'link'> {
  /** The types of columns that the mapping says; absent: none. */
  readonly types?: ReadonlyMap<string, ChosenType>;
}

/** Whether rows of both tables may stand below one header. */
export const columnsAgree = (a: MappedTable, b: MappedTable): boolean =>
  a.columns.length === b.columns.length && a.columns.every((column, at) => column === b.columns[at]);

/** Why two tables of one name cannot become one, and what to do (docs/language/mappings.md#what-else-to-know). */
export const columnsDiffer = (a: MappedTable, b: MappedTable): string =>
  `Multiple results for '${a.name}' table have different columns! ` +
  `One has ${a.columns.join(', ')}; another has ${b.columns.join(', ')}. ` +
  'Give both the same columns in the same order, or another name (dataType or destination) to one of them.';

/** The primary key of tables that become one: the first that is given. */
export const commonPrimaryKey = (a: MappedTable, b: MappedTable): readonly string[] =>
  a.primaryKey.length > 0 ? a.primaryKey : b.primaryKey;

interface Registered {
  readonly table: MappedTable;
  readonly index: number;
  /** How many entries fill it. */
  readonly fillers: number;
  readonly links: readonly TableLink[];
}

/** The tables of mappings, one of each name, numbered in the order in which they are first named. */
export class MappedTables {
  readonly #tables = new Map<string, Registered>();

  constructor(private readonly refuse: Refuse) {}

  /** The number of the table; one of the same name must have the same columns. */
  add(table: MappedTable, place: string): number {
    const known = this.#tables.get(table.name);
    const index = known?.index ?? this.#tables.size;
    if (known !== undefined && !columnsAgree(known.table, table)) this.refuse(place, columnsDiffer(known.table, table));
    const primaryKey = known === undefined ? table.primaryKey : commonPrimaryKey(known.table, table);
    const { fillers = 0, links = [] } = known ?? {};
    this.#tables.set(table.name, { table: { ...table, primaryKey }, index, fillers: fillers + 1, links });
    return index;
  }

  /** Says what leads from the rows that were added last to those of a parent. */
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
