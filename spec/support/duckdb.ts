import { readFileSync, writeFileSync } from 'node:fs';
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

/** Makes a database as another version of DuckDB would write it: its header names another version of the format. */
export async function makeOfFormat(file: string, format: bigint, by: string): Promise<void> {
  await changeDuckDB(file, 'CREATE TABLE ships AS SELECT 1 AS id');
  const bytes = readFileSync(file);
  const words = new BigUint64Array(bytes.buffer, bytes.byteOffset, HEADER_BYTES / 8);
  bytes.writeBigUInt64LE(format, VERSION_AT);
  bytes.fill(0, LIBRARY_AT, LIBRARY_AT + 32).write(by, LIBRARY_AT);
  words[0] = words.subarray(1).reduce((sum, word) => sum ^ BigInt.asUintN(64, word * FACTOR), SEED);
  writeFileSync(file, bytes);
}

/** The header has a checksum, the letters DUCK, the version of the format, flags, and the version of DuckDB. */
const HEADER_BYTES = 4096;
const VERSION_AT = 12;
const LIBRARY_AT = 52;
const SEED = 5381n;
const FACTOR = 0xbf58476d1ce4e5b9n;

const decimalIn = (value: unknown): string | undefined =>
  value instanceof DuckDBDecimalValue ? value.toString() : undefined;
