import { isObject, ownValue } from '../../core/json/keys';
import { parseJson } from '../../core/json/parse';
import { stringifyJson } from '../../core/json/stringify';
import type { TableStand } from '../../core/durable-sink';
import type { JsonObject } from '../../core/model';
import { PARENT_ROW_ID, ROW_ID } from '../../tables/linked/places';
import { checkKeys } from '../duckdb/merge';
import { quoted } from '../duckdb/sql';
import type { Receipt } from '../journal/journal';
import { unmatched } from '../row-counts';
import type { StoredRows } from '../row-counts';
import { comparedColumns } from '../../tables/schema/compared-columns';
import { freeName } from '../../tables/schema/free-name';
import { checkOldKey, namesOf } from '../../tables/schema/old-key';
import { withEmptyMarked } from '../../tables/schema/empty-columns';
import type { Column, KnownColumn } from '../../tables/schema/schema';
import type { NamedTypes } from '../../tables/schema/schema-changes';
import { convertedCell, storageOf } from './cells';
import type { Connection } from './driver';
import { fill, STAGE } from './fill';
import type { RowLoad } from './load';
import { typeIn, typesOf } from './types';

/** The table of the receipt, with the types of columns that SQLite does not know. */
export const OWN = '_headwater';
const CONVERT = 'headwater_convert';

/** What SQLite calls the number of a row, unless a column is called so. */
const ROW_NUMBERS = ['rowid', '_rowid_', 'oid'];

/** The tables of a database and its receipt. `store`, `prune` and `sign` belong into one transaction. */
export class SqliteTables {
  /** The types of columns by table, as the last run has left them. */
  #types: JsonObject;

  constructor(private readonly connection: Connection) {
    const convert = (cell: never, from: never, to: never) => convertedCell(cell, from, to);
    // Each driver has a name of its own for integers beyond 2^53.
    const options = { deterministic: true, safeIntegers: true, useBigIntArguments: true };
    connection.function(CONVERT, options, convert);
    this.#types = typesOf(this.#own()?.['types']);
  }

  /** The columns of a table; none where there is no such table. */
  columns(table: string): readonly Column[] {
    const known = ownValue(this.#types, table);
    return this.declared(table).map(([name, type]) => ({
      name,
      type: typeIn(table, name, type, isObject(known) ? known : {}),
    }));
  }

  /** The columns of a table with their types as SQLite has them. */
  declared(table: string): NamedTypes {
    const found = this.connection.prepare('SELECT name, type FROM pragma_table_info(?)').all(table);
    return found.map(({ name, type }) => [String(name), String(type)]);
  }

  /** The same as {@link columns}, and which of them have no values. */
  known(table: string): Promise<readonly KnownColumn[]> {
    const ask = (sql: string): readonly unknown[] => Object.values(this.connection.prepare(sql).all()[0] ?? {});
    return withEmptyMarked(this.columns(table), quoted(table), ask);
  }

  async store(load: RowLoad): Promise<StoredRows> {
    if (load.incremental) return this.#add(load);
    await this.#replace(load);
    return unmatched(load.rows);
  }

  /** The number of rows of a table; 0 where there is no such table. */
  count(table: string): number {
    return this.columns(table).length === 0 ? 0 : this.#number(`SELECT count(*) FROM ${quoted(table)}`);
  }

  /** Removes the rows of a table that belong to rows which are no more, and says how many. */
  prune({ dataType, parent = '' }: RowLoad): number {
    if (this.columns(dataType).length === 0) return 0;
    // Rows of the parent that have no lists have no id: nothing would be outside of a set with NULL in it.
    const parents = `SELECT ${quoted(ROW_ID)} FROM ${quoted(parent)} WHERE ${quoted(ROW_ID)} IS NOT NULL`;
    const before = this.count(dataType);
    this.connection.exec(`DELETE FROM ${quoted(dataType)} WHERE ${quoted(PARENT_ROW_ID)} NOT IN (${parents})`);
    return before - this.count(dataType);
  }

  /** The id of the last row of a table; 0 where its rows have none. */
  lastRow(table: string): number {
    if (!this.columns(table).some(({ name }) => name === ROW_ID)) return 0;
    const [found] = this.connection.prepare(`SELECT max(${quoted(ROW_ID)}) AS last FROM ${quoted(table)}`).all();
    return Number(found?.['last'] ?? 0);
  }

  standOf(table: string): TableStand {
    if (this.columns(table).length === 0) return 'gone';
    return this.connection.prepare(`SELECT 1 FROM ${quoted(table)} LIMIT 1`).all().length > 0 ? 'filled' : 'empty';
  }

  receipt(): Receipt | undefined {
    const found = this.#own();
    if (found === undefined) return undefined;
    const state = parseJson(String(found['state']));
    return { run: String(found['run']), state: isObject(state) ? state : {} };
  }

  sign({ run, state }: Receipt): void {
    const { connection } = this;
    connection.exec(`CREATE TABLE IF NOT EXISTS ${OWN} (run TEXT, state TEXT, types TEXT) STRICT; DELETE FROM ${OWN}`);
    const values = [run, stringifyJson(state), stringifyJson(this.#types)];
    connection.prepare(`INSERT INTO ${OWN} VALUES (?, ?, ?)`).run(...values);
  }

  #own(): Readonly<Record<string, unknown>> | undefined {
    const [there] = this.connection.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').all(OWN);
    return there === undefined ? undefined : this.connection.prepare(`SELECT run, state, types FROM ${OWN}`).all()[0];
  }

  async #replace(load: RowLoad): Promise<void> {
    const { dataType, columns, rows } = load;
    const old = this.columns(dataType);
    // Indexes of others stay where the columns do.
    if (old.length > 0 && (rows === 0 || isSame(old, columns))) this.connection.exec(`DELETE FROM ${quoted(dataType)}`);
    else if (columns.length > 0) {
      this.connection.exec(`DROP TABLE IF EXISTS ${quoted(dataType)}`);
      this.#create(dataType, columns);
    }
    // Nothing is known of the columns of a table that never had a row.
    if (columns.length === 0 || (rows === 0 && old.length > 0)) return;
    this.#note(dataType, columns);
    await fill(this.connection, quoted(dataType), load);
  }

  #number(sql: string): number {
    return Number(Object.values(this.connection.prepare(sql).all()[0] ?? {})[0] ?? 0);
  }

  async #add(load: RowLoad): Promise<StoredRows> {
    const { dataType, columns, keys, rows } = load;
    if (rows === 0) return unmatched(0);
    checkKeys(load);
    const { connection } = this;
    const table = quoted(dataType);
    const old = this.columns(dataType);
    if (old.length > 0) await checkOldKey(dataType, keys, namesOf(old), () => this.standOf(dataType) === 'filled');
    if (old.length === 0) this.#create(dataType, columns);
    else if (old.some(({ type }, at) => type !== columns[at]?.type)) this.#convert(dataType, old, columns);
    else
      for (const column of columns.slice(old.length))
        connection.exec(`ALTER TABLE ${table} ADD COLUMN ${declared(column)}`);
    this.#note(dataType, columns);
    if (keys.length === 0) {
      await fill(connection, table, load);
      return unmatched(rows);
    }
    const own = columns.map(({ name }) => name);
    // A column may be called `rowid`, and stands for that then.
    const row = quoted(freeName('row of stage', own));
    connection.exec(`
      DROP TABLE IF EXISTS ${STAGE};
      CREATE TEMP TABLE "_headwater_stage" (${listed(columns)}, ${row} INTEGER PRIMARY KEY) STRICT`);
    await fill(connection, STAGE, load);
    const list = keys.map(quoted).join(', ');
    const hasKey = `NOT (${keys.map((key) => `${quoted(key)} IS NULL`).join(' AND ')})`;
    const hasOld = `NOT (${keys.map((key) => `old.${quoted(key)} IS NULL`).join(' AND ')})`;
    const same = keys.map((key) => `new.${quoted(key)} IS old.${quoted(key)}`).join(' AND ');
    const names = own.map(quoted).join(', ');
    connection.exec(`
      DELETE FROM ${STAGE} WHERE ${hasKey} AND ${row} NOT IN (SELECT max(${row}) FROM ${STAGE} GROUP BY ${list});
      CREATE INDEX temp."_headwater_keys" ON "_headwater_stage" (${list})`);
    const isReplaced = `${hasKey} AND EXISTS (SELECT 1 FROM ${STAGE} AS new WHERE ${same})`;
    const stored = this.#number(`SELECT count(*) FROM ${STAGE}`);
    const compared = comparedColumns(load).map(quoted);
    const valuesOf = (row: string): string => `(${['1', ...compared.map((name) => `${row}.${name}`)].join(', ')})`;
    // Old rows with equal keys, which runs without a key have left, give way to one row together.
    const [counts = {}] = connection
      .prepare(
        `SELECT count(*) AS matched, sum(equal) AS same FROM (
          SELECT max(${valuesOf('new')} IS ${valuesOf('old')}) AS equal FROM ${table} AS old
          JOIN ${STAGE} AS new INDEXED BY "_headwater_keys" ON ${same} WHERE ${hasOld} GROUP BY new.${row})`,
      )
      .all();
    connection.exec(`
      DELETE FROM ${table} AS old WHERE ${isReplaced};
      INSERT INTO ${table} (${names}) SELECT ${names} FROM ${STAGE} ORDER BY ${row};
      DROP TABLE ${STAGE}`);
    return { stored, matched: Number(counts['matched']), same: Number(counts['same'] ?? 0) };
  }

  /** Makes the table anew, since SQLite changes no types of columns. */
  #convert(dataType: string, old: readonly Column[], columns: readonly Column[]): void {
    const wide = quoted(`${OWN}_wide`);
    const names = old.map(({ name }) => quoted(name)).join(', ');
    const values = old.map(({ name, type }, at) => {
      const to = columns[at]?.type ?? type;
      return to === type ? quoted(name) : `${CONVERT}(${quoted(name)}, '${type}', '${to}')`;
    });
    const row = ROW_NUMBERS.find((alias) => !old.some(({ name }) => name.toLowerCase() === alias));
    // Without a name for it, SQLite reads a whole table in that order.
    const order = row === undefined ? '' : ` ORDER BY ${row}`;
    this.connection.exec(`
      CREATE TABLE ${wide} (${listed(columns)}) STRICT;
      INSERT INTO ${wide} (${names}) SELECT ${values.join(', ')} FROM ${quoted(dataType)}${order};
      DROP TABLE ${quoted(dataType)};
      ALTER TABLE ${wide} RENAME TO ${quoted(dataType)}`);
  }

  #create(dataType: string, columns: readonly Column[]): void {
    this.connection.exec(`CREATE TABLE ${quoted(dataType)} (${listed(columns)}) STRICT`);
  }

  #note(table: string, columns: readonly Column[]): void {
    this.#types = typesOf(this.#types, table, columns);
  }
}

const declared = ({ name, type }: Column): string => `${quoted(name)} ${storageOf(type)}`;

const listed = (columns: readonly Column[]): string => columns.map(declared).join(', ');

const isSame = (old: readonly Column[], columns: readonly Column[]): boolean =>
  old.length === columns.length &&
  old.every(({ name, type }, at) => columns[at]?.name === name && storageOf(type) === storageOf(columns[at].type));
