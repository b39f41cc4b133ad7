import { quoted } from '../../core/json/sql-name';
import { textOf } from '../../core/json/scalars';
import type { Json } from '../../core/model';
import { firstLine } from '../../sinks/duckdb/connection';
import type { ColumnSummary, DataColumn, TableSummary } from './model';

/** A source for summaries of tables. */
export interface SummarySource {
  readonly columnsOf: (table: string) => Promise<readonly DataColumn[]>;
  /** Returns the first row of a statement. */
  readonly one: (sql: string) => Promise<readonly Json[]>;
  /** Returns SQL that estimates the number of different values of a column of a large table; absent: they can only be counted. */
  readonly estimate?: (column: string) => string;
  readonly text: (expression: string) => string;
}

/** The number of rows up to which different values are counted. */
const COUNTED = 1_000_000;
/** The maximum number of columns in one statement. */
const AT_ONCE = 50;

/**
 * Returns the summary of each column of each table.
 *
 * @param tables their names in SQL
 */
export async function summaryOf(tables: readonly string[], source: SummarySource): Promise<readonly TableSummary[]> {
  const summaries: TableSummary[] = [];
  for (const table of tables)
    summaries.push(await tableSummary(table, source).catch((cause: unknown) => unreadable(table, cause)));
  return summaries;
}

/** Returns the summary of an unreadable table, such as a view of a missing table; the others are summarized all the same. */
const unreadable = (table: string, cause: unknown): TableSummary => ({
  ...{ table: unquoted(table), rows: 0, columns: [] },
  unreadable: firstLine(cause),
});

async function tableSummary(table: string, source: SummarySource): Promise<TableSummary> {
  const [counted = 0] = await source.one(`SELECT count(*) FROM ${table}`);
  const rows = Number(counted);
  const columns = await source.columnsOf(table);
  const summaries: ColumnSummary[] = [];
  for (let from = 0; from < columns.length; from += AT_ONCE)
    summaries.push(...(await columnSummaries(table, rows, columns.slice(from, from + AT_ONCE), source)));
  return { table: unquoted(table), rows, columns: summaries };
}

async function columnSummaries(
  table: string,
  rows: number,
  columns: readonly DataColumn[],
  { one, estimate, text }: SummarySource,
): Promise<readonly ColumnSummary[]> {
  const isEstimate = rows > COUNTED && estimate !== undefined;
  const asked = columns.flatMap(({ name }) => {
    const column = quoted(name);
    const distinct = isEstimate ? estimate(column) : `count(DISTINCT ${column})`;
    return [`count(${column})`, distinct, text(`min(${column})`), text(`max(${column})`)];
  });
  const found = await one(`SELECT ${asked.join(', ')} FROM ${table}`);
  return columns.map((column, at) => {
    const [count, distinct, least = null, most = null] = found.slice(at * 4, at * 4 + 4);
    return {
      ...column,
      ...{ count: Number(count), nulls: rows - Number(count), distinct: Number(distinct), isEstimate },
      ...(least === null || most === null ? {} : { least: asText(least), most: asText(most) }),
    };
  });
}

const asText = (value: Json): string => (typeof value === 'object' ? '' : textOf(value));

/** Returns `"main"."a"` without quotes, as users write it. */
export const unquoted = (table: string): string =>
  table.replace(/"((?:[^"]|"")*)"/g, (_, name: string) => name.replaceAll('""', '"'));
