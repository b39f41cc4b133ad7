import { quoted } from '../../core/json/sql-name';
import type { TableStand } from '../../core/durable-sink';
import { FatalError } from '../../core/errors/errors';
import { withMember } from '../../core/json/literals';
import { isObject, objectFrom, ownValue } from '../../core/json/objects';
import { parseData, parseJson } from '../../core/json/parse';
import { stringifyJson } from '../../core/json/stringify';
import type { JsonObject } from '../../core/model';
import { PARENT_ROW_ID, ROW_ID } from '../../tables/linked/places';
import { checkKeyTypes, checkOldKey, namesOf, withEmptyMarked } from '../../tables/schema/changes';
import { columnTypeNamed } from '../../tables/schema/column-type';
import type { ColumnType } from '../../tables/schema/column-type';
import type { Column } from '../../tables/schema/schema';
import { completeLines } from '../files/lines';
import type { TableWrite } from '../loading/load-flat';
import { LINK } from '../loading/mapped-items';
import { unmatched } from '../row-counts';
import type { StoredRows, CountedRows } from '../row-counts';
import { RECORD_COLUMNS, RUN_RECORD_COLUMNS, parseRunRecord, recordedTexts } from '../run-record';
import type { Cell, CellRows, CellWrite } from './cells';
import {
  checkKeys,
  findGone,
  hasSameTypes,
  isReplaced,
  isRespelled,
  listOf,
  replacedCounts,
  stage,
  stagedCounts,
  stagedRows,
} from './merge';
import type { SqlDialect, SqlRows, Staged } from './merge';
import type { TableStore } from './store';

/** A database with tables by name, in which changes of rows and of tables are made together or not at all. */
export interface SqlDatabase<W extends TableWrite = TableWrite> extends SqlDialect {
  /** Returns a table in SQL, with the schema in which the tables of runs are. */
  readonly table: (name: string) => string;
  /** Returns a table of the sink itself in SQL: that of the receipt, which has one row, or that of the records of runs. */
  readonly own: (table: OwnTable) => string;
  /** Returns the columns of a table with their types in SQL; none if there is no such table. */
  readonly describe: (table: string | { readonly own: OwnTable }) => Promise<readonly DeclaredColumn[]>;
  /**
   * Returns the type of a column in a table of a run.
   *
   * @param noted the type that the last run gave it, where the database {@link notesTypes}
   * @returns `undefined` for a type that no run would make
   */
  readonly typeNamed: (type: string, noted: ColumnType | undefined) => ColumnType | undefined;
  /** True if it has fewer types than columns of runs: the receipt then says which is which. */
  readonly notesTypes: boolean;
  /** True if a table that is replaced stays when its columns do, with what users have added to it, such as indexes. */
  readonly keepsTables: boolean;
  /** Returns the statement that gives a table, in SQL, the name of another one that was removed. */
  readonly renamed: (from: string, name: string) => string;
  /**
   * Makes the changes of a run in one step: all of them if `work` resolves, else none.
   *
   * @param writes all tables that it may change, beside the own ones
   */
  readonly transaction: <T>(writes: readonly W[], work: () => Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
}

export type OwnTable = 'receipt' | 'runs';

/** A column with its type in SQL. */
export interface DeclaredColumn {
  readonly name: string;
  readonly type: string;
}

/** A database that takes rows as lists of cells. */
export interface CellDatabase extends SqlDatabase<CellWrite> {
  /** Adds rows to a table in SQL, in their order. */
  readonly insert: (into: string, columns: readonly Column[], pages: AsyncIterable<CellRows>) => Promise<void>;
  /** The definition of a column that numbers the rows of a table as they come, such as `INTEGER PRIMARY KEY`. */
  readonly numbered: string;
  /** Returns the statement that makes an index of a temporary table, so that rows are found by their keys; absent: there need be none. */
  readonly index?: (table: string, keys: readonly Column[]) => string;
}

/**
 * Makes a store of a database with SQL: it stages the rows of each table, compares and replaces rows by their keys, and keeps the receipt
 * and the records of runs in tables of its own.
 *
 * @param database the connection, and how its SQL differs from that of others
 * @returns the store, for `storeSink`
 * @example const store = sqlStore({ run, rows, insert, table: (name) => `"${name}"`, same: (a, b) => `${a} IS ${b}`, … });
 */
export const sqlStore = (database: CellDatabase): TableStore => sqlStoreBy(database, cellRows(database));

/** Returns the same, for rows that come in another way. */
export function sqlStoreBy<W extends TableWrite>(database: SqlDatabase<W>, source: SqlRows<W>): TableStore<W> {
  const { run, rows } = database;
  const number = async (sql: string): Promise<number> => Number((await rows(sql))[0]?.[0] ?? 0);
  const nameOf = database.table;

  const ownCells = async (table: OwnTable, names: readonly string[]): Promise<readonly unknown[] | undefined> =>
    (await isThere({ own: table }))
      ? (await rows(`SELECT ${names.join(', ')} FROM ${database.own(table)}`))[0]
      : undefined;
  const isThere = async (table: string | { readonly own: OwnTable }): Promise<boolean> =>
    (await declared(table)).length > 0;

  /** The columns of tables, until a statement changes one: a load asks for those of each table several times. */
  const columnsRead = new Map<string, readonly DeclaredColumn[]>();
  const declared = async (table: string | { readonly own: OwnTable }): Promise<readonly DeclaredColumn[]> => {
    const name = typeof table === 'string' ? nameOf(table) : database.own(table.own);
    const columns = columnsRead.get(name) ?? (await database.describe(table));
    columnsRead.set(name, columns);
    return columns;
  };
  /** Runs a statement that makes, changes or drops a table. */
  const define = async (sql: string): Promise<void> => {
    await run(sql);
    columnsRead.clear();
  };

  /** The types of columns by table, after the last run. */
  let noted: JsonObject | undefined;
  const notes = async (): Promise<JsonObject> => {
    if (noted !== undefined || !database.notesTypes) return noted ?? {};
    const [text] = (await ownCells('receipt', ['types'])) ?? [];
    return (noted = objectIn(text));
  };
  const note = async (table: string, columns: readonly Column[]): Promise<void> => {
    noted = withMember(await notes(), table, objectFrom(columns.map(({ name, type }) => [name, type])));
  };

  /** Returns the columns of a table; their type in SQL where a run would make no such column. */
  const described = async (table: string): Promise<readonly (DeclaredColumn & { readonly known?: ColumnType })[]> => {
    const types = ownValue(await notes(), table);
    return (await declared(table)).map(({ name, type }) => {
      const kept = isObject(types) ? ownValue(types, name) : undefined;
      const known = database.typeNamed(type, typeof kept === 'string' ? columnTypeNamed(kept) : undefined);
      return { name, type, ...(known === undefined ? {} : { known }) };
    });
  };
  const columnsOf = async (table: string): Promise<readonly Column[]> =>
    (await described(table)).map(({ name, type, known }) => {
      if (known === undefined) throw otherColumn(table, name, type);
      return { name, type: known };
    });

  const create = async (table: string, columns: readonly Column[]): Promise<void> => {
    await define(database.create(nameOf(table), definitions(database, columns)));
  };
  const moveInto = async (table: string, staged: Staged): Promise<void> => {
    await run(`INSERT INTO ${nameOf(table)} (${listOf(namesOf(staged.write.columns))}) ${stagedRows(staged)}`);
    await run(`DROP TABLE ${staged.from}`);
  };
  const standOf = async (table: string): Promise<TableStand> => {
    if (!(await isThere(table))) return 'gone';
    return (await rows(`SELECT 1 FROM ${nameOf(table)} LIMIT 1`)).length > 0 ? 'filled' : 'empty';
  };

  const replace = async (write: W): Promise<CountedRows> => {
    const { table, columns, keys, rows: count } = write;
    const old = await described(table);
    const staged = count > 0 && keys.length > 0 ? await stage(database, source, write) : undefined;
    const types = old.map(({ name, type, known }) => [name, known ?? type] as const);
    const before = old.length === 0 ? undefined : { from: nameOf(table), columns: types };
    const counts = staged === undefined ? unmatched(count) : await replacedCounts(database, staged, before);
    const isKept = database.keepsTables && isSame(database, old, columns);
    if (old.length > 0 && (count === 0 || isKept)) await run(`DELETE FROM ${nameOf(table)}`);
    else if (columns.length > 0) {
      await define(`DROP TABLE IF EXISTS ${nameOf(table)}`);
      await create(table, columns);
    }
    // The columns of a table that never had a row are unknown.
    if (columns.length > 0 && (count > 0 || old.length === 0)) await note(table, columns);
    if (staged !== undefined) await moveInto(table, staged);
    else if (count > 0) await source.fill(nameOf(table), write, true);
    return counts;
  };

  const add = async (write: W): Promise<StoredRows> => {
    const { table, columns, keys, rows: count } = write;
    if (count === 0) return unmatched(0);
    const old = await columnsOf(table);
    if (old.length > 0) await checkOldKey(table, keys, namesOf(old), async () => (await standOf(table)) === 'filled');
    if (old.length === 0) await create(table, columns);
    else if (!hasSameTypes(old, columns)) await widen(write, old);
    else
      for (const column of definitions(database, columns.slice(old.length)))
        await define(`ALTER TABLE ${nameOf(table)} ADD COLUMN ${column}`);
    await note(table, columns);
    if (keys.length === 0) {
      await source.fill(nameOf(table), write, old.length === 0);
      return unmatched(count);
    }
    const staged = await stage(database, source, write);
    const counted = await stagedCounts(
      database,
      staged,
      old.length === 0 ? undefined : { from: nameOf(table), columns },
    );
    if (counted.matched > 0)
      await run(`DELETE FROM ${nameOf(table)} WHERE ${isReplaced(database, staged, nameOf(table))}`);
    await moveInto(table, staged);
    return counted;
  };

  /** Makes a table again with wider types, since few databases can change those of columns in a transaction, and none as runs do. */
  const widen = async ({ table, keys, columns }: W, old: readonly Column[]): Promise<void> => {
    if (isRespelled(database, 'timestamp')) checkKeyTypes(table, keys, old, columns);
    const wide = nameOf('_headwater_wide');
    const values = old.map(({ name, type }, at) => database.converted(quoted(name), type, columns[at]?.type ?? type));
    await define(database.create(wide, definitions(database, columns)));
    await run(`INSERT INTO ${wide} (${listOf(namesOf(old))}) SELECT ${values.join(', ')} FROM ${nameOf(table)}`);
    await define(`DROP TABLE ${nameOf(table)}`);
    await define(database.renamed(wide, table));
  };

  /** Puts a row of texts, which get the types of the columns, into an own table, in the place of all that are there or of those with its id. */
  const putOwn = async (
    table: OwnTable,
    columns: readonly Column[],
    texts: readonly (string | null)[],
    id?: string,
  ): Promise<void> => {
    const own = database.own(table);
    const named = columns.map(({ name, type }) => `${name} ${database.type(type)}`);
    if (!(await isThere({ own: table }))) await define(database.create(own, named));
    await (id === undefined ? run(`DELETE FROM ${own}`) : run(`DELETE FROM ${own} WHERE run_id = ?`, [id]));
    const values = columns.map(({ type }) => database.parsed('?', type)).join(', ');
    await run(`INSERT INTO ${own} (${namesOf(columns).join(', ')}) VALUES (${values})`, texts);
  };

  return {
    declared: async (table) => (await declared(table)).map(({ name, type }) => [name, type] as const),
    known: async (table) =>
      withEmptyMarked(await columnsOf(table), nameOf(table), async (sql) => (await rows(sql))[0] ?? []),
    count: async (table) => ((await isThere(table)) ? number(`SELECT count(*) FROM ${nameOf(table)}`) : 0),
    lastRow: async (table) => {
      const hasIds = (await declared(table)).some(({ name }) => name === ROW_ID);
      return hasIds ? number(`SELECT max(${quoted(ROW_ID)}) FROM ${nameOf(table)}`) : 0;
    },
    standOf,
    transaction: (writes, work) => {
      const forget = (): void => {
        noted = undefined;
        columnsRead.clear();
      };
      const begin = (): ReturnType<typeof work> => {
        // Others may have changed tables since, and an attempt that failed left none of its own.
        forget();
        return work();
      };
      return database.transaction(writes, begin).finally(forget);
    },
    removeGone: async (writes) => {
      const gone = await findGone(database, source, writes, { columns: columnsOf, from: nameOf });
      for (const [table, isGone] of gone) await run(`DELETE FROM ${nameOf(table)} WHERE ${isGone}`);
    },
    store: async (write) => {
      if (write.rows > 0) checkKeys(write);
      return write.mode === 'replace' ? replace(write) : add(write);
    },
    prune: async ({ table, parent = '' }) => {
      if (!(await isThere(table))) return;
      // Rows of the parent without lists have no id: with NULL in a set, `NOT IN` is never true.
      const parents = `SELECT ${quoted(ROW_ID)} FROM ${nameOf(parent)} WHERE ${quoted(ROW_ID)} IS NOT NULL`;
      await run(`DELETE FROM ${nameOf(table)} WHERE ${quoted(PARENT_ROW_ID)} NOT IN (${parents})`);
    },
    receipt: async () => {
      const found = await ownCells('receipt', ['run', 'state']);
      return found === undefined ? undefined : { run: String(found[0]), state: objectIn(found[1]) };
    },
    recordOf: async (id) => {
      if (!(await isThere({ own: 'runs' }))) return undefined;
      const select = `SELECT ${RUN_RECORD_COLUMNS.join(', ')} FROM ${database.own('runs')} WHERE run_id = ?`;
      const [found] = await rows(select, [id]);
      return found === undefined ? undefined : parseRunRecord(found);
    },
    sign: async ({ run: id, state }, record) => {
      const receipt = [id, stringifyJson(state), ...(database.notesTypes ? [stringifyJson(await notes())] : [])];
      await putOwn('receipt', RECEIPT_COLUMNS.slice(0, receipt.length), receipt);
      await putOwn('runs', RECORD_COLUMNS, recordedTexts(record), id);
    },
    close: database.close,
  };
}

const definitions = (database: SqlDialect, columns: readonly Column[]): readonly string[] =>
  columns.map(({ name, type }) => `${quoted(name)} ${database.type(type)}`);

const isSame = (database: SqlDialect, old: readonly DeclaredColumn[], columns: readonly Column[]): boolean =>
  old.length === columns.length &&
  old.every(({ name, type }, at) => columns[at]?.name === name && database.type(columns[at].type) === type);

/** Returns the error for a table with a column that a run would not make. */
export const otherColumn = (table: string, column: string, type: string): FatalError => {
  const what = `The column ${JSON.stringify(column)} of the table ${JSON.stringify(table)} is of the type ${type}`;
  const message = `${what}, which rows cannot be added to. Rename that table, or remove it.`;
  return new FatalError('DESTINATION_INCOMPATIBLE', message, { table });
};

const objectIn = (text: unknown): JsonObject => {
  const value = typeof text === 'string' ? parseJson(text) : undefined;
  return isObject(value) ? value : {};
};

const RECEIPT_COLUMNS = ['run', 'state', 'types'].map((name): Column => ({ name, type: 'text' }));

/** The way of cells into a database. */
function cellRows(database: CellDatabase): SqlRows<CellWrite> {
  const { run, insert } = database;
  const fill = async (into: string, { table, columns, pages, rows, filled }: CellWrite): Promise<void> => {
    const arrived = columns.map(() => 0);
    let arrivedRows = 0;
    const counted = async function* (): AsyncGenerator<CellRows> {
      for await (const page of pages()) {
        for (const cells of page)
          for (let at = 0; at < cells.length; at += 1) if (cells[at] !== null) arrived[at] = (arrived[at] ?? 0) + 1;
        arrivedRows += page.length;
        yield page;
      }
    };
    await insert(into, columns, counted());
    const at = arrived.findIndex((count, place) => count !== (filled[place] ?? 0));
    if (arrivedRows === rows && at < 0) return;
    const values = `all values of the column ${JSON.stringify(columns[at]?.name)}`;
    const message = `The table ${JSON.stringify(table)} did not get ${arrivedRows === rows ? values : `all ${rows} rows`}.`;
    throw new FatalError('SINK_FAILED', `${message} Nothing was stored. This is a defect of Headwater: report it.`);
  };
  return {
    fill,
    stage: async (into, write, row) => {
      const { columns, keys } = write;
      const numbered = `${quoted(row)} ${database.numbered}`;
      await run(database.create(into, [...definitions(database, columns), numbered], true));
      await fill(into, write);
      const key = columns.filter(({ name }) => keys.includes(name));
      if (database.index !== undefined && key.length > 0) await run(database.index(into, key));
      return quoted(row);
    },
    links: async (file) => {
      const into = database.temporary('_headwater_links');
      await run(`DROP TABLE IF EXISTS ${into}`);
      const columns: readonly Column[] = [{ name: 'link', type: 'text' }];
      await run(database.create(into, definitions(database, columns), true));
      await insert(into, columns, linksIn(file));
      return `SELECT link FROM ${into}`;
    },
  };
}

/** The number of links that are added at once. */
const LINKS = 1000;

/** Returns the keys in a file of links, some rows of one cell at a time. */
export async function* linksIn(file: string): AsyncGenerator<CellRows> {
  let links: (readonly Cell[])[] = [];
  for await (const { line } of completeLines(file)) {
    const value = parseData(line.toString('utf8'), 'spelling');
    const link = isObject(value) ? ownValue(value, LINK) : undefined;
    if (typeof link === 'string') links.push([link.toWellFormed()]);
    if (links.length === LINKS) {
      yield links;
      links = [];
    }
  }
  yield links;
}
