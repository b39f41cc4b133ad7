/** The commit of a run into a store of tables: one orchestration for all of them, built in or an application's own. */
import { rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DurableSink, SchemaChange, Stored, TableStand } from '../../core/durable-sink';
import { FatalError } from '../../core/errors/errors';
import type { JsonObject } from '../../core/model';
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
import type { FlatLoader, LoadOptions } from '../loading/load';
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
 * each followed by `prune` where rows of lists may have lost their parents, and `sign`. A table that does not exist is no error for any of them.
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
  /**
   * Stores the rows of a table as its `mode` says, and returns what is counted of them.
   *
   * @param isPruned whether `prune` follows: a store may leave out at once what it removes
   */
  readonly store: (write: W, isPruned: boolean) => Promise<CountedRows>;
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
    const { manifest, record } = run;
    const { places, pages } = journal;
    const source = { ...run, places, pages, folder: loads, outputs, nested, structs, warn, failed };
    return storeRun(loader, store, source, (writes, storeAll) => {
      checkNames(writes, database);
      const taken = writes.find(({ table }) => options.isReserved?.(table));
      if (taken !== undefined) throw reserved(database, taken.table);
      return store.transaction(writes, async () => {
        const { stored, replaced, state } = await storeAll();
        for (const { name: table, before, after } of replaced) run.checkRows?.(table, before, after);
        await store.sign({ run: manifest.id, state }, record(stored));
        return stored;
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

/** A run whose rows are to be stored. */
interface StoredRun<W>
  extends
    Pick<LoadOptions, 'places' | 'pages' | 'folder' | 'outputs' | 'warn'>,
    Pick<Publication, 'manifest' | 'state' | 'unfed'> {
  readonly nested?: Nesting | undefined;
  readonly structs?: true | undefined;
  readonly failed: (write: W) => (cause: unknown) => never;
}

interface StoredTables {
  /** The counts of all tables but those of lists that got no row. */
  readonly stored: readonly Stored[];
  /** The tables whose rows the run replaces, and how many they had and have. */
  readonly replaced: readonly { readonly name: string; readonly before: number; readonly after: number }[];
}

/** Stores all rows, and returns the state with what later runs need. */
type StoreAll = () => Promise<StoredTables & { readonly state: JsonObject }>;

/** The part of a store that its rows go through. */
export type StoredInto<W extends TableWrite> = Omit<
  TableStore<W>,
  'standOf' | 'receipt' | 'recordOf' | 'transaction' | 'sign' | 'close'
>;

/**
 * Makes the rows of a run and stores them.
 *
 * @param within calls its second parameter, which stores all rows, in one step; it is called again as {@link loadTables} says
 */
export function storeRun<W extends TableWrite, T>(
  loader: FlatLoader<W>,
  store: StoredInto<W>,
  run: StoredRun<W>,
  within: (writes: readonly W[], storeAll: StoreAll) => Promise<T>,
): Promise<T> {
  const { nested, structs, state, manifest, ...rest } = run;
  const { outputs } = run;
  const source = {
    ...{ ...rest, startedAt: manifest.startedAt, structure: structureIn(state) },
    ...{ known: store.known, lastRow: store.lastRow, isLinked: linkedIn(outputs, { nested }) },
    hasStructs: structs && structsIn(outputs, { nested }),
  };
  return loadTables(loader, source, (writes, structure) =>
    within(writes, async () => {
      const tables = await storeTables(store, writes, run);
      return { ...tables, state: withFilledLists(withStructure(state, structure), listsAmong(writes)) };
    }),
  );
}

async function storeTables<W extends TableWrite>(
  store: StoredInto<W>,
  writes: readonly W[],
  { failed, warn }: StoredRun<W>,
): Promise<StoredTables> {
  const before = new Map<W, readonly [rows: number, columns: NamedTypes]>();
  for (const write of writes) before.set(write, [await store.count(write.table), await store.declared(write.table)]);
  await store.removeGone(writes);
  const hasLost = new Set<string>();
  const stored: Stored[] = [];
  const replaced: StoredTables['replaced'][number][] = [];
  for (const write of writes) {
    const { table, mode, rows } = write;
    const [had = 0, old = []] = before.get(write) ?? [];
    const isPruned = mayLose(write, hasLost);
    const own = await store.store(write, isPruned).catch(failed(write));
    if (isPruned) await store.prune(write);
    const total = await store.count(table);
    const kept = mode === 'replace' ? own.stored : had + own.stored - (own.matched ?? 0);
    const made = isPruned ? kept : total;
    if (mode === 'replace') replaced.push({ name: table, before: had, after: total });
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
    if (write.parent === undefined || shown.rows !== 0) stored.push(shown);
  }
  return { stored, replaced };
}

function reserved(database: string, table: string): FatalError {
  const message = `A table of ${database} cannot be named ${JSON.stringify(table)}. Give the job another dataType.`;
  return new FatalError('TABLE_NAME', message, { table });
}
