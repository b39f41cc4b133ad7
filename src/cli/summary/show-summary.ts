import type { Delivery, Log, RunSnapshot } from '../..';
import { summaryOf } from './summary';
import { summaryLine, summaryTable, summaryWarnings } from './summary-text';

/** Where the summary of a run goes. */
export interface SummaryPlaces {
  /** Takes the table, where a person sits at a terminal; absent: nobody does. */
  readonly write?: (text: string) => unknown;
  readonly log: Log;
  /** This tells whether the log has the summary as an entry: it is read later, or nobody sees the table. */
  readonly isLogged: boolean;
}

/**
 * Says once what a run has done: as a table at a terminal, as one entry in a log that goes elsewhere.
 *
 * @returns how many warnings the log has of it
 */
export async function showSummary(
  delivery: Delivery,
  run: RunSnapshot,
  { write, log, isLogged }: SummaryPlaces,
): Promise<number> {
  const summary = summaryOf(delivery, run, Date.now());
  if (write !== undefined) write(summaryTable(summary, (await import('string-width')).default));
  if (isLogged) log.log('info', summaryLine(summary), { event: 'summary', run: delivery.runId, ...summary });
  const warnings = summaryWarnings(summary);
  for (const warning of warnings) log.log('warn', warning, { event: 'warning', run: delivery.runId });
  return warnings.length;
}
