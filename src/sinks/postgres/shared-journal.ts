/** The journal of a run whose parts are written by several processes: the one of the destination, with an owner for each part. */
import type { Client } from 'pg';
import { quoted } from '../../core/json/sql-name';
import type { RunManifest, SharedJournal } from '../../core/durable-sink';
import type { FatalError } from '../../core/errors/errors';
import type { Checkpoint, Page } from '../../core/model';
import { manifestText, partTaken, runOver } from '../journal/records';
import type { PostgresAddress } from './address';
import { partsTable } from './journal';
import type { PostgresJournal } from './journal';
import { lockOf } from './names';
import { checkedCheckpoint, pagesTable } from './pages';
import { inTransaction, postgresSession } from './session';

/** Each part has so many numbers for its pages, which come in the order in which parts were first taken. */
const PAGES_OF_PART = 2 ** 24;

/**
 * Returns the journal for the parts of runs. A part belongs to the attempt that took it last. A page is written in one statement with a
 * look at that, so that a process which was thought dead cannot write any more.
 *
 * @example const part = await sharedJournal(address, journal).take(manifest, 'orders', 1);
 */
export function sharedJournal(address: PostgresAddress, journal: PostgresJournal): SharedJournal {
  const { name, journalSchema, destination } = address;
  const destinations = `${quoted(journalSchema)}.destinations`;
  const parts = partsTable(address);
  const pages = pagesTable(address);
  const session = postgresSession(address, journal.prepare);
  const isCurrent = `destination = $1 AND head = $2 AND finished IS DISTINCT FROM $3`;
  /** Returns why a part is not this attempt's. */
  const refusal = async (client: Client, run: RunManifest, part: string): Promise<FatalError> => {
    const { rowCount } = await client.query(`SELECT FROM ${destinations} WHERE ${isCurrent}`, [
      ...[destination, manifestText(run), run.id],
    ]);
    return rowCount === 0 ? runOver(name, run.id) : partTaken(name, part);
  };

  /** Takes a part if the run is the begun one and no later attempt has the part; returns its number. */
  const claim = async (client: Client, run: RunManifest, part: string, attempt: number): Promise<number> => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [lockOf('parts', destination)]);
    const { rows } = await client.query<{ number: string }>(
      `INSERT INTO ${parts} AS known (destination, run, part, number, attempt)
         SELECT $1::text, $3::text, $4::text,
             (SELECT coalesce(max(number) + 1, 0) FROM ${parts} WHERE destination = $1 AND run = $3), $5::bigint
           FROM ${destinations} WHERE ${isCurrent}
       ON CONFLICT (destination, run, part) DO UPDATE SET attempt = excluded.attempt WHERE known.attempt <= excluded.attempt
       RETURNING number`,
      [destination, manifestText(run), run.id, part, attempt],
    );
    const [row] = rows;
    if (row === undefined) throw await refusal(client, run, part);
    return Number(row.number);
  };
  const reserve = async (client: Client, run: RunManifest, names: readonly string[]): Promise<void> => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [lockOf('parts', destination)]);
    const { rowCount } = await client.query(`SELECT FROM ${destinations} WHERE ${isCurrent}`, [
      ...[destination, manifestText(run), run.id],
    ]);
    if (rowCount === 0) throw runOver(name, run.id);
    await client.query(
      `INSERT INTO ${parts} (destination, run, part, number, attempt)
         SELECT $1, $2, part, place + (SELECT coalesce(max(number), -1) FROM ${parts} WHERE destination = $1 AND run = $2), 0
           FROM unnest($3::text[]) WITH ORDINALITY AS reserved (part, place)
       ON CONFLICT DO NOTHING`,
      [destination, run.id, names],
    );
  };
  const lastOf = async (client: Client, run: RunManifest, part: string): Promise<Checkpoint | undefined> => {
    const { rows } = await client.query<{ seq: string; checkpoint: string; sum: string }>(
      `SELECT seq, checkpoint, checkpoint_sum AS sum FROM ${pages} p, ${parts} o
         WHERE o.destination = $1 AND o.run = $2 AND o.part = $3
           AND p.destination = $1 AND seq >= o.number * $4::bigint AND seq < (o.number + 1) * $4::bigint
         ORDER BY seq DESC LIMIT 1`,
      [destination, run.id, part, PAGES_OF_PART],
    );
    const [row] = rows;
    return row === undefined ? undefined : checkedCheckpoint({ ...row, seq: Number(row.seq) }, pages);
  };
  const nextAfter = async (client: Client, from: number): Promise<number> => {
    const { rows } = await client.query<{ last: string | null }>(
      `SELECT max(seq) AS last FROM ${pages} WHERE destination = $1 AND seq >= $2 AND seq < $3`,
      [destination, from, from + PAGES_OF_PART],
    );
    const last = rows[0]?.last;
    return last == null ? from : Number(last) + 1;
  };
  /** The pages of a call are there from its first one on: its first page replaces those of an earlier attempt. */
  const checkpointAt = async (
    client: Client,
    call: Checkpoint['call'],
    page: number,
  ): Promise<Checkpoint | undefined> => {
    const { rows } = await client.query<{ seq: string; checkpoint: string; sum: string }>(
      `SELECT seq, checkpoint, checkpoint_sum AS sum FROM ${pages}
         WHERE destination = $1 AND call = $2 ORDER BY seq OFFSET $3 LIMIT 1`,
      [destination, call, page],
    );
    const [row] = rows;
    return row === undefined ? undefined : checkedCheckpoint({ ...row, seq: Number(row.seq) }, pages);
  };

  return {
    take: async (run, part, number) => {
      const { from, next: first } = await session.attempt('SINK_FAILED', (client) =>
        inTransaction(client, async () => {
          const start = (await claim(client, run, part, number)) * PAGES_OF_PART;
          return { from: start, next: await nextAfter(client, start) };
        }),
      );
      let next = first;
      const owned = { run: run.id, part, attempt: number };
      const write = async (written: readonly Page[]): Promise<void> => {
        const begin = next;
        next += written.length;
        const append = async (client: Client): Promise<void> => {
          for (const [at, page] of written.entries())
            if (!(await journal.append(client, begin + at, page, false, owned))) throw await refusal(client, run, part);
        };
        // One statement is a transaction by itself.
        await session.attempt('SINK_FAILED', (client) =>
          written.length === 1 ? append(client) : inTransaction(client, () => append(client)),
        );
      };
      return {
        checkpoints: async function* () {
          let after = from - 1;
          for (;;) {
            const last = after;
            const some = await session.attempt('SINK_FAILED', (client) => journal.checkpointsAfter(client, last));
            for (const [seq, checkpoint] of some) {
              if (seq >= from + PAGES_OF_PART) return;
              yield checkpoint;
              after = seq;
            }
            if (some.length === 0) return;
          }
        },
        lastOf: (other) => session.attempt('SINK_FAILED', (client) => lastOf(client, run, other)),
        checkpointOf: (call, page) => session.attempt('SINK_FAILED', (client) => checkpointAt(client, call, page)),
        write: Object.assign((page: Page) => write([page]), { together: write }),
      };
    },
    reserve: (run, names) =>
      session.attempt('SINK_FAILED', (client) => inTransaction(client, () => reserve(client, run, names))),
    drop: (run) =>
      session.attempt('SINK_FAILED', (client) =>
        inTransaction(client, async () => {
          const { manifest, finished } = await journal.read(client);
          if (manifest?.id !== run || finished === run) return;
          await client.query(`DELETE FROM ${parts} WHERE destination = $1`, [destination]);
          await client.query(`DELETE FROM ${pages} WHERE destination = $1`, [destination]);
          await journal.clear(client);
        }),
      ),
    close: session.close,
  };
}
