import { FatalError } from '../../core/errors/errors';
import { lostDigitsAt } from '../../core/json/literals';
import { defined, isObject, keysOf } from '../../core/json/objects';
import type { Item, Json } from '../../core/model';
import { runColumn } from '../run-columns';
import { alikeKeys, claimNames } from './column-names';
import type { AlikeKeys, ColumnLimit, ColumnNames } from './column-names';
import { isNestedType } from './column-type';
import type { ChosenTypes, ColumnType, DecimalLimit } from './column-type';
import { DEEPEST_PLACE, LearnedColumn, choiceAt, nest } from './learned-column';

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** The JSON of the value that an existing column got this type for; absent: it had it before, or no single value is known. */
  readonly cause?: string;
}

/** An existing column of a table. */
export interface KnownColumn extends Column {
  /** True if no row has a value in it, so that new values decide its type. */
  readonly isEmpty?: boolean;
}

export type TableSchema = ReturnType<typeof createSchema>;

/** The values of a run, by what their columns are found by: the other columns of its tables are those of earlier runs. */
export interface MetColumns {
  readonly keys: readonly string[];
  readonly added: readonly string[];
}

/** A column by the key of its values. */
interface Keyed {
  readonly key: string;
  readonly index: number;
  readonly column: LearnedColumn;
}

/**
 * Learns the columns of a table from its items, in the order of their first appearance; `extra` are text columns after those of the item
 * they come with. Items that are no objects are in a column `value`. Many databases ignore case: a name that differs from an earlier one
 * only in case gets a suffix.
 *
 * @param known the existing columns of the table; they stay, and only become wider
 * @param limit absent: any number of columns
 * @param decimals absent: those of DuckDB
 * @param chosen the types of columns that do not depend on their values
 * @param kept the owners of columns from earlier runs
 * @param hasStructs whether objects and lists are typed as well; existing typed columns always are
 * @throws FatalError TABLE_COLUMNS from its methods, at the first key that is too many; DESTINATION_INCOMPATIBLE where a chosen type does
 *   not
 *   hold the existing values
 * @example
 * const schema = createSchema();
 * schema.see([{ id: 1, born: '2024-02-29' }], new Map());
 * schema.columns(); // [{ name: 'id', type: 'integer' }, { name: 'born', type: 'date' }]
 */
export const createSchema = (
  known: readonly KnownColumn[] = [],
  limit?: ColumnLimit,
  decimals?: DecimalLimit,
  chosen: ChosenTypes = new Map(),
  kept: ColumnNames = {},
  hasStructs = false,
) => {
  const learned = known.map(
    ({ name, type, isEmpty = false }) => new LearnedColumn(name, isEmpty ? undefined : type, decimals),
  );
  for (const column of learned)
    if (isNestedType(column.known ?? 'text'))
      nest(column, { choice: undefined, chosen: new Map(), limit, decimals, kept: undefined, depth: 0 });
  const claim = claimNames(learned, (name) => new LearnedColumn(name, undefined, decimals), limit, kept);
  const inOrder: Keyed[] = [];
  const byKey = new Map<string, Keyed>();
  const byExtra = new Map<string, Keyed>();
  /** Columns of the run, with the number of their values: they get their names after all others. */
  const ofRun = new Map<string, number>();
  let rows = 0;
  const choose = (column: LearnedColumn, key: string): void => {
    const isTyped = hasStructs || isNestedType(column.known ?? 'text');
    const depth = isTyped ? 0 : DEEPEST_PLACE;
    nest(column, { ...choiceAt(chosen, key), limit, decimals, kept: kept.places?.get(key), depth });
  };
  const add = (key: string, to: Map<string, Keyed>, name = key): Keyed => {
    const index = claim(key, to === byKey ? 'keys' : 'added', name);
    const column = learned[index] as LearnedColumn;
    const keyed = { key, index, column };
    if (to === byKey) choose(column, key);
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
      if (runColumn(name) !== undefined) {
        ofRun.set(name, (ofRun.get(name) ?? 0) + count);
        continue;
      }
      const { column } = byExtra.get(name) ?? add(name, byExtra);
      column.see(' ');
      column.filled += count - 1;
    }
  };
  const nameOfRun = (): void => {
    for (const [key, count] of ofRun) {
      const { name = key, type } = runColumn(key) ?? {};
      const { column } = byExtra.get(key) ?? add(key, byExtra, name);
      if (type === 'integer') column.see(1);
      else column.seeText(type ?? 'text');
      column.filled += count - 1;
    }
    ofRun.clear();
  };
  const allColumns = (): readonly LearnedColumn[] => {
    nameOfRun();
    // A table has at least one column, even if all items are {}.
    if (learned.length === 0 && rows > 0) columnOf('value');
    return learned;
  };
  const indexOfExtra = (name: string): number | undefined => {
    nameOfRun();
    return byExtra.get(name)?.index;
  };
  return {
    see: (items: readonly Item[], extra: ReadonlyMap<string, string>): void => {
      items.forEach(seeItem);
      seeRows(items.length, extra);
    },
    /** Adds the values beside the keys of this number of items, whose own values were added column by column. */
    seeRows,
    /** Returns the column of a key and creates it if necessary, so keys have to come in their order. */
    columnFor: (key: string): LearnedColumn => columnOf(key).column,
    columns: (): readonly Column[] =>
      allColumns().map(({ name, columnType: type, cause }) => defined({ name, type, cause })),
    /** Returns the same columns with all that is known of them by now. */
    learned: allColumns,
    /** Returns the index in `columns` of a key; `value` for items that are no objects. */
    indexOf: (key: string): number | undefined => byKey.get(key)?.index,
    indexOfExtra,
    /** Returns the index in `columns` of a field of a primary key: values that a job adds come before keys of items. */
    indexOfField: (field: string): number | undefined => {
      const extra = indexOfExtra(field);
      const isCalledSo = extra !== undefined && learned[extra]?.name === field;
      return isCalledSo ? extra : (byKey.get(field)?.index ?? extra);
    },
    /**
     * @throws FatalError DESTINATION_INCOMPATIBLE for a key column that only some rows have from their items, and whose name user data or a
     *   placeholder has as well: neither of them could distinguish the rows
     * @param place where the key is written
     */
    checkKey: (fields: readonly string[], place: string): void => {
      for (const field of fields) {
        const [own, extra] = [byKey.get(field), indexOfExtra(field)];
        if (own === undefined || extra === undefined || learned[extra]?.name === field) continue;
        const { filled = 0, name = field } = learned[extra] ?? {};
        if (own.column.filled < filled) throw unclearKey(limit?.table ?? '', field, place, name);
      }
    },
    /** Returns the keys and the names of extra columns that came, or were asked for. */
    met: (): MetColumns => ({
      keys: [...byKey.keys()],
      added: [...new Set([...byExtra.keys(), ...ofRun.keys()])],
    }),
    /** Returns the keys that a reader may take for one another. */
    alike: (): readonly AlikeKeys[] =>
      alikeKeys(
        Array.from([...byKey, ...byExtra], ([key, { column }]): readonly [string, string] => [key, column.name]),
      ),
    /** Returns the names of the columns for the next run, so that each key keeps its column. */
    names: (): Required<ColumnNames> => {
      nameOfRun();
      const places = Array.from(byKey, ([key, { column }]) => [key, column.nested?.kept() ?? {}] as const);
      return {
        ...{ keys: namesIn(byKey, kept.keys), added: namesIn(byExtra, kept.added) },
        places: new Map([...(kept.places ?? []), ...places.filter(([, place]) => Object.keys(place).length > 0)]),
      };
    },
  };
};

const namesIn = (
  claimed: ReadonlyMap<string, Keyed>,
  kept: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> =>
  new Map([...kept, ...Array.from(claimed, ([key, { column }]) => [key, column.name] as const)]);

/**
 * Returns the error for a key column whose name two columns want: rows without one of them would replace each other.
 *
 * @param place where the key is written
 * @param other the name of the column of the placeholder, or of the user data, in the table; absent: it has none
 */
export const unclearKey = (table: string, column: string, place: string, other?: string): FatalError => {
  const named = JSON.stringify(column);
  const what =
    `The primary key of the table ${JSON.stringify(table)} names the column ${named}, which is that of a placeholder or of userData, ` +
    `and some items have a key ${named} of their own, and others have none`;
  const remedy =
    other === undefined
      ? 'Say with a mapping which of them is meant, and run again.'
      : `Write ${JSON.stringify(other)} in ${place}, which is the placeholder in this table, or say with a mapping which is meant, and run again.`;
  return new FatalError('DESTINATION_INCOMPATIBLE', `${what}. Nothing was stored. ${remedy}`, { table });
};
