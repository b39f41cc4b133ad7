// The yardstick of PostgreSQL, by hand: node bench/hand-copy.mjs BASE_URL LIMIT POSTGRES_URL SCHEMA
// Two tables, filled by COPY: lines are made as pages arrive, and psql sends them.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Pool } from 'undici';

const [baseUrl, limitText, postgres, schema] = process.argv.slice(2);
const limit = Number(limitText);
const pool = new Pool(new URL(baseUrl).origin);
const psql = (statement) => ['psql', ['--quiet', '--no-psqlrc', '--set', 'ON_ERROR_STOP=1', postgres, '-c', statement]];

const { status } = spawnSync(
  ...psql(
    `CREATE SCHEMA "${schema}"; CREATE TABLE "${schema}".items (row bigint, id bigint, name text, river text, level double precision, ` +
      `active boolean, measured timestamptz, note text); CREATE TABLE "${schema}".items_tags (parent bigint, position int, value text)`,
  ),
  { stdio: 'inherit' },
);
if (status !== 0) throw new Error('The tables were not made.');

const copyInto = (table) =>
  spawn(...psql(`COPY "${schema}"."${table}" FROM STDIN`), { stdio: ['pipe', 'inherit', 'inherit'] });
const [items$, tags$] = [copyInto('items'), copyInto('items_tags')];
const ends = [items$, tags$].map((child) => once(child, 'close'));
const ESCAPES = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const cell = (value) => (value === null ? '\\N' : String(value).replace(/[\\\t\n\r]/g, (found) => ESCAPES[found]));
const write = async ({ stdin }, text) => {
  if (!stdin.write(text)) await once(stdin, 'drain');
};

let row = 0;
let more = true;
for (let offset = 0; more; offset += limit) {
  const { statusCode, body } = await pool.request({ method: 'GET', path: `/items?limit=${limit}&offset=${offset}` });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`status ${statusCode}: ${text}`);
  const { items } = JSON.parse(text);
  let [lines, tagLines] = ['', ''];
  for (const { id, name, river, level, active, measured, note, tags } of items) {
    row += 1;
    lines += `${[row, id, name, river, level, active, measured, note].map(cell).join('\t')}\n`;
    tags.forEach((tag, position) => {
      tagLines += `${row}\t${position}\t${cell(tag)}\n`;
    });
  }
  await write(items$, lines);
  await write(tags$, tagLines);
  more = items.length === limit;
}
items$.stdin.end();
tags$.stdin.end();
for (const [code] of await Promise.all(ends)) if (code !== 0) throw new Error(`psql ended with status ${code}`);
await pool.close();
