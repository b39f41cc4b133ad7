/** Reads tables of DuckDB and of Parquet files: columns with their types, and rows. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { ordered } from './rows.mjs';

const quoted = (name) => `"${name.replaceAll('"', '""')}"`;

const all = async (connection, statement) => (await connection.runAndReadAll(statement)).getRowObjectsJson();

const table = async (connection, source) => {
  const columns = await all(connection, `DESCRIBE SELECT * FROM ${source}`);
  const rows = await all(connection, `SELECT * FROM ${source}`);
  return {
    columns: columns.map(({ column_name: name, column_type: type }) => `${name} ${type}`),
    rows: ordered(rows.map((row) => JSON.stringify(row))),
  };
};

const withConnection = async (path, options, work) => {
  const instance = await DuckDBInstance.create(path, options);
  const connection = await instance.connect();
  try {
    return await work(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
};

export const duckdbRows = async (file) => {
  if (!existsSync(file)) return { tables: {}, receipts: [] };
  return withConnection(file, { access_mode: 'READ_ONLY' }, async (connection) => {
    const names = await all(
      connection,
      "SELECT table_schema AS s, table_name AS t FROM information_schema.tables WHERE table_schema <> '_headwater' ORDER BY s, t",
    );
    const tables = {};
    for (const { s, t } of names) tables[t] = await table(connection, `${quoted(s)}.${quoted(t)}`);
    const known = await all(
      connection,
      "SELECT 1 FROM information_schema.tables WHERE table_schema = '_headwater' AND table_name = 'runs'",
    );
    const receipts =
      known.length > 0 ? await all(connection, 'SELECT * FROM _headwater.runs ORDER BY committed_at') : [];
    return { tables, receipts };
  });
};

export const parquetRows = async (folder, files) =>
  withConnection(':memory:', {}, async (connection) => {
    const tables = {};
    for (const name of files) {
      tables[name] = await table(connection, `read_parquet('${join(folder, name).replaceAll("'", "''")}')`);
    }
    return tables;
  });
