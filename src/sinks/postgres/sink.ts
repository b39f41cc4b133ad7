import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import type { DurableSink, Stored } from '../../durable-sink';
import type { Checkpoint } from '../../model';
import type { OutputPlan } from '../../plan/plan';
import { postgresAddress } from './address';
import { postgresJournal } from './journal';
import type { DestinationRow } from './journal';
import { loadTables } from './load-tables';
import { tableName } from './names';
import { inTransaction, postgresSession } from './session';
import { pageCounter } from './sums';
import { linkedIn } from '../linked/nesting';
import type { NestingOptions } from '../linked/nesting';
import { structureIn, withStructure } from '../linked/structure';
import { durableSink } from '../durable';
import type { Publication } from '../durable';
import type { RunJournal } from '../journal/journal';
import { requirePackage } from '../optional-package';

/**
 * A durable sink of PostgreSQL 12 and later. Pages are kept in a schema of the same database until the run is committed;
 * then all tables change in one transaction: readers see either the old rows or the new ones. (One thing PostgreSQL does
 * not allow for: a transaction that began with REPEATABLE READ before, and first reads a replaced table after, sees it
 * empty.) The connection may be lost at any time, for up to a minute: nothing is written twice, nothing is lost.
 *
 * A string with the character U+0000 cannot be stored in PostgreSQL: the commit fails and names the row.
 *
 * @param url as of `postgresAddress`, for example `postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=SCHEMA`
 * @param outputs the outputs of the runs of the configuration, by their number
 * @param options what becomes of objects and lists in items, where the job does not say it
 * @throws FatalError DESTINATION_ADDRESS when the URL is none
 * @example postgresSink('postgres://me:secret@localhost/sales?schema=crm', [{ incremental: false, compatLevel: 3 }])
 */
export function postgresSink(url: string, outputs: readonly OutputPlan[], options: NestingOptions = {}): DurableSink {
  const address = postgresAddress(url);
  const table = postgresJournal(address);
  const owner = randomUUID();
  let isClaimed = false;
  let found: DestinationRow | undefined;
  let next = 0;

  const session = postgresSession(address, async (client) => {
    if (!isClaimed) await table.prepare(client);
    await table.claim(client, owner, !isClaimed);
    isClaimed = true;
  });
  async function* checkpoints(): AsyncGenerator<Checkpoint> {
    let after = -1;
    const count = pageCounter(`the journal of ${address.name}`);
    for (;;) {
      const from = after;
      const some = await session.attempt('DESTINATION_ADDRESS', (client) => table.checkpointsAfter(client, from));
      for (const [seq, checkpoint] of some) {
        count(seq, checkpoint);
        yield checkpoint;
        after = seq;
      }
      if (some.length === 0) return;
    }
  }
  const journal: RunJournal = {
    open: async () => {
      found = await session.attempt('DESTINATION_ADDRESS', table.read);
      next = found.next;
      return found.manifest;
    },
    damage: () => found?.damage,
    begin: async (manifest) => {
      await session.attempt('SINK_FAILED', (client) => table.begin(client, manifest));
      found = undefined;
      next = 0;
    },
    append: async (page) => {
      // A page that has no place should not wait for the commit to say so.
      tableName(page.job.dataType);
      const seq = next++;
      await session.attempt('SINK_FAILED', (client) => table.append(client, seq, page));
    },
    checkpoints,
    // The transaction that publishes a run has dropped its pages, too.
    clear: () => Promise.resolve(),
    close: session.close,
  };
  const publish = async (client: Client, { manifest, state }: Publication): Promise<readonly Stored[]> => {
    const load = { client, address, outputs, run: manifest.id, isLinked: linkedIn(outputs, options) };
    const { stored, structure } = await loadTables(load, table, structureIn(state));
    await table.finish(client, manifest.id, withStructure(state, structure));
    return stored;
  };
  return durableSink({
    name: address.name,
    makes: 'tables',
    journal,
    prepare: () => {
      requirePackage('postgres://', 'pg-copy-streams');
      return Promise.resolve();
    },
    receipt: () => {
      const { finished, state = {} } = found ?? {};
      return Promise.resolve(finished === undefined ? undefined : { run: finished, state });
    },
    publish: (run) =>
      session.attempt('SINK_FAILED', async (client) => {
        // The connection may have been lost before it confirmed the commit.
        const { finished } = await table.read(client);
        return finished === run.manifest.id ? [] : inTransaction(client, () => publish(client, run));
      }),
    interrupt: session.interrupt,
  });
}
