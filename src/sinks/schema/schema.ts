import { isObject, keysOf } from '../../json/keys';
import { tooManyColumns } from '../../errors/too-many-columns';
import { lostDigitsAt } from '../../json/literals';
import type { Item, Json } from '../../model';
import type { ColumnType } from './column-type';
import type { DecimalLimit } from './decimal-type';
import { LearnedColumn } from './learned-column';

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

/** What is known of a column beside its name and type. */
export type ColumnFacts = Pick<LearnedColumn, 'filled' | 'mixed'>;

/**
 * Learns the columns of a table from its items, in the order in which they first appear; `extra` are text columns after
 * those of the item they came with. Items that are no objects stand in a column `value`. Many databases do not tell
 * upper from lower case: a name that differs from an earlier one only so gets a suffix.
 */
export interface TableSchema {
  readonly see: (items: readonly Item[], extra: ReadonlyMap<string, string>) => void;
  /** What items of this number have beside their keys: for those whose values went to columns one by one. */
  readonly seeRows: (count: number, extra: ReadonlyMap<string, string>) => void;
  /** The column of the values of a key; it is there afterwards, so keys have to come in their order. */
  readonly columnFor: (key: string) => LearnedColumn;
  readonly columns: () => readonly Column[];
  /** The facts about the columns, in the order of `columns`. */
  readonly facts: () => readonly ColumnFacts[];
  /** The place in `columns` of the values of a key; `value` for items that are no objects. */
  readonly indexOf: (key: string) => number | undefined;
  readonly indexOfExtra: (name: string) => number | undefined;
}

/** How many columns a table may have. */
export interface ColumnLimit {
  /** The name of the table, for people. */
  readonly table: string;
  readonly most: number;
  /** How to have more; absent: a higher limit is enough. */
  readonly remedy?: string;
}

/** A column by the key of its values. */
interface Keyed {
  readonly key: string;
  readonly index: number;
  readonly column: LearnedColumn;
}

/**
 * @param known the columns that the table has already; they stay, and only become wider
 * @param limit absent: any number of columns
 * @param decimals absent: those of DuckDB
 * @throws FatalError TABLE_COLUMNS from its methods, at the first key that is too many
 * @example
 * const schema = createSchema();
 * schema.see([{ id: 1, born: '2024-02-29' }], new Map());
 * schema.columns(); // [{ name: 'id', type: 'integer' }, { name: 'born', type: 'date' }]
 */
export const createSchema = (
  known: readonly Column[] = [],
  limit?: ColumnLimit,
  decimals?: DecimalLimit,
): TableSchema => {
  const learned = known.map(({ name, type }) => new LearnedColumn(name, type, decimals));
  const claim = claimNames(learned, (name) => new LearnedColumn(name, undefined, decimals), limit);
  const inOrder: Keyed[] = [];
  const byKey = new Map<string, Keyed>();
  const byExtra = new Map<string, Keyed>();
  let rows = 0;
  const add = (key: string, to: Map<string, Keyed>): Keyed => {
    const index = claim(key);
    const keyed = { key, index, column: learned[index] as LearnedColumn };
    to.set(key, keyed);
    return keyed;
  };
  const columnOf = (key: string): Keyed => {
    const found = byKey.get(key);
    if (found !== undefined) return found;
    const keyed = add(key, byKey);
    inOrder.push(keyed);
    return keyed;
  };
  const seeItem = (item: Item, place: number, items: readonly Item[]): void => {
    if (!isObject(item)) {
      columnOf('value').column.see(item, lostDigitsAt(items, place));
      return;
    }
    const keys = keysOf(item);
    for (let at = 0; at < keys.length; at += 1) {
      const key = keys[at] as string;
      // Most items have the same keys in the same order.
      const guess = inOrder[at];
      (guess?.key === key ? guess : columnOf(key)).column.see(item[key] as Json, lostDigitsAt(item, key));
    }
  };
  const seeRows = (count: number, extra: ReadonlyMap<string, string>): void => {
    rows += count;
    if (count === 0) return;
    for (const name of extra.keys()) {
      const { column } = byExtra.get(name) ?? add(name, byExtra);
      column.see(' ');
      column.filled += count - 1;
    }
  };
  return {
    see: (items, extra) => {
      items.forEach(seeItem);
      seeRows(items.length, extra);
    },
    seeRows,
    columnFor: (key) => columnOf(key).column,
    columns: () => {
      // A table has at least one column, even if all items are {}.
      if (learned.length === 0 && rows > 0) columnOf('value');
      return learned.map(({ name, type }) => ({ name, type: type ?? 'text' }));
    },
    facts: () => learned.map(({ filled, mixed }) => ({ filled, mixed })),
    indexOf: (key) => byKey.get(key)?.index,
    indexOfExtra: (name) => byExtra.get(name)?.index,
  };
};

/** Finds the place of the column of each new key, or makes one with a name that no other column has. */
function claimNames(
  learned: LearnedColumn[],
  columnOf: (name: string) => LearnedColumn,
  limit?: ColumnLimit,
): (key: string) => number {
  const claimed = new Set<string>();
  const known = learned.length;
  const taken = new Map(learned.map(({ name }, index) => [name.toLowerCase(), index]));
  // Of a table that is new, all suffixes before these are taken: to try them again would take ever longer.
  const nextSuffixes = known > 0 ? undefined : new Map<string, number>();
  return (key) => {
    // Databases take no empty names, no NUL and no halves of characters.
    const plain = key === '' ? '_' : key.toWellFormed().replaceAll('\0', '\uFFFD');
    const stem = plain.toLowerCase();
    for (let suffix = nextSuffixes?.get(stem) ?? 1; ; suffix += 1) {
      const name = suffix === 1 ? plain : `${plain}_${suffix}`;
      const folded = name.toLowerCase();
      const index = taken.get(folded);
      const isOwn = index !== undefined && learned[index]?.name === name && !claimed.has(folded);
      if (index !== undefined && !isOwn) continue;
      if (index === undefined && limit !== undefined && learned.length >= limit.most)
        throw tooManyColumns(limit.table, limit.most, [...learned.map((column) => column.name), key], limit.remedy);
      claimed.add(folded);
      nextSuffixes?.set(stem, suffix + 1);
      if (index !== undefined) return index;
      taken.set(folded, learned.length);
      return learned.push(columnOf(name)) - 1;
    }
  };
}
