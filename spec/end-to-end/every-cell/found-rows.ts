/** The rows that stand in a table, by the row whose list they stand in. */
import type { FoundTable } from './expected';

export type Row = readonly (string | null)[];

/** The rows of a table, by the row whose list they stand in. */
export class FoundRows {
  readonly columns: FoundTable['columns'];
  readonly all: readonly Row[];
  /** How many have not been compared. */
  left: number;
  readonly #byParent = new Map<string, Row[]>();

  constructor(table: FoundTable = { columns: [], rows: [] }) {
    this.columns = table.columns;
    this.all = table.rows;
    this.left = this.all.length;
    for (const row of this.all) {
      const parent = this.cell(row, '_parent_row_id');
      if (parent === null) continue;
      const rows = this.#byParent.get(parent) ?? [];
      this.#byParent.set(parent, rows);
      const position = Number(this.cell(row, '_position'));
      // Two rows at one place would be one too few.
      if (rows[position] === undefined) rows[position] = row;
    }
  }

  get ids(): readonly string[] {
    return this.all.map((row) => this.cell(row, '_row_id')).filter((id) => id !== null);
  }

  readonly has = (column: string): boolean => this.columns.some(({ name }) => name === column);

  readonly cell = (row: Row, column: string): string | null =>
    row[this.columns.findIndex(({ name }) => name === column)] ?? null;

  readonly of = (parent: string | null): readonly (Row | undefined)[] =>
    parent === null ? [] : Array.from(this.#byParent.get(parent) ?? []);
}

/** Rows in the order of their keys; those with equal keys stay in theirs. */
export const sorted = <T>(rows: readonly T[], keyOf: (row: T) => string): readonly T[] =>
  rows
    .map((row) => [keyOf(row), row] as const)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, row]) => row);
