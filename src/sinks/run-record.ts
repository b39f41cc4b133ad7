/** The record of a committed run: a row of the table `runs` in the schema `_headwater`, or a line of `.headwater/runs.ndjson`. */
import type { CommittedRun, RunFacts, RunManifest, SchemaChange, Stored } from '../core/durable-sink';
import type { Outcome } from '../core/events';
import { defined, isList, isObject } from '../core/json/objects';
import { parseJson } from '../core/json/parse';
import { isScalar, textOf } from '../core/json/scalars';
import { stringifyJson } from '../core/json/stringify';
import type { Json, JsonObject } from '../core/model';
import type { ColumnType } from '../tables/schema/column-type';
import type { Column } from '../tables/schema/schema';
import { knownCounts } from './row-counts';

/** The columns of the table with their types; times are ISO 8601 in UTC. */
const RUN_COLUMNS = {
  run_id: 'text',
  configuration: 'text',
  started_at: 'timestamptz',
  committed_at: 'timestamptz',
  duration_seconds: 'double',
  outcome: 'text',
  requests: 'bigint',
  retries: 'bigint',
  warnings: 'bigint',
  pages: 'bigint',
  resumed_pages: 'bigint',
  items: 'bigint',
  tables: 'json',
  schema_changes: 'json',
  headwater_version: 'text',
} as const satisfies Readonly<Record<string, ColumnType>>;

/** The columns of the table in their order. */
export const RECORD_COLUMNS: readonly Column[] = Object.entries(RUN_COLUMNS).map(([name, type]) => ({ name, type }));

/** A committed run: a value for each column, `null` if it is unknown. */
export type RunRecord = JsonObject;

/**
 * Returns the record of a run that is being committed now.
 *
 * @param facts absent: unknown
 * @param stored the counts of its tables
 * @example runRecord(manifest, facts, [{ name: 'items', rows: 7 }]).tables // [{ name: 'items', rows: 7 }]
 */
export function runRecord(
  { id, startedAt }: RunManifest,
  facts: RunFacts | undefined,
  stored: readonly Stored[],
): RunRecord {
  const now = Date.now();
  return {
    run_id: id,
    configuration: facts?.configuration ?? null,
    started_at: new Date(startedAt * 1000).toISOString(),
    committed_at: new Date(now).toISOString(),
    duration_seconds: Math.max(0, Math.round(now - startedAt * 1000) / 1000),
    outcome: facts?.outcome ?? null,
    requests: facts?.requests ?? null,
    retries: facts?.retries ?? null,
    warnings: facts?.warnings ?? null,
    pages: facts?.pages ?? null,
    resumed_pages: facts?.resumedPages ?? null,
    items: facts?.items ?? null,
    tables: stored.map(({ name, rows, repeated, ...counts }) => ({
      ...defined({ name, rows, repeated }),
      ...knownCounts(counts),
    })),
    schema_changes: stored.flatMap(({ name, changes = [] }) => changes.map((change) => ({ table: name, ...change }))),
    headwater_version: facts?.version ?? null,
  };
}

/** Returns the values of a record in the order of {@link RECORD_COLUMNS}, as strings or null; JSON is its text. */
export const recordedTexts = (record: RunRecord): readonly (string | null)[] =>
  RECORD_COLUMNS.map(({ name, type }) => {
    const value = record[name] ?? null;
    if (value === null) return null;
    return type !== 'json' && isScalar(value) ? textOf(value) : stringifyJson(value);
  });

const OUTCOMES: Readonly<Record<Outcome, true>> = {
  complete: true,
  stopped: true,
  doubtful: true,
  incomplete: true,
  failed: true,
};

const isOutcome = (value: Json | undefined): value is Outcome =>
  typeof value === 'string' && Object.hasOwn(OUTCOMES, value);

/**
 * Returns the result of a committed run from its record; nothing where the record was edited. Earlier versions recorded an incomplete run
 * that was committed as asked with that word, which is now doubtful.
 */
export function committedRun({ outcome, tables = [], schema_changes: changes = [] }: RunRecord): CommittedRun {
  const stored = isList(tables) ? tables.flatMap((table) => storedIn(table, isList(changes) ? changes : [])) : [];
  if (!isOutcome(outcome)) return { stored };
  return { outcome: outcome === 'incomplete' || outcome === 'failed' ? 'doubtful' : outcome, stored };
}

const STORED_NUMBERS = ['rows', 'repeated', 'added', 'changed', 'unchanged', 'removed', 'total'] as const;

function storedIn(table: Json, all: readonly Json[]): readonly Stored[] {
  if (!isObject(table) || typeof table['name'] !== 'string') return [];
  const { name } = table;
  const numbers = STORED_NUMBERS.flatMap((key) => {
    const number = table[key];
    return typeof number === 'number' ? [[key, number] as const] : [];
  });
  const changes = all.flatMap((change) => (isObject(change) && change['table'] === name ? changeIn(change) : []));
  return [{ name, ...Object.fromEntries(numbers), ...(changes.length === 0 ? {} : { changes }) }];
}

function changeIn({ change, column, type, from }: JsonObject): readonly SchemaChange[] {
  if (typeof column !== 'string') return [];
  if (change === 'column_removed') return [{ change, column }];
  if (typeof type !== 'string') return [];
  if (change === 'column_added') return [{ change, column, type }];
  return change === 'type_changed' && typeof from === 'string' ? [{ change, column, from, type }] : [];
}

/** The columns that {@link committedRun} needs of a database. */
export const RUN_RECORD_COLUMNS = [
  'outcome',
  'tables',
  'schema_changes',
] as const satisfies readonly (keyof typeof RUN_COLUMNS)[];

/** Returns the record of these columns, whose values are texts or null. */
export const parseRunRecord = (texts: readonly unknown[]): RunRecord =>
  Object.fromEntries(
    RUN_RECORD_COLUMNS.map((name, at) => {
      const text = texts[at] ?? null;
      if (typeof text !== 'string') return [name, null];
      return [name, RUN_COLUMNS[name] === 'json' ? parseJson(text) : text];
    }),
  );
