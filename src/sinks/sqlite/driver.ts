/** SQLite by Node.js, or by the package better-sqlite3: the functions that both have. */
import { sep } from 'node:path';
import { FatalError } from '../../core/errors/errors';
import type { ErrorCode } from '../../core/errors/errors';
import { messageOf } from '../files/durable-files';
import { optionalPackage, requirePackage } from '../../core/optional-package';

/** A value bound to a parameter of a statement, or returned by a query. */
export type StoredCell = string | number | bigint | null;

export interface Statement {
  readonly run: (...cells: readonly StoredCell[]) => unknown;
  readonly all: (...cells: readonly StoredCell[]) => readonly Readonly<Record<string, unknown>>[];
  /** Each driver has another name for integers beyond 2^53. */
  readonly setReadBigInts?: (are: boolean) => unknown;
  readonly safeIntegers?: (are: boolean) => unknown;
  /** Each driver has another name for rows as arrays, in which columns may have equal names; Node.js from 22.16 on. */
  readonly setReturnArrays?: (are: boolean) => unknown;
  readonly raw?: (are: boolean) => unknown;
  readonly columns?: () => readonly { readonly name: string }[];
}

/** A connection: calls are synchronous. */
export interface Connection {
  readonly exec: (sql: string) => unknown;
  readonly prepare: (sql: string) => Statement;
  readonly function: (name: string, options: object, call: (...cells: readonly never[]) => StoredCell) => unknown;
  readonly close: () => unknown;
}

type Opener = new (file: string, options?: object) => Connection;

const PACKAGE = 'better-sqlite3';

/** Milliseconds that a writer waits for the transactions of others. */
const PATIENCE = 10_000;

/** Returns the driver of Node.js; `undefined` before 22.13, where it needs a flag. */
function builtIn(): Opener | undefined {
  const { getBuiltinModule } = process as { getBuiltinModule?: (name: string) => unknown };
  const found = quietly(() => getBuiltinModule?.('node:sqlite')) as { readonly DatabaseSync?: Opener } | undefined;
  const hasFunctions = found?.DatabaseSync !== undefined && 'function' in (found.DatabaseSync.prototype as object);
  return hasFunctions ? found.DatabaseSync : undefined;
}

/** Loads SQLite without the warning of Node.js that it is experimental, about which users can do nothing. */
function quietly<T>(load: () => T): T {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = (...args: readonly unknown[]): void => {
    const isOurs = args[1] === 'ExperimentalWarning' && String(args[0]).startsWith('SQLite ');
    if (!isOurs) Reflect.apply(emitWarning, undefined, args);
  };
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** The package is looked for beside Headwater only, wherever it is run. */
export function installed<T>(load: () => T, folder = folderOf(__dirname)): T {
  try {
    return load();
  } catch (cause) {
    if (!(cause instanceof FatalError) || cause.code !== 'PACKAGE_MISSING') throw cause;
    const message = `${cause.message}, in ${JSON.stringify(folder)}. Node.js from 22.13 on needs no package for it.`;
    throw new FatalError('PACKAGE_MISSING', message, { cause: cause.cause });
  }
}

/**
 * Returns the folder in which to install the packages of a module: the one with its `node_modules`; in a checkout of the sources, the
 * checkout.
 *
 * @example folderOf('/app/node_modules/headwater/dist/sinks') // '/app'
 */
export function folderOf(module: string): string {
  const parts = module.split(sep);
  const at = parts.lastIndexOf('node_modules');
  const own = at === -1 ? parts.findLastIndex((part) => part === 'src' || part === 'dist') : at;
  return own <= 0 ? module : parts.slice(0, own).join(sep) || sep;
}

/** @throws FatalError PACKAGE_MISSING if there is no SQLite */
export function requireSqlite(): void {
  if (builtIn() === undefined) installed(() => requirePackage('sqlite:', PACKAGE));
}

/**
 * Opens a database, and makes its file if it does not exist.
 *
 * @throws FatalError PACKAGE_MISSING; DESTINATION_LOCKED while another process writes; DESTINATION_ADDRESS, _DAMAGED or
 *   _INCOMPATIBLE when it is no usable database
 * @example const connection = openSqlite('items.sqlite')
 */
export function openSqlite(file: string): Connection {
  return opened(file, {}, `PRAGMA busy_timeout = ${PATIENCE}; PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF`);
}

/** Opens an existing file for reading only. */
export const openToRead = (file: string): Connection =>
  // Each driver has its own spelling.
  opened(file, { readOnly: true, readonly: true }, `PRAGMA busy_timeout = ${PATIENCE}; PRAGMA query_only = ON`);

function opened(file: string, options: object, pragmas: string): Connection {
  // Both drivers have these members; the types of a driver are missing if it is not installed.
  const Opener = builtIn() ?? (installed(() => optionalPackage('sqlite:', PACKAGE)) as Opener);
  try {
    const connection = new Opener(file, options);
    try {
      connection.exec(pragmas);
      connection.prepare('SELECT count(*) AS n FROM sqlite_master').all();
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  } catch (cause) {
    throw refusal(file, cause);
  }
}

/** What to do about the errors of SQLite, by their names and primary codes. */
const REFUSALS: readonly Refusal[] = [
  [{ BUSY: 5, LOCKED: 6 }, 'DESTINATION_LOCKED', 'is in use by another process', 'Let it end, then run again.'],
  [{ CORRUPT: 11 }, 'DESTINATION_DAMAGED', 'is damaged', 'Restore the file, or move it away.'],
  [{ NOTADB: 26 }, 'DESTINATION_INCOMPATIBLE', 'is no SQLite database', 'Name another file.'],
  [
    { READONLY: 8, CANTOPEN: 14 },
    'DESTINATION_ADDRESS',
    'cannot be opened or written',
    'Set that right, or name another file.',
  ],
];
type Refusal = readonly [codes: Readonly<Record<string, number>>, code: ErrorCode, what: string, remedy: string];

/** Returns the error to throw when SQLite refuses a file; other errors stay unchanged. */
export function refusal(file: string, cause: unknown): unknown {
  // It checks the shape, since the error may come from another realm.
  if (typeof cause !== 'object' || cause === null) return cause;
  const { code, errcode } = cause as { readonly code?: unknown; readonly errcode?: unknown };
  const named = typeof code === 'string' && code.startsWith('SQLITE_') ? code : undefined;
  const primary = typeof errcode === 'number' ? errcode & 0xff : undefined;
  if (named === undefined && primary === undefined) return cause;
  // Each driver has one of them.
  const isOf = ([name, number]: readonly [string, number]): boolean =>
    primary === undefined ? named?.startsWith(`SQLITE_${name}`) === true : primary === number;
  const [, own, what, remedy] = REFUSALS.find(([codes]) => Object.entries(codes).some(isOf)) ?? [];
  const [name, why] = [JSON.stringify(file), messageOf(cause)];
  if (own !== undefined) return new FatalError(own, `${name} ${what} (${why}). ${remedy}`, { cause });
  const kept = 'Nothing was stored. The pages are kept: set that right, then let the run go on with --resume.';
  return new FatalError('SINK_FAILED', `${name} could not be written: ${why}. ${kept}`, { cause });
}
