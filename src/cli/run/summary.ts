import type { Delivery, Log, RunSnapshot, SchemaChange, Stored } from '../..';
import { quoted } from '../output';
import { retriesOf, durationOf, sizeOf, visible } from './progress-parts';
import { counted, grouped } from '../../core/text';

/** The summary of one table. */
export interface TableSummary extends Omit<Stored, 'changes'> {
  readonly destination: string;
  readonly changes: readonly SchemaChange[];
}

/** The summary of a job with several calls, such as a child, of which at least one had no items. */
export interface CallsSummary {
  readonly job: string;
  readonly calls: number;
  readonly emptyCalls: number;
}

/** The summary of a run when everything is stored. */
export interface RunSummary {
  /** True if an earlier call has stored it: then the counts of this one say nothing of the run. */
  readonly alreadyCommitted: boolean;
  readonly tables: readonly TableSummary[];
  readonly calls: readonly CallsSummary[];
  readonly items: number;
  readonly requests: number;
  readonly retries: number;
  readonly logins: number;
  readonly bytes: number;
  readonly warnings: number;
  readonly milliseconds: number;
  /** A command for each destination that has one, which shows a table. */
  readonly look: readonly string[];
}

/**
 * @param tablesOfJobs the tables of the jobs, in the order of the configuration
 * @example summaryOf(delivery, snapshot, Date.now(), ['orders']).requests
 */
export function summaryOf(
  { stored, alreadyCommitted }: Delivery,
  run: RunSnapshot,
  now: number,
  tablesOfJobs: readonly string[],
): RunSummary {
  const { items, requests, retries, logins, bytes, warnings, startedAt = now, endedAt = now } = run;
  return {
    alreadyCommitted,
    tables: stored.flatMap(({ sink, tables }) =>
      tables.map(({ changes = [], ...table }) => ({ ...table, destination: sink, changes })),
    ),
    calls: run.jobs.flatMap(({ name: job, calls, emptyCalls }) =>
      calls > 1 && emptyCalls > 0 ? [{ job, calls, emptyCalls }] : [],
    ),
    ...{ items, requests, retries, logins, bytes, warnings, milliseconds: endedAt - startedAt },
    look: stored.flatMap(({ sink, tables }) => {
      const first = firstOf(tables, tablesOfJobs);
      return first === undefined ? [] : (lookAt(sink, first.name) ?? []);
    }),
  };
}

/** Returns the table of the first job with rows: tables of its lists, and of its children, may have more. */
function firstOf(tables: readonly Stored[], tablesOfJobs: readonly string[]): Stored | undefined {
  const filled = tables.filter(({ rows }) => rows !== 0);
  const ofJobs = tablesOfJobs.flatMap((name) => filled.find((table) => isOf(table, name)) ?? []);
  return ofJobs[0] ?? filled[0] ?? tables[0];
}

/** Returns whether a table, perhaps a file of a bucket, has the name. */
function isOf({ name }: Stored, table: string): boolean {
  const bare = name.replace(FILE_SUFFIX, '');
  return bare === table || bare.endsWith(`.${table}`) || bare.endsWith(`/${table}`);
}

/** @example changeText({ change: 'column_added', column: 'depth', type: 'DOUBLE' }) // 'depth added (DOUBLE)' */
function changeText(change: SchemaChange): string {
  const column = visible(change.column);
  switch (change.change) {
    case 'column_added':
      return `${column} added (${change.type})`;
    case 'column_removed':
      return `${column} removed`;
    case 'type_changed':
      return `${column} is now ${change.type} (was ${change.from})`;
  }
}

/**
 * Returns a command that shows a table of a destination; absent: there is none.
 *
 * @param sink the name of the destination, without credentials
 * @example lookAt('duckdb:rivers.duckdb', 'levels') // `headwater query rivers.duckdb 'select * from "levels" limit 10'`
 */
export function lookAt(sink: string, table: string): string | undefined {
  const [kind = '', ...rest] = sink.split(':');
  const place = rest.join(':');
  const select = (name: string): string => quoted(`select * from ${identifier(name)} limit 10`);
  if (kind === 'postgres' || kind === 'postgresql')
    return `psql ${quoted(withoutOwn(sink))} -c ${select(inSchema(sink, table))}`;
  if (kind === 'nats' || kind === 'tls') return lookAtStream(sink, table);
  if (place.startsWith('s3://')) return lookInBucket(place, table);
  if (place === '' || place === '-' || place.includes('://')) return undefined;
  if (kind === 'sqlite') return `sqlite3 ${quoted(place)} ${select(table)}`;
  if (kind === 'duckdb') return `headwater query ${quoted(place)} ${select(table)}`;
  if (kind === 'csv' || kind === 'parquet' || kind === 'ndjson')
    return `headwater query ${quoted(place)} ${select(table.replace(FILE_SUFFIX, ''))}`;
  return undefined;
}

/** Returns a command of NATS that shows the last messages of a subject. */
function lookAtStream(sink: string, subject: string): string | undefined {
  const [, server, stream] = /^(.*:\/\/[^/]+)\/([^/?]+)/.exec(sink) ?? [];
  if (server === undefined || stream === undefined) return undefined;
  return `nats --server ${quoted(server)} stream view ${quoted(stream)} --subject ${quoted(subject)}`;
}

/** Returns a command of Amazon that shows the first lines of an object; for Parquet files, one that lists them. */
function lookInBucket(place: string, table: string): string {
  const object = quoted(`${place}/${table}`);
  if (!FILE_SUFFIX.test(table)) return `aws s3 ls --recursive ${object}`;
  return `aws s3 cp ${object} - |${table.endsWith('.gz') ? ' gunzip |' : ''} head -n 5`;
}

/** Matches the suffix of a file that is named after its table. */
const FILE_SUFFIX = /\.(csv|parquet|ndjson|jsonl)(\.(gz|zst))?$/;

const identifier = (name: string): string =>
  name
    .split('\0')
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.');

/** Returns an address without our own parameters, which `psql` does not know. */
const withoutOwn = (name: string): string => name.split('?')[0] ?? name;

function inSchema(name: string, table: string): string {
  const schema = new URLSearchParams(name.split('?')[1] ?? '').get('schema');
  return schema === null ? table : `${schema}\0${table}`;
}

/** Returns the requests of a run in words; absent: an earlier call has made them. */
function workOf(summary: RunSummary): string | undefined {
  const { items, requests, retries, logins, bytes, warnings, milliseconds } = summary;
  if (summary.alreadyCommitted) return undefined;
  return [
    counted(items, 'item'),
    counted(requests, 'request'),
    ...(retries === 0 ? [] : [retriesOf(retries)]),
    ...(logins === 0 ? [] : [counted(logins, 'login')]),
    ...(warnings === 0 ? [] : [counted(warnings, 'warning')]),
    ...(bytes === 0 ? [] : [sizeOf(bytes)]),
    durationOf(milliseconds),
  ].join(', ');
}

/** Returns whether a table has the rows of the run and no others: then their number is enough. */
const isNew = ({ rows, added, changed = 0, unchanged = 0, removed = 0, total }: Stored): boolean =>
  rows === (added ?? rows) && rows === (total ?? rows) && changed + unchanged + removed === 0;

const rowsOf = (count: number | undefined): string => (count === undefined ? '' : grouped(count));

/** The columns of the table; those without any value are left out. */
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

/** The columns that are useful only for a table that had rows before. */
const OF_OLD = ['added', 'in all'];

/** @example repeatedText(table) // '4,001 items made 3,990 rows: 11 gave way to a later one with the same key' */
function repeatedText({ rows, repeated = 0 }: TableSummary): string | undefined {
  if (rows === undefined || repeated === 0) return undefined;
  return `${grouped(rows + repeated)} items made ${counted(rows, 'row')}: ${grouped(repeated)} gave way to a later one with the same key`;
}

/** Returns whether more than half of the items were replaced by later ones. */
const isMostRepeated = ({ rows = 0, repeated = 0 }: TableSummary): boolean => repeated > rows;

/** @example callsText(calls) // 'levels: 2,401 of 4,001 calls had no items' */
const callsText = ({ job, calls, emptyCalls }: CallsSummary): string =>
  `${visible(job)}: ${emptyCalls === calls ? `none of ${grouped(calls)} calls had items` : `${grouped(emptyCalls)} of ${grouped(calls)} calls had no items`}`;

/** Returns sentences about tables, except those of {@link summaryWarnings}, each once: several destinations may have the same tables. */
const remarksOf = ({ tables }: RunSummary): readonly string[] => [
  ...new Set(
    tables.flatMap((table) => {
      const repeated = repeatedText(table);
      return repeated === undefined || isMostRepeated(table) ? [] : [`${visible(table.name)}: ${repeated}`];
    }),
  ),
];

/**
 * Returns warnings about tables most of whose rows were replaced: this is normal for a change log, and otherwise means that the key is
 * wrong.
 */
export const summaryWarnings = ({ tables }: RunSummary): readonly string[] => [
  ...new Set(
    tables.flatMap((table) => {
      if (!isMostRepeated(table)) return [];
      const { name } = table;
      return [
        `${visible(name)}: ${repeatedText(table) ?? ''}. The primary key of the table may not distinguish its items.`,
      ];
    }),
  ),
];

/** Returns the summary for a terminal: a table, changes of columns, and the next steps. */
export function summaryTable(summary: RunSummary, measure: (text: string) => number): string {
  const { tables, calls, look } = summary;
  const work = workOf(summary);
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
    ...(work === undefined ? [] : [work]),
    ...look.map((command) => `Look at it: ${visible(command)}`),
    '',
  ].join('\n');
}

/** Returns the counts of rows in words; unknown and zero ones are left out. */
function countsOf(table: Stored): string {
  if (isNew(table)) return '';
  const { added, changed = 0, unchanged = 0, removed = 0, total } = table;
  const words = [
    ...(added === undefined ? [] : [`${grouped(added)} added`]),
    ...(changed === 0 ? [] : [`${grouped(changed)} changed`]),
    ...(unchanged === 0 ? [] : [`${grouped(unchanged)} unchanged`]),
    ...(removed === 0 ? [] : [`${grouped(removed)} removed`]),
    ...(total === undefined ? [] : [`${grouped(total)} in all`]),
  ];
  return words.length === 0 ? '' : `, ${words.join(', ')}`;
}

/** Returns the summary as one entry of a log, which already contains the calls without items. */
export function summaryLine(summary: RunSummary): string {
  const tables = summary.tables.map((table) => {
    const { destination, name, rows, changes } = table;
    const columns = changes.length === 0 ? '' : ` (column ${changes.map(changeText).join(', ')})`;
    return `${destination}: ${name}${rows === undefined ? '' : `: ${counted(rows, 'row')}`}${countsOf(table)}${columns}`;
  });
  const work = workOf(summary);
  return [
    ...(tables.length === 0 ? [] : [`Stored ${tables.join('; ')}.`]),
    ...remarksOf(summary).map((remark) => `${remark}.`),
    ...(work === undefined ? [] : [`Took ${work}.`]),
    ...(summary.look.length === 0 ? [] : [`Look at it: ${summary.look.join(' or ')}`]),
  ].join(' ');
}

/** The outputs of the summary of a run. */
export interface SummaryPlaces {
  /** Writes the table to a terminal; absent: there is none. */
  readonly write?: (text: string) => unknown;
  readonly log: Log;
  /** True if the log contains the summary as an entry, because it is read later, or the table is not shown. */
  readonly isLogged: boolean;
}

/**
 * Shows the summary of a run once: as a table at a terminal, as one entry in a log that goes elsewhere.
 *
 * @returns the number of warnings in the log about it
 */
export async function showSummary(
  delivery: Delivery,
  run: RunSnapshot,
  tablesOfJobs: readonly string[],
  { write, log, isLogged }: SummaryPlaces,
): Promise<number> {
  const summary = summaryOf(delivery, run, Date.now(), tablesOfJobs);
  if (write !== undefined) write(summaryTable(summary, (await import('string-width')).default));
  if (isLogged) log.log('info', summaryLine(summary), { event: 'summary', run: delivery.runId, ...summary });
  const warnings = summaryWarnings(summary);
  for (const warning of warnings) log.log('warn', warning, { event: 'warning', run: delivery.runId });
  return warnings.length;
}
