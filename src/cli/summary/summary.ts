import type { Delivery, RunSnapshot, SchemaChange, Stored } from '../..';
import { visible } from '../progress/words';
import { lookAt } from './look';

/** What became of one table. */
export interface TableSummary extends Omit<Stored, 'changes'> {
  readonly destination: string;
  readonly changes: readonly SchemaChange[];
}

/** A job that was called several times, such as a child: at least one of its calls had no items. */
export interface CallsSummary {
  readonly job: string;
  readonly calls: number;
  readonly emptyCalls: number;
}

/** What a run has done, when all of it is stored. */
export interface RunSummary {
  readonly tables: readonly TableSummary[];
  readonly calls: readonly CallsSummary[];
  readonly items: number;
  readonly requests: number;
  readonly retries: number;
  readonly logins: number;
  readonly bytes: number;
  readonly warnings: number;
  readonly milliseconds: number;
  /** A command for each destination that has one: it looks at the largest of its tables. */
  readonly look: readonly string[];
}

/** @example summaryOf(delivery, snapshot, Date.now()).requests */
export function summaryOf({ stored }: Delivery, run: RunSnapshot, now: number): RunSummary {
  const { items, requests, retries, logins, bytes, warnings, startedAt = now, endedAt = now } = run;
  return {
    tables: stored.flatMap(({ sink, tables }) =>
      tables.map(({ changes = [], ...table }) => ({ ...table, destination: sink, changes })),
    ),
    calls: run.jobs.flatMap(({ name: job, calls, emptyCalls }) =>
      calls > 1 && emptyCalls > 0 ? [{ job, calls, emptyCalls }] : [],
    ),
    ...{ items, requests, retries, logins, bytes, warnings, milliseconds: endedAt - startedAt },
    look: stored.flatMap(({ sink, tables }) => {
      const largest = tables.reduce<Stored | undefined>(
        (most, table) => ((table.rows ?? 0) > (most?.rows ?? -1) ? table : most),
        undefined,
      );
      return largest === undefined ? [] : (lookAt(sink, largest.name) ?? []);
    }),
  };
}

/** @example changeText({ change: 'column_added', column: 'depth', type: 'DOUBLE' }) // 'depth added (DOUBLE)' */
export function changeText(change: SchemaChange): string {
  const column = visible(change.column);
  switch (change.change) {
    case 'column_added':
      return `${column} added (${change.type})`;
    case 'column_removed':
      return `${column} removed`;
    case 'type_changed':
      return `${column} is now ${change.type} (was ${change.from})`;
  }
}
