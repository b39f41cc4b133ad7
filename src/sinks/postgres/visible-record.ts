/** The rows of an uncommitted run that are already visible, by `visibility: "page"` (docs/sinks.md#rows-before-the-commit). */
import { quoted } from '../../core/json/sql-name';
import type { Client } from 'pg';
import type { JsonObject } from '../../core/model';
import type { NamedTypes } from '../../tables/schema/changes';
import type { PostgresAddress } from './address';
import { exists, makeOwnTable } from './names';
import { stateIn, stateText } from './pages';

/** A table with rows of the run. */
export interface VisibleTable {
  readonly name: string;
  /** The parent table; absent: it is a table of items. */
  readonly parent?: string;
  /** The columns with the id of the load; none in a table with a parent. */
  readonly columns: readonly string[];
  readonly rows: number;
  /** The names of columns that wait for a value, some of which may exist by now. */
  readonly awaited: readonly string[];
  /** The columns of the table before the run; empty: it did not exist. */
  readonly before: NamedTypes;
}

/** The visible part of the run. */
export interface VisibleRows {
  /** The value of its rows in the column of the load; it is unique to the run. */
  readonly loadId: string;
  readonly run: string;
  /** The number of the last page with visible rows; -1: there is none. */
  readonly seq: number;
  /** True if pages with visible rows were superseded since. */
  readonly isStale: boolean;
  /** The tables, parents before their children. */
  readonly tables: readonly VisibleTable[];
  /** The places of columns with chosen types that items have had. */
  readonly met: readonly string[];
  /** The structure of the tables by now, in the form of the state after a commit. */
  readonly structure: JsonObject;
}

type Place = Pick<PostgresAddress, 'journalSchema' | 'destination'>;

const tableIn = ({ journalSchema }: Pick<Place, 'journalSchema'>): string => `${quoted(journalSchema)}.shown`;

/**
 * Returns the SQL that records that visible rows are superseded, `$1` being the destination.
 *
 * @param superseded the source of the numbers of the superseded pages, in SQL
 */
export const staleIf = (address: Pick<Place, 'journalSchema'>, superseded: string): string =>
  `UPDATE ${tableIn(address)} s SET stale = true
     WHERE s.destination = $1 AND EXISTS (SELECT FROM ${superseded} p WHERE p.seq <= s.seq)`;

const COLUMNS = `destination text PRIMARY KEY, load_id text NOT NULL, run_id text NOT NULL, seq bigint NOT NULL,
  stale boolean NOT NULL, detail text NOT NULL`;

type Shown = Pick<VisibleRows, 'loadId' | 'run' | 'isStale'>;
type Detail = Pick<VisibleRows, 'tables' | 'met' | 'structure'>;

/** The record of the rows that are visible before the commit. It changes in the transactions that change the rows. */
export type VisibleRecord = ReturnType<typeof shownRecord>;

/** @example await shownRecord(address).read(client) // { loadId: '…', seq: 41, … } */
export function shownRecord(address: Place) {
  const { destination } = address;
  const table = tableIn(address);
  let hasTable = false;
  return {
    /**
     * Creates the table if it does not exist; its schema exists.
     *
     * @param isNeeded whether rows will be shown; otherwise the table is only looked for, since not every user may create tables
     */
    prepare: async (client: Client, isNeeded: boolean): Promise<void> => {
      if (isNeeded) await makeOwnTable(client, table, COLUMNS);
      hasTable = isNeeded || (await exists(client, 'regclass', table));
    },
    read: async (client: Client): Promise<VisibleRows | undefined> => {
      if (!hasTable) return undefined;
      const { rows } = await client.query<Shown & { readonly seq: string; readonly detail: string }>(
        `SELECT load_id AS "loadId", run_id AS run, seq, stale AS "isStale", detail FROM ${table}
           WHERE destination = $1 FOR UPDATE`,
        [destination],
      );
      const [row] = rows;
      if (row === undefined) return undefined;
      const { seq, detail, ...shown } = row;
      const kept = stateIn(detail, `the row ${JSON.stringify(destination)} of ${table}`);
      return { ...shown, seq: Number(seq), ...(kept as unknown as Detail) };
    },
    write: async (client: Client, { loadId, run, seq, isStale, tables, ...detail }: VisibleRows): Promise<void> => {
      const asJson = tables.map(({ before, ...rest }) => ({
        ...rest,
        before: before.map(([name, type]) => [name, type]),
      }));
      await client.query(
        `INSERT INTO ${table} (destination, load_id, run_id, seq, stale, detail) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (destination) DO UPDATE SET load_id = excluded.load_id, run_id = excluded.run_id, seq = excluded.seq,
           stale = excluded.stale, detail = excluded.detail`,
        [destination, loadId, run, seq, isStale, stateText({ ...detail, tables: asJson })],
      );
    },
    drop: async (client: Client): Promise<void> => {
      if (hasTable) await client.query(`DELETE FROM ${table} WHERE destination = $1`, [destination]);
    },
  };
}
