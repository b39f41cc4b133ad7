import { readFileSync, writeFileSync } from 'node:fs';
import { DuckDBDecimalValue, DuckDBInstance } from '@duckdb/node-api';
import type { Json, JsonObject } from '../../src';
import { closedInTheEnd } from './opened';

export type DuckDBRows = readonly (readonly unknown[])[];

const MEMORY = ':memory:';

/** Files are read by an instance in memory that all specs of a file share: to open one takes longer than most queries. */
let inMemory: Promise<DuckDBInstance> | undefined;
function sharedInstance(): Promise<DuckDBInstance> {
  if (inMemory !== undefined) return inMemory;
  const made = DuckDBInstance.create(MEMORY);
  closedInTheEnd(async () => (await made).closeSync());
  return (inMemory = made);
}

interface Found {
  readonly names: readonly string[];
  readonly rows: DuckDBRows;
}

/** A file can be attached once at a time. */
let last: Promise<unknown> = Promise.resolve();
function inFile(file: string, sql: string, mode: string): Promise<Found> {
  if (file === MEMORY) return found(sql);
  const attach = `ATTACH '${file.replaceAll("'", "''")}' AS file${mode}; USE file`;
  const result = last.then(() => found(sql, attach, 'USE memory; DETACH DATABASE IF EXISTS file'));
  last = result.catch(() => undefined);
  return result;
}
const read = (file: string, sql: string): Promise<Found> => inFile(file, sql, ' (READ_ONLY)');

async function found(sql: string, before?: string, after?: string): Promise<Found> {
  const connection = await (await sharedInstance()).connect();
  try {
    if (before !== undefined) await connection.run(before);
    const result = await connection.runAndReadAll(sql);
    const exact = result.getRows();
    const rows = result.getRowsJS().map((row, at) => row.map((value, cell) => decimalIn(exact[at]?.[cell]) ?? value));
    return { names: result.columnNames(), rows };
  } finally {
    if (after !== undefined) await connection.run(after);
    connection.closeSync();
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
  await inFile(file, sql, '');
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
