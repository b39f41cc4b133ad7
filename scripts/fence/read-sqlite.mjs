/** Prints the tables of a SQLite file as JSON: `node read-sqlite.mjs FILE`, with a Node.js that has SQLite. */
import { DatabaseSync } from 'node:sqlite';
import { ordered } from './rows.mjs';

const quoted = (name) => `"${name.replaceAll('"', '""')}"`;
/** Integers beyond doubles are texts. */
const written = (row) => JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}` : value));

const database = new DatabaseSync(process.argv[2], { readOnly: true });
const all = (statement) => {
  const prepared = database.prepare(statement);
  prepared.setReadBigInts(true);
  return prepared.all();
};

const tables = {};
const names = all("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").map(({ name }) => name);
for (const name of names.filter((candidate) => !/^_headwater|^sqlite_/.test(candidate))) {
  tables[name] = {
    columns: all(`PRAGMA table_info(${quoted(name)})`).map((column) => `${column.name} ${column.type}`),
    rows: ordered(all(`SELECT * FROM ${quoted(name)}`).map(written)),
  };
}
const receipts = names.includes('_headwater_runs') ? all('SELECT * FROM _headwater_runs ORDER BY committed_at') : [];
console.log(JSON.stringify({ tables, receipts }, (_, value) => (typeof value === 'bigint' ? `${value}` : value)));
