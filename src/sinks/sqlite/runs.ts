import type { Json } from '../../core/model';
import { recordedText, RUN_COLUMN_NAMES, RUN_COLUMNS } from '../run-record';
import type { RunColumnKind, RunRecord } from '../run-record';
import type { Cell, Connection } from './driver';

/** The table of the runs that were committed to a database, a row each: SQLite has no schemas. */
const RUNS = '_headwater_runs';
const TYPES: Readonly<Record<RunColumnKind, string>> = {
  text: 'TEXT',
  moment: 'TEXT',
  number: 'REAL',
  integer: 'INTEGER',
  json: 'TEXT',
};

/** Adds a row, in the transaction that commits the run. */
export function addRun(connection: Connection, record: RunRecord): void {
  const definition = RUN_COLUMN_NAMES.map((name) => `${name} ${TYPES[RUN_COLUMNS[name]]}`).join(', ');
  connection.exec(`CREATE TABLE IF NOT EXISTS ${RUNS} (${definition}, PRIMARY KEY (run_id)) STRICT`);
  const places = RUN_COLUMN_NAMES.map(() => '?').join(', ');
  const insert = connection.prepare(`INSERT OR REPLACE INTO ${RUNS} VALUES (${places})`);
  insert.run(...RUN_COLUMN_NAMES.map((name) => cellOf(record[name] ?? null, RUN_COLUMNS[name])));
}

/** Tells whether a run of this id was ever committed. */
export function hasRun(connection: Connection, run: string): boolean {
  if (connection.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').all(RUNS).length === 0) return false;
  return connection.prepare(`SELECT 1 FROM ${RUNS} WHERE run_id = ?`).all(run).length > 0;
}

function cellOf(value: Json, kind: RunColumnKind): Cell {
  if (value === null) return null;
  if (kind === 'integer' && typeof value === 'number') return BigInt(value);
  if (kind === 'number' && typeof value === 'number') return value;
  return recordedText(value, kind);
}
