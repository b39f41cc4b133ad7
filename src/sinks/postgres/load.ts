import type { Client } from 'pg';
import { FatalError } from '../../errors';
import type { Stored } from '../../durable-sink';
import type { OutputPlan } from '../../plan/plan';
import type { PostgresAddress } from './address';
import { unstorable } from './cells';
import { copyInto } from './copy';
import { asServerError, isPassing, postgresFailure } from './failure';
import type { PageOfLines } from './journal';
import { learn } from './learn';
import type { FilledPages } from './learn';
import { quoted, shortHash, tableName } from './names';
import { copyWriter, UnstorableRowError } from './rows';
import type { CopyWriter } from './rows';
import { alterTable, createTable, existingTable } from './table';
import type { TableLayout } from './table';
import { addPrimaryKey, fill, makeStaging, upsert } from './upsert';
import type { KeyedTarget } from './upsert';

/** What is loaded, and where. */
export interface Load {
  readonly client: Client;
  readonly address: PostgresAddress;
  readonly outputs: readonly OutputPlan[];
  /** The id of the run. */
  readonly run: string;
}

/** The table that rows are loaded into. */
interface Target extends Omit<KeyedTarget, 'emptied'> {
  /** Whether the run makes it: without a primary key, for now. */
  readonly isNew: boolean;
  /** Whether it has no rows yet. */
  readonly isEmpty: boolean;
}

/**
 * Loads the pages of one table inside a transaction. A full load makes the table anew beside the old one and swaps them;
 * where the old one has what would be lost with it, such as views and rights, only its rows are replaced. An incremental
 * load adds rows, or replaces those with the same primary key.
 *
 * @throws FatalError SINK_FAILED which names the table, and the row where PostgreSQL does
 * @example await loadTable(load, { dataType: 'user', runs: [0], groups }) // { name: 'user', rows: 2 }
 */
export async function loadTable(load: Load, filled: FilledPages): Promise<Stored> {
  const name = tableName(filled.dataType);
  try {
    return { name, rows: await loadRows(load, filled, name) };
  } catch (error) {
    if (asServerError(error) === undefined || isPassing(error)) throw error;
    throw postgresFailure('SINK_FAILED', load.address, error, { table: name });
  }
}

async function loadRows(load: Load, filled: FilledPages, name: string): Promise<number> {
  const { client, address, outputs } = load;
  const table = `${quoted(address.schema)}.${quoted(name)}`;
  const plans = filled.runs.flatMap((run) => outputs[run] ?? []);
  const isIncremental = plans.every(({ incremental }) => incremental);
  const existing = await existingTable(client, table);
  const kept = isIncremental || existing?.hasDependents === true ? existing : undefined;
  const learned = await learn(filled, kept, mostOf(plans));
  if (!isIncremental && existing !== undefined && (kept !== undefined || learned.rows === 0))
    await client.query(`DELETE FROM ${table}`);
  if (learned.rows === 0) return 0;

  const { layout } = learned;
  const unique = shortHash(JSON.stringify([load.run, table]));
  const made = existing === undefined ? name : `headwater ${unique}`;
  const target: Target = {
    table: kept === undefined ? `${quoted(address.schema)}.${quoted(made)}` : table,
    columns: layout.columns,
    key: keyOf(
      plans.flatMap(({ primaryKeys }) => primaryKeys?.get(filled.dataType) ?? []),
      layout,
      address,
      name,
    ),
    isNew: kept === undefined,
    isEmpty: kept === undefined || !isIncremental,
  };
  if (kept === undefined) await createTable(client, target.table, layout.columns);
  else await alterTable(client, table, kept.columns, layout.columns);
  const rows = await loadInto(load, filled, target, copyWriter(layout, learned.seen), name);
  if (target.isNew && target.key.length > 0) await addPrimaryKey(client, target, `headwater ${unique} key`);
  if (kept !== undefined || existing === undefined) return rows;
  await client.query(`DROP TABLE ${table}`);
  await client.query(`ALTER TABLE ${target.table} RENAME TO ${quoted(name)}`);
  return rows;
}

/** Loads the rows of all pages, and gives their number. */
async function loadInto(
  load: Load,
  filled: FilledPages,
  { table, columns, key, isEmpty }: Target,
  writer: CopyWriter,
  name: string,
): Promise<number> {
  const { client } = load;
  const chosen = writer.places.flatMap((place) => columns[place] ?? []);
  const into = (target: string): string => `${target} (${chosen.map((column) => quoted(column.name)).join(', ')})`;
  if (key.length === 0) return copyPages(load, filled, into(table), writer, name);
  const filledNames = chosen.map((column) => column.name);
  const emptied = columns.flatMap((column) =>
    column.isGenerated === true || [...key, ...filledNames].includes(column.name) ? [] : [column.name],
  );
  const target: KeyedTarget = { table, columns: chosen, emptied, key };
  const staging = await makeStaging(client, target);
  await copyPages(load, filled, into(staging.table), writer, name);
  return (isEmpty ? fill : upsert)(client, target, staging);
}

async function copyPages(
  { client, address }: Load,
  { groups }: FilledPages,
  into: string,
  writer: CopyWriter,
  table: string,
): Promise<number> {
  let rows = 0;
  for await (const pages of groups()) {
    const before = rows;
    const linesOf = (page: PageOfLines): string => {
      try {
        return writer.lines(page);
      } catch (error) {
        if (!(error instanceof UnstorableRowError)) throw error;
        throw unstorable(address.name, table, rows + error.index + 1, error.reason);
      } finally {
        rows += page.count;
      }
    };
    const lines = pages.map(linesOf).join('');
    try {
      if (lines !== '') await copyInto(client, into, lines);
    } catch (error) {
      if (asServerError(error) === undefined || isPassing(error)) throw error;
      throw postgresFailure('SINK_FAILED', address, error, { table, rowsBefore: before });
    }
  }
  return rows;
}

/** Runs that share a table share its limit, which is the highest of theirs. */
const mostOf = (plans: readonly OutputPlan[]): number =>
  Math.max(1, ...plans.map(({ maxColumns = Infinity }) => maxColumns));

/** The columns of the primary key in the database. */
function keyOf(
  key: readonly string[],
  { columns, columnOf, columnOfExtra }: TableLayout,
  { name }: PostgresAddress,
  table: string,
): readonly string[] {
  return [...new Set(key)].map((field) => {
    const column = columns[columnOf(field) ?? columnOfExtra(field) ?? -1];
    if (column !== undefined) return column.name;
    const message = `The destination ${name}, table ${JSON.stringify(table)}, cannot be used: no item has the field ${JSON.stringify(field)} of the primary key. Correct the primary key, and run again.`;
    throw new FatalError('DESTINATION_INCOMPATIBLE', message, { table });
  });
}
