/** An extraction into tables, and the tables into a sink. */
import { tmpdir } from 'node:os';
import { extract } from './extract';
import type { ExtractOptions } from './extract';
import { ownValue } from './json/keys';
import { merge } from './json/merge';
import type { JsonObject, TableSink } from './model';
import { createBuckets } from './tables/buckets';

export interface LoadOptions extends ExtractOptions {
  /** The state that the last run left (language 8.13); default: there was none. */
  readonly state?: JsonObject;
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
  const { state = {}, spoolFolder = tmpdir(), onEvent, ...extractOptions } = options;
  const { logger } = extractOptions;
  let startedAt = Math.floor(Date.now() / 1000);
  const extraction = extract(config, {
    ...extractOptions,
    previousStart: extractOptions.previousStart ?? previousStart(state),
    onEvent: (event) => {
      if (event.type === 'run.started') startedAt = event.startedAt;
      onEvent?.(event);
    },
  });
  const warn = (message: string): void =>
    void logger?.log('warn', message, { event: 'warning', code: 'TABLE_STRUCTURE' });
  const buckets = createBuckets({ outputs: extraction.outputs, spoolFolder, state, warn, startedAt });
  try {
    for await (const page of extraction.pages()) await buckets.add(page);
    await sink.store(await buckets.finish());
    const known = merge(state, buckets.state());
    return { ...known, time: { ...timeOf(known), previousStart: startedAt } };
  } finally {
    await buckets.close();
  }
}

const timeOf = (state: JsonObject): JsonObject => {
  const time = ownValue(state, 'time');
  return typeof time === 'object' && time !== null && !Array.isArray(time) ? (time as JsonObject) : {};
};

function previousStart(state: JsonObject): number {
  const seconds = Number(ownValue(timeOf(state), 'previousStart') ?? 0);
  return Number.isFinite(seconds) ? Math.trunc(seconds) : 0;
}
