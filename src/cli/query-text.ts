/** What a query gives, in the formats of the command. */
import { stringifyJson } from '../index';
import type { DataColumn, Json, QueryResult, TableSummary } from '../index';
import { textTable } from './text-table';
import { fitted, visible } from './terminal';

export type QueryFormat = 'table' | 'json' | 'csv' | 'ndjson';

/** Rows that a table shows; other formats give all. */
const MOST_ROWS = 100;
const NUMBERS = /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|REAL|DECIMAL)/i;
const AS_IT_IS = /^(?:DECIMAL\(\d+,\d+\)|JSON)$/;

/** The result in pieces of text. */
export function textOfResult(result: QueryResult, format: QueryFormat, width: number): AsyncIterable<string> {
  if (format === 'table') return tableText(result, width);
  return format === 'csv' ? csvText(result) : jsonText(result, format);
}

async function* tableText({ columns, rows }: QueryResult, width: number): AsyncGenerator<string> {
  const shown: (readonly string[])[] = [];
  let isCut = false;
  for await (const some of rows) {
    for (const row of some.slice(0, MOST_ROWS - shown.length)) shown.push(row.map(cellText));
    if (shown.length < MOST_ROWS) continue;
    isCut = true;
    break;
  }
  const heads = columns.map(({ name, type }) => ({ name, isNumber: NUMBERS.test(type) }));
  const lines = columns.length === 0 ? [] : textTable(heads, shown, width);
  const count = isCut
    ? `(the first ${MOST_ROWS} rows; --format csv or ndjson prints all)`
    : `(${shown.length} ${shown.length === 1 ? 'row' : 'rows'})`;
  yield [...lines, fitted(count, width)].map((line) => `${line}\n`).join('');
}

async function* csvText({ columns, rows }: QueryResult): AsyncGenerator<string> {
  yield `${columns.map(({ name }) => csvCell(name)).join(',')}\n`;
  for await (const some of rows)
    yield some
      .map((row) => `${row.map((cell) => (cell === null ? '' : csvCell(plainText(cell)))).join(',')}\n`)
      .join('');
}

/** Nothing is empty, and an empty text has quotes. */
const csvCell = (text: string): string => (/^$|[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

async function* jsonText({ columns, rows }: QueryResult, format: 'json' | 'ndjson'): AsyncGenerator<string> {
  const keys = columns.map(({ name }) => JSON.stringify(name));
  const line = (row: readonly Json[]): string =>
    `{${row.map((cell, at) => `${keys[at] ?? '""'}:${token(cell, columns[at])}`).join(',')}}`;
  let isFirst = true;
  for await (const some of rows)
    for (const row of some) {
      yield format === 'ndjson' ? `${line(row)}\n` : `${isFirst ? '[' : ',\n'}${line(row)}`;
      isFirst = false;
    }
  if (format === 'json') yield isFirst ? '[]\n' : ']\n';
}

/** The digits of a decimal are a number of JSON as they are, and JSON is JSON. */
const token = (cell: Json, column: DataColumn | undefined): string =>
  typeof cell === 'string' && AS_IT_IS.test(column?.type ?? '') ? cell : stringifyJson(cell);

const plainText = (cell: Json): string => (typeof cell === 'string' ? cell : stringifyJson(cell));

const cellText = (cell: Json): string => (cell === null ? 'NULL' : plainText(cell));

/** A table of columns for each table. */
export function summaryText(summaries: readonly TableSummary[], width: number): string {
  const heads = [
    { name: 'column' },
    { name: 'type' },
    ...['count', 'nulls', 'distinct'].map((name) => ({ name, isNumber: true })),
    { name: 'least' },
    { name: 'most' },
  ];
  return summaries
    .map(({ table, rows, columns, unreadable }) => {
      if (unreadable !== undefined) return `${fitted(visible(`${table}: cannot be read: ${unreadable}`), width)}\n`;
      const lines = columns.map(({ name, type, count, nulls, distinct, isEstimate, least = 'NULL', most = 'NULL' }) => [
        ...[name, type, String(count), String(nulls), `${isEstimate ? '~' : ''}${distinct}`, least, most],
      ]);
      const title = fitted(visible(`${table}: ${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'}`), width);
      return [title, ...textTable(heads, lines, width)].map((line) => `${line}\n`).join('');
    })
    .join('\n');
}
