import { DuckDBDecimalValue, DuckDBInstance } from '@duckdb/node-api';

export type DuckDBRows = readonly (readonly unknown[])[];

/** What a query gives, for somebody who is not Headwater; a decimal as the string of its digits. */
export async function queryDuckDB(file: string, sql: string): Promise<DuckDBRows> {
  const options = file === ':memory:' ? {} : { access_mode: 'READ_ONLY' };
  const instance = await DuckDBInstance.create(file, options);
  const connection = await instance.connect();
  try {
    const read = await connection.runAndReadAll(sql);
    const exact = read.getRows();
    return read.getRowsJS().map((row, at) => row.map((value, cell) => decimalIn(exact[at]?.[cell]) ?? value));
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Changes a database behind the back of runs. */
export async function changeDuckDB(file: string, sql: string): Promise<void> {
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  try {
    await connection.run(sql);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

const decimalIn = (value: unknown): string | undefined =>
  value instanceof DuckDBDecimalValue ? value.toString() : undefined;
