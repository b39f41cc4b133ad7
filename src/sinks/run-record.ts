/** The record of a committed run: a row of the table `runs` in the schema `_headwater`, or a line of `.headwater/runs.ndjson`. */
import type { RunFacts, RunManifest, Stored } from '../core/durable-sink';
import { stringifyJson } from '../core/json/stringify';
import { knownCounts } from './row-counts';
import { isScalar, textOf } from '../core/json/scalars';
import type { Json, JsonObject } from '../core/model';

/** The columns of the table, with the kinds of their values; times are ISO 8601 in UTC. */
export const RUN_COLUMNS = {
  run_id: 'text',
  configuration: 'text',
  started_at: 'moment',
  committed_at: 'moment',
  duration_seconds: 'number',
  outcome: 'text',
  requests: 'integer',
  retries: 'integer',
  warnings: 'integer',
  pages: 'integer',
  resumed_pages: 'integer',
  items: 'integer',
  tables: 'json',
  schema_changes: 'json',
  headwater_version: 'text',
} as const;

type RunColumn = keyof typeof RUN_COLUMNS;

/** The kind of the values of a column. */
export type RunColumnKind = (typeof RUN_COLUMNS)[RunColumn];

/** A committed run: a value for each column, `null` if it is unknown. */
export type RunRecord = JsonObject;

/** The names of the columns in their order. */
export const RUN_COLUMN_NAMES = Object.keys(RUN_COLUMNS) as readonly RunColumn[];

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
      ...{ name, ...(rows === undefined ? {} : { rows }), ...(repeated === undefined ? {} : { repeated }) },
      ...knownCounts(counts),
    })),
    schema_changes: stored.flatMap(({ name, changes = [] }) => changes.map((change) => ({ table: name, ...change }))),
    headwater_version: facts?.version ?? null,
  };
}

/** Returns the string of a value of a column that is not null; JSON is its text. */
export const recordedText = (value: Json, kind: RunColumnKind): string =>
  kind !== 'json' && isScalar(value) ? textOf(value) : stringifyJson(value);
