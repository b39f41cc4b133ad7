import { quoted } from '../../core/json/sql-name';
import type { TableStand } from '../../core/durable-sink';
import { FatalError } from '../../core/errors/errors';
import { isObject, ownValue } from '../../core/json/objects';
import { parseData, parseJson } from '../../core/json/parse';
import { stringifyAt, stringifyJson } from '../../core/json/stringify';
import type { Json, JsonObject } from '../../core/model';
import { PARENT_ROW_ID, ROW_ID } from '../../tables/linked/places';
import { freeName, isAmong } from '../../tables/names';
import { checkOldKey, comparedColumns, namesOf, replacementOf, withEmptyMarked } from '../../tables/schema/changes';
import type { NamedTypes, Replacement } from '../../tables/schema/changes';
import { isDecimal } from '../../tables/schema/column-type';
import type { ColumnType } from '../../tables/schema/column-type';
import type { Column, KnownColumn } from '../../tables/schema/schema';
import { checkKeys } from '../duckdb/merge';
import { completeLines } from '../files/lines';
import type { Receipt } from '../journal/journal';
import { CELL, keyOfType } from '../loading/mapped-items';
import { unmatched } from '../row-counts';
import type { StoredRows, ToldRows } from '../row-counts';
import { RUN_COLUMNS, RUN_COLUMN_NAMES, RUN_RECORD_COLUMNS, recordedText, parseRunRecord } from '../run-record';
import type { RunColumnKind, RunRecord } from '../run-record';
import { convertedCell, fittedCell, storageOf, typeIn, typesOf } from './cells';
import type { RowLoad } from './cells';
import type { Cell, Connection } from './driver';

/** The table of the receipt, with the column types that SQLite lacks. */
export const OWN = '_headwater';
const CONVERT = 'headwater_convert';

/** The names of SQLite for the number of a row, unless a column has the name. */
const ROW_NUMBERS = ['rowid', '_rowid_', 'oid'];

/** The tables of a database and its receipt. `store`, `prune` and `sign` belong into one transaction. */
export class SqliteTables {
  /** The types of columns by table, after the last run. */
  #types: JsonObject;

  constructor(private readonly connection: Connection) {
    const convert = (cell: never, from: never, to: never) => convertedCell(cell, from, to);
    // Each driver has another name for integers beyond 2^53.
    const options = { deterministic: true, safeIntegers: true, useBigIntArguments: true };
    connection.function(CONVERT, options, convert);
    this.#types = typesOf(this.#own()?.['types']);
  }

  /** Returns the columns of a table; none if it does not exist. */
  columns(table: string): readonly Column[] {
    const known = ownValue(this.#types, table);
    return this.declared(table).map(([name, type]) => ({
      name,
      type: typeIn(table, name, type, isObject(known) ? known : {}),
    }));
  }

  /** Returns the columns of a table with their types in SQLite. */
  declared(table: string): NamedTypes {
    const found = this.connection.prepare('SELECT name, type FROM pragma_table_info(?)').all(table);
    return found.map(({ name, type }) => [String(name), String(type)]);
  }

  /** Returns the same as {@link columns}, and which of them have no values. */
  known(table: string): Promise<readonly KnownColumn[]> {
    const ask = (sql: string): readonly unknown[] => Object.values(this.connection.prepare(sql).all()[0] ?? {});
    return withEmptyMarked(this.columns(table), quoted(table), ask);
  }

  async store(load: RowLoad): Promise<ToldRows> {
    if (load.rows > 0) checkKeys(load);
    return load.incremental ? this.#add(load) : this.#replace(load);
  }

  /** Returns the number of rows of a table; 0 if it does not exist. */
  count(table: string): number {
    return this.columns(table).length === 0 ? 0 : this.#number(`SELECT count(*) FROM ${quoted(table)}`);
  }

  /** Removes the rows of a table whose parent rows no longer exist, and returns how many. */
  prune({ dataType, parent = '' }: RowLoad): number {
    if (this.columns(dataType).length === 0) return 0;
    // Rows of the parent without lists have no id: with NULL in a set, `NOT IN` is never true.
    const parents = `SELECT ${quoted(ROW_ID)} FROM ${quoted(parent)} WHERE ${quoted(ROW_ID)} IS NOT NULL`;
    const before = this.count(dataType);
    this.connection.exec(`DELETE FROM ${quoted(dataType)} WHERE ${quoted(PARENT_ROW_ID)} NOT IN (${parents})`);
    return before - this.count(dataType);
  }

  /** Returns the id of the last row of a table; 0 if its rows have none. */
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

  async #replace(load: RowLoad): Promise<ToldRows> {
    const { dataType, columns, keys, rows } = load;
    const table = quoted(dataType);
    const old = this.columns(dataType);
    const stage = rows > 0 && keys.length > 0 ? await this.#stage(load) : undefined;
    const told = stage === undefined ? unmatched(rows) : this.#replacedCounts(stage, table, old);
    // Indexes of users stay if the columns do.
    if (old.length > 0 && (rows === 0 || isSame(old, columns))) this.connection.exec(`DELETE FROM ${table}`);
    else if (columns.length > 0) {
      this.connection.exec(`DROP TABLE IF EXISTS ${table}`);
      this.#create(dataType, columns);
    }
    // The columns of a table that never had a row are unknown.
    if (columns.length === 0 || (rows === 0 && old.length > 0)) return told;
    this.#note(dataType, columns);
    if (stage === undefined) await fill(this.connection, table, load);
    else this.#moveInto(table, stage);
    return told;
  }

  #number(sql: string): number {
    return Number(Object.values(this.connection.prepare(sql).all()[0] ?? {})[0] ?? 0);
  }

  async #add(load: RowLoad): Promise<StoredRows> {
    const { dataType, columns, keys, rows } = load;
    if (rows === 0) return unmatched(0);
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
    const stage = await this.#stage(load);
    const told = this.#matchedCounts(stage, table, { both: comparedColumns(load), added: [], removed: [] });
    const isReplaced = `${hasKey(keys)} AND EXISTS (SELECT 1 FROM ${STAGE} AS new WHERE ${sameKeys(keys)})`;
    connection.exec(`DELETE FROM ${table} AS old WHERE ${isReplaced}`);
    this.#moveInto(table, stage);
    return told;
  }

  /** Writes the rows of a run into a table of their own: the last one of those with equal keys. */
  async #stage(load: RowLoad): Promise<Stage> {
    const { columns, keys } = load;
    const { connection } = this;
    const own = columns.map(({ name }) => name);
    // A column may be called `rowid`, which then hides the number of the row.
    const row = quoted(freeName('row of stage', isAmong(own)));
    connection.exec(`
      DROP TABLE IF EXISTS ${STAGE};
      CREATE TEMP TABLE "_headwater_stage" (${listed(columns)}, ${row} INTEGER PRIMARY KEY) STRICT`);
    await fill(connection, STAGE, load);
    const list = keys.map(quoted).join(', ');
    connection.exec(`
      DELETE FROM ${STAGE} WHERE ${hasKey(keys)} AND ${row} NOT IN (SELECT max(${row}) FROM ${STAGE} GROUP BY ${list});
      CREATE INDEX temp."_headwater_keys" ON "_headwater_stage" (${list})`);
    return { load, row, stored: this.#number(`SELECT count(*) FROM ${STAGE}`) };
  }

  #moveInto(table: string, { load: { columns }, row }: Stage): void {
    const names = columns.map(({ name }) => quoted(name)).join(', ');
    this.connection.exec(`
      INSERT INTO ${table} (${names}) SELECT ${names} FROM ${STAGE} ORDER BY ${row};
      DROP TABLE ${STAGE}`);
  }

  /**
   * Counts the rows of the stage whose key a table has, and those that are the same there.
   *
   * @param compared the columns that decide whether a row is the same
   */
  #matchedCounts(
    { load: { keys }, row, stored }: Stage,
    table: string,
    { both, added, removed }: NonNullable<Replacement['compared']>,
  ): StoredRows {
    const isSame = [
      '1',
      ...both.map((name) => `new.${quoted(name)} IS old.${quoted(name)}`),
      ...added.map((name) => `new.${quoted(name)} IS NULL`),
      ...removed.map((name) => `old.${quoted(name)} IS NULL`),
    ].join(' AND ');
    // Old rows with equal keys, left by runs without a key, are replaced by one row together.
    const [counts = {}] = this.connection
      .prepare(
        `SELECT count(*) AS matched, sum(equal) AS same FROM (
          SELECT max(${isSame}) AS equal FROM ${table} AS old
          JOIN ${STAGE} AS new INDEXED BY "_headwater_keys" ON ${sameKeys(keys)} WHERE ${hasKey(keys, 'old.')} GROUP BY new.${row})`,
      )
      .all();
    return { stored, matched: Number(counts['matched']), same: Number(counts['same'] ?? 0) };
  }

  /** Counts the same for a table that is replaced as a whole: it may have had other columns. */
  #replacedCounts(stage: Stage, table: string, old: readonly Column[]): ToldRows {
    const { load, stored } = stage;
    const named = [old, load.columns].map((columns) => columns.map(({ name, type }) => [name, type] as const));
    const [before = [], now = []] = named;
    const replacement = replacementOf(before, now, { keys: load.keys, compared: comparedColumns(load) });
    if (replacement === undefined) return { stored };
    const { hasKey, compared } = replacement;
    if (!hasKey) return unmatched(stored);
    const told = this.#matchedCounts(stage, table, compared ?? { both: [], added: [], removed: [] });
    return compared === undefined ? { stored, matched: told.matched } : told;
  }

  /** Makes the table again, since SQLite cannot change types of columns. */
  #convert(dataType: string, old: readonly Column[], columns: readonly Column[]): void {
    const wide = quoted(`${OWN}_wide`);
    const names = old.map(({ name }) => quoted(name)).join(', ');
    const values = old.map(({ name, type }, at) => {
      const to = columns[at]?.type ?? type;
      return to === type ? quoted(name) : `${CONVERT}(${quoted(name)}, '${type}', '${to}')`;
    });
    const row = ROW_NUMBERS.find((alias) => !old.some(({ name }) => name.toLowerCase() === alias));
    // Without a name for the row number, SQLite still reads a whole table in that order.
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

/** The rows of a run before they take the place of others; temporary tables have a separate namespace. */
const STAGE = 'temp."_headwater_stage"';

/** What is in {@link STAGE}. */
interface Stage {
  readonly load: RowLoad;
  /** The column of row numbers in SQL. */
  readonly row: string;
  readonly stored: number;
}

const hasKey = (keys: readonly string[], table = ''): string =>
  `NOT (${keys.map((key) => `${table}${quoted(key)} IS NULL`).join(' AND ')})`;

const sameKeys = (keys: readonly string[]): string =>
  keys.map((key) => `new.${quoted(key)} IS old.${quoted(key)}`).join(' AND ');

/**
 * Writes the rows of a run into a table.
 *
 * @param into the table in SQL
 * @throws FatalError SINK_FAILED when rows or values of the run did not arrive
 */
async function fill(connection: Connection, into: string, load: RowLoad): Promise<void> {
  const { columns, dataType, rows, filled } = load;
  const names = columns.map(({ name }) => quoted(name));
  const insert = connection.prepare(
    `INSERT INTO ${into} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  );
  let arrived = 0;
  const values = new Array<number>(columns.length).fill(0);
  for await (const page of load.pages())
    for (const cells of page) {
      insert.run(...cells);
      arrived += 1;
      for (let at = 0; at < cells.length; at += 1) if (cells[at] !== null) values[at] = (values[at] ?? 0) + 1;
    }
  const at = values.findIndex((count, place) => count !== (filled[place] ?? 0));
  if (arrived === rows && at < 0) return;
  const what = arrived === rows ? `all values of the column ${JSON.stringify(columns[at]?.name)}` : `all ${rows} rows`;
  const message = `The table ${JSON.stringify(dataType)} did not get ${what}.`;
  throw new FatalError('SINK_FAILED', `${message} Nothing was stored. This is a defect of Headwater: report it.`);
}

/** The table of the committed runs, one row for each: SQLite has no schemas. */
const RUNS = '_headwater_runs';
const TYPES: Readonly<Record<RunColumnKind, string>> = {
  text: 'TEXT',
  moment: 'TEXT',
  number: 'REAL',
  integer: 'INTEGER',
  json: 'TEXT',
};

/** Adds a row, in the transaction that commits the run. */
export function addRun(connection: Connection, record: RunRecord): void {
  const definition = RUN_COLUMN_NAMES.map((name) => `${name} ${TYPES[RUN_COLUMNS[name]]}`).join(', ');
  connection.exec(`CREATE TABLE IF NOT EXISTS ${RUNS} (${definition}, PRIMARY KEY (run_id)) STRICT`);
  const places = RUN_COLUMN_NAMES.map(() => '?').join(', ');
  const insert = connection.prepare(`INSERT OR REPLACE INTO ${RUNS} VALUES (${places})`);
  insert.run(...RUN_COLUMN_NAMES.map((name) => cellOf(record[name] ?? null, RUN_COLUMNS[name])));
}

/** Returns the record of the run of this id, if it was ever committed. */
export function recordOf(connection: Connection, run: string): RunRecord | undefined {
  if (connection.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').all(RUNS).length === 0) return undefined;
  const [found] = connection.prepare(`SELECT ${RUN_RECORD_COLUMNS.join(', ')} FROM ${RUNS} WHERE run_id = ?`).all(run);
  return found === undefined ? undefined : parseRunRecord(RUN_RECORD_COLUMNS.map((name) => found[name]));
}

function cellOf(value: Json, kind: RunColumnKind): Cell {
  if (value === null) return null;
  if (kind === 'integer' && typeof value === 'number') return BigInt(value);
  if (kind === 'number' && typeof value === 'number') return value;
  return recordedText(value, kind);
}

/**
 * Removes the child rows of mapped tables that belong to replaced rows, at any depth, before anything is stored
 * (docs/language/mappings.md#child-tables).
 *
 * @param loads parents before their children
 * @param columnsOf returns the columns of a table; none if it does not exist
 * @throws FatalError DESTINATION_INCOMPATIBLE where a key of several columns cannot be compared
 */
export async function removeGone(
  connection: Connection,
  loads: readonly RowLoad[],
  columnsOf: (table: string) => readonly Column[],
): Promise<void> {
  const gone = new Map<string, string>();
  for (const { dataType, link, incremental } of loads) {
    const type = typeOfColumn(columnsOf(dataType), link?.column ?? '');
    if (link === undefined || !incremental || type === undefined) continue;
    const waiting = `temp.${quoted(`_headwater_gone_${gone.size}`)}`;
    connection.exec(`DROP TABLE IF EXISTS ${waiting}; CREATE TABLE ${waiting} (link ${storageOf(type)}) STRICT`);
    const insert = connection.prepare(`INSERT INTO ${waiting} VALUES (?)`);
    const add = (token: string): void => {
      const cell = fittedCell(token, type);
      if (cell !== undefined) insert.run(cell);
    };
    if (link.file !== undefined)
      for await (const { line } of completeLines(link.file)) {
        const parent = parseData(line.toString('utf8'), 'spelling');
        if (isObject(parent)) add(stringifyAt(parent, CELL));
      }
    const above = gone.get(link.parent);
    if (above !== undefined)
      for (const key of keysOf(connection, link.parent, above, { of: link.of, columns: columnsOf(link.parent) }))
        add(key);
    gone.set(dataType, `${quoted(link.column)} IN (SELECT link FROM ${waiting})`);
  }
  for (const [table, isGone] of gone) connection.exec(`DELETE FROM ${quoted(table)} WHERE ${isGone}`);
}

const typeOfColumn = (columns: readonly Column[], column: string): ColumnType | undefined =>
  columns.find(({ name }) => name === column)?.type;

/** Returns the link values of the child rows of the removed rows, as JSON. */
function* keysOf(
  connection: Connection,
  table: string,
  isGone: string,
  { of, columns }: { readonly of: readonly string[]; readonly columns: readonly Column[] },
): Generator<string> {
  const types = of.map((name) => typeOfColumn(columns, name) ?? 'text');
  // Integers beyond 2^53 are read as texts, doubles as numbers: their texts would be rounded.
  const values = of.map((name, at) => (types[at] === 'double' ? quoted(name) : `CAST(${quoted(name)} AS TEXT)`));
  const listed = values.map((value, at) => `${value} AS "${at}"`).join(', ');
  for (const row of connection.prepare(`SELECT ${listed} FROM ${quoted(table)} WHERE ${isGone}`).all()) {
    const texts = of.map((_, at) => (row[at] === null ? undefined : String(row[at] as string | number)));
    if (of.length > 1) yield JSON.stringify(texts.map((text, at) => partOf(table, of[at], types[at], text)).join(','));
    else if (texts[0] !== undefined) yield tokenOf(texts[0], types[0] ?? 'text');
  }
}

const isNumber = (type: ColumnType): boolean => ['integer', 'bigint', 'double'].includes(type) || isDecimal(type);

function tokenOf(text: string, type: ColumnType): string {
  if (type === 'boolean') return text === '1' ? 'true' : 'false';
  return isNumber(type) || type === 'json' ? text : JSON.stringify(text);
}

/** Returns a value in a key of several columns, in the spelling of the language. */
function partOf(table: string, column = '', type: ColumnType = 'text', text = ''): string {
  if (type === 'boolean') return text === '1' ? '1' : '';
  if (type === 'double' || type === 'json' || isDecimal(type)) throw keyOfType(table, column, type);
  return text;
}
