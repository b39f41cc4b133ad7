/** An extraction into tables, and the tables into a sink. */
import { tmpdir } from 'node:os';
import { checkDestinations } from './check-destinations';
import type { Making } from './check-destinations';
import { faultLine } from './errors';
import { extract } from './extract';
import type { ExtractOptions } from './extract';
import { merge } from './json/merge';
import type { JsonObject } from './model';
import type { TableSink } from './finished-tables';
import { createCursors } from './state/cursors';
import { missingFields, resetJobs } from './state/incremental-warnings';
import { nextState } from './state/next-state';
import { asPageOfTables, createBuckets } from './tables/buckets';
import { tellMissing, tellTo } from './tell';

export interface LoadOptions extends ExtractOptions {
  /** Where rows wait until all are there; default: the system's folder for temporary files. */
  readonly spoolFolder?: string;
}

/**
 * Runs a configuration and stores its items as linked tables (language 8), by mappings or by the automatic conversion.
 * Nothing is stored unless every job has succeeded.
 *
 * @param config the configuration, parsed
 * @param sink where the tables go
 * @returns the state for the next run (language 8.13)
 * @throws ConfigurationError before any request; FatalError for what the API or the tables make impossible
 * @example
 * const state = await load(config, csvFolder('out', { suffix: '.csv', bucketPrefix: 'if-several', manifests: false }));
 */
export async function load(config: unknown, sink: TableSink, options: LoadOptions = {}): Promise<JsonObject> {
  const { state = {}, spoolFolder = tmpdir(), onEvent, onCredentials, ...extractOptions } = options;
  let known = state;
  let startedAt = Math.floor(Date.now() / 1000);
  const extraction = extract(config, {
    ...extractOptions,
    state,
    onCredentials: (next) => {
      known = next;
      return onCredentials?.(next);
    },
    onEvent: (event) => {
      if (event.type === 'run.started') startedAt = event.startedAt;
      onEvent?.(event);
    },
  });
  const tell = tellTo(options);
  const made: Making[] = sink.replaces === undefined ? [] : [{ name: sink.replaces, makes: 'linked-tables' }];
  for (const fault of checkDestinations(made, extraction.outputs)) tell?.('CONFIGURATION', faultLine(fault));
  for (const fault of resetJobs(state, extraction.outputs)) tell?.('STATE_RESET', faultLine(fault));
  const warn = (message: string): void => tell?.('TABLE_STRUCTURE', message);
  const cursors = createCursors(state);
  const buckets = createBuckets({
    outputs: extraction.outputs,
    spoolFolder,
    state,
    warn,
    missing: tellMissing(tell),
    startedAt,
  });
  try {
    for await (const page of extraction.pages()) {
      await buckets.add(asPageOfTables(page));
      cursors.addPage(page);
    }
    for (const fault of missingFields(extraction.outputs, cursors))
      tell?.('INCREMENTAL_FIELD_MISSING', faultLine(fault));
    await sink.store(await buckets.finish());
    return cursors.into(nextState(merge(known, buckets.state()), startedAt));
  } finally {
    await buckets.close();
  }
}
