import { counted } from '../core/text';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { openData, stringifyJson } from '..';
import type { DataColumn, Json, QueryResult, TableSummary } from '..';
import { EXIT, describe, statusOf } from './exit-status';
import { fitted, jsonText, outputWidth, print, tableFor, textTable, visible } from './output';
import type { TextColumn, TextTable } from './output';

export interface QueryFlags {
  readonly format: QueryFormat;
  readonly summary: boolean;
}

/** `headwater query FILE SQL`: prints the result of a statement on loaded data. Resolves to the exit status. */
export async function queryCommand(path: string, sql: string | undefined, flags: QueryFlags): Promise<number> {
  const { format, summary } = flags;
  try {
    const data = await openData(path);
    try {
      if (summary) {
        const summaries = await data.summary();
        print(format === 'table' ? summaryText(summaries, outputWidth()) : jsonText(summaries));
      } else if (sql === undefined) {
        print(data.tables.map((table) => `${table}\n`).join(''));
      } else await printed(textOfResult(await data.query(sql), format, outputWidth()));
      return EXIT.success;
    } finally {
      await data.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return EXIT.brokenPipe;
    process.stderr.write(`${describe(error)}\n`);
    return statusOf(error);
  }
}

/** Prints pieces, and waits for a slow reader. */
async function printed(pieces: AsyncIterable<string>): Promise<void> {
  const source = Readable.from(pieces);
  source.pipe(process.stdout, { end: false });
  const broken = new Promise<never>((_, reject) => process.stdout.once('error', reject));
  await Promise.race([finished(source), broken]);
}

/** The formats of the result of a query. */
export type QueryFormat = 'table' | 'json' | 'csv' | 'ndjson';

/** The number of rows that a table shows at a terminal, and that decide the widths of its columns elsewhere. */
const FIRST_ROWS = 100;
const NUMBERS = /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|REAL|DECIMAL)/i;
const AS_IT_IS = /^(?:DECIMAL\(\d+,\d+\)|JSON)$/;

/**
 * Returns the result in pieces of text.
 *
 * @param width the columns of the terminal; `Infinity`: it is no terminal, and tables have all rows and whole values
 */
function textOfResult(result: QueryResult, format: QueryFormat, width: number): AsyncIterable<string> {
  if (format === 'table') return tableText(result, width);
  return format === 'csv' ? csvText(result) : rowsAsJson(result, format);
}

async function* tableText({ columns, rows }: QueryResult, width: number): AsyncGenerator<string> {
  const heads = columns.map(({ name, type }) => ({ name, isNumber: NUMBERS.test(type) }));
  const first: (readonly string[])[] = [];
  let table: TextTable | undefined;
  let count = 0;
  const isWhole = width === Infinity;
  for await (const some of rows) {
    count += some.length;
    const cells = some.map((row) => row.map(cellText));
    if (table === undefined) first.push(...cells);
    else yield linesOf(cells.map(table.line));
    if (table !== undefined || first.length <= FIRST_ROWS) continue;
    if (!isWhole) break;
    table = tableFor(heads, first, width);
    yield linesOf([...table.head, ...first.map(table.line)]);
  }
  const isCut = first.length > FIRST_ROWS && !isWhole;
  if (table === undefined && columns.length > 0) yield linesOf(inPages(heads, first.slice(0, FIRST_ROWS), width));
  const total = isCut
    ? `(the first ${FIRST_ROWS} rows; --format csv or ndjson prints all)`
    : `(${count} ${count === 1 ? 'row' : 'rows'})`;
  yield linesOf([fitted(total, width)]);
}

/** Returns a table as lines of a terminal: columns that do not fit follow below, as many at a time as do. */
function inPages(heads: readonly TextColumn[], rows: readonly (readonly string[])[], width: number): readonly string[] {
  const lines: string[] = [];
  for (let from = 0; from < heads.length;) {
    const some = rows.map((row) => row.slice(from));
    const { head, line, shown } = tableFor(heads.slice(from), some, width);
    const to = from + shown;
    const title = `columns ${from + 1} to ${to} of ${heads.length}`;
    if (shown < heads.length) lines.push(...(from === 0 ? [] : ['']), fitted(title, width));
    lines.push(...head, ...some.map(line));
    from = to;
  }
  return lines;
}

const linesOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

async function* csvText({ columns, rows }: QueryResult): AsyncGenerator<string> {
  yield `${columns.map(({ name }) => csvCell(name)).join(',')}\n`;
  for await (const some of rows)
    yield some
      .map((row) => `${row.map((cell) => (cell === null ? '' : csvCell(plainText(cell)))).join(',')}\n`)
      .join('');
}

/** Returns a CSV cell: null is empty, and an empty text has quotes. */
const csvCell = (text: string): string => (/^$|[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

async function* rowsAsJson({ columns, rows }: QueryResult, format: 'json' | 'ndjson'): AsyncGenerator<string> {
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

/** Returns the JSON of a cell: the digits of a decimal are a JSON number, and a JSON column is JSON already. */
const token = (cell: Json, column: DataColumn | undefined): string =>
  typeof cell === 'string' && AS_IT_IS.test(column?.type ?? '') ? cell : stringifyJson(cell);

const plainText = (cell: Json): string => (typeof cell === 'string' ? cell : stringifyJson(cell));

const cellText = (cell: Json): string => (cell === null ? 'NULL' : plainText(cell));

/** Returns a table of the columns of each table. */
function summaryText(summaries: readonly TableSummary[], width: number): string {
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
      const title = fitted(visible(`${table}: ${counted(rows, 'row')}`), width);
      return [title, ...textTable(heads, lines, width)].map((line) => `${line}\n`).join('');
    })
    .join('\n');
}
