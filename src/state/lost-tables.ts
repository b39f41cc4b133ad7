/** Tables that have lost the rows of earlier runs: what jobs have come to counts no more, since later rows alone would be in them. */
import type { DurableSink, Standing, TableStand } from '../durable-sink';
import type { Fault } from '../errors';
import type { JsonObject } from '../model';
import type { OutputPlan } from '../plan/plan';
import { withCursorsOf } from './borne-out';
import type { Counted } from './borne-out';
import { cursorsOf } from './cursors';
import { filledIn } from './filled-tables';
import { jobsIn, sinceTables } from './incremental-warnings';
import { previousStartOf, withPreviousStart } from './next-state';

/** A state without what tables have lost, and tables whose rows may have been taken out on purpose. */
export interface CountedTables extends Counted {
  readonly emptied: readonly Fault[];
}

/** A place that asks only for what is new, and its table. */
interface Asking {
  readonly path: string;
  readonly table: string;
  readonly isMerged: boolean;
  /** The id of the job; absent: it asks by `time.previousStart`. */
  readonly job?: string;
}

/**
 * Looks whether the tables are still there that runs have put rows into.
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
  for (const { sink, standing } of found) {
    const filled = filledIn(standing.state);
    const stands = new Map<string, TableStand>();
    for (const table of new Set(asking.map((each) => each.table)))
      if (filled.has(table)) stands.set(table, (await sink.standOf?.(table)) ?? 'filled');
    for (const { path, table, isMerged, job } of asking) {
      const stand = stands.get(table) ?? 'filled';
      if (stand === 'filled') continue;
      const what = `the table ${JSON.stringify(table)} of ${sink.name}`;
      // Rows that are only added may be taken out by whoever makes use of them.
      if (stand === 'empty' && !isMerged) emptied.push({ path, message: `${what} ${EMPTIED}` });
      else {
        left = job === undefined ? withPreviousStart(left, 0) : withCursorsOf(left, job, () => ({}));
        resets.push({ path, message: `asks for everything again: ${what} ${stand === 'gone' ? GONE : EMPTY}` });
      }
    }
  }
  return { state: left, resets, emptied };
}

const GONE = 'is gone.';
const EMPTY = 'has no rows any more.';
const EMPTIED =
  'has no rows any more: only what is new comes. If all of it should come again, remove the table, and run again.';

function askingIn(state: JsonObject, outputs: readonly OutputPlan[]): readonly Asking[] {
  const known = cursorsOf(state);
  const placeOf = (dataType: string): Pick<Asking, 'table' | 'isMerged'> => ({
    table: tableOf(outputs, dataType),
    isMerged: outputs.some(({ primaryKeys }) => (primaryKeys?.get(dataType) ?? []).length > 0),
  });
  const byField = jobsIn(outputs)
    .filter(({ id }) => (known.get(id)?.size ?? 0) > 0)
    .map(({ id, path, dataType }) => ({ path: `${path}.incremental`, job: id, ...placeOf(dataType) }));
  const bySince = previousStartOf(state) > 0 ? sinceTables(outputs) : [];
  return [...byField, ...bySince.map(({ path, dataType }) => ({ path, ...placeOf(dataType) }))];
}

/** The name of the table of a dataType. */
const tableOf = (outputs: readonly OutputPlan[], dataType: string): string =>
  outputs.find(({ tables }) => tables?.has(dataType))?.tables?.get(dataType) ?? dataType;

/**
 * The tables of jobs that ask only for what is new and have got items.
 *
 * @param jobs the jobs of a run, with how many items each gave
 */
export function filledBy(
  outputs: readonly OutputPlan[],
  jobs: readonly { readonly dataType: string; readonly items: number }[],
): readonly string[] {
  const asking = new Set([...jobsIn(outputs), ...sinceTables(outputs)].map(({ dataType }) => dataType));
  return jobs
    .filter(({ dataType, items }) => items > 0 && asking.has(dataType))
    .map(({ dataType }) => tableOf(outputs, dataType));
}
