import { DuckDBInstance } from '@duckdb/node-api';

export type DuckDBRows = readonly (readonly unknown[])[];

/** What a query gives, for somebody who is not Headwater. */
export async function queryDuckDB(file: string, sql: string): Promise<DuckDBRows> {
  const options = file === ':memory:' ? {} : { access_mode: 'READ_ONLY' };
  const instance = await DuckDBInstance.create(file, options);
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowsJS();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
