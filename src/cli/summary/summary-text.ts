import type { Stored } from '../..';
import { retriesOf } from '../progress/job-parts';
import { counted, durationOf, number, sizeOf, visible } from '../progress/words';
import { changeText } from './summary';
import type { CallsSummary, RunSummary, TableSummary } from './summary';

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

/** This tells whether a table has the rows of the run and nothing else happened to it: then their number says all. */
const isNew = ({ rows, added, changed = 0, unchanged = 0, removed = 0, total }: Stored): boolean =>
  rows === (added ?? rows) && rows === (total ?? rows) && changed + unchanged + removed === 0;

const rowsOf = (count: number | undefined): string => (count === undefined ? '' : number(count));

/** The columns of the table; those that no destination knows are left out. */
const COLUMNS: readonly (readonly [title: string, cell: (table: TableSummary) => string, isNumber: boolean])[] = [
  ['table', ({ name }) => visible(name), false],
  ['rows', ({ rows }) => rowsOf(rows), true],
  ['added', ({ added }) => rowsOf(added), true],
  ['changed', ({ changed }) => rowsOf(changed === 0 ? undefined : changed), true],
  ['unchanged', ({ unchanged }) => rowsOf(unchanged === 0 ? undefined : unchanged), true],
  ['removed', ({ removed }) => rowsOf(removed === 0 ? undefined : removed), true],
  ['in all', ({ total }) => rowsOf(total), true],
  ['destination', ({ destination }) => visible(destination), false],
];

/** The columns that only tell more where a table had rows before. */
const OF_OLD = ['added', 'in all'];

/** @example repeatedText(table) // '4,001 items made 3,990 rows: 11 gave way to a later one with the same key' */
function repeatedText({ rows, repeated = 0 }: TableSummary): string | undefined {
  if (rows === undefined || repeated === 0) return undefined;
  return `${number(rows + repeated)} items made ${counted(rows, 'row')}: ${number(repeated)} gave way to a later one with the same key`;
}

/** This tells whether more than half of the items gave way. */
const isMostRepeated = ({ rows = 0, repeated = 0 }: TableSummary): boolean => repeated > rows;

/** @example callsText(calls) // 'levels: 2,401 of 4,001 calls had no items' */
const callsText = ({ job, calls, emptyCalls }: CallsSummary): string =>
  `${visible(job)}: ${emptyCalls === calls ? `none of ${number(calls)} calls had items` : `${number(emptyCalls)} of ${number(calls)} calls had no items`}`;

/** What there is to say of tables in sentences, but for {@link summaryWarnings}, each once: several destinations may have the same tables. */
const remarksOf = ({ tables }: RunSummary): readonly string[] => [
  ...new Set(
    tables.flatMap((table) => {
      const repeated = repeatedText(table);
      return repeated === undefined || isMostRepeated(table) ? [] : [`${visible(table.name)}: ${repeated}`];
    }),
  ),
];

/** What a person has to know of tables of which most rows gave way: it is the ordinary thing of a change log, and else a key that is none. */
export const summaryWarnings = ({ tables }: RunSummary): readonly string[] => [
  ...new Set(
    tables.flatMap((table) => {
      if (!isMostRepeated(table)) return [];
      const { name } = table;
      return [
        `${visible(name)}: ${repeatedText(table) ?? ''}. The primary key of the table may not tell its items apart.`,
      ];
    }),
  ),
];

/** The summary for a terminal: a table, changes of columns, and what comes next. */
export function summaryTable(summary: RunSummary, measure: (text: string) => number): string {
  const { tables, calls, look } = summary;
  const isPlain = tables.every(isNew);
  const columns = COLUMNS.filter(
    ([title, cell]) => !(isPlain && OF_OLD.includes(title)) && tables.some((table) => cell(table) !== ''),
  );
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
    ...remarksOf(summary),
    ...calls.map(callsText),
    workOf(summary),
    ...look.map((command) => `Look at it: ${visible(command)}`),
    '',
  ].join('\n');
}

/** What became of rows, in words; what is not known, or did not happen, is left out. */
function countsOf(table: Stored): string {
  if (isNew(table)) return '';
  const { added, changed = 0, unchanged = 0, removed = 0, total } = table;
  const words = [
    ...(added === undefined ? [] : [`${number(added)} added`]),
    ...(changed === 0 ? [] : [`${number(changed)} changed`]),
    ...(unchanged === 0 ? [] : [`${number(unchanged)} unchanged`]),
    ...(removed === 0 ? [] : [`${number(removed)} removed`]),
    ...(total === undefined ? [] : [`${number(total)} in all`]),
  ];
  return words.length === 0 ? '' : `, ${words.join(', ')}`;
}

/** The summary as one entry of a log, which has said of calls without items already. */
export function summaryLine(summary: RunSummary): string {
  const tables = summary.tables.map((table) => {
    const { destination, name, rows, changes } = table;
    const columns = changes.length === 0 ? '' : ` (column ${changes.map(changeText).join(', ')})`;
    return `${destination}: ${name}${rows === undefined ? '' : `: ${counted(rows, 'row')}`}${countsOf(table)}${columns}`;
  });
  const stored = tables.length === 0 ? '' : `Stored ${tables.join('; ')}. `;
  const look = summary.look.length === 0 ? '' : ` Look at it: ${summary.look.join(' or ')}`;
  const remarks = remarksOf(summary).map((remark) => `${remark}. `);
  return `${stored}${remarks.join('')}Took ${workOf(summary)}.${look}`;
}
