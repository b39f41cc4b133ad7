import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { ofNdjson } from './outputs.mjs';

/** Where bench/rivals/install.sh has put dlt. */
const python = join(process.env.RIVALS_VENV ?? join(tmpdir(), 'headwater-rivals'), 'bin', 'python');
const program = fileURLToPath(new URL('../rivals/dlt_items.py', import.meta.url));

const HAS_DUCKDB = 'import importlib.util as u; exit(0 if all(map(u.find_spec, ("dlt", "duckdb", "pyarrow"))) else 1)';

export function dltIsInstalled() {
  if (!existsSync(python)) return false;
  try {
    execFileSync(python, ['-c', HAS_DUCKDB], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export const dltCommand = (url, items, folder) => [python, program, url, String(items), folder, 'duckdb'];

const VERSIONS = `
from importlib.metadata import version
print(", ".join(f"{name} {version(name)}" for name in ("dlt", "duckdb", "pyarrow")))`;

export const dltDuckdbVersions = () => execFileSync(python, ['-c', VERSIONS], { encoding: 'utf8' }).trim();

/** Rows as the items that they were made of. */
const itemsIn = (table, lines) => {
  const asWritten = `strftime(make_timestamp(epoch_us(measured)), '%Y-%m-%dT%H:%M:%SZ')`;
  const items = `SELECT * REPLACE (${asWritten} AS measured, CAST(tags AS JSON) AS tags) FROM ${table}`;
  return `COPY (${items}) TO '${lines}' (FORMAT json)`;
};

/**
 * What a table holds.
 *
 * @param folder takes a file of its rows
 */
export async function ofDuckdb(database, table, folder) {
  const lines = join(folder, 'rows.ndjson');
  const instance = await DuckDBInstance.create(database);
  const connection = await instance.connect();
  await connection.run(itemsIn(table, lines));
  connection.closeSync();
  instance.closeSync();
  return ofNdjson([lines]);
}

/** The same of a database of dlt's: its DuckDB may be newer than ours. */
export function ofDlt(folder) {
  const lines = join(folder, 'rows.ndjson');
  const copy = 'import duckdb, sys; duckdb.connect(sys.argv[1], read_only=True).execute(sys.argv[2])';
  execFileSync(python, ['-c', copy, join(folder, 'rows.duckdb'), itemsIn('bench.items', lines)]);
  return ofNdjson([lines]);
}
