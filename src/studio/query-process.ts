/**
 * The program of one query: a process of its own, which can be killed whatever DuckDB does. DuckDB cannot be interrupted while it prepares a
 * statement, and does not count all memory against its limit.
 */
import { grouped } from '../core/text';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { FatalError } from '../core/errors/errors';
import { optionalPackage } from '../core/optional-package';
import { readingStatement } from '../explore/query/reading-statement';
import type { Rows } from './wire';

/** The message to the process. */
export interface Asked {
  readonly file: string;
  readonly sql: string;
  /** The folder for data that do not fit into memory; whoever ends the process removes it. */
  readonly spill: string;
  /** The memory at which the process kills itself. */
  readonly bytes: number;
}

/** The message of the process. */
export type Answered = { readonly rows: Rows } | { readonly refused: string };

const MOST_ROWS = 1_000;
const MOST_CHARACTERS = 4_000_000;
const MOST_CHARACTERS_OF_VALUE = 20_000;
/** DuckDB takes no folder for data any more after these. */
const SETTINGS = {
  ...{ access_mode: 'READ_ONLY', enable_external_access: 'false', memory_limit: '1GB', threads: '2' },
  max_temp_directory_size: '1GB',
};

/** Milliseconds between two looks at the memory. */
const EVERY = 50;

if (isMainThread) {
  process.once('message', (asked: Asked) => {
    // The thread of the query may be busy for long in DuckDB, or in making values of its results.
    setInterval(() => process.memoryUsage.rss() > asked.bytes && process.kill(process.pid), EVERY);
    new Worker(__filename, { workerData: asked }).once('message', (answered: Answered) => process.send?.(answered));
  });
  process.once('disconnect', () => process.exit());
} else
  void answerTo(workerData as Asked).then((answered) => {
    parentPort?.postMessage(answered);
  });

async function answerTo(asked: Asked): Promise<Answered> {
  try {
    return { rows: await ask(asked) };
  } catch (error) {
    return { refused: messageOf(error) };
  }
}

async function ask({ file, sql, spill }: Asked): Promise<Rows> {
  const { DuckDBInstance } = optionalPackage('studio', '@duckdb/node-api');
  const instance = await DuckDBInstance.create(file, { temp_directory: spill, ...SETTINGS });
  const connection = await instance.connect();
  try {
    await connection.run('SET lock_configuration = true');
    const statement = await readingStatement('studio', connection, sql);
    const reader = await statement.streamAndReadUntil(MOST_ROWS + 1);
    const types = reader.columnTypes();
    const columns = reader.columnNames().map((name, at) => ({ name, type: String(types[at]) }));
    const rows = bounded(reader.getRowsJson());
    return { columns, rows, isCut: !reader.done || rows.length < reader.currentRowCount };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

function bounded(rows: readonly (readonly unknown[])[]): readonly (readonly unknown[])[] {
  let characters = 0;
  const shown = rows.slice(0, MOST_ROWS).map((row) => row.map(cut));
  const end = shown.findIndex((row) => (characters += JSON.stringify(row).length) > MOST_CHARACTERS);
  return end === -1 ? shown : shown.slice(0, end);
}

/** Cuts a string to its beginning, which is enough to show. */
const cut = (value: unknown): unknown =>
  typeof value === 'string' && value.length > MOST_CHARACTERS_OF_VALUE
    ? `${value.slice(0, MOST_CHARACTERS_OF_VALUE)}… (${grouped(value.length)} characters)`
    : value;

/** Returns the whole message of DuckDB, with the place in the statement. */
function messageOf(error: unknown): string {
  const cause = error instanceof FatalError && error.cause instanceof Error ? error.cause : error;
  const message = cause instanceof Error ? cause.message : String(cause);
  if (message.includes('Could not set lock'))
    return 'A run is writing the tables. Run the query again when it is done.';
  return message.replace(/^(?:Error|Failed to extract statements): /, '').slice(0, 1_000);
}
