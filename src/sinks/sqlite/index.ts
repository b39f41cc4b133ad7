import { existsSync } from 'node:fs';
import { rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DurableSink, SchemaChange, Stored, TableStand } from '../../core/durable-sink';
import { FatalError } from '../../core/errors/errors';
import { defineSink } from '../../language/parts/sink';
import type { OutputPlan } from '../../plan/plan';
import { schemaChanges } from '../../tables/schema/changes';
import { limitedOutputs } from '../../tables/schema/column-names';
import { durableSink } from '../durable';
import type { Publication } from '../durable';
import { fileFailure, makeFolder } from '../files/durable-files';
import { fileJournal } from '../journal/file-journal';
import { loadTablesBy } from '../loading/load';
import { listsAmong, mayLose } from '../loading/load-flat';
import { checkNames, tableFailure } from '../loading/refusals';
import { linkedIn } from '../options';
import type { NestingOptions, TableOptions } from '../options';
import { rowCounts, rowsOfRun, uncounted, unmatched, withoutLost } from '../row-counts';
import type { ToldRows } from '../row-counts';
import { structureIn, withFilledLists, withStructure } from '../state';
import { BY_ROWS } from './cells';
import type { RowLoad } from './cells';
import { openSqlite, refusal, requireSqlite } from './driver';
import type { Connection } from './driver';
import { outline } from './outline';
import { OWN, SqliteTables, addRun, recordOf, removeGone } from './tables';

export const sqlite = defineSink({
  ...outline,
  create: ({ rest: file }, { outputs, warn }, options: NestingOptions) =>
    sqliteSink(file, outputs, { ...options, warn }),
});

/** The maximum number of columns of SQLite. */
const MOST_COLUMNS = 2_000;

/**
 * Returns a sink of the tables of an SQLite database, one for each dataType. A commit is one transaction with all rows and a receipt in the
 * table `_headwater`. Until then pages wait in the folder `<file>.headwater`, and others can use the database.
 *
 * @param file the database, made by the first commit
 * @param outputs the outputs of the runs of the configuration, by their numbers: tables are replaced, or rows are added; then a row
 *   replaces one with the same primary key
 * @param options how objects and lists in items are stored, if the job does not say it
 * @throws FatalError from its methods: DESTINATION_LOCKED while another process writes; DESTINATION_ADDRESS, DESTINATION_DAMAGED
 *   or DESTINATION_INCOMPATIBLE when it cannot be used; SINK_FAILED when it does not accept the rows;
 *   PACKAGE_MISSING. A commit can be repeated.
 * @example const sink = sqliteSink('rivers.sqlite', [{ incremental: false, compatLevel: 3 }]);
 */
function sqliteSink(file: string, outputs: readonly OutputPlan[], options: TableOptions = {}): DurableSink {
  const name = `sqlite:${file}`;
  const work = `${file}.headwater`;
  const loads = join(work, 'load');
  const journal = fileJournal(work);
  const limited = limitedOutputs(outputs, MOST_COLUMNS, 'SQLite takes no more of them.');

  const withTables = async <T>(use: (tables: SqliteTables, connection: Connection) => Promise<T> | T): Promise<T> => {
    const connection = openSqlite(file);
    try {
      return await use(new SqliteTables(connection), connection);
    } catch (cause) {
      throw refusal(file, cause);
    } finally {
      connection.close();
    }
  };
  const store = ({ manifest: run, state, record, unfed, checkRows }: Publication): Promise<readonly Stored[]> =>
    withTables((tables, connection) =>
      loadTablesBy(
        BY_ROWS,
        {
          ...{ places: journal.places, pages: journal.pages, folder: loads, outputs: limited, unfed },
          known: (table) => tables.known(table),
          lastRow: (table) => Promise.resolve(tables.lastRow(table)),
          structure: structureIn(state),
          isLinked: linkedIn(outputs, options),
          startedAt: run.startedAt,
          ...(options.warn === undefined ? {} : { warn: options.warn }),
        },
        async (all, structure) => {
          checkNames(all, 'SQLite');
          checkReserved(all);
          return inTransaction(connection, async () => {
            const before = all.map(({ dataType }) => tables.count(dataType));
            const declared = all.map(({ dataType }) => tables.declared(dataType));
            const changesOf = (at: number): readonly SchemaChange[] => {
              const [old = [], { dataType = '', rows = 0 } = {}] = [declared[at], all[at]];
              return old.length === 0 || rows === 0 ? [] : schemaChanges(old, tables.declared(dataType));
            };
            await removeGone(connection, all, (table) => tables.columns(table));
            const counted: ToldRows[] = [];
            for (const load of all) counted.push(await tables.store(load).catch(asTableFailure(name, file, load)));
            const hasLost = new Set<string>();
            const stored = all.map((load, at): Stored => {
              const { dataType, rows, incremental } = load;
              const rowsStored = counted[at] ?? unmatched(rows);
              const pruned = mayLose(load, hasLost) ? tables.prune(load) : 0;
              const total = tables.count(dataType);
              if (!incremental) checkRows?.(dataType, before[at] ?? 0, total);
              const changes = changesOf(at);
              const told = {
                ...{ name: dataType, ...rowsOfRun(rowsStored.stored, rows) },
                ...rowCounts(rowsStored, before[at] ?? 0, total + pruned),
                ...(changes.length === 0 ? {} : { changes }),
              };
              // Some of the removed rows may belong to this run.
              const left = pruned === 0 ? told : incremental ? { ...uncounted(told), total } : withoutLost(told, total);
              if ((left.repeated ?? 0) > 0) hasLost.add(dataType);
              return left;
            });
            const shown = stored.filter(({ rows }, at) => all[at]?.parent === undefined || rows !== 0);
            tables.sign({ run: run.id, state: withFilledLists(withStructure(state, structure), listsAmong(all)) });
            addRun(connection, record(shown));
            return shown;
          });
        },
      ),
    );

  const standOf = async (table: string): Promise<TableStand> =>
    existsSync(file) ? withTables((tables) => tables.standOf(table)) : 'gone';

  return durableSink({
    name,
    makes: 'tables',
    maps: true,
    addsRunColumns: true,
    journal,
    prepare: async () => {
      requireSqlite();
      await makeFolder(dirname(file));
    },
    receipt: async () => {
      await rm(loads, { recursive: true, force: true });
      return existsSync(file) ? withTables((tables) => tables.receipt()) : undefined;
    },
    recordOf: async (run) => (existsSync(file) ? withTables((_, connection) => recordOf(connection, run)) : undefined),
    hasRows: async (table) => (await standOf(table)) === 'filled',
    standOf,
    publish: async (publication) => {
      try {
        await makeFolder(loads);
        return await store(publication);
      } catch (cause) {
        throw fileFailure(loads, cause);
      } finally {
        await rm(loads, { recursive: true, force: true });
      }
    },
    close: async () => {
      // The folder stays while pages wait in it.
      await rmdir(work).catch(() => undefined);
    },
  });
}

/** Runs work in a transaction that writes from its start, so that changes of others are seen completely. */
async function inTransaction<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  connection.exec('BEGIN IMMEDIATE');
  try {
    const result = await work();
    connection.exec('COMMIT');
    return result;
  } catch (error) {
    try {
      connection.exec('ROLLBACK');
    } catch {
      // SQLite has ended the transaction itself.
    }
    throw error;
  }
}

/** Failures of the whole database stay unchanged; others get the table. */
const asTableFailure =
  (name: string, file: string, load: RowLoad) =>
  (cause: unknown): never => {
    const whole = refusal(file, cause);
    if (whole instanceof FatalError && whole.code !== 'SINK_FAILED') throw whole;
    return tableFailure(name, load)(cause);
  };

/** @throws FatalError TABLE_NAME for names that SQLite or the receipt reserve */
function checkReserved(loads: readonly RowLoad[]): void {
  const taken = loads.find(({ dataType }) => /^sqlite_/i.test(dataType) || dataType.toLowerCase().startsWith(OWN));
  if (taken === undefined) return;
  const message = `A table of SQLite cannot be named ${JSON.stringify(taken.dataType)}. Give the job another dataType.`;
  throw new FatalError('TABLE_NAME', message, { table: taken.dataType });
}
