import { retriesOf } from '../progress/job-parts';
import { counted, durationOf, number, sizeOf, visible } from '../progress/words';
import { changeText } from './summary';
import type { RunSummary, TableSummary } from './summary';

/** What was requested, in words. */
const workOf = ({ items, requests, retries, logins, bytes, warnings, milliseconds }: RunSummary): string =>
  [
    counted(items, 'item'),
    counted(requests, 'request'),
    ...(retries === 0 ? [] : [retriesOf(retries)]),
    ...(logins === 0 ? [] : [counted(logins, 'login')]),
    ...(warnings === 0 ? [] : [counted(warnings, 'warning')]),
    ...(bytes === 0 ? [] : [sizeOf(bytes)]),
    durationOf(milliseconds),
  ].join(', ');

const rowsOf = (count: number | undefined): string => (count === undefined ? '' : number(count));

/** The columns of the table; those that no destination knows are left out. */
const COLUMNS: readonly (readonly [title: string, cell: (table: TableSummary) => string, isNumber: boolean])[] = [
  ['table', ({ name }) => visible(name), false],
  ['rows', ({ rows }) => rowsOf(rows), true],
  ['destination', ({ destination }) => visible(destination), false],
];

/** The summary for a terminal: a table, changes of columns, and what comes next. */
export function summaryTable(summary: RunSummary, measure: (text: string) => number): string {
  const { tables, look } = summary;
  const columns = COLUMNS.filter(([, cell]) => tables.some((table) => cell(table) !== ''));
  const cells = columns.map(([title, cell]) => [title, ...tables.map(cell)]);
  const widths = cells.map((column) => Math.max(...column.map(measure)));
  const lines = [undefined, ...tables].map((_, row) =>
    columns
      .map(([, , isNumber], at) => {
        const cell = cells[at]?.[row] ?? '';
        const blanks = ' '.repeat(Math.max(0, (widths[at] ?? 0) - measure(cell)));
        return isNumber ? blanks + cell : cell + blanks;
      })
      .join('  ')
      .trimEnd(),
  );
  return [
    ...(tables.length === 0 ? ['Nothing arrived.'] : lines),
    ...tables.flatMap(({ name, changes }) => changes.map((change) => `${visible(name)}: column ${changeText(change)}`)),
    workOf(summary),
    ...look.map((command) => `Look at it: ${visible(command)}`),
    '',
  ].join('\n');
}

/** The summary as one entry of a log. */
export function summaryLine(summary: RunSummary): string {
  const tables = summary.tables.map(({ destination, name, rows, changes }) => {
    const columns = changes.length === 0 ? '' : ` (column ${changes.map(changeText).join(', ')})`;
    return `${destination}: ${name}${rows === undefined ? '' : `: ${counted(rows, 'row')}`}${columns}`;
  });
  const stored = tables.length === 0 ? '' : `Stored ${tables.join('; ')}. `;
  const look = summary.look.length === 0 ? '' : ` Look at it: ${summary.look.join(' or ')}`;
  return `${stored}Took ${workOf(summary)}.${look}`;
}
