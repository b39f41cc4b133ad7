import { shortened } from '../../core/json/scalars';
import { quoted } from '../../core/json/sql-name';
import type { SchemaChange } from '../../core/durable-sink';
import { FatalError } from '../../core/errors/errors';
import type { Warn } from '../../language/parts/sink';
import { ROW_ID } from '../linked/places';
import { runColumn } from '../run-columns';
import type { ColumnNames } from './column-names';
import type { Column, KnownColumn } from './schema';

/** The names of columns and their types, in the spelling of the destination; and the JSON of the value that a type is for, if it is known. */
export type NamedTypes = readonly (readonly [name: string, type: string, cause?: string | undefined])[];

const typesByName = (columns: NamedTypes): ReadonlyMap<string, string> =>
  new Map(columns.map(([name, type]) => [name, type]));

/**
 * Returns the changes of the columns of a table.
 *
 * @example schemaChanges([['id', 'INTEGER']], [['id', 'BIGINT']])
 * // [{ change: 'type_changed', column: 'id', from: 'INTEGER', type: 'BIGINT' }]
 */
export function schemaChanges(before: NamedTypes, after: NamedTypes = before): readonly SchemaChange[] {
  const [old, made] = [typesByName(before), typesByName(after)];
  const added = after.flatMap(([column, type]): SchemaChange[] => {
    const from = old.get(column);
    if (from === undefined) return [{ change: 'column_added', column, type }];
    return from === type ? [] : [{ change: 'type_changed', column, from, type }];
  });
  const removed = before.filter(([column]) => !made.has(column));
  return [...added, ...removed.map(([column]): SchemaChange => ({ change: 'column_removed', column }))];
}

/**
 * Warns about each column of a table that a run adds, or changes to another type, for readers of the table.
 *
 * @param old the columns before the run; none: the table is new, and nothing has changed
 * @throws FatalError WARNINGS where warnings count as errors
 * @example warnOfSchemaChanges('orders', [['n', 'INTEGER']], [['n', 'VARCHAR', '"n/a"']], warn)
 */
export function warnOfSchemaChanges(table: string, old: NamedTypes, now: NamedTypes, warn: Warn | undefined): void {
  if (old.length === 0) return;
  const causes = new Map(now.map(([name, , cause]) => [name, cause]));
  for (const change of schemaChanges(old, now)) {
    const column = `the column ${JSON.stringify(change.column)} of the table ${JSON.stringify(table)}`;
    if (change.change === 'column_added') warn?.('TABLE_CHANGED', `${column} is new: ${change.type}.`);
    else if (change.change === 'type_changed') {
      const cause = causes.get(change.column);
      const why = cause === undefined ? '' : `, for the value ${shortened(cause, LONGEST_VALUE)}`;
      warn?.('TABLE_CHANGED', `${column} was ${change.from}, and is ${change.type} now${why}.`);
    }
  }
}

/** The maximum characters of a value in a warning. */
const LONGEST_VALUE = 60;

/** The columns of stored rows. */
export interface StoredColumns {
  readonly columns: readonly { readonly name: string }[];
  readonly keys: readonly string[];
  /** The members that the columns belong to; absent: unknown. */
  readonly names?: ColumnNames;
  /** True if the rows have ids that each run assigns again. */
  readonly isLinked?: boolean;
}

/**
 * Returns the names of the columns that decide whether a row differs from one with the same key. Columns of the run and ids of rows differ
 * in each run.
 *
 * @example comparedColumns({ columns: [{ name: 'id' }, { name: 'depth' }], keys: ['id'] }) // ['depth']
 */
export function comparedColumns({ columns, keys, names, isLinked = false }: StoredColumns): readonly string[] {
  const others = new Set(keys);
  for (const [raw, name] of names?.added ?? []) if (runColumn(raw) !== undefined) others.add(name);
  if (isLinked) others.add(ROW_ID);
  return columns.flatMap(({ name }) => (others.has(name) ? [] : name));
}

/** How rows of a run are found among those of a table that they take the place of as a whole. */
export interface Replacement {
  /** False if no row of the table has a key. */
  readonly hasKey: boolean;
  /** How equal keys are compared; absent: a column has another type, so that nobody knows which values are the same. */
  readonly compared?: {
    readonly both: readonly string[];
    /** The columns of one of them alone: values that the other table has not are the same as none. */
    readonly added: readonly string[];
    readonly removed: readonly string[];
  };
}

/**
 * Compares the columns of a table with those that take their place.
 *
 * @param compared the columns that decide whether a row differs, as {@link comparedColumns} returns them
 * @returns `undefined` if rows cannot be found by the key, since a column of it has another type
 */
export function replacementOf(
  before: NamedTypes,
  now: NamedTypes,
  { keys, compared }: { readonly keys: readonly string[]; readonly compared: readonly string[] },
): Replacement | undefined {
  const [old, made] = [typesByName(before), typesByName(now)];
  const isAlike = (name: string): boolean => old.get(name) === made.get(name);
  if (!keys.some((name) => old.has(name))) return { hasKey: false };
  if (!keys.every(isAlike)) return undefined;
  const both = compared.filter((name) => old.has(name));
  if (!both.every(isAlike)) return { hasKey: true };
  const removed = before.flatMap(([name]) => (made.has(name) || name === ROW_ID ? [] : [name]));
  return { hasKey: true, compared: { both, added: compared.filter((name) => !old.has(name)), removed } };
}

/** Returns the cells of the first row of a query. */
export type AskOne = (sql: string) => Promise<readonly unknown[]> | readonly unknown[];

/** The number of rows that are examined before all are. */
const SOME = 1000;

/**
 * Marks the columns in which no row has a value: their type is a guess, and the first values decide it. For a table without rows it is
 * unknown what it was made for.
 *
 * @param from the table in SQL
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

/**
 * Refuses to merge by a column of times that becomes one of strings: the original spelling of the existing ones is unknown, so that rows
 * with the same key would both stay.
 *
 * @param before the columns of the table
 * @param after the columns that the run needs
 * @throws FatalError DESTINATION_INCOMPATIBLE
 */
export function checkKeyTypes(
  table: string,
  key: readonly string[],
  before: readonly Column[],
  after: readonly Column[],
): void {
  const typeIn = (columns: readonly Column[], name: string): Column['type'] | undefined =>
    columns.find((column) => column.name === name)?.type;
  const lost = key.find((name) => {
    const had = typeIn(before, name);
    return (had === 'timestamp' || had === 'timestamptz') && typeIn(after, name) === 'text';
  });
  if (lost === undefined) return;
  const what =
    `The column ${JSON.stringify(lost)} of the primary key of the table ${JSON.stringify(table)} has times, and the run a value that is none: ` +
    'as texts, the times that are there would not be found by the spelling of the API';
  const remedy =
    'Take such items out of the response, or fill a new table ("tableName") with the type "string" for this column ("columnTypes"), and run again.';
  throw new FatalError('DESTINATION_INCOMPATIBLE', `${what}. Nothing was stored. ${remedy}`, { table });
}

/**
 * Refuses to merge into a table that has rows and lacks a column of the primary key: the rows of the run would replace none of them, and
 * all of these would stay beside the new ones.
 *
 * @param table the name, for users
 * @param key the columns of the primary key; none: nothing is refused
 * @param columns the names of the columns of the table
 * @param hasRows is called if a column is missing
 * @param hint a possible reason, as a sentence
 * @throws FatalError DESTINATION_INCOMPATIBLE
 * @example await checkOldKey('orders', ['id'], ['number', 'state'], () => true)
 */
export async function checkOldKey(
  table: string,
  key: readonly string[],
  columns: readonly string[],
  hasRows: () => boolean | Promise<boolean>,
  hint = '',
): Promise<void> {
  const missing = key.find((name) => !columns.includes(name));
  if (missing === undefined || !(await hasRows())) return;
  const what =
    `The table ${JSON.stringify(table)} has rows, but no column ${JSON.stringify(missing)}, which its primary key names: ` +
    'rows of the run would not take the place of those that are there';
  const remedy = 'Give the column its name back, or move the table away, and run again.';
  const message = [`${what}.`, ...(hint === '' ? [] : [hint]), 'Nothing was stored.', remedy].join(' ');
  throw new FatalError('DESTINATION_INCOMPATIBLE', message, { table });
}

/** Returns the names of columns. */
export const namesOf = (columns: readonly { readonly name: string }[]): readonly string[] =>
  columns.map(({ name }) => name);
