import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import type { DurableSink, RunHead, Stored } from '../../durable-sink';
import type { Checkpoint } from '../../model';
import type { OutputPlan } from '../../plan/plan';
import { postgresAddress } from './address';
import { postgresJournal } from './journal';
import { loadTable } from './load';
import { tableName } from './names';
import { inTransaction, postgresSession } from './session';
import { pageCounter } from './sums';
import { requirePackage } from '../optional-package';

/**
 * A durable sink of PostgreSQL 12 and later. Pages are kept in a schema of the same database until the run is committed;
 * then all tables change in one transaction: readers see either the old rows or the new ones. (One thing PostgreSQL does
 * not allow for: a transaction that began with REPEATABLE READ before, and first reads a replaced table after, sees it
 * empty.) The connection may be lost at any time, for up to a minute: nothing is written twice, nothing is lost.
 *
 * A text with the character U+0000 cannot be stored in PostgreSQL: the commit fails and names the row.
 *
 * @param url as of `postgresAddress`, for example `postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=SCHEMA`
 * @param outputs of the runs of the configuration, by their number
 * @throws FatalError DESTINATION when the URL is none
 * @example postgres('postgres://me:secret@localhost/sales?schema=crm', [{ incremental: false, compatLevel: 3 }])
 */
export function postgres(url: string, outputs: readonly OutputPlan[]): DurableSink {
  const address = postgresAddress(url);
  const journal = postgresJournal(address);
  const owner = randomUUID();
  let isClaimed = false;
  let head: RunHead | undefined;
  let next = 0;

  const session = postgresSession(address, async (client) => {
    if (!isClaimed) await journal.prepare(client);
    await journal.claim(client, owner, !isClaimed);
    isClaimed = true;
  });
  const commit = async (client: Client, { id }: RunHead, state: Parameters<DurableSink['commit']>[0]) => {
    const stored: Stored[] = [];
    const load = { client, address, journal, outputs, run: id };
    for (const table of await journal.tables(client)) stored.push(await loadTable(load, table));
    await journal.finish(client, id, state);
    return stored;
  };
  async function* checkpoints(): AsyncGenerator<Checkpoint> {
    let after = -1;
    const count = pageCounter(`the journal of ${address.name}`);
    for (;;) {
      const from = after;
      const some = await session.attempt('DESTINATION', (client) => journal.checkpointsAfter(client, from));
      for (const [seq, checkpoint] of some) {
        count(seq, checkpoint);
        yield checkpoint;
        after = seq;
      }
      if (some.length === 0) return;
    }
  }
  return {
    name: address.name,
    makes: 'tables',
    open: async () => {
      requirePackage('postgres://', 'pg-copy-streams');
      const found = await session.attempt('DESTINATION', journal.read);
      ({ head, next } = found);
      return {
        ...(found.finished === undefined ? {} : { finished: found.finished }),
        state: found.state,
        ...(head === undefined ? {} : { unfinished: { head, checkpoints } }),
        ...(found.damage === undefined ? {} : { damage: found.damage }),
      };
    },
    begin: async (newHead) => {
      await session.attempt('SINK_FAILED', (client) => journal.begin(client, newHead));
      head = newHead;
      next = 0;
    },
    write: async (page) => {
      // A page that has no place should not wait for the commit to say so.
      tableName(page.job.dataType);
      const seq = next++;
      await session.attempt('SINK_FAILED', (client) => journal.append(client, seq, page));
    },
    commit: async (state) => {
      const run = head;
      if (run === undefined) throw new Error('there is no run to commit');
      let stored: readonly Stored[] = [];
      await session.attempt('SINK_FAILED', async (client) => {
        // The connection may have been lost before it told that the commit was done.
        const { finished } = await journal.read(client);
        if (finished === run.id) return;
        await inTransaction(client, async () => {
          stored = await commit(client, run, state);
        });
      });
      head = undefined;
      next = 0;
      return stored;
    },
    close: session.close,
  };
}
