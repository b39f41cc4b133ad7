import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import type { DurableSink, RunManifest, Stored, TableStand } from '../../core/durable-sink';
import type { Checkpoint, JsonObject, Page } from '../../core/model';
import { requirePackage } from '../../core/optional-package';
import { defineSink } from '../../language/parts/sink';
import type { OutputPlan } from '../../plan/plan';
import { durableSink } from '../durable';
import type { Publication } from '../durable';
import type { RunJournal } from '../journal/journal';
import { linkedIn } from '../options';
import type { NestingOptions, TableOptions } from '../options';
import { committedRun } from '../run-record';
import { structureIn, withFilledLists, withStructure } from '../state';
import { postgresAddress } from './address';
import { postgresJournal, sharedJournal } from './journal';
import type { DestinationRow } from './journal';
import { loadTables } from './load-tables';
import { tableName } from './names';
import { postgres as outline } from '../outlines';
import { loadedPages, pageCounter } from './pages';
import { postgresRuns } from './runs';
import { inTransaction, postgresSession } from './session';
import { standOf } from './table';
import { hide, nothingVisible, show, showRest } from './visibility';
import type { VisibleLoad } from './visibility';
import { shownRecord } from './visible-record';

export const postgres = defineSink({
  ...outline,
  create: ({ url }, { outputs, warn }, options: NestingOptions & { readonly visibility?: 'run' | 'page' }) =>
    postgresSink(url, outputs, { ...options, warn }),
});

/** The options of a PostgreSQL sink. */
export interface PostgresOptions extends TableOptions {
  /** `page`: added rows are visible before the commit (docs/sinks.md#rows-before-the-commit); default: `run`. */
  readonly visibility?: 'run' | 'page';
  /** The minimum seconds between two transactions that make rows visible; default: 1. */
  readonly showEvery?: number;
}

/**
 * Returns a durable sink of PostgreSQL 12 and later. Pages are kept in a schema of the same database until the run is committed; then all
 * tables change in one transaction: readers see either the old rows or the new ones, unless they are shown before the commit. (PostgreSQL
 * has one exception: a transaction that began with REPEATABLE READ before, and first reads a replaced table after, sees it empty.) The
 * connection may be lost at any time, for up to a minute: nothing is written twice, nothing is lost.
 *
 * A string with the character U+0000 cannot be stored in PostgreSQL: the commit fails and names the row.
 *
 * @param url as of `postgresAddress`, for example `postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=SCHEMA`
 * @param outputs the outputs of the runs of the configuration, by their numbers
 * @param options how objects and lists in items are stored, if the job does not say it
 * @throws FatalError DESTINATION_ADDRESS when the URL is invalid
 * @example postgresSink('postgres://me:secret@localhost/sales?schema=crm', [{ incremental: false, compatLevel: 3 }])
 */
export function postgresSink(url: string, outputs: readonly OutputPlan[], options: PostgresOptions = {}): DurableSink {
  const address = postgresAddress(url);
  const table = postgresJournal(address);
  const runs = postgresRuns(address);
  const record = shownRecord(address);
  const isByPage = options.visibility === 'page';
  const owner = randomUUID();
  let isClaimed = false;
  let found: DestinationRow | undefined;
  let next = 0;
  /** True if uncommitted rows may be visible, also if an earlier start of the run has shown them. */
  let mayBeVisible = isByPage;

  const session = postgresSession(address, async (client) => {
    if (!isClaimed) {
      await table.prepare(client);
      await runs.prepare(client);
      await record.prepare(client, isByPage);
    }
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
  const loadOf = (
    client: Client,
    { id, startedAt }: RunManifest,
    state: JsonObject,
    unfed: readonly string[] = [],
  ): VisibleLoad => ({
    ...{ client, address, outputs, run: id, startedAt, unfed, record, committed: structureIn(state) },
    ...{ isLinked: linkedIn(outputs, options), warn: options.warn },
  });
  const showPages = async (client: Client): Promise<void> => {
    const { manifest, state } = await table.read(client);
    if (manifest === undefined) return;
    const load = loadOf(client, manifest, state);
    await show(load, (await record.read(client)) ?? nothingVisible(load));
  };
  const pace = createPace(
    () => session.attempt('SINK_FAILED', (client) => inTransaction(client, () => showPages(client))),
    options.showEvery,
  );
  const appendAll = async (pages: readonly Page[]): Promise<void> => {
    // A page without a valid table name should fail now, not at the commit.
    for (const { table: name } of pages) tableName(name);
    const begin = next;
    next += pages.length;
    const write = async (client: Client): Promise<void> => {
      for (const [at, page] of pages.entries()) await table.append(client, begin + at, page, mayBeVisible);
    };
    // One statement is a transaction by itself.
    await session.attempt('SINK_FAILED', (client) =>
      pages.length === 1 ? write(client) : inTransaction(client, () => write(client)),
    );
    if (isByPage) await pace.pageCame();
  };
  const journal: RunJournal = {
    open: async () => {
      found = await session.attempt('DESTINATION_ADDRESS', table.read);
      next = found.next;
      mayBeVisible = isByPage || (await session.attempt('DESTINATION_ADDRESS', record.read)) !== undefined;
      return found.manifest;
    },
    damage: () => found?.damage,
    begin: async (manifest) => {
      await pace.stop();
      await session.attempt('SINK_FAILED', (client) =>
        inTransaction(client, async () => {
          const shown = await record.read(client);
          if (shown !== undefined) await hide({ client, address }, shown);
          await record.drop(client);
          await table.begin(client, manifest);
        }),
      );
      mayBeVisible = isByPage;
      found = undefined;
      next = 0;
    },
    append: Object.assign((page: Page) => appendAll([page]), { together: appendAll }),
    checkpoints,
    // The transaction that publishes a run has dropped its pages.
    clear: () => session.attempt('SINK_FAILED', table.clear),
    close: async () => {
      await pace.stop();
      await session.close();
    },
  };
  const publish = async (client: Client, run: Publication): Promise<readonly Stored[]> => {
    const { manifest, state, unfed, checkRows } = run;
    const load = loadOf(client, manifest, state, unfed);
    const shown = (await record.read(client)) ?? (isByPage ? nothingVisible(load) : undefined);
    const { stored, structure, lists } =
      shown === undefined
        ? await loadTables({ ...load, checkRows }, await loadedPages(client, address), load.committed)
        : await showRest(load, shown);
    await table.finish(client, manifest.id, withFilledLists(withStructure(state, structure), lists));
    await runs.add(client, run.record(stored));
    return stored;
  };
  const standNow = (name: string): Promise<TableStand> =>
    session.attempt('DESTINATION_ADDRESS', (client) => standOf({ client, address }, name));
  return durableSink({
    name: address.name,
    makes: 'tables',
    maps: true,
    addsRunColumns: true,
    showsPages: isByPage || undefined,
    journal,
    prepare: () => {
      requirePackage('postgres://', 'pg-copy-streams');
      return Promise.resolve();
    },
    receipt: () => {
      const { finished, state = {} } = found ?? {};
      return Promise.resolve(finished === undefined ? undefined : { run: finished, state });
    },
    hasRows: async (name) => (await standNow(name)) === 'filled',
    standOf: standNow,
    recordOf: (run) => session.attempt('DESTINATION_ADDRESS', (client) => runs.recordOf(client, run)),
    publish: async (run) => {
      await pace.stop();
      return session.attempt('SINK_FAILED', async (client) => {
        // The connection may have been lost before it confirmed the commit.
        const { finished } = await table.read(client);
        const { id } = run.manifest;
        if (finished !== id) return inTransaction(client, () => publish(client, run));
        return committedRun((await runs.recordOf(client, id)) ?? {}).stored;
      });
    },
    interrupt: session.interrupt,
    shared: isByPage ? undefined : sharedJournal(address, table),
  });
}

/** The pace of repeated work while pages come. */
export interface Pace {
  /** Reports a page: due work is done now, or soon, even if no other page comes. */
  readonly pageCame: () => Promise<void>;
  /** Waits for work in progress, and starts no more until another page comes. */
  readonly stop: () => Promise<void>;
}

/** The work takes at most one part in five of the time. */
const SHARE = 4;

/**
 * Returns a pace that leaves most of the time to the pages: after slow work, the next waits longer.
 *
 * @param work never runs twice at once; `pageCame` throws its errors
 * @param every the minimum seconds from the end of one to the start of the next; 0: it runs at each page
 * @example createPace(() => showPages(), 1)
 */
function createPace(work: () => Promise<void>, every = 1): Pace {
  let due: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let failure: { readonly error: unknown } | undefined;
  const doWork = async (): Promise<void> => {
    const began = performance.now();
    await work().catch((error: unknown) => {
      failure = { error };
    });
    const now = performance.now();
    due = now + Math.max(every * 1000, every === 0 ? 0 : SHARE * (now - began));
  };
  const disarm = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  const start = (): Promise<void> => {
    disarm();
    return (running = running.then(doWork));
  };
  return {
    pageCame: async () => {
      due ??= performance.now() + every * 1000;
      const left = due - performance.now();
      if (left <= 0) await start();
      else timer ??= setTimeout(() => void start(), left).unref();
      if (failure !== undefined) throw failure.error;
    },
    stop: async () => {
      disarm();
      await running;
      due = undefined;
      failure = undefined;
    },
  };
}
