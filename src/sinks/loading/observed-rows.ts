/** The rows of linked tables, learned from items without being written. */
import type { LinkedTable, Member, RowObserver } from '../../tables/linked/places';
import { PARENT_ROW_ID, POSITION, ROW_ID } from '../../tables/linked/places';
import type { LearnedColumn } from '../../tables/schema/learned-column';
import { isDecimal } from '../../tables/schema/column-type';
import { createSchema } from '../../tables/schema/schema';
import type { TableSchema } from '../../tables/schema/schema';
import type { ColumnLimit } from '../../tables/schema/column-names';
import { seeScalar } from '../../tables/schema/schema-lines';

/** Items that were observed and not split: the caller makes the rows itself. */
export interface ObservedItems {
  readonly root: LinkedTable;
  /** The rows of each table that has some. */
  readonly rows: ReadonlyMap<LinkedTable, ObservedRows>;
}

/** The columns of a table, and the number of its rows. */
export class ObservedRows implements RowObserver {
  rows = 0;
  readonly #columns: LearnedColumn[] = [];
  #lastPosition = 0;
  #schema: TableSchema | undefined;

  /** @param limit the maximum number of columns */
  constructor(
    private readonly table: LinkedTable,
    private readonly limit: ColumnLimit,
  ) {}

  readonly row = (position: number | undefined): void => {
    this.rows += 1;
    if (position !== undefined && position > this.#lastPosition) this.#lastPosition = position;
  };

  readonly value = (member: Member, lines: Buffer, at: number): number => {
    const column = this.#columns[member.place] ?? this.#columnOf(member);
    return seeScalar(lines, at, column);
  };

  get schema(): TableSchema {
    if (this.#schema !== undefined) return this.#schema;
    const { isLinked, parent } = this.table;
    this.#schema = createSchema([], this.limit);
    if (isLinked) this.#schema.columnFor(ROW_ID);
    for (const key of parent === undefined ? [] : [PARENT_ROW_ID, POSITION]) this.#schema.columnFor(key);
    return this.#schema;
  }

  /** Returns whether DuckDB reads every value correctly, given the types. */
  get isPlain(): boolean {
    const isRead = ({ filled, mixed, columnType }: LearnedColumn): boolean =>
      filled === 0 || !(mixed || isDecimal(columnType));
    return this.rows === 0 || this.schema.learned().every(isRead);
  }

  /** The number of values of a member that are neither null, array nor object. */
  filledAt = (member: Member): number => this.#columns[member.place]?.filled ?? 0;

  /**
   * Ends the rows: from now on the columns of links are complete as well.
   *
   * @param empty columns that are created although no row has a value in them
   */
  end(empty: readonly string[]): void {
    const { table, rows, schema } = this;
    const ends: (readonly [string, number])[] = [
      ...(table.isLinked ? [[ROW_ID, rows] as const] : []),
      ...(table.parent === undefined
        ? []
        : [[PARENT_ROW_ID, table.parent.rowId] as const, [POSITION, this.#lastPosition] as const]),
    ];
    for (const [key, last] of ends) {
      const column = schema.columnFor(key);
      column.see(last);
      column.filled = rows;
    }
    for (const name of empty) schema.columnFor(name);
  }

  #columnOf(member: Member): LearnedColumn {
    member.asColumn();
    const column = this.schema.columnFor(member.column as string);
    this.#columns[member.place] = column;
    return column;
  }
}
