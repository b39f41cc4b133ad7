import { readFileSync, writeFileSync } from 'node:fs';
import { DuckDBDecimalValue, DuckDBInstance } from '@duckdb/node-api';
import type { Json, JsonObject } from '../../src';
import { closedInTheEnd } from './opened';

export type DuckDBRows = readonly (readonly unknown[])[];

const MEMORY = ':memory:';

/** Files are read by an instance in memory that all specs of a file share: to open one takes longer than most queries. */
let inMemory: Promise<DuckDBInstance> | undefined;
function instanceOf(file: string): Promise<DuckDBInstance> {
  if (file !== MEMORY) return DuckDBInstance.create(file, { access_mode: 'READ_ONLY' });
  if (inMemory !== undefined) return inMemory;
  const made = DuckDBInstance.create(MEMORY);
  closedInTheEnd(async () => (await made).closeSync());
  return (inMemory = made);
}

async function read(
  file: string,
  sql: string,
): Promise<{ readonly names: readonly string[]; readonly rows: DuckDBRows }> {
  const instance = await instanceOf(file);
  const connection = await instance.connect();
  try {
    const found = await connection.runAndReadAll(sql);
    const exact = found.getRows();
    const rows = found.getRowsJS().map((row, at) => row.map((value, cell) => decimalIn(exact[at]?.[cell]) ?? value));
    return { names: found.columnNames(), rows };
  } finally {
    connection.closeSync();
    if (file !== MEMORY) instance.closeSync();
  }
}

/** What a query gives, for somebody who is not Headwater; a decimal as the string of its digits. */
export const queryDuckDB = async (file: string, sql: string): Promise<DuckDBRows> => (await read(file, sql)).rows;

/** The rows of a query as objects. */
export async function itemsOfDuckDB(file: string, sql: string): Promise<readonly JsonObject[]> {
  const { names, rows } = await read(file, sql);
  return rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at] as Json])));
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
