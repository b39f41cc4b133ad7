import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { ofNdjson } from './outputs.mjs';

/** Where bench/rivals/install.sh has put dlt. */
const python = join(process.env.RIVALS_VENV ?? join(tmpdir(), 'headwater-rivals'), 'bin', 'python');
const fileOf = (name) => fileURLToPath(new URL(`../rivals/${name}`, import.meta.url));

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

export const dltCommand = (url, items, folder) => [
  python,
  fileOf('dlt_items.py'),
  url,
  String(items),
  folder,
  'duckdb',
];

/**
 * With its default settings.
 *
 * @param more the items of a page, absent for one page; and in which format rows are handed over
 */
export const dltTablesCommand = (url, endpoint, folder, ...more) => [
  ...[python, fileOf('dlt_tables.py'), url, endpoint, folder],
  ...more.map(String),
];

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
export function ofDlt(folder, table = 'bench.items') {
  const lines = join(folder, 'rows.ndjson');
  const copy = 'import duckdb, sys; duckdb.connect(sys.argv[1], read_only=True).execute(sys.argv[2])';
  execFileSync(python, ['-c', copy, join(folder, 'rows.duckdb'), itemsIn(table, lines)]);
  return ofNdjson([lines]);
}

/** Items with the lists that stand in a table of their own. */
const joined = (items, id, tags, parent, position) =>
  `(SELECT items.*, tags FROM ${items} AS items LEFT JOIN (SELECT ${parent} AS _parent, ` +
  `list(value ORDER BY ${position}) AS tags FROM ${tags} GROUP BY ALL) ON _parent = items.${id})`;

export const linkedOfDuckdb = (database, folder) =>
  ofDuckdb(database, joined('items', '_row_id', 'items_tags', '_parent_row_id', '_position'), folder);

export const linkedOfDlt = (folder) =>
  ofDlt(folder, joined('bench.items', '_dlt_id', 'bench.items__tags', '_dlt_parent_id', '_dlt_list_idx'));

/** All tables of a database, by a DuckDB that reads what either has made: `{ columns: [name, type][], rows }` by name. */
export const tablesIn = (database, schema) =>
  JSON.parse(execFileSync(python, [fileOf('read_tables.py'), database, schema], { encoding: 'utf8' }));
