import type { MappedTable } from '../../tables/mapping/tables';
import type { RowsOfPage } from '../linked/split-rows';

/** The member of a line that says which parent came: what its child rows have in their link, as a string. */
export const LINK = 'link';
/** The same as it stands in child rows. */
export const CELL = 'cell';

/** The rows of a mapped table as lines of JSON, each with all columns in their order. */
export class MappedRows implements RowsOfPage {
  readonly name: string;
  /** The columns that a job adds are in the mapping, or nowhere. */
  readonly parent = {};
  readonly out = new Lines();
  readonly #keys: readonly string[];

  constructor(table: MappedTable) {
    this.name = table.name;
    this.#keys = table.columns.map((column) => `${JSON.stringify(column)}:`);
  }

  /** @param cells JSON; an empty one is nothing */
  add(cells: readonly string[]): void {
    this.out.add(`{${this.#keys.map((key, at) => key + (cells[at] || 'null')).join(',')}}\n`);
  }
}

/** The keys of parents whose rows came, as strings: those of a child table lead to them. */
export class LinkRows implements RowsOfPage {
  readonly parent = {};
  readonly out = new Lines();

  constructor(readonly name: string) {}

  /** @param cell JSON; a key of nothing leads nowhere */
  add(cell: string): void {
    if (cell === '') return;
    const text = cell.startsWith('"') ? cell : JSON.stringify(cell);
    this.out.add(`{"${LINK}":${text},"${CELL}":${cell}}\n`);
  }
}

class Lines {
  rows = 0;
  #lines: string[] = [];

  add(line: string): void {
    this.#lines.push(line);
    this.rows += 1;
  }

  readonly take = (): Buffer => {
    const bytes = Buffer.from(this.#lines.join(''));
    this.#lines = [];
    this.rows = 0;
    return bytes;
  };
}
