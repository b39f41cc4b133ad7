import { quoted } from '../../core/json/sql-name';
import type { Client } from 'pg';
import { FatalError } from '../../core/errors/errors';
import { stringifyJson } from '../../core/json/stringify';
import { defined } from '../../core/json/objects';
import type { RunManifest, SharedJournal } from '../../core/durable-sink';
import type { Checkpoint, JsonObject, Page } from '../../core/model';
import { bytesOf } from '../journal/journal';
import { journalDamage, manifestOf, manifestText, partTaken, runOver } from '../journal/records';
import { addedColumns } from '../../tables/run-columns';
import type { PostgresAddress } from './address';
import { literal } from '../sql';
import { BusyError, inTransaction, postgresSession } from './session';
import { lockOf, exists, makeSchema } from './names';
import { pagesTable, checkedCheckpoint, checkpointSum, linesSum, stateIn, stateText } from './pages';
import { staleIf } from './visible-record';

const CHECKPOINTS_AT_ONCE = 100;
/** Each part has so many numbers for its pages, which come in the order in which parts were first taken. */
const PAGES_OF_PART = 2 ** 24;
const NO_STATE = stateText({});

/** The journal of a destination in the database itself, so that pages and tables change in one transaction. */
export type PostgresJournal = ReturnType<typeof postgresJournal>;

/** The row of a destination in the journal. */
export type DestinationRow = Awaited<ReturnType<PostgresJournal['read']>>;

/** @example postgresJournal(address).begin(client, manifest) */
export function postgresJournal(address: PostgresAddress) {
  const { name, schema, journalSchema, destination } = address;
  const destinations = `${quoted(journalSchema)}.destinations`;
  const pages = pagesTable(address);
  const parts = `${quoted(journalSchema)}.parts`;
  /** Returns the checkpoints of pages with their numbers. */
  const checkpointsOf = async (client: Client, which: string, values: readonly unknown[]) => {
    const { rows } = await client.query<{ seq: string; checkpoint: string; sum: string }>(
      `SELECT seq, checkpoint, checkpoint_sum AS sum FROM ${pages} p${which}`,
      [destination, ...values],
    );
    return rows.map((row) => {
      const seq = Number(row.seq);
      return [seq, checkedCheckpoint({ ...row, seq }, pages)] as const;
    });
  };
  /** Processes that make parts of the run can write no more. */
  const dropPages = async (client: Client): Promise<void> => {
    await client.query(`DELETE FROM ${parts} WHERE destination = $1`, [destination]);
    await client.query(`DELETE FROM ${pages} WHERE destination = $1`, [destination]);
  };
  const make = async (client: Client): Promise<void> => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [lockOf('make')]);
    await makeSchema(client, schema);
    await makeSchema(client, journalSchema);
    if (!(await exists(client, 'regclass', parts)))
      await client.query(`CREATE TABLE ${parts} (destination text, run text, part text, number bigint NOT NULL,
        attempt bigint NOT NULL, PRIMARY KEY (destination, run, part))`);
    if (await exists(client, 'regclass', pages)) return;
    await client.query(`
      CREATE TABLE ${destinations} (destination text PRIMARY KEY, owner text NOT NULL, head text, finished text,
        state text NOT NULL);
      CREATE TABLE ${pages} (destination text, seq bigint, call bigint[] NOT NULL, checkpoint text NOT NULL,
        run integer NOT NULL, data_type text NOT NULL, extra text NOT NULL, count integer NOT NULL, lines text NOT NULL,
        checkpoint_sum bigint NOT NULL, lines_sum bigint NOT NULL, PRIMARY KEY (destination, seq));
      CREATE INDEX ON ${pages} (destination, call, seq);
      CREATE INDEX ON ${pages} (destination, data_type, seq);
      ALTER TABLE ${pages} ALTER COLUMN lines SET STORAGE EXTERNAL`);
  };
  return {
    ...{ destinations, pages, parts, checkpointsOf, dropPages },
    /** Creates the schemas and the tables of the journal if they do not exist. */
    prepare: async (client: Client): Promise<void> => {
      const { rows } = await client.query<{ server_encoding: string }>('SHOW server_encoding');
      if (rows[0]?.server_encoding !== 'UTF8')
        throw new FatalError(
          'DESTINATION_INCOMPATIBLE',
          `The database of ${name} is not encoded in UTF8. Name another one.`,
        );
      await inTransaction(client, () => make(client));
    },
    /**
     * Locks the destination for this connection.
     *
     * @param isFirst whether no earlier connection had it
     * @throws BusyError while another connection has it
     * @throws FatalError DESTINATION_LOCKED when another process had it in between
     */
    claim: async (client: Client, owner: string, isFirst: boolean): Promise<void> => {
      const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [
        lockOf('destination', destination),
      ]);
      if (rows[0]?.locked !== true)
        throw new BusyError(
          'another run is writing to it; let it end, or give this one a name of its own with ?run=NAME',
        );
      const sql = isFirst
        ? `INSERT INTO ${destinations} (destination, owner, state) VALUES ($1, $2, ${literal(NO_STATE)})
             ON CONFLICT (destination) DO UPDATE SET owner = excluded.owner`
        : `UPDATE ${destinations} SET owner = owner WHERE destination = $1 AND owner = $2`;
      const { rowCount } = await client.query(sql, [destination, owner]);
      if (rowCount !== 0) return;
      const message = `The connection to ${name} was lost, and another run took its place meanwhile. This one ends.`;
      throw new FatalError('DESTINATION_LOCKED', message);
    },
    /** Returns the run that is not committed, why it cannot be resumed, what the last run left, and the number of the next page. */
    read: async (client: Client) => {
      const { rows } = await client.query<{
        head: string | null;
        finished: string | null;
        state: string;
        next: string;
      }>(
        `SELECT head, finished, state,
           (SELECT coalesce(max(seq) + 1, 0) FROM ${pages} p WHERE p.destination = d.destination) AS next
         FROM ${destinations} d WHERE destination = $1`,
        [destination],
      );
      const { head: text = null, finished = null, state: kept = NO_STATE, next = '0' } = rows[0] ?? {};
      const state = stateIn(kept, `the row ${JSON.stringify(destination)} of ${destinations}`);
      const manifest = text === null ? undefined : manifestOf(text);
      const isLost = text !== null && manifest === undefined;
      const damage = isLost ? journalDamage(destinations, 'it has no run manifest') : undefined;
      return { ...defined({ manifest, damage, finished: finished ?? undefined }), state, next: Number(next) };
    },
    /** Drops all pages and begins a run, inside a transaction. */
    begin: async (client: Client, manifest: RunManifest): Promise<void> => {
      await dropPages(client);
      const text = manifestText(manifest);
      await client.query(`UPDATE ${destinations} SET head = $2 WHERE destination = $1`, [destination, text]);
    },
    /**
     * Drops the pages that the page supersedes and adds it; may be repeated.
     *
     * @param mayBeVisible whether rows of pages may be visible before the commit: if it supersedes some of these, that is recorded
     * @param owned the part of the run that the page belongs to, and the attempt that has it; absent: the run is made by one process
     * @returns false if another attempt has the part, so that nothing was written
     */
    append: async (
      client: Client,
      seq: number,
      page: Page,
      mayBeVisible: boolean,
      owned?: { readonly run: string; readonly part: string; readonly attempt: number },
    ): Promise<boolean> => {
      const { checkpoint, iteration: run, table: dataType, count, lines } = page;
      const { call } = checkpoint;
      const bytes = lines();
      // Calls below begin with the same numbers: in this order they are before the next call of the same level.
      const following = [...call.slice(0, -1), (call.at(-1) ?? 0) + 1];
      const standing = stringifyJson({ ...checkpoint });
      const added = stringifyJson(Array.from(addedColumns(page), (pair) => [...pair]));
      const noted = mayBeVisible ? `, noted AS (${staleIf(address, 'superseded')})` : '';
      const sums = [checkpointSum(seq, standing), linesSum({ seq, run, dataType, extra: added, count }, bytes)];
      // The owner is locked, so that it cannot change before the page is there.
      const mine =
        owned === undefined
          ? 'SELECT true'
          : `SELECT true FROM ${parts} WHERE destination = $1 AND run = $14 AND part = $15 AND attempt = $16 FOR SHARE`;
      const { rows } = await client.query<{ mine: boolean }>(
        `WITH mine AS (${mine}), superseded AS (DELETE FROM ${pages}
           WHERE $10 AND EXISTS (SELECT FROM mine) AND destination = $1 AND seq < $2 AND call >= $3 AND call < $11::bigint[]
           RETURNING seq)${noted}, written AS (
         INSERT INTO ${pages} (destination, seq, call, checkpoint, run, data_type, extra, count, lines, checkpoint_sum, lines_sum)
           SELECT $1::text, $2::bigint, $3::bigint[], $4::text, $5::integer, $6::text, $7::text, $8::integer, $9::text, $12::bigint, $13::bigint
             FROM mine ON CONFLICT (destination, seq) DO NOTHING)
         SELECT EXISTS (SELECT FROM mine) AS mine`,
        [
          ...[destination, seq, call, standing, run, dataType, added, count],
          bytesOf({ lines: bytes }),
          checkpoint.pages === 1,
          following,
          ...sums,
          ...(owned === undefined ? [] : [owned.run, owned.part, owned.attempt]),
        ],
      );
      return rows[0]?.mine === true;
    },
    /** Returns the checkpoints after the page of that number, some at a time; none if that was the last page. */
    checkpointsAfter: (client: Client, seq: number) =>
      checkpointsOf(client, ' WHERE destination = $1 AND seq > $2 ORDER BY seq LIMIT $3', [seq, CHECKPOINTS_AT_ONCE]),
    /** Stores the receipt and drops the pages; the run stays the current one until `clear`. */
    finish: async (client: Client, run: string, state: JsonObject): Promise<void> => {
      await client.query(`UPDATE ${destinations} SET finished = $2, state = $3 WHERE destination = $1`, [
        destination,
        run,
        stateText(state),
      ]);
      await dropPages(client);
    },
    /** Removes the record of the begun run. */
    clear: async (client: Client): Promise<void> => {
      await client.query(`UPDATE ${destinations} SET head = NULL WHERE destination = $1`, [destination]);
    },
  };
}

/**
 * Returns the journal for the parts of runs, which several processes write: that of the destination, with an owner for each part. A part
 * belongs to the attempt that took it last. A page is written in one statement with a look at that, so that a process which was thought
 * dead cannot write any more.
 *
 * @example const part = await sharedJournal(address, journal).take(manifest, 'orders', 1);
 */
export function sharedJournal(address: PostgresAddress, journal: PostgresJournal): SharedJournal {
  const { name, destination } = address;
  const { destinations, pages, parts } = journal;
  const session = postgresSession(address, journal.prepare);
  const attempt = <T>(work: (client: Client) => Promise<T>): Promise<T> => session.attempt('SINK_FAILED', work);
  const inOne = <T>(work: (client: Client) => Promise<T>): Promise<T> =>
    attempt((client) => inTransaction(client, () => work(client)));
  const isCurrent = `destination = $1 AND head = $2 AND finished IS DISTINCT FROM $3`;
  const checkCurrent = async (client: Client, run: RunManifest): Promise<void> => {
    const { rowCount } = await client.query(`SELECT FROM ${destinations} WHERE ${isCurrent}`, [
      ...[destination, manifestText(run), run.id],
    ]);
    if (rowCount === 0) throw runOver(name, run.id);
  };
  /** Throws why a part is not this attempt's. */
  const refuse = async (client: Client, run: RunManifest, part: string): Promise<never> => {
    await checkCurrent(client, run);
    throw partTaken(name, part);
  };
  const lockParts = (client: Client) =>
    client.query('SELECT pg_advisory_xact_lock($1)', [lockOf('parts', destination)]);

  /** Takes a part if the run is the begun one and no later attempt has the part; returns the number of its first page. */
  const claim = async (client: Client, run: RunManifest, part: string, number: number): Promise<number> => {
    await lockParts(client);
    const { rows } = await client.query<{ number: string }>(
      `INSERT INTO ${parts} AS known (destination, run, part, number, attempt)
         SELECT $1::text, $3::text, $4::text,
             (SELECT coalesce(max(number) + 1, 0) FROM ${parts} WHERE destination = $1 AND run = $3), $5::bigint
           FROM ${destinations} WHERE ${isCurrent}
       ON CONFLICT (destination, run, part) DO UPDATE SET attempt = excluded.attempt WHERE known.attempt <= excluded.attempt
       RETURNING number`,
      [destination, manifestText(run), run.id, part, number],
    );
    return PAGES_OF_PART * Number(rows[0]?.number ?? (await refuse(client, run, part)));
  };
  const nextAfter = async (client: Client, from: number): Promise<number> => {
    const { rows } = await client.query<{ next: string }>(
      `SELECT coalesce(max(seq) + 1, $2) AS next FROM ${pages} WHERE destination = $1 AND seq >= $2::bigint AND seq < $3`,
      [destination, from, from + PAGES_OF_PART],
    );
    return Number(rows[0]?.next);
  };

  return {
    take: async (run, part, number) => {
      const { from, next: first } = await inOne(async (client) => {
        const start = await claim(client, run, part, number);
        return { from: start, next: await nextAfter(client, start) };
      });
      let next = first;
      const owned = { run: run.id, part, attempt: number };
      const write = async (written: readonly Page[]): Promise<void> => {
        const begin = next;
        next += written.length;
        // One statement is a transaction by itself.
        await (written.length === 1 ? attempt : inOne)(async (client) => {
          for (const [at, page] of written.entries())
            if (!(await journal.append(client, begin + at, page, false, owned))) await refuse(client, run, part);
        });
      };
      const found = async (which: string, ...values: readonly unknown[]): Promise<Checkpoint | undefined> => {
        const [row] = await attempt((client) => journal.checkpointsOf(client, which, values));
        return row?.[1];
      };
      return {
        checkpoints: async function* () {
          let after = from - 1;
          for (;;) {
            const last = after;
            const some = await attempt((client) => journal.checkpointsAfter(client, last));
            for (const [seq, checkpoint] of some) {
              if (seq >= from + PAGES_OF_PART) return;
              yield checkpoint;
              after = seq;
            }
            if (some.length === 0) return;
          }
        },
        lastOf: (other) =>
          found(
            `, ${parts} o WHERE o.destination = $1 AND o.run = $2 AND o.part = $3
               AND p.destination = $1 AND seq >= o.number * $4::bigint AND seq < (o.number + 1) * $4::bigint
             ORDER BY seq DESC LIMIT 1`,
            ...[run.id, other, PAGES_OF_PART],
          ),
        // The pages of a call are there from its first one on: its first page replaces those of an earlier attempt.
        checkpointOf: (call, page) =>
          found(' WHERE destination = $1 AND call = $2 ORDER BY seq OFFSET $3 LIMIT 1', call, page),
        write: Object.assign((page: Page) => write([page]), { together: write }),
      };
    },
    reserve: (run, names) =>
      inOne(async (client) => {
        await lockParts(client);
        await checkCurrent(client, run);
        await client.query(
          `INSERT INTO ${parts} (destination, run, part, number, attempt)
             SELECT $1, $2, part, place + (SELECT coalesce(max(number), -1) FROM ${parts} WHERE destination = $1 AND run = $2), 0
               FROM unnest($3::text[]) WITH ORDINALITY AS reserved (part, place)
           ON CONFLICT DO NOTHING`,
          [destination, run.id, names],
        );
      }),
    drop: (run) =>
      inOne(async (client) => {
        const { manifest, finished } = await journal.read(client);
        if (manifest?.id !== run || finished === run) return;
        await journal.dropPages(client);
        await journal.clear(client);
      }),
    close: session.close,
  };
}
