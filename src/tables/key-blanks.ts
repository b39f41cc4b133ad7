/** Values of primary keys that differ in items and are one empty cell in CSV (docs/sinks.md#tables). */
import { isObject, ownValue } from '../core/json/keys';
import type { Item, Json } from '../core/model';
import type { KeyBlanks, Table } from './table';

/** Looks at the items of a table with a primary key. */
export class KeyBlanksSeen {
  readonly #seen = new Map<string, Set<string>>();

  /** @param columns those of the key */
  constructor(private readonly columns: readonly string[]) {}

  readonly see = (items: readonly Item[]): void => {
    for (const item of items.filter(isObject))
      for (const column of this.columns) this.note(column, ownValue(item, column));
  };

  /** @param value what an item has for a column of the key; `undefined`: nothing */
  readonly note = (column: string, value: Json | undefined): void => {
    const blank = blankOf(value);
    if (blank !== undefined) this.#seen.set(column, (this.#seen.get(column) ?? new Set()).add(blank));
  };

  /** Only columns of which several values are one cell. */
  get mixed(): KeyBlanks {
    return new Map([...this.#seen].filter(([, blanks]) => blanks.size > 1));
  }
}

/** @param tableName the name of the table of a dataType */
export function withKeyBlanks(
  tables: readonly Table[],
  seen: ReadonlyMap<string, KeyBlanksSeen>,
  tableName: (dataType: string) => string,
): readonly Table[] {
  const byTable = new Map(Array.from(seen, ([dataType, blanks]) => [tableName(dataType), blanks]));
  return tables.map((table) => ({ ...table, ...keyBlanksIn(byTable.get(table.name)) }));
}

/** What a table says of them. */
export const keyBlanksIn = (seen: KeyBlanksSeen | undefined): Pick<Table, 'keyBlanks'> =>
  seen === undefined || seen.mixed.size === 0 ? {} : { keyBlanks: seen.mixed };

/** A key that is not there counts as one with `null`. */
function blankOf(value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return 'null';
  return value === false || value === '' ? JSON.stringify(value) : undefined;
}
