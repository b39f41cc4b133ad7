import { quoted } from '../../core/json/sql-name';
import type { Client } from 'pg';
import { namesOf } from '../../tables/schema/changes';
import { RECORD_COLUMNS, RUN_RECORD_COLUMNS, parseRunRecord, recordedTexts } from '../run-record';
import type { RunRecord } from '../run-record';
import type { PostgresAddress } from './address';
import { makeOwnTable } from './names';
import { sqlTypeOf } from './table';

/**
 * The runs that were committed to a database: a table with one row for each.
 *
 * @example await postgresRuns(address).recordOf(client, '2024-06-01') // undefined
 */
export function postgresRuns({ journalSchema, destination }: PostgresAddress) {
  const table = `${quoted(journalSchema)}.runs`;
  const names = namesOf(RECORD_COLUMNS);
  const columns = RECORD_COLUMNS.map(({ name, type }) => `${name} ${sqlTypeOf(type)}`).join(', ');
  return {
    /** Creates the table if it does not exist, in an existing schema. */
    prepare: (client: Client): Promise<void> =>
      makeOwnTable(client, table, `destination text, ${columns}, PRIMARY KEY (destination, run_id)`),
    /** Adds a row, in the transaction that commits the run. */
    add: async (client: Client, record: RunRecord): Promise<void> => {
      const places = names.map((_, at) => `$${at + 2}`).join(', ');
      const changes = names.map((name) => `${name} = excluded.${name}`).join(', ');
      // jsonb does not accept U+0000, which a name may contain.
      const values = recordedTexts(record).map((text, at) =>
        RECORD_COLUMNS[at]?.type === 'json' ? text?.replaceAll('\\u0000', '\\ufffd') : text,
      );
      await client.query(
        `INSERT INTO ${table} (destination, ${names.join(', ')}) VALUES ($1, ${places})
         ON CONFLICT (destination, run_id) DO UPDATE SET ${changes}`,
        [destination, ...values],
      );
    },
    recordOf: async (client: Client, run: string): Promise<RunRecord | undefined> => {
      const texts = RUN_RECORD_COLUMNS.map((name) => `${name}::text`).join(', ');
      const { rows } = await client.query<unknown[]>({
        text: `SELECT ${texts} FROM ${table} WHERE destination = $1 AND run_id = $2`,
        values: [destination, run],
        rowMode: 'array',
      });
      const [found] = rows;
      return found === undefined ? undefined : parseRunRecord(found);
    },
  };
}
