/** The columns of the fence: where the rows of a case go, and how they are read back. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { duckdbRows, parquetRows } from './read-duckdb.mjs';
import { createDatabase, postgresRows } from './read-postgres.mjs';

const NODE_22 = join(process.env.TMPDIR ?? tmpdir(), 'headwater-node-22/node_modules/node/bin/node');
const POSTGRES = process.env.HEADWATER_TEST_POSTGRES;

const hasSqlite = (version) => {
  const [major, minor] = version.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 13);
};

/** SQLite is part of Node.js from 22.13 on: with an older one, that column has a Node.js of its own. */
const sqliteNode = hasSqlite(process.versions.node) ? process.execPath : existsSync(NODE_22) ? NODE_22 : undefined;

const lines = (text) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

const filesOf = (folder) =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name !== '.headwater' && statSync(join(folder, name)).isFile())
        .sort()
    : [];

const textRows = async (folder) =>
  Object.fromEntries(filesOf(folder).map((name) => [name, { rows: lines(readFileSync(join(folder, name), 'utf8')) }]));

/** The receipts of a folder: a line a run that was committed. */
const receiptsOf = (folder) => {
  const file = join(folder, '.headwater/runs.ndjson');
  return existsSync(file) ? lines(readFileSync(file, 'utf8')).map((line) => JSON.parse(line)) : [];
};

const sqliteRead = async (file) => {
  if (!existsSync(file)) return { tables: {}, receipts: [] };
  const script = new URL('./read-sqlite.mjs', import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(sqliteNode, ['--no-warnings', script, file]);
  return JSON.parse(stdout);
};

const files = (kind, read) => ({
  to: `${kind}:out`,
  read: async ({ folder }) => ({
    tables: await read(join(folder, 'out')),
    receipts: receiptsOf(join(folder, 'out')),
  }),
});

/**
 * `to` is what the command is given, `read` gives `{ tables, receipts }`, `node` runs the command if not the own one, and
 * `missing` says why the column cannot be run here.
 */
export const columns = {
  stdout: { to: 'ndjson:-', read: async ({ stdout }) => ({ tables: { '-': { rows: lines(stdout) } }, receipts: [] }) },
  ndjson: files('ndjson', textRows),
  csv: files('csv', textRows),
  parquet: files('parquet', async (folder) =>
    parquetRows(
      folder,
      filesOf(folder).filter((name) => name.endsWith('.parquet')),
    ),
  ),
  duckdb: { to: 'duckdb:out.duckdb', read: ({ folder }) => duckdbRows(join(folder, 'out.duckdb')) },
  sqlite: {
    to: 'sqlite:out.sqlite',
    read: ({ folder }) => sqliteRead(join(folder, 'out.sqlite')),
    node: sqliteNode,
    missing:
      sqliteNode === undefined
        ? 'it needs Node.js 22.13 (npm install --prefix "${TMPDIR:-/tmp}/headwater-node-22" --no-save node@22)'
        : undefined,
  },
  postgres: {
    open: (name) => createDatabase(POSTGRES, name),
    read: ({ database }) => postgresRows(database.url),
    missing: POSTGRES ? undefined : 'HEADWATER_TEST_POSTGRES is not set',
  },
};

/** Ways of paging and of logging in: what arrives is the same everywhere, so that a few columns are enough. */
export const PLAIN = ['stdout', 'ndjson', 'duckdb'];
/** What makes tables. */
export const TABLES = ['ndjson', 'csv', 'parquet', 'duckdb', 'sqlite', 'postgres'];
export const ALL = ['stdout', ...TABLES];
/** Where a run that was killed goes on from a journal beside its files. */
export const KILLED = ['ndjson', 'csv', 'parquet', 'duckdb', 'sqlite'];
