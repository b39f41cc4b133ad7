import { quoted } from '../../core/json/sql-name';
import type { Stored, TableStand } from '../../core/durable-sink';
import { isObject } from '../../core/json/objects';
import { parseJson } from '../../core/json/parse';
import { stringifyJson } from '../../core/json/stringify';
import type { Json } from '../../core/model';
import type { Warn } from '../../language/parts/sink';
import { PARENT_ROW_ID, ROW_ID } from '../../tables/linked/places';
import { checkOldKey, namesOf, schemaChanges, warnOfSchemaChanges, withEmptyMarked } from '../../tables/schema/changes';
import type { Column, KnownColumn } from '../../tables/schema/schema';
import type { Receipt } from '../journal/journal';
import type { TableLoad } from '../loading/load-flat';
import { rowCounts, rowsOfRun, uncounted, unmatched, withoutLost } from '../row-counts';
import type { StoredRows, ToldRows } from '../row-counts';
import { RUN_COLUMNS, RUN_COLUMN_NAMES, RUN_RECORD_COLUMNS, recordedText, parseRunRecord } from '../run-record';
import type { RunColumnKind, RunRecord } from '../run-record';
import { literal, namedTypes, typeName } from '../sql';
import { catalogOf, describe, exists } from './connection';
import type { Database } from './connection';
import {
  STAGE,
  checkComplete,
  checkKeys,
  columnsOf,
  dropStage,
  findGone,
  listOf,
  mergedRows,
  replacedCounts,
  sameKeys,
  stage,
  stagedCounts,
  stagedRows,
} from './merge';
import type { GoneRows } from './merge';

/** The tables of a database and its receipt. `store` and `sign` belong into one transaction. */
export interface DuckDBTables {
  readonly database: Database;
  /** Returns the columns of a table; none if it does not exist. */
  readonly columns: (dataType: string) => Promise<readonly Column[]>;
  /** Returns the number of rows of a table; 0 if it does not exist. */
  readonly count: (dataType: string) => Promise<number>;
  /** Returns the same, and which of them have no values. */
  readonly known: (dataType: string) => Promise<readonly KnownColumn[]>;
  /** Finds the rows of mapped child tables whose parents are replaced by the loads. */
  readonly gone: (loads: readonly TableLoad[]) => Promise<GoneRows>;
  readonly store: (load: TableLoad, gone: GoneRows) => Promise<Stored>;
  /** Removes the rows of a table whose parent rows no longer exist, and corrects its counts. */
  readonly prune: (load: TableLoad, stored: Stored) => Promise<Stored>;
  /** Returns the id of the last row of a table; 0 if its rows have none. */
  readonly lastRow: (table: string) => Promise<number>;
  readonly standOf: (table: string) => Promise<TableStand>;
  /** Returns the receipt of the last run. */
  readonly receipt: () => Promise<Receipt | undefined>;
  /** Stores the receipt of a run, and its record. */
  readonly sign: (receipt: Receipt, record: RunRecord) => Promise<void>;
  readonly recordOf: (run: string) => Promise<RunRecord | undefined>;
}

const OWN = '_headwater';
const RECEIPT = 'receipt';

/** @example await (await duckdbTables(database)).receipt() // { run: '…', state: { … } } */
export async function duckdbTables(database: Database, warn?: Warn): Promise<DuckDBTables> {
  const { run, rows } = database;
  const catalog = await catalogOf(database);
  const own = `${quoted(catalog)}.${quoted(OWN)}`;
  const tableOf = (dataType: string): string => `${quoted(catalog)}."main".${quoted(dataType)}`;
  const isThere = (dataType: string): Promise<boolean> => exists(database, catalog, 'main', dataType);
  const runs = runsTable(database, catalog, OWN);
  const columns = async (dataType: string): Promise<readonly Column[]> =>
    (await isThere(dataType)) ? columnsOf(database, tableOf(dataType), dataType) : [];

  const described = async (dataType: string): Promise<readonly (readonly [string, string])[] | undefined> =>
    (await isThere(dataType)) ? describe(database, tableOf(dataType)) : undefined;

  const count = async (dataType: string): Promise<number> =>
    (await isThere(dataType)) ? Number((await rows(`SELECT count(*) FROM ${tableOf(dataType)}`))[0]?.[0]) : 0;

  const hasRows = async (table: string): Promise<boolean> => (await rows(`SELECT 1 FROM ${table} LIMIT 1`)).length > 0;

  const replace = async (load: TableLoad): Promise<ToldRows> => {
    const table = tableOf(load.dataType);
    const old = await described(load.dataType);
    if (load.rows > 0 && load.keys.length > 0) {
      checkKeys(load);
      await stage(database, load);
      const counted = await replacedCounts(
        database,
        load,
        old === undefined ? undefined : { from: table, columns: old },
      );
      await run(`CREATE OR REPLACE TABLE ${table} AS ${stagedRows(load)}`);
      await dropStage(database);
      return counted;
    }
    if (load.rows > 0 || (load.columns.length > 0 && old === undefined)) {
      await run(`CREATE OR REPLACE TABLE ${table} AS ${load.query}`);
      await checkComplete(database, table, load);
    } else if (old !== undefined) await run(`DELETE FROM ${table}`);
    return unmatched(load.rows);
  };
  const add = async (load: TableLoad, gone: GoneRows): Promise<StoredRows> => {
    const table = tableOf(load.dataType);
    const isGone = gone.get(load.dataType);
    const old = await columns(load.dataType);
    if (load.rows > 0) {
      checkKeys(load);
      if (old.length > 0) await checkOldKey(load.dataType, load.keys, namesOf(old), () => hasRows(table));
    }
    if (isGone !== undefined) await run(`DELETE FROM ${table} AS old WHERE ${isGone}`);
    if (load.rows === 0) return unmatched(0);
    await stage(database, load);
    const counted = await stagedCounts(database, load, old.length === 0 ? undefined : { from: table, columns: old });
    warnOfSchemaChanges(load.dataType, namedTypes(old), namedTypes(load.columns), warn);
    if (old.length === 0) await run(`CREATE TABLE ${table} AS ${stagedRows(load)}`);
    // DuckDB does not accept new rows in a transaction that has changed the type of a column.
    else if (old.some(({ type }, at) => type !== load.columns[at]?.type))
      await run(`CREATE OR REPLACE TABLE ${table} AS ${mergedRows(table, old, load)}`);
    else {
      for (const { name, type } of load.columns.slice(old.length))
        await run(`ALTER TABLE ${table} ADD COLUMN ${quoted(name)} ${typeName(type)}`);
      if (load.keys.length > 0) await run(`DELETE FROM ${table} AS old USING ${STAGE} AS new WHERE ${sameKeys(load)}`);
      await run(`INSERT INTO ${table} (${listOf(load.columns.map(({ name }) => name))}) ${stagedRows(load)}`);
    }
    await dropStage(database);
    return counted;
  };

  return {
    database,
    columns,
    count,
    known: async (dataType) =>
      withEmptyMarked(await columns(dataType), tableOf(dataType), async (sql) => (await rows(sql))[0] ?? []),
    gone: (loads) => findGone(database, loads, { columns, from: tableOf }),
    store: async (load, gone) => {
      const { dataType, rows: arrived } = load;
      const before = await described(dataType);
      const had = await count(dataType);
      const counted = await (load.incremental ? add(load, gone) : replace(load));
      const counts = { ...rowsOfRun(counted.stored, arrived), ...rowCounts(counted, had, await count(dataType)) };
      const changes = before === undefined || arrived === 0 ? [] : schemaChanges(before, await described(dataType));
      return { name: dataType, ...counts, ...(changes.length === 0 ? {} : { changes }) };
    },
    prune: async ({ dataType, parent = '', incremental }, stored) => {
      if (!(await isThere(dataType))) return stored;
      const had = await count(dataType);
      const hasParent = `SELECT 1 FROM ${tableOf(parent)} AS parent WHERE parent.${quoted(ROW_ID)} = child.${quoted(PARENT_ROW_ID)}`;
      await run(`DELETE FROM ${tableOf(dataType)} AS child WHERE NOT EXISTS (${hasParent})`);
      const total = await count(dataType);
      if (total === had) return stored;
      // Some of the removed rows may belong to this run.
      return incremental ? { ...uncounted(stored), total } : withoutLost(stored, total);
    },
    lastRow: async (table) => {
      const hasIds = (await columns(table)).some(({ name }) => name === ROW_ID);
      return hasIds ? Number((await rows(`SELECT max(${quoted(ROW_ID)}) FROM ${tableOf(table)}`))[0]?.[0] ?? 0) : 0;
    },
    standOf: async (table) => {
      if (!(await isThere(table))) return 'gone';
      return (await hasRows(tableOf(table))) ? 'filled' : 'empty';
    },
    receipt: async () => {
      if (!(await exists(database, catalog, OWN, RECEIPT))) return undefined;
      const [found] = await rows(`SELECT run, state FROM ${own}.${quoted(RECEIPT)}`);
      if (found === undefined) return undefined;
      const state = parseJson(String(found[1]));
      return { run: String(found[0]), state: isObject(state) ? state : {} };
    },
    recordOf: runs.recordOf,
    sign: async (receipt, record) => {
      await run(`CREATE SCHEMA IF NOT EXISTS ${own}`);
      await run(`CREATE TABLE IF NOT EXISTS ${own}.${quoted(RECEIPT)} (run VARCHAR, state VARCHAR)`);
      await run(`DELETE FROM ${own}.${quoted(RECEIPT)}`);
      const values = [receipt.run, stringifyJson(receipt.state)].map(literal).join(', ');
      await run(`INSERT INTO ${own}.${quoted(RECEIPT)} VALUES (${values})`);
      await runs.add(record);
    },
  };
}

/** The runs that were committed to a database: a table with one row for each. */
export interface RunsTable {
  /** Adds a row, in the transaction that commits the run. */
  readonly add: (record: RunRecord) => Promise<void>;
  readonly recordOf: (run: string) => Promise<RunRecord | undefined>;
}

const RUNS = 'runs';
const TYPES: Readonly<Record<RunColumnKind, string>> = {
  text: 'VARCHAR',
  moment: 'TIMESTAMPTZ',
  number: 'DOUBLE',
  integer: 'BIGINT',
  json: 'JSON',
};

/**
 * @param schema the name of the schema of the table, which `add` needs
 * @example await runsTable(database, 'rivers', '_headwater').recordOf('2024-06-01') // undefined
 */
function runsTable(database: Database, catalog: string, schema: string): RunsTable {
  const table = `${quoted(catalog)}.${quoted(schema)}.${quoted(RUNS)}`;
  const definition = RUN_COLUMN_NAMES.map((name) => `${name} ${TYPES[RUN_COLUMNS[name]]}`).join(', ');
  return {
    add: async (record) => {
      await database.run(`CREATE TABLE IF NOT EXISTS ${table} (${definition}, PRIMARY KEY (run_id))`);
      const values = RUN_COLUMN_NAMES.map((name) => valueOf(record[name] ?? null, RUN_COLUMNS[name])).join(', ');
      await database.run(`INSERT OR REPLACE INTO ${table} (${RUN_COLUMN_NAMES.join(', ')}) VALUES (${values})`);
    },
    recordOf: async (run) => {
      if (!(await exists(database, catalog, schema, RUNS))) return undefined;
      const columns = RUN_RECORD_COLUMNS.map((name) => `CAST(${name} AS VARCHAR)`).join(', ');
      const [found] = await database.rows(`SELECT ${columns} FROM ${table} WHERE run_id = ${literal(run)}`);
      return found === undefined ? undefined : parseRunRecord(found);
    },
  };
}

function valueOf(value: Json, kind: RunColumnKind): string {
  if (value === null) return 'NULL';
  return `CAST(${literal(recordedText(value, kind))} AS ${TYPES[kind]})`;
}
