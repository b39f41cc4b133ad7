import { quoted } from '../../core/json/sql-name';
import type { Client } from 'pg';
import { stringifyJson } from '../../core/json/stringify';
import { isScalar, textOf } from '../../core/json/scalars';
import type { Json } from '../../core/model';
import { RUN_COLUMN_NAMES, RUN_COLUMNS, RUN_RECORD_COLUMNS, parseRunRecord } from '../run-record';
import type { RunColumnKind, RunRecord } from '../run-record';
import type { PostgresAddress } from './address';
import { lockOf, exists } from './names';
import { inTransaction } from './session';

/** The runs that were committed to a database: a table with one row for each. */
export interface PostgresRuns {
  /** Creates the table if it does not exist, in an existing schema. */
  readonly prepare: (client: Client) => Promise<void>;
  /** Adds a row, in the transaction that commits the run. */
  readonly add: (client: Client, record: RunRecord) => Promise<void>;
  readonly recordOf: (client: Client, run: string) => Promise<RunRecord | undefined>;
}

const TYPES: Readonly<Record<RunColumnKind, string>> = {
  text: 'text',
  moment: 'timestamptz',
  number: 'double precision',
  integer: 'bigint',
  json: 'jsonb',
};

/** @example await postgresRuns(address).recordOf(client, '2024-06-01') // undefined */
export function postgresRuns({ journalSchema, destination }: PostgresAddress): PostgresRuns {
  const table = `${quoted(journalSchema)}.runs`;
  const names = ['destination', ...RUN_COLUMN_NAMES];
  const columns = RUN_COLUMN_NAMES.map((name) => `${name} ${TYPES[RUN_COLUMNS[name]]}`).join(', ');
  const isThere = (client: Client): Promise<boolean> => exists(client, 'regclass', table);
  const make = async (client: Client): Promise<void> => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [lockOf('make')]);
    if (!(await isThere(client)))
      await client.query(`CREATE TABLE ${table} (destination text, ${columns}, PRIMARY KEY (destination, run_id))`);
  };
  return {
    prepare: async (client) => {
      if (!(await isThere(client))) await inTransaction(client, () => make(client));
    },
    add: async (client, record) => {
      const values = RUN_COLUMN_NAMES.map((name) => valueOf(record[name] ?? null, RUN_COLUMNS[name]));
      const places = names.map((_, at) => `$${at + 1}`).join(', ');
      const changes = RUN_COLUMN_NAMES.map((name) => `${name} = excluded.${name}`).join(', ');
      await client.query(
        `INSERT INTO ${table} (${names.join(', ')}) VALUES (${places})
         ON CONFLICT (destination, run_id) DO UPDATE SET ${changes}`,
        [destination, ...values],
      );
    },
    recordOf: async (client, run) => {
      const texts = RUN_RECORD_COLUMNS.map((name) => `${name}::text`).join(', ');
      const { rows } = await client.query<Readonly<Record<string, unknown>>>(
        `SELECT ${texts} FROM ${table} WHERE destination = $1 AND run_id = $2`,
        [destination, run],
      );
      const [found] = rows;
      return found === undefined ? undefined : parseRunRecord(RUN_RECORD_COLUMNS.map((name) => found[name]));
    },
  };
}

function valueOf(value: Json, kind: RunColumnKind): string | null {
  if (value === null) return null;
  if (kind !== 'json' && isScalar(value)) return textOf(value);
  // jsonb does not accept U+0000, which a name may contain.
  return stringifyJson(value).replaceAll('\\u0000', '\\ufffd');
}
