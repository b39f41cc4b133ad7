import { open, rename, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { FatalError } from '../../core/errors/errors';
import type { ErrorCode } from '../../core/errors/errors';
import { optionalPackage } from '../../core/optional-package';
import { literal } from '../sql';
import type { Cell } from '../stores/cells';

/** An open database with one connection. */
export interface Database {
  /** Runs statements; cells are values of the parameters of one. */
  readonly run: (sql: string, cells?: readonly Cell[]) => Promise<void>;
  readonly rows: (sql: string, cells?: readonly Cell[]) => Promise<readonly (readonly unknown[])[]>;
  readonly close: () => void;
}

export interface DatabaseOptions {
  /** The sink that needs the package, for example `duckdb:`. */
  readonly sink: string;
  /** The file of the database; absent: it is in memory. */
  readonly file?: string;
  /** The folder for data that does not fit into memory. */
  readonly spill: string;
  /** The number of threads; absent: one for each processor but one. */
  readonly threads?: number;
}

/** The number of threads of DuckDB: one processor is left for the thread that reads the pages meanwhile. */
export const THREADS = Math.max(1, availableParallelism() - 1);

/** The maximum megabytes of one load; anything larger is spilled to files. */
export const MOST_MEGABYTES = 1000;

/**
 * Makes the file of a database in one step: DuckDB, killed while it makes one, leaves a file that it can no longer open.
 *
 * @param options.draft a path beside the file that nobody else uses
 * @throws FatalError as {@link openDatabase}
 */
export async function makeDatabase(
  options: DatabaseOptions & { readonly file: string; readonly draft: string },
): Promise<void> {
  const { file, draft } = options;
  await rm(draft, { force: true });
  const database = await openDatabase({ ...options, file: draft });
  database.close();
  await rename(draft, file);
}

/**
 * Opens a database, and makes its file if it does not exist.
 *
 * @throws FatalError DESTINATION_LOCKED when another process has the file open; DESTINATION_ADDRESS, _DAMAGED or _INCOMPATIBLE when it is
 *   no usable database
 * @throws FatalError PACKAGE_MISSING
 * @example await openDatabase({ sink: 'duckdb:', file: 'items.duckdb', spill: 'items.duckdb.headwater/spill' })
 */
export async function openDatabase({ sink, file, spill, threads = THREADS }: DatabaseOptions): Promise<Database> {
  const { DuckDBInstance } = optionalPackage(sink, '@duckdb/node-api');
  const options = { memory_limit: `${MOST_MEGABYTES}MB`, temp_directory: spill, threads: String(threads) };
  const instance = await DuckDBInstance.create(file ?? ':memory:', options).catch((cause: unknown) =>
    refuse(file, cause),
  );
  const connection = await instance.connect();
  return {
    run: async (sql, cells) => {
      await connection.run(sql, cells?.slice());
    },
    rows: async (sql, cells) => (await connection.runAndReadAll(sql, cells?.slice())).getRowsJS(),
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

async function refuse(file: string | undefined, cause: unknown): Promise<never> {
  const reason = firstLine(cause);
  const where = file === undefined ? 'A DuckDB database in memory' : `The DuckDB database ${JSON.stringify(file)}`;
  // DuckDB has no error code for this, only a sentence.
  if (reason.includes('Could not set lock')) {
    const remedy = 'Close what has it open, then run this again: no page is lost.';
    throw new FatalError('DESTINATION_LOCKED', `${where} is in use by another process. ${remedy}`, { cause });
  }
  const other = file === undefined ? undefined : await ofOtherVersion(file, where, cause);
  if (other !== undefined) throw other;
  const code = file === undefined ? 'DESTINATION_ADDRESS' : await codeFor(file);
  throw new FatalError(code, `${where} cannot be opened: ${reason}`, { cause });
}

/**
 * Returns the error for a file in a format that the installed DuckDB cannot read, because another version has written
 * it; `undefined` for another cause.
 *
 * @param where the file as messages name it
 */
export async function ofOtherVersion(file: string, where: string, cause: unknown): Promise<FatalError | undefined> {
  const numbers = /version number (\d+), but we can only read versions between (\d+) /.exec(firstLine(cause));
  if (numbers === null) return undefined;
  const [found, least] = numbers.slice(1).map(Number) as [number, number];
  const isNewer = found > least;
  const { version } = optionalPackage('duckdb:', '@duckdb/node-api');
  const what =
    `${where} was written by ${await writerOf(file)}, which is ${isNewer ? 'newer' : 'older'} than the one that is ` +
    `installed, ${version()}, and in a format that this one cannot read.`;
  const remedy = isNewer
    ? `Update Headwater, or write the file again with that DuckDB: ATTACH ${literal(file)} AS newer (READ_ONLY); ` +
      `ATTACH ${literal(`${file}.older`)} AS older (STORAGE_VERSION ${literal(version())}); COPY FROM DATABASE newer TO older`
    : `Write it as files with that DuckDB, by EXPORT DATABASE, and read these with a newer one, by IMPORT DATABASE.`;
  return new FatalError('DESTINATION_INCOMPATIBLE', `${what} ${remedy}`, { cause });
}

/** The version of DuckDB that wrote a file stands at this place of it. */
const WRITER = { offset: 52, length: 32 };

async function writerOf(file: string): Promise<string> {
  const version = /^v[\w.-]+/.exec((await bytesAt(file, WRITER)).toString('latin1'))?.[0];
  return version === undefined ? 'another DuckDB' : `DuckDB ${version}`;
}

/** A DuckDB database has these bytes near its start. */
const MAGIC = { offset: 8, length: 4, bytes: Buffer.from('DUCK') };

/** Returns the error code for a file that no other process has open, but that cannot be opened. */
async function codeFor(file: string): Promise<ErrorCode> {
  try {
    return (await bytesAt(file, MAGIC)).equals(MAGIC.bytes) ? 'DESTINATION_DAMAGED' : 'DESTINATION_INCOMPATIBLE';
  } catch {
    return 'DESTINATION_ADDRESS';
  }
}

async function bytesAt(
  file: string,
  { offset, length }: { readonly offset: number; readonly length: number },
): Promise<Buffer> {
  const handle = await open(file, 'r');
  return (await handle.read(Buffer.alloc(length), 0, length, offset).finally(() => handle.close())).buffer;
}

/** Returns the first line of an error of DuckDB; further lines repeat the statement. */
export const firstLine = (error: unknown): string =>
  ((error instanceof Error ? error.message : String(error)).split('\n', 1)[0] as string).slice(0, 500);

/** Returns the names and types of columns in the spelling of DuckDB. */
export async function describe(database: Database, from: string): Promise<readonly (readonly [string, string])[]> {
  const rows = await database.rows(`DESCRIBE SELECT * FROM ${from}`);
  return rows.map(([name, type]) => [String(name), String(type)] as const);
}

export const exists = async (database: Database, catalog: string, schema: string, table: string): Promise<boolean> => {
  const same = (column: string, name: string): string => `lower(${column}) = lower(${literal(name)})`;
  const wanted = `${same('database_name', catalog)} AND ${same('schema_name', schema)} AND ${same('table_name', table)}`;
  return (await database.rows(`SELECT 1 FROM duckdb_tables() WHERE ${wanted}`)).length > 0;
};
