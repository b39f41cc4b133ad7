import type { Delivery, Log, RunSnapshot } from '../../index';
import { summaryOf } from './summary';
import { summaryLine, summaryTable } from './summary-text';

/** Where the summary of a run goes. */
export interface SummaryPlaces {
  /** Takes the table, where a person sits at a terminal; absent: nobody does. */
  readonly write?: (text: string) => unknown;
  /** Takes the entry, where the log is read later; absent: the table says it. */
  readonly log?: Log;
}

/** Says once what a run has done: as a table at a terminal, as one entry in a log that goes elsewhere. */
export async function showSummary(delivery: Delivery, run: RunSnapshot, { write, log }: SummaryPlaces): Promise<void> {
  const summary = summaryOf(delivery, run, Date.now());
  if (write !== undefined) write(summaryTable(summary, (await import('string-width')).default));
  log?.log('info', summaryLine(summary), { event: 'summary', run: delivery.runId, ...summary });
}
