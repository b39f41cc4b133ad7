/** Tables that have lost the rows of earlier runs: what jobs have come to counts no more, since later rows alone would be in them. */
import type { DurableSink, Standing, TableStand } from '../../core/durable-sink';
import type { Fault } from '../../core/errors/errors';
import type { JsonObject } from '../../core/model';
import type { OutputPlan } from '../../plan/plan';
import { withCursorsOf } from './state-in-destinations';
import type { Counted } from './state-in-destinations';
import { cursorsOf } from './cursors';
import { filledIn, listsOf } from '../../sinks/filled-tables';
import type { FilledTables } from '../../sinks/filled-tables';
import { dataTypesOf, jobsIn, sinceTables } from './incremental-warnings';
import { previousStartOf, withPreviousStart } from './next-state';

/** A state without what tables have lost, and tables whose rows may have been taken out on purpose. */
export interface CountedTables extends Counted {
  readonly emptied: readonly Fault[];
  /** The tables that are gone, by their destinations: they are told of once. */
  readonly gone: ReadonlyMap<DurableSink, ReadonlySet<string>>;
}

/** A table that a place fills which asks only for what is new. */
interface AskedTable {
  readonly table: string;
  readonly isMerged: boolean;
}

/** A place that asks only for what is new, and its tables: that of the job, then those of the jobs below it. */
interface Asking {
  readonly path: string;
  readonly tables: readonly AskedTable[];
  /** The id of the job; absent: it asks by `time.previousStart`. */
  readonly job?: string;
}

/**
 * Looks whether the tables are still there that runs have put rows into, with those of the lists in them.
 *
 * @param state that of the earlier runs
 */
export async function withoutLostTables(
  state: JsonObject,
  found: readonly { readonly sink: DurableSink; readonly standing: Standing }[],
  outputs: readonly OutputPlan[],
): Promise<CountedTables> {
  const asking = askingIn(state, outputs);
  let left = state;
  const resets: Fault[] = [];
  const emptied: Fault[] = [];
  const gone = new Map<DurableSink, ReadonlySet<string>>();
  for (const { sink, standing } of found) {
    const filled = filledIn(standing.state);
    const { tables, standOf } = await standsIn(sink, filled, asking);
    gone.set(sink, new Set(tables.filter((table) => standOf(table) === 'gone')));
    const named = (table: string): string => `the table ${JSON.stringify(table)} of ${sink.name}`;
    for (const { path, tables: asked, job } of asking) {
      const lost = asked.flatMap(({ table, isMerged }) => {
        const stand = standOf(table);
        // Rows that are only added may be taken out by whoever makes use of them; those of lists go with their items.
        const isLost = stand === 'gone' || (stand === 'empty' && isMerged);
        if (stand === 'empty' && !isMerged) emptied.push({ path, message: `${named(table)} ${EMPTIED}` });
        const lists = listsOf(filled, table).filter((list) => standOf(list) === 'gone');
        return [...(isLost ? [table] : []), ...lists];
      });
      const [first] = lost;
      if (first === undefined) continue;
      left = job === undefined ? withPreviousStart(left, 0) : withCursorsOf(left, job, () => ({}));
      const what = standOf(first) === 'gone' ? GONE : EMPTY;
      resets.push({ path, message: `asks for everything again: ${named(first)} ${what}` });
    }
  }
  return { state: left, resets, emptied, gone };
}

/** How those of the tables stand that runs have put rows into; others count as they should be. */
async function standsIn(sink: DurableSink, filled: FilledTables, asking: readonly Asking[]) {
  const own = asking.flatMap(({ tables }) => tables.map(({ table }) => table));
  const known = new Set(own.flatMap((table) => [table, ...listsOf(filled, table)]));
  const stands = new Map<string, TableStand>();
  for (const table of known) if (filled.has(table)) stands.set(table, (await sink.standOf?.(table)) ?? 'filled');
  return { tables: [...stands.keys()], standOf: (table: string): TableStand => stands.get(table) ?? 'filled' };
}

const GONE = 'is gone.';
const EMPTY = 'has no rows any more.';
const EMPTIED =
  'has no rows any more: only what is new comes. If all of it should come again, remove the table, and run again.';

function askingIn(state: JsonObject, outputs: readonly OutputPlan[]): readonly Asking[] {
  const known = cursorsOf(state);
  const tablesOf = (dataType: string, below: readonly string[] = []): readonly AskedTable[] =>
    [dataType, ...below.filter((each) => outputs.some((output) => isAddedTo(output, each)))].map((each) => ({
      table: tableOf(outputs, each),
      isMerged: outputs.some(({ primaryKeys }) => (primaryKeys?.get(each) ?? []).length > 0),
    }));
  const byField = jobsIn(outputs)
    .filter(({ id }) => (known.get(id)?.size ?? 0) > 0)
    .map(({ id, path, dataType, below }) => ({
      ...{ path: `${path}.incremental`, job: id },
      tables: tablesOf(dataType, dataTypesOf(below)),
    }));
  const bySince = previousStartOf(state) > 0 ? sinceTables(outputs) : [];
  return [
    ...byField,
    ...bySince.map(({ path, dataTypes: [first = '', ...below] }) => ({ path, tables: tablesOf(first, below) })),
  ];
}

/** This tells whether rows are added to a table, or merged into it: who replaces them has no earlier ones to lose. */
const isAddedTo = ({ incremental, loads }: OutputPlan, dataType: string): boolean =>
  (loads?.get(dataType) ?? (incremental ? 'append' : 'replace')) !== 'replace';

/** The name of the table of a dataType. */
const tableOf = (outputs: readonly OutputPlan[], dataType: string): string =>
  outputs.find(({ tables }) => tables?.has(dataType))?.tables?.get(dataType) ?? dataType;

/**
 * The tables of jobs that ask only for what is new, and of those below them, that have got items.
 *
 * @param jobs the jobs of a run, with how many items each gave
 */
export function filledBy(
  outputs: readonly OutputPlan[],
  jobs: readonly { readonly dataType: string; readonly items: number }[],
): readonly string[] {
  const byField = jobsIn(outputs).flatMap(({ dataType, below }) => [dataType, ...dataTypesOf(below)]);
  const asking = new Set([...byField, ...sinceTables(outputs).flatMap(({ dataTypes }) => dataTypes)]);
  return jobs
    .filter(({ dataType, items }) => items > 0 && asking.has(dataType))
    .map(({ dataType }) => tableOf(outputs, dataType));
}
