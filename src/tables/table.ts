/** Rows of linked tables, which all sinks of tables share. */
import { FatalError } from '../core/errors/errors';
import { isObject, ownValue } from '../core/json/objects';
import type { Item, Json } from '../core/model';
import { meantOrKnown } from '../language/codec/finding';
import type { OutputPlan } from '../plan/plan';

/**
 * Items of one page, with the columns that their job adds to every row
 * (docs/language/tables.md#parent-and-user-columns).
 */
export interface ItemsOfPage {
  readonly dataType: string;
  readonly items: readonly Item[];
  /** Parent and user columns by raw name, in order; values are strings. */
  readonly extra: ReadonlyMap<string, string>;
}

/** A table whose columns are final. Its rows come in the order in which they were received, each time they are read. */
export interface Table {
  /** The name of the table, without its bucket. */
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns of the primary key; empty if there is none. */
  readonly primaryKey: readonly string[];
  /** The placeholders and user data that were renamed because of keys of items, with their new columns; absent: none. */
  readonly gaveWay?: ReadonlyMap<string, GaveWay>;
  /** The cells in which different values of the key are empty; absent: none, or unknown. */
  readonly keyBlanks?: KeyBlanks;
  /** The dataType whose items its rows, or those of its parent table, come from; the first if there are several. */
  readonly dataType?: string;
  /** The link of its rows to those of its parent; absent: there is none, or it varies. */
  readonly link?: TableLink;
  /** The number of its rows. */
  readonly count: number;
  /** The rows in chunks, one string for each column: for databases. */
  readonly rows: AsyncIterable<readonly (readonly string[])[]>;
  /**
   * The same rows as lines of CSV (docs/language/tables.md#files-and-buckets), in chunks, without the header: for
   * files.
   */
  readonly csv: AsyncIterable<Uint8Array>;
  /** Makes a file of the header line and the rows: faster than `csv`, but the rows cannot be read afterwards. */
  readonly saveCsv: (path: string) => Promise<void>;
}

/** The values of each column of a key in items where their cells are empty, as JSON. */
export type KeyBlanks = ReadonlyMap<string, ReadonlySet<string>>;

/** A column of a placeholder or of user data whose name a key of the items has. */
export interface GaveWay {
  /** Its name in this table. */
  readonly column: string;
  /** True if it had the other name in earlier runs. */
  readonly isNew: boolean;
}

/** The column of a child table that leads to a row of its parent. */
export interface TableLink {
  readonly parent: string;
  readonly column: string;
  /** The columns of the parent whose values it has, with `,` between several. */
  readonly of: readonly string[];
}

/** The tables of one bucket (docs/language/tables.md#files-and-buckets). */
export interface Bucket {
  /** The name of the bucket; absent if the tables are in none. */
  readonly name?: string;
  /** The output of the runs of the bucket: that of the last of them. */
  readonly output: Pick<OutputPlan, 'incremental' | 'loads'>;
  readonly tables: readonly Table[];
}

/** The settings of an output that decide how rows are written (docs/sinks.md#tables). */
type Output = Pick<OutputPlan, 'incremental' | 'loads'>;

/**
 * Returns whether rows are added to those of earlier runs, or replace those with the same key. Otherwise they replace all rows.
 *
 * @param table the table of the items, which includes the tables of lists in them
 * @example addsRows({ incremental: false, loads: new Map([['events', 'append']]) }, 'events') // true
 */
export const addsRows = ({ incremental, loads }: Output, table: string): boolean => {
  const load = loads?.get(table);
  return load === undefined ? incremental : load !== 'replace';
};

/**
 * Returns where the primary key of a table is written, for messages.
 *
 * @example keyPlaceOf({ keyPlaces: new Map([['boats', 'config.primaryKeys.boats']]) }, 'boats') // 'config.primaryKeys.boats'
 */
export const keyPlaceOf = ({ keyPlaces }: Pick<OutputPlan, 'keyPlaces'>, table: string): string =>
  keyPlaces?.get(table) ?? 'the primary key';

/** Returns whether a run adds rows to any of its tables. */
export const addsAnyRows = ({ incremental, loads }: Output): boolean =>
  incremental || [...(loads?.values() ?? [])].some((load) => load !== 'replace');

/**
 * Returns outputs that treat tables of lists, and child tables of mappings, like the table of the items.
 *
 * @param roots the name of such a table, and that of the table of the items
 */
export const withRoots = (
  outputs: readonly OutputPlan[],
  roots: readonly (readonly [table: string, root: string])[],
): readonly OutputPlan[] =>
  outputs.map((output) => {
    const { loads } = output;
    if (loads === undefined) return output;
    const ofRoots = roots.flatMap(([table, root]) => {
      const load = loads.get(root);
      return load === undefined ? [] : [[table, load] as const];
    });
    return { ...output, loads: new Map([...loads, ...ofRoots]) };
  });

/** The primary keys of tables, and where they are written, by dataType. */
export type PrimaryKeys = Pick<OutputPlan, 'primaryKeys' | 'keyPlaces'>;

/**
 * Sets the primary keys of the tables of dataTypes (docs/sinks.md#primary-keys); child tables have none.
 *
 * @param tableName the name of the table of a dataType
 * @param seen what was seen of the keys, by dataType; absent: nothing
 * @throws FatalError KEY_NOT_FOUND for a key with a column that its table does not have
 * @example withPrimaryKeys([boats], { primaryKeys: new Map([['boats', ['id']]]) }, safeName)
 */
export function withPrimaryKeys(
  tables: readonly Table[],
  keys: PrimaryKeys,
  tableName: (dataType: string) => string,
  seen: ReadonlyMap<string, KeyBlanksSeen> = new Map(),
): readonly Table[] {
  const byTable = new Map(
    Array.from(keys.primaryKeys ?? [], ([dataType, columns]) => {
      return [tableName(dataType), { columns, place: keyPlaceOf(keys, dataType), blanks: seen.get(dataType) }];
    }),
  );
  return tables.map((table) => {
    const key = byTable.get(table.name);
    if (key === undefined) return table;
    checkKey(key.columns, { table: table.name, columns: table.columns, place: key.place });
    return { ...table, primaryKey: key.columns, ...keyBlanksIn(key.blanks) };
  });
}

/** A table that has rows and a primary key. */
interface KeyedTable {
  readonly table: string;
  readonly columns: readonly string[];
  /** The place of the key in the configuration. */
  readonly place: string;
}

/**
 * Refuses a primary key with a column that a table with rows does not have.
 *
 * @param found the table, its columns, and the place of the key in the configuration
 * @throws FatalError KEY_NOT_FOUND
 * @example checkKey(['id'], { table: 'boats', columns: ['boat_id', 'name'], place: 'config.jobs[0].primaryKey' })
 */
export function checkKey(key: readonly string[], { table, columns, place }: KeyedTable): void {
  const missing = key.find((column) => !columns.includes(column));
  if (missing !== undefined) throw keyNotFound(missing, { table, columns, place });
}

/** Returns the error for a column of a primary key that no row has. */
export function keyNotFound(
  missing: string,
  { table, columns, place, hint = '' }: KeyedTable & { readonly hint?: string },
): FatalError {
  const meant = meantOrKnown(missing, columns);
  const what = `${place}: no row of the table ${JSON.stringify(table)} has the column ${JSON.stringify(missing)} of the primary key.`;
  return new FatalError(
    'KEY_NOT_FOUND',
    `${what}${meant}${hint} Nothing was stored: correct the key, and run again without --resume.`,
    {
      table,
    },
  );
}

/**
 * Examines the items of a table with a primary key for key values that differ in items but are one empty cell in CSV
 * (docs/sinks.md#tables).
 */
export class KeyBlanksSeen {
  readonly #seen = new Map<string, Set<string>>();

  /** @param columns the columns of the key */
  constructor(private readonly columns: readonly string[]) {}

  readonly see = (items: readonly Item[]): void => {
    for (const item of items.filter(isObject))
      for (const column of this.columns) this.note(column, ownValue(item, column));
  };

  /** @param value the value of an item for a column of the key; `undefined`: there is none */
  readonly note = (column: string, value: Json | undefined): void => {
    const blank = blankOf(value);
    if (blank !== undefined) this.#seen.set(column, (this.#seen.get(column) ?? new Set()).add(blank));
  };

  /** Returns only columns with several values in one cell. */
  get mixed(): KeyBlanks {
    return new Map([...this.#seen].filter(([, blanks]) => blanks.size > 1));
  }
}

/** Returns the property of a table for them. */
export const keyBlanksIn = (seen: KeyBlanksSeen | undefined): Pick<Table, 'keyBlanks'> =>
  seen === undefined || seen.mixed.size === 0 ? {} : { keyBlanks: seen.mixed };

/** Returns the JSON of a blank value; a missing key counts as `null`. */
function blankOf(value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return 'null';
  return value === false || value === '' ? JSON.stringify(value) : undefined;
}
