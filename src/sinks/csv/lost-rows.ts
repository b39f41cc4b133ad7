import type { Table } from '../../tables/table';

/** Rows of a run that a later row of the same run replaces, and the rows of lists that are removed with them. */

export type Row = readonly string[];

/** The number of rows of a run with the same id, and how many of them are lost. Such rows are equal, and have equal rows below. */
export interface Share {
  total: number;
  lost: number;
}

/** Shares by the id that leads to the rows of the parent. */
export type Shares = Map<string, Share>;

/** The rows of a table of a run. */
export interface NewRows {
  /** Returns the rows in their order. */
  readonly rows: () => AsyncIterable<Row>;
  /** Returns whether a later row has the key of the row at an index. */
  readonly isReplaced: (at: number) => boolean;
  /** True if `isReplaced` is true for any row. */
  readonly hasReplaced: boolean;
  /** The id of the parent row; absent: there is no parent. */
  readonly above?: { readonly idOf: (cells: Row) => string; readonly shares: Shares } | undefined;
  /** The tables of lists: the id that leads from their rows to one, and the lost ones of those. */
  readonly below: readonly { readonly idOf: (cells: Row) => string; readonly shares: Shares }[];
}

/** Returns whether a row is lost; it is called for one row after another, from the first. */
export type IsLost = (cells: Row, at: number) => boolean;

/**
 * Finds the lost rows, and records their ids for the tables below.
 *
 * @returns a function that starts at the first row; `undefined`: none is lost
 */
export async function findLost({
  rows,
  isReplaced,
  hasReplaced,
  above,
  below,
}: NewRows): Promise<(() => IsLost) | undefined> {
  const counts = new Map<string, number>();
  if (above !== undefined && above.shares.size > 0)
    for await (const cells of rows()) {
      const id = above.idOf(cells);
      if (above.shares.has(id)) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  if (counts.size === 0 && !hasReplaced) return undefined;
  const reader = (): IsLost => {
    const met = new Map<string, number>();
    return (cells, at) => {
      const id = above?.idOf(cells) ?? '';
      const count = counts.get(id);
      const { total = 1, lost = 0 } = above?.shares.get(id) ?? {};
      if (count === undefined) return isReplaced(at);
      const number = (met.get(id) ?? 0) + 1;
      met.set(id, number);
      return number <= (count * lost) / total || isReplaced(at);
    };
  };
  if (below.length > 0) await noteBelow(rows, reader(), below);
  return reader;
}

async function noteBelow(rows: NewRows['rows'], isLost: IsLost, below: NewRows['below']): Promise<void> {
  let at = 0;
  for await (const cells of rows()) {
    if (isLost(cells, at))
      for (const { idOf, shares } of below) {
        const id = idOf(cells);
        if (id !== '') shares.set(id, { total: 0, lost: (shares.get(id)?.lost ?? 0) + 1 });
      }
    at += 1;
  }
  for await (const cells of rows())
    for (const { idOf, shares } of below) {
      const share = shares.get(idOf(cells));
      if (share !== undefined) share.total += 1;
    }
}

/** Detects rows of one run whose keys are equal in the file, but maybe not in the items: a cell of `null`, `""` or `false` is empty. */
export interface KeysAlike {
  /** Adds a row with the key of an earlier one. */
  readonly add: (cells: Row) => void;
  /** Returns the warning; `undefined`: there is none. */
  readonly warning: () => string | undefined;
}

/** @param columns the columns of the rows */
export function keysAlike({ name, keyBlanks = new Map<string, never>() }: Table, columns: Row): KeysAlike {
  const places = Array.from(keyBlanks.keys(), (column) => [column, columns.indexOf(column)] as const);
  const met = new Set<string>();
  let rows = 0;
  return {
    add: (cells) => {
      const alike = places.filter(([, place]) => cells[place] === '');
      for (const [column] of alike) met.add(column);
      if (alike.length > 0) rows += 1;
    },
    warning: () => {
      if (rows === 0) return undefined;
      const where = Array.from(
        met,
        (column) => `${JSON.stringify(column)} (${valuesText([...(keyBlanks.get(column) ?? [])])})`,
      );
      return (
        `Rows of the table ${JSON.stringify(name)} gave way to others with the same key, ${rows} of them with an empty cell in it where items have different values: ` +
        `${where.join(', ')}. CSV does not distinguish them, and rows may be missing. Make other columns the primary key, or store the table elsewhere, such as in duckdb:.`
      );
    },
  };
}

/** @example valuesText(['null', '""', 'false']) // 'null, "" and false' */
const valuesText = (values: readonly string[]): string =>
  `${values.slice(0, -1).join(', ')} and ${values.at(-1) ?? ''}`;
