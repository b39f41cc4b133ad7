// What dlt and headwater make of the same responses, in DuckDB, and how long it takes: node bench/compare-dlt.mjs [--quick] [--write]
//
//   --quick   few pages: whether it works
//   --write   puts the tables into docs/comparison-dlt.md
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { CASES, ORDERS } from './support/dlt-cases.mjs';
import { dltDuckdbVersions, dltTablesCommand, tablesIn } from './support/duckdb-rows.mjs';
import { defaults, linked, quick } from './linked.mjs';
import { machine } from './support/machine.mjs';
import { runCommand } from './support/headwater.mjs';
import { measure } from './support/measure.mjs';
import { optionsFrom } from './support/program.mjs';
import { withFolder } from './support/scratch.mjs';
import { barTable, markdownTable, resultText } from './support/tables.mjs';
import { writeComparison } from './support/write-results.mjs';

const flags = optionsFrom({ quick: false, write: false }, process.argv.slice(2));
const conditions = machine();
let body = '';
const server = createServer((_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(body));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}/`;

const config = () => ({
  api: { baseUrl: url },
  config: { incrementalOutput: true, jobs: [{ endpoint: 'orders' }] },
});
const makers = {
  dlt: (folder) => ({ command: dltTablesCommand(url, 'orders', folder), schema: 'bench' }),
  headwater: (folder) => ({
    command: runCommand(config(), folder, ['--to', `duckdb:${join(folder, 'rows.duckdb')}`]),
    schema: 'main',
  }),
};

/** The tables after a run for each of the responses, which are added; the error where one of the runs ended with it. */
const after = (maker, responses) =>
  withFolder(async (folder) => {
    const { command, schema } = makers[maker](folder);
    try {
      for (const response of responses) {
        body = response;
        await measure(command, { silent: true });
      }
    } catch {
      return { failed: true };
    }
    return { tables: tablesIn(join(folder, 'rows.duckdb'), schema) };
  });

const TYPES = { 'TIMESTAMP WITH TIME ZONE': 'TIMESTAMPTZ' };
const plain = (name) => name.replaceAll('__', '_').toLowerCase();
const code = (text) => `\`${text.replaceAll('|', '\\|').replaceAll('\n', '\\n')}\``;

/** Columns of both, those of the same place beside each other. */
function sideBySide(left, right) {
  const names = [...new Set([...left, ...right].map(([name]) => plain(name)))];
  const cell = (columns, name) => {
    const found = columns.filter(([column]) => plain(column) === name);
    return found.map(([column, type]) => `${code(column)} ${TYPES[type] ?? type}`).join(', ');
  };
  return names.map((name) => [cell(left, name), cell(right, name)]);
}

function tablesOf(dlt, headwater) {
  const names = [...new Set([...Object.keys(dlt), ...Object.keys(headwater)].map(plain))];
  return names.flatMap((name) => {
    const of = (tables) => Object.entries(tables).find(([table]) => plain(table) === name);
    const [[left, a] = ['', { columns: [] }], [right, b] = ['', { columns: [] }]] = [of(dlt), of(headwater)];
    const title = [left, right].map((table) => (table === '' ? 'no such table' : code(table)));
    return [markdownTable([`dlt: ${title[0]}`, `headwater: ${title[1]}`], sideBySide(a.columns, b.columns))];
  });
}

const OWN = /^_(dlt_|row_id$|parent_row_id$|position$)/;

/** All that both have of a case, without the columns of their own. */
function content({ failed, tables }) {
  if (failed) return 'the run fails';
  return Object.entries(tables)
    .map(([table, { columns, rows }]) => {
      const own = columns.map(([name], at) => ({ name, at })).filter(({ name }) => !OWN.test(name));
      const type = (at) => TYPES[columns[at][1]] ?? columns[at][1];
      const values = own.map(({ name, at }) => {
        const cells = rows.map((row) => (row[at] === null ? 'NULL' : row[at])).join('; ');
        return `${name} ${type(at)}: ${cells}`;
      });
      return `${table === 'orders' ? '' : `${table}: `}${values.map(code).join(', ')}`;
    })
    .join('<br>');
}

const orders = [await after('dlt', [ORDERS]), await after('headwater', [ORDERS])].map(({ tables }) => tables);
const cases = [];
for (const [what, ...responses] of CASES)
  cases.push([what, content(await after('dlt', responses)), content(await after('headwater', responses))]);
server.close();
const speed = await linked({ ...defaults, ...(flags.quick ? quick : {}), rivals: true });

const parts = [
  `${dltDuckdbVersions()}.`,
  '### Tables and columns',
  `\`\`\`json\n${ORDERS}\n\`\`\``,
  ...tablesOf(...orders),
  '### Values',
  markdownTable(['the API sends', 'dlt', 'headwater'], cases),
  resultText(speed),
  barTable(speed.bars),
  conditions,
];
console.log(parts.join('\n\n'));
if (flags.write) writeComparison(parts);
