/** The commit of a run into a store of tables: one orchestration for all of them, built in or an application's own. */
import { rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DurableSink, SchemaChange, Stored, TableStand } from '../../core/durable-sink';
import { FatalError } from '../../core/errors/errors';
import type { Warn } from '../../language/parts/sink';
import type { Nesting } from '../../language/configuration/jobs/table';
import type { OutputPlan } from '../../plan/plan';
import { schemaChanges, warnOfSchemaChanges } from '../../tables/schema/changes';
import type { NamedTypes } from '../../tables/schema/changes';
import type { KnownColumn } from '../../tables/schema/schema';
import { durableSink } from '../durable';
import type { Publication } from '../durable';
import { fileFailure, makeFolder } from '../files/durable-files';
import { fileJournal } from '../journal/file-journal';
import type { Receipt } from '../journal/journal';
import { loadTables } from '../loading/load';
import type { FlatLoader } from '../loading/load';
import { listsAmong, mayLose } from '../loading/load-flat';
import type { TableWrite } from '../loading/load-flat';
import { checkNames, databaseFailure, tableFailure } from '../loading/refusals';
import { linkedIn, structsIn } from '../options';
import { rowCounts, rowsOfRun, uncounted, withoutLost } from '../row-counts';
import type { CountedRows } from '../row-counts';
import type { RunRecord } from '../run-record';
import { structureIn, withFilledLists, withStructure } from '../state';
import { BY_CELLS } from './cells';
import type { CellWrite } from './cells';

/**
 * A place of tables that changes in transactions. {@link storeSink} makes a sink of it, and calls it in this order: `known` and `lastRow`
 * while it learns the columns of the run; then within one `transaction` `removeGone`, `store` for each table, parents before their children,
 * `prune`, and `sign`. A table that does not exist is no error for any of them.
 *
 * @typeParam W what a run writes to a table; the rows of {@link CellWrite} are lists of cells
 */
export interface TableStore<W extends TableWrite = CellWrite> {
  /**
   * Returns the columns of a table; none if it does not exist.
   *
   * @throws FatalError DESTINATION_INCOMPATIBLE for a column that a run would not make
   */
  readonly known: (table: string) => Promise<readonly KnownColumn[]>;
  /** Returns the same columns with the names that the store gives to their types: warnings about changes contain these. */
  readonly declared: (table: string) => Promise<NamedTypes>;
  /** Returns the number of rows of a table; 0 if it does not exist. */
  readonly count: (table: string) => Promise<number>;
  /** Returns the highest `_row_id` of a table, from 1; 0 if its rows have none. */
  readonly lastRow: (table: string) => Promise<number>;
  readonly standOf: (table: string) => Promise<TableStand>;
  /** Returns what the last {@link sign} stored; `undefined` if there was none. */
  readonly receipt: () => Promise<Receipt | undefined>;
  /** Returns the record of a run by its id, with the members `outcome`, `tables` and `schema_changes`; `undefined` if it was not signed. */
  readonly recordOf: (run: string) => Promise<RunRecord | undefined>;
  /**
   * Makes all changes of `work` in one step if it resolves, and none if it rejects or the process ends.
   *
   * @param writes what `work` stores
   */
  readonly transaction: <T>(writes: readonly W[], work: () => Promise<T>) => Promise<T>;
  /**
   * Removes the rows of mapped child tables that belong to rows which the writes replace: those whose `link` is in the file of its keys, and
   * those below them at any depth. It is called before anything is stored.
   */
  readonly removeGone: (writes: readonly W[]) => Promise<void>;
  /** Stores the rows of a table as its `mode` says, and returns what is counted of them. */
  readonly store: (write: W) => Promise<CountedRows>;
  /** Removes the rows of a table of lists whose `_parent_row_id` no row of the parent table has as `_row_id`. */
  readonly prune: (child: W) => Promise<void>;
  /** Stores the receipt of the run, in the place of the last one, and its record, beside those of other runs. */
  readonly sign: (receipt: Receipt, record: RunRecord) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** A store that a sink is made of. */
export interface StoreSinkOptions<W extends TableWrite = CellWrite> {
  /** The name of the sink for users, without credentials, for example `sqlite:items.sqlite`. */
  readonly name: string;
  /** The folder of this machine where pages wait until the commit; one place of tables has one. */
  readonly folder: string;
  /** The outputs of the runs of the configuration, by their numbers. */
  readonly outputs: readonly OutputPlan[];
  /** How objects and lists in items are stored if the job does not say it; default `tables`. */
  readonly nested?: Nesting | undefined;
  /** Is called with warnings about tables and mappings; absent: there are none. */
  readonly warn?: Warn | undefined;
  /** Opens the store, and makes its place if there is none; it is closed after each use. */
  readonly open: () => Promise<TableStore<W>>;
  /** Returns whether the place exists, so that it need not be made to be read; absent: it does. */
  readonly exists?: () => boolean;
  /** Is called first; it refuses what cannot work. */
  readonly prepare?: () => Promise<void>;
  /** Returns whether no table of a run may have a name. */
  readonly isReserved?: (table: string) => boolean;
  /** Returns the error for users in the place of one of the database; errors of other kinds stay unchanged. */
  readonly failure?: (cause: unknown) => unknown;
  /** What messages call its database, for example `SQLite`; default: its name. */
  readonly database?: string;
}

/**
 * Makes a sink of a store of tables. A commit is one transaction with all rows, the receipt and the record of the run. Until then pages wait
 * in a folder, and others can use the store.
 *
 * @param options the store, and where pages wait
 * @returns a sink whose methods throw the errors of the store; SINK_FAILED, with the table, for those that are none for users
 * @example const sink = storeSink({ name: 'mine:x', folder: 'x.headwater', outputs, open: async () => sqlStore(await connect('x')) });
 */
export const storeSink = (options: StoreSinkOptions): DurableSink => storeSinkBy(BY_CELLS, options);

/** Makes a sink of a store that takes rows in another way. */
export function storeSinkBy<W extends TableWrite>(
  loader: FlatLoader<W>,
  { structs, ...options }: StoreSinkOptions<W> & { readonly structs?: true },
): DurableSink {
  const { name, folder, outputs, nested, warn, exists = () => true, database = name } = options;
  const { failure = (cause: unknown) => databaseFailure(name, cause) } = options;
  const loads = join(folder, 'load');
  const journal = fileJournal(folder);

  const withStore = async <T>(use: (store: TableStore<W>) => Promise<T>): Promise<T> => {
    try {
      const store = await options.open();
      try {
        return await use(store);
      } finally {
        await store.close();
      }
    } catch (cause) {
      throw failure(fileFailure(loads, cause));
    }
  };
  const ifThere = async <T>(use: (store: TableStore<W>) => Promise<T>): Promise<T | undefined> =>
    exists() ? withStore(use) : undefined;
  const standOf = async (table: string): Promise<TableStand> =>
    (await ifThere((store) => store.standOf(table))) ?? 'gone';
  /** Failures of the whole store stay as they are; others get the table. */
  const failed =
    (write: W) =>
    (cause: unknown): never => {
      const whole = failure(cause);
      if (whole instanceof FatalError && whole.code !== 'SINK_FAILED') throw whole;
      return tableFailure(name, write)(cause);
    };

  const commit = (store: TableStore<W>, run: Publication): Promise<readonly Stored[]> => {
    const { manifest, state, record, unfed } = run;
    const source = {
      ...{ places: journal.places, pages: journal.pages, folder: loads, outputs, unfed },
      ...{ known: store.known, lastRow: store.lastRow, structure: structureIn(state), startedAt: manifest.startedAt },
      ...{ isLinked: linkedIn(outputs, { nested }), warn },
      hasStructs: structs && structsIn(outputs, { nested }),
    };
    return loadTables(loader, source, (writes, structure) => {
      checkNames(writes, database);
      const taken = writes.find(({ table }) => options.isReserved?.(table));
      if (taken !== undefined) throw reserved(database, taken.table);
      return store.transaction(writes, async () => {
        const stored = await storeAll(store, writes, { ...run, failed, warn });
        const shown = stored.filter(({ rows }, at) => writes[at]?.parent === undefined || rows !== 0);
        const left = withFilledLists(withStructure(state, structure), listsAmong(writes));
        await store.sign({ run: manifest.id, state: left }, record(shown));
        return shown;
      });
    });
  };

  return durableSink({
    name,
    ...{ makes: 'tables', maps: true, addsRunColumns: true, structs, journal, standOf },
    prepare: async () => options.prepare?.(),
    receipt: async () => {
      await rm(loads, { recursive: true, force: true });
      return ifThere((store) => store.receipt());
    },
    recordOf: (run) => ifThere((store) => store.recordOf(run)),
    hasRows: async (table) => (await standOf(table)) === 'filled',
    publish: async (run) => {
      try {
        await makeFolder(loads);
        return await withStore((store) => commit(store, run));
      } finally {
        await rm(loads, { recursive: true, force: true });
      }
    },
    close: async () => {
      // The folder stays while pages wait in it.
      await rmdir(folder).catch(() => undefined);
    },
  });
}

interface Storing<W> extends Pick<Publication, 'checkRows'> {
  readonly failed: (write: W) => (cause: unknown) => never;
  readonly warn?: Warn | undefined;
}

/** Stores the rows of all tables, within a transaction. */
export async function storeAll<W extends TableWrite>(
  store: Pick<TableStore<W>, 'count' | 'declared' | 'removeGone' | 'store' | 'prune'>,
  writes: readonly W[],
  { failed, checkRows, warn }: Storing<W>,
): Promise<readonly Stored[]> {
  const before: number[] = [];
  const declared: NamedTypes[] = [];
  for (const { table } of writes) {
    before.push(await store.count(table));
    declared.push(await store.declared(table));
  }
  await store.removeGone(writes);
  const counted: CountedRows[] = [];
  for (const write of writes) counted.push(await store.store(write).catch(failed(write)));

  const hasLost = new Set<string>();
  const stored: Stored[] = [];
  for (const [at, write] of writes.entries()) {
    const { table, mode, rows } = write;
    const [had = 0, own = { stored: rows }, old = []] = [before[at], counted[at], declared[at]];
    const made = await store.count(table);
    const isLosing = mayLose(write, hasLost);
    if (isLosing) await store.prune(write);
    const total = isLosing ? await store.count(table) : made;
    if (mode === 'replace') checkRows?.(table, had, total);
    const now = old.length === 0 || rows === 0 ? old : await store.declared(table);
    const causes = new Map(write.columns.map(({ name, cause }) => [name, cause]));
    const withCauses = now.map(([name, type]) => [name, type, causes.get(name)] as const);
    if (mode !== 'replace') warnOfSchemaChanges(table, old, withCauses, warn);
    const changes: readonly SchemaChange[] = schemaChanges(old, now);
    const counts = {
      ...{ name: table, ...rowsOfRun(own.stored, rows), ...rowCounts(own, had, made) },
      ...(changes.length === 0 ? {} : { changes }),
    };
    // Some of the removed rows may belong to this run.
    const left = mode === 'replace' ? withoutLost(counts, total) : { ...uncounted(counts), total };
    const shown = total === made ? counts : left;
    if ((shown.repeated ?? 0) > 0) hasLost.add(table);
    stored.push(shown);
  }
  return stored;
}

function reserved(database: string, table: string): FatalError {
  const message = `A table of ${database} cannot be named ${JSON.stringify(table)}. Give the job another dataType.`;
  return new FatalError('TABLE_NAME', message, { table });
}
