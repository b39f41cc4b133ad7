import { isObject } from '../../json/keys';
import { parseJson } from '../../json/parse';
import { stringifyJson } from '../../json/stringify';
import type { Stored } from '../../durable-sink';
import { PARENT_ROW_ID, ROW_ID } from '../../tables/linked/places';
import { catalogOf, exists } from './connection';
import type { Database } from './connection';
import type { TableLoad } from './load-flat';
import { checkComplete, checkKeys, columnsOf, listOf, mergedRows, sameKeys, STAGE, stage, stagedRows } from './merge';
import { literal, quoted, typeName } from './sql';
import type { Receipt } from '../journal/journal';
import type { Column } from '../schema/schema';

/** The tables of a database and its receipt. `store` and `sign` belong into one transaction. */
export interface DuckDBTables {
  readonly database: Database;
  /** The columns of a table; none where there is no such table. */
  readonly columns: (dataType: string) => Promise<readonly Column[]>;
  readonly store: (load: TableLoad) => Promise<Stored>;
  /** Removes the rows of a table that belong to rows which are no more. */
  readonly prune: (load: TableLoad) => Promise<void>;
  /** The id of the last row of a table; 0 where its rows have none. */
  readonly lastRow: (table: string) => Promise<number>;
  /** The receipt of the last run. */
  readonly receipt: () => Promise<Receipt | undefined>;
  readonly sign: (receipt: Receipt) => Promise<void>;
}

const OWN = '_headwater';
const RECEIPT = 'receipt';

/** @example await (await duckdbTables(database)).receipt() // { run: '…', state: { … } } */
export async function duckdbTables(database: Database): Promise<DuckDBTables> {
  const { run, rows } = database;
  const catalog = await catalogOf(database);
  const own = `${quoted(catalog)}.${quoted(OWN)}`;
  const tableOf = (dataType: string): string => `${quoted(catalog)}."main".${quoted(dataType)}`;
  const isThere = (dataType: string): Promise<boolean> => exists(database, catalog, 'main', dataType);
  const columns = async (dataType: string): Promise<readonly Column[]> =>
    (await isThere(dataType)) ? columnsOf(database, tableOf(dataType), dataType) : [];

  const replace = async (load: TableLoad): Promise<void> => {
    const table = tableOf(load.dataType);
    if (load.rows > 0) {
      await run(`CREATE OR REPLACE TABLE ${table} AS ${load.query}`);
      await checkComplete(database, table, load);
    } else if (await isThere(load.dataType)) await run(`DELETE FROM ${table}`);
  };
  const add = async (load: TableLoad): Promise<void> => {
    if (load.rows === 0) return;
    checkKeys(load);
    const table = tableOf(load.dataType);
    const old = await columns(load.dataType);
    await stage(database, load);
    if (old.length === 0) await run(`CREATE TABLE ${table} AS ${stagedRows(load)}`);
    // DuckDB does not take new rows in a transaction that has changed the type of a column.
    else if (old.some(({ type }, at) => type !== load.columns[at]?.type))
      await run(`CREATE OR REPLACE TABLE ${table} AS ${mergedRows(table, old, load)}`);
    else {
      for (const { name, type } of load.columns.slice(old.length))
        await run(`ALTER TABLE ${table} ADD COLUMN ${quoted(name)} ${typeName(type)}`);
      if (load.keys.length > 0) await run(`DELETE FROM ${table} AS old USING ${STAGE} AS new WHERE ${sameKeys(load)}`);
      await run(`INSERT INTO ${table} (${listOf(load.columns.map(({ name }) => name))}) ${stagedRows(load)}`);
    }
    await run(`DROP TABLE ${STAGE}`);
  };

  return {
    database,
    columns,
    store: async (load) => {
      await (load.incremental ? add(load) : replace(load));
      return { name: load.dataType, rows: load.rows };
    },
    prune: async ({ dataType, parent = '' }) => {
      if (!(await isThere(dataType))) return;
      const hasParent = `SELECT 1 FROM ${tableOf(parent)} AS parent WHERE parent.${quoted(ROW_ID)} = child.${quoted(PARENT_ROW_ID)}`;
      await run(`DELETE FROM ${tableOf(dataType)} AS child WHERE NOT EXISTS (${hasParent})`);
    },
    lastRow: async (table) => {
      const hasIds = (await columns(table)).some(({ name }) => name === ROW_ID);
      return hasIds ? Number((await rows(`SELECT max(${quoted(ROW_ID)}) FROM ${tableOf(table)}`))[0]?.[0] ?? 0) : 0;
    },
    receipt: async () => {
      if (!(await exists(database, catalog, OWN, RECEIPT))) return undefined;
      const [found] = await rows(`SELECT run, state FROM ${own}.${quoted(RECEIPT)}`);
      if (found === undefined) return undefined;
      const state = parseJson(String(found[1]));
      return { run: String(found[0]), state: isObject(state) ? state : {} };
    },
    sign: async (receipt) => {
      await run(`CREATE SCHEMA IF NOT EXISTS ${own}`);
      await run(`CREATE TABLE IF NOT EXISTS ${own}.${quoted(RECEIPT)} (run VARCHAR, state VARCHAR)`);
      await run(`DELETE FROM ${own}.${quoted(RECEIPT)}`);
      const values = [receipt.run, stringifyJson(receipt.state)].map(literal).join(', ');
      await run(`INSERT INTO ${own}.${quoted(RECEIPT)} VALUES (${values})`);
    },
  };
}
