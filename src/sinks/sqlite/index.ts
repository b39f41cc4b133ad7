import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { quoted } from '../../core/json/sql-name';
import { defineSink } from '../../language/parts/sink';
import { limitedOutputs } from '../../tables/schema/column-names';
import type { ColumnType } from '../../tables/schema/column-type';
import { makeFolder } from '../files/durable-files';
import type { NestingOptions } from '../options';
import { sqlite as outline } from '../outlines';
import { inTransaction } from '../sql';
import { convertedCell, fittedCell } from '../stores/cells';
import type { Cell } from '../stores/cells';
import { sqlStore } from '../stores/sql-store';
import type { CellDatabase } from '../stores/sql-store';
import { storeSink } from '../stores/store';
import { openSqlite, refusal, requireSqlite } from './driver';
import type { Statement, StoredCell } from './driver';

/** The tables of the sink itself: SQLite has no schemas. */
const OWN = { receipt: '_headwater', runs: '_headwater_runs' } as const;

/** The maximum number of columns of SQLite. */
const MOST_COLUMNS = 2_000;

/**
 * The sink of the tables of an SQLite database, one for each dataType. A commit is one transaction with all rows and a receipt in the table
 * `_headwater`. Until then pages wait in the folder `<file>.headwater`, and others can use the database. The file is made by the first
 * commit.
 *
 * @throws FatalError from its methods: DESTINATION_LOCKED while another process writes; DESTINATION_ADDRESS, DESTINATION_DAMAGED
 *   or DESTINATION_INCOMPATIBLE when it cannot be used; SINK_FAILED when it does not accept the rows;
 *   PACKAGE_MISSING. A commit can be repeated.
 */
export const sqlite = defineSink({
  ...outline,
  create: ({ rest: file }, { outputs, warn }, { nested }: NestingOptions) =>
    storeSink({
      ...{ name: `sqlite:${file}`, database: 'SQLite', folder: `${file}.headwater`, nested, warn },
      outputs: limitedOutputs(outputs, MOST_COLUMNS, 'SQLite takes no more of them.'),
      exists: () => existsSync(file),
      open: () => Promise.resolve(sqlStore(sqliteDatabase(file))),
      prepare: async () => {
        requireSqlite();
        await makeFolder(dirname(file));
      },
      isReserved: (table) => /^sqlite_/i.test(table) || table.toLowerCase().startsWith(OWN.receipt),
      failure: (cause) => refusal(file, cause),
    }),
});

const KEYS = '"_headwater_keys"';
const CONVERT = 'headwater_convert';
const PARSE = 'headwater_parse';

/**
 * Opens a database for `sqlStore`, and makes its file if it does not exist.
 *
 * @throws FatalError as {@link openSqlite}
 * @example const store = sqlStore(sqliteDatabase('items.sqlite'))
 */
function sqliteDatabase(file: string): CellDatabase {
  const connection = openSqlite(file);
  const exec = (sql: string): unknown => connection.exec(sql);
  const statement = (sql: string): Statement => connection.prepare(sql);
  // Each driver has another name for integers beyond 2^53.
  const options = { deterministic: true, safeIntegers: true, useBigIntArguments: true };
  connection.function(CONVERT, options, (cell: never, from: never, to: never) => converted(cell, from, to));
  connection.function(PARSE, options, (text: never, type: never) => parsed(text, type));
  return {
    run: (sql, cells = []) => Promise.resolve(cells.length === 0 ? exec(sql) : statement(sql).run(...bound(cells))),
    rows: (sql, cells = []) =>
      Promise.resolve(
        statement(sql)
          .all(...bound(cells))
          .map((row) => Object.values(row)),
      ),
    table: quoted,
    own: (table) => OWN[table],
    describe: (table) => {
      const columns = statement('SELECT name, type FROM pragma_table_info(?)');
      const found = columns.all(typeof table === 'string' ? table : OWN[table.own]);
      return Promise.resolve(found.map(({ name, type }) => ({ name: String(name), type: String(type) })));
    },
    temporary: (name) => `temp.${quoted(name)}`,
    create: (table, columns, isTemporary = false) =>
      `CREATE ${isTemporary ? 'TEMP ' : ''}TABLE ${table} (${columns.join(', ')}) STRICT`,
    renamed: (from, name) => `ALTER TABLE ${from} RENAME TO ${quoted(name)}`,
    type: storageOf,
    typeNamed,
    notesTypes: true,
    keepsTables: true,
    same: (one, other) => `${one} IS ${other}`,
    converted: (value, from, to) => (from === to ? value : `${CONVERT}(${value}, '${from}', '${to}')`),
    parsed: (text, type) => (type === 'text' ? text : `${PARSE}(${text}, '${type}')`),
    // Else it makes an index of the whole table that the rows are added to.
    hint: ` INDEXED BY ${KEYS}`,
    numbered: 'INTEGER PRIMARY KEY',
    index: (table, keys) =>
      `CREATE INDEX temp.${KEYS} ON ${table.replace('temp.', '')} (${keys.map(({ name }) => quoted(name)).join(', ')})`,
    insert: async (into, columns, pages) => {
      const names = columns.map(({ name }) => quoted(name)).join(', ');
      const insert = statement(`INSERT INTO ${into} (${names}) VALUES (${columns.map(() => '?').join(', ')})`);
      const isBound = columns.every(({ type }) => type !== 'boolean');
      for await (const page of pages)
        for (const cells of page) insert.run(...(isBound ? (cells as readonly StoredCell[]) : bound(cells)));
    },
    // It writes from its start, so that changes of others are seen completely.
    transaction: (_, work) => inTransaction(exec, work, 'BEGIN IMMEDIATE'),
    close: () => Promise.resolve(void connection.close()),
  };
}

/** SQLite has numbers for booleans. */
const bound = (cells: readonly Cell[]): readonly StoredCell[] =>
  cells.map((cell) => (typeof cell === 'boolean' ? Number(cell) : cell));

type StorageType = 'INTEGER' | 'REAL' | 'TEXT';

function storageOf(type: ColumnType): StorageType {
  if (type === 'boolean' || type === 'integer' || type === 'bigint') return 'INTEGER';
  return type === 'double' ? 'REAL' : 'TEXT';
}

/** The types of a table of which nothing is noted. */
const WIDEST: Readonly<Record<StorageType, ColumnType>> = { INTEGER: 'bigint', REAL: 'double', TEXT: 'text' };

function typeNamed(declared: string, noted: ColumnType | undefined): ColumnType | undefined {
  const upper = declared.toUpperCase();
  const storage = upper === 'INT' ? 'INTEGER' : upper;
  if (noted !== undefined && storageOf(noted) === storage) return noted;
  return storage === 'INTEGER' || storage === 'REAL' || storage === 'TEXT' ? WIDEST[storage] : undefined;
}

/** Returns a cell of a column that has got a wider type. */
function converted(cell: StoredCell, from: ColumnType, to: ColumnType): StoredCell {
  const value = from === 'boolean' && cell !== null ? Number(cell) === 1 : cell;
  return bound([convertedCell(value, from, to)])[0] ?? null;
}

/** Converts a string to a cell of a column of a type; null if it has no such value. */
function parsed(text: string | null, type: ColumnType): StoredCell {
  if (text === null) return null;
  const cell = type === 'json' ? text : fittedCell(JSON.stringify(text), type);
  return bound([cell ?? null])[0] ?? null;
}
