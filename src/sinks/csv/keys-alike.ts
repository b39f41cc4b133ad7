/** Rows of one run whose keys are one in the file, and need not be one in the items: a cell of `null`, `""` or `false` is empty. */
import type { Table } from '../../tables/table';
import type { Row } from './lost-rows';

export interface KeysAlike {
  /** Takes a row that has the key of an earlier one. */
  readonly add: (cells: Row) => void;
  /** What there is to warn of; `undefined`: nothing. */
  readonly warning: () => string | undefined;
}

/** @param columns those of the rows */
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
        `${where.join(', ')}. CSV does not tell them apart, and rows may be missing. Make other columns the primary key, or store the table elsewhere, such as in duckdb:.`
      );
    },
  };
}

/** @example valuesText(['null', '""', 'false']) // 'null, "" and false' */
const valuesText = (values: readonly string[]): string =>
  `${values.slice(0, -1).join(', ')} and ${values.at(-1) ?? ''}`;
