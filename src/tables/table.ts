/** Rows of linked tables: what all sinks for tables share. */
import { FatalError } from '../core/errors/errors';
import { isObject, ownValue } from '../core/json/objects';
import type { Item, Json } from '../core/model';
import { namesText } from '../language/expressions/nearest';
import type { OutputPlan } from '../plan/plan';

/**
 * Items of one page, with the columns that their job adds to every row
 * (docs/language/tables.md#parent-and-user-columns).
 */
export interface ItemsOfPage {
  readonly dataType: string;
  readonly items: readonly Item[];
  /** The JSON texts of the items, where they are at hand; absent: the items are serialized again. */
  readonly texts?: readonly string[];
  /** Parent and user columns by raw name, in order; values are strings. */
  readonly extra: ReadonlyMap<string, string>;
}

/** A table whose columns are final. Its rows come in the order in which they were received, each time they are read. */
export interface Table {
  /** The name of the table, without its bucket. */
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns of the primary key; empty where there is none. */
  readonly primaryKey: readonly string[];
  /** The names that placeholders and user data had to leave to keys of items, with those that they have instead; absent: none. */
  readonly gaveWay?: ReadonlyMap<string, GaveWay>;
  /** Where different values of the key are one empty cell; absent: nowhere, or nobody knows. */
  readonly keyBlanks?: KeyBlanks;
  /** The dataType whose items its rows, or those of the table that they belong to, come from; of several the first. */
  readonly dataType?: string;
  /** What leads from its rows to those of its parent; absent: nothing, or not always the same. */
  readonly link?: TableLink;
  /** The number of its rows. */
  readonly count: number;
  /** The rows in chunks, one string a column: for databases. */
  readonly rows: AsyncIterable<readonly (readonly string[])[]>;
  /**
   * The same rows as lines of CSV (docs/language/tables.md#files-and-buckets), in chunks, without the header: for
   * files.
   */
  readonly csv: AsyncIterable<Uint8Array>;
  /** Makes a file of the header line and the rows: quicker than `csv`, but the rows cannot be read afterwards. */
  readonly saveCsv: (path: string) => Promise<void>;
}

/** What the values of each column of a key were in items where their cells are empty, as JSON has them. */
export type KeyBlanks = ReadonlyMap<string, ReadonlySet<string>>;

/** A column of a placeholder or of user data whose name the items have taken. */
export interface GaveWay {
  /** Its name in this table. */
  readonly column: string;
  /** Whether it had the other name in earlier runs. */
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
  /** The name of the bucket; absent where the tables stand in none. */
  readonly name?: string;
  /** How the runs of the bucket write: as the last of them says. */
  readonly output: Pick<OutputPlan, 'incremental' | 'loads'>;
  readonly tables: readonly Table[];
}

/** What a run does to the rows that a table has (docs/sinks.md#tables). */

/** What is asked of an output. */
type Output = Pick<OutputPlan, 'incremental' | 'loads'>;

/**
 * Tells whether rows are added to those of earlier runs, or take the place of those with the same key. Else they take the place of all.
 *
 * @param table the table of the items; the tables of lists in them go with it
 * @example addsRows({ incremental: false, loads: new Map([['events', 'append']]) }, 'events') // true
 */
export const addsRows = ({ incremental, loads }: Output, table: string): boolean => {
  const load = loads?.get(table);
  return load === undefined ? incremental : load !== 'replace';
};

/** Tells whether a run adds rows to any of its tables. */
export const addsAnyRows = ({ incremental, loads }: Output): boolean =>
  incremental || [...(loads?.values() ?? [])].some((load) => load !== 'replace');

/**
 * Outputs that do to tables of lists, and to child tables of mappings, what they do to the table of the items.
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

/** The columns of primary keys by dataType. */
export type PrimaryKeys = ReadonlyMap<string, readonly string[]>;

/**
 * Gives the tables of dataTypes their primary keys (docs/extensions/primary-keys.md); child tables have none.
 *
 * @param tableName the name of the table of a dataType
 * @throws FatalError API_SHAPE for a key with a column that its table does not have
 * @example withPrimaryKeys([boats], new Map([['boats', ['id']]]), safeName)
 */
export function withPrimaryKeys(
  tables: readonly Table[],
  keys: PrimaryKeys,
  tableName: (dataType: string) => string,
): readonly Table[] {
  const byTable = new Map(Array.from(keys, ([dataType, columns]) => [tableName(dataType), columns]));
  return tables.map((table) => {
    const primaryKey = byTable.get(table.name);
    return primaryKey === undefined ? table : { ...table, primaryKey: checked(primaryKey, table) };
  });
}

function checked(primaryKey: readonly string[], { name, columns }: Table): readonly string[] {
  const missing = primaryKey.filter((column) => !columns.includes(column));
  if (missing.length === 0) return primaryKey;
  throw new FatalError(
    'API_SHAPE',
    `The primary key of the table '${name}' names ${namesText(missing)}, which it does not have. ` +
      `Its columns: ${namesText(columns)}.`,
    { table: name },
  );
}

/** Values of primary keys that differ in items and are one empty cell in CSV (docs/sinks.md#tables). */

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
