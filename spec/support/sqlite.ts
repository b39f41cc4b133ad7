/** What stands in an SQLite database. */
import { existsSync } from 'node:fs';
import { openSqlite, requireSqlite } from '../../src/sinks/sqlite/driver';

const isThere = ((): boolean => {
  try {
    requireSqlite();
    return true;
  } catch {
    return false;
  }
})();

/** Node.js has SQLite from 22.13 on; before, a package has to be compiled for it. CI runs the specs on such versions as well. */
export const describeWithSqlite: jest.Describe = isThere ? describe : describe.skip;
export const itWithSqlite: jest.It = isThere ? it : it.skip;
export const NEEDS_SQLITE = isThere ? undefined : 'node:sqlite (Node.js 22.13), or the package better-sqlite3';

/** Each driver has a name of its own for integers beyond 2^53. */
interface BigIntegers {
  readonly safeIntegers?: (are: boolean) => void;
  readonly setReadBigInts?: (are: boolean) => void;
}

const plain = (value: unknown): unknown =>
  typeof value === 'bigint' && BigInt.asIntN(53, value) === value ? Number(value) : value;

/** The rows that a query gives, as objects; no file has none. */
export function querySqlite(file: string, sql: string): readonly Readonly<Record<string, unknown>>[] {
  if (!existsSync(file)) return [];
  const connection = openSqlite(file);
  try {
    const statement = connection.prepare(sql) as ReturnType<typeof connection.prepare> & BigIntegers;
    statement.safeIntegers?.(true);
    statement.setReadBigInts?.(true);
    // What a driver makes is of another realm than that of the specs.
    return Array.from(statement.all(), (row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])),
    );
  } finally {
    connection.close();
  }
}

/** Changes a database behind the back of runs. */
export function changeSqlite(file: string, sql: string): void {
  const connection = openSqlite(file);
  try {
    connection.exec(sql);
  } finally {
    connection.close();
  }
}

/** The rows of a table; none where there is no such table. */
export function tableOfSqlite(file: string, table: string): readonly Readonly<Record<string, unknown>>[] {
  const there = querySqlite(file, `SELECT 1 AS there FROM sqlite_master WHERE name = '${table.replaceAll("'", "''")}'`);
  return there.length === 0 ? [] : querySqlite(file, `SELECT * FROM "${table.replaceAll('"', '""')}" ORDER BY _rowid_`);
}
