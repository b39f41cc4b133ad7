import type { KnownColumn } from './schema';

/** Gives the cells of the first row of a query. */
export type AskOne = (sql: string) => Promise<readonly unknown[]> | readonly unknown[];

/** Rows that are looked at before all are. */
const SOME = 1000;

/**
 * Marks the columns in which no row has a value: their type was made of nothing, and the first values give them theirs. Of a table
 * without rows nobody knows what it was made for.
 *
 * @param from the table as SQL has it
 * @param isAsked whether a column may get another type
 * @example await withEmptyMarked(columns, '"orders"', ask) // [{ name: 'note', type: 'text', isEmpty: true }]
 */
export async function withEmptyMarked<C extends KnownColumn>(
  columns: readonly C[],
  from: string,
  ask: AskOne,
  isAsked: (column: C) => boolean = ({ type }) => type === 'text',
): Promise<readonly C[]> {
  const names = columns.filter(isAsked).map(({ name }) => name);
  if (names.length === 0) return columns;
  const [rows] = await ask(`SELECT count(*) FROM (SELECT 1 FROM ${from} LIMIT 1) AS found`);
  if (Number(rows) === 0) return columns;
  const some = await withoutValues(names, `(SELECT ${names.map(quoted).join(', ')} FROM ${from} LIMIT ${SOME})`, ask);
  const empty = new Set(await withoutValues(some, from, ask));
  return columns.map((column) => (empty.has(column.name) ? { ...column, isEmpty: true } : column));
}

async function withoutValues(names: readonly string[], from: string, ask: AskOne): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const counts = await ask(`SELECT ${names.map((name) => `count(${quoted(name)})`).join(', ')} FROM ${from} AS found`);
  return names.filter((_, at) => Number(counts[at]) === 0);
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
