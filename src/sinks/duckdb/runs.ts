import type { Json } from '../../core/model';
import { recordedText, RUN_COLUMN_NAMES, RUN_COLUMNS } from '../run-record';
import type { RunColumnKind, RunRecord } from '../run-record';
import { exists } from './connection';
import type { Database } from './connection';
import { literal, quoted } from './sql';

/** The runs that were committed to a database: a table with a row each. */
export interface RunsTable {
  /** Adds a row, in the transaction that commits the run. */
  readonly add: (record: RunRecord) => Promise<void>;
  readonly has: (run: string) => Promise<boolean>;
}

const RUNS = 'runs';
const TYPES: Readonly<Record<RunColumnKind, string>> = {
  text: 'VARCHAR',
  moment: 'TIMESTAMPTZ',
  number: 'DOUBLE',
  integer: 'BIGINT',
  json: 'JSON',
};

/**
 * @param schema the name of the schema of the table, which `add` needs
 * @example await runsTable(database, 'rivers', '_headwater').has('2024-06-01') // false
 */
export function runsTable(database: Database, catalog: string, schema: string): RunsTable {
  const table = `${quoted(catalog)}.${quoted(schema)}.${quoted(RUNS)}`;
  const definition = RUN_COLUMN_NAMES.map((name) => `${name} ${TYPES[RUN_COLUMNS[name]]}`).join(', ');
  return {
    add: async (record) => {
      await database.run(`CREATE TABLE IF NOT EXISTS ${table} (${definition}, PRIMARY KEY (run_id))`);
      const values = RUN_COLUMN_NAMES.map((name) => valueOf(record[name] ?? null, RUN_COLUMNS[name])).join(', ');
      await database.run(`INSERT OR REPLACE INTO ${table} (${RUN_COLUMN_NAMES.join(', ')}) VALUES (${values})`);
    },
    has: async (run) => {
      if (!(await exists(database, catalog, schema, RUNS))) return false;
      return (await database.rows(`SELECT 1 FROM ${table} WHERE run_id = ${literal(run)}`)).length > 0;
    },
  };
}

function valueOf(value: Json, kind: RunColumnKind): string {
  if (value === null) return 'NULL';
  return `CAST(${literal(recordedText(value, kind))} AS ${TYPES[kind]})`;
}
