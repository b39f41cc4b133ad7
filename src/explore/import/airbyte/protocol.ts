/** The protocol of Airbyte's connectors: a source's specification, check, catalogue and records as messages. */
import { FatalError, HeadwaterError } from '../../../core/errors/errors';
import type { RunEvent } from '../../../core/events';
import { withMember } from '../../../core/json/literals';
import { isList, listAt, objectFrom, ownValue, together, valueBelow } from '../../../core/json/objects';
import { stringifyJson } from '../../../core/json/stringify';
import { logEvents } from '../../../core/log';
import type { Json, JsonObject } from '../../../core/model';
import { extract, extractPrepared } from '../../../run/extract';
import type { ExtractOptions } from '../../../run/options';
import { prepare } from '../../../run/validate';
import { completeJobs, createCursorTracker } from '../../../run/state/cursors';
import { createOnTheWay, stateFromAirbyte, stateMessage, stateToAirbyte } from './cursors';
import { componentAt, nameOf, streamsOf } from './manifest';
import type { Component } from './manifest';
import { schemaOf } from './responses';
import type { AirbyteManifest } from './source';
import { airbyteMissing, airbyteSecrets, connectionSpecificationOf, specificationOf } from './specification';
import { fromAirbyte } from './streams';
import type { FromAirbyte } from './streams';
import { Values } from './values';

/** What a source is asked with. */
export interface AirbyteSource extends AirbyteManifest {
  readonly config: JsonObject;
  /** How its requests are sent. */
  readonly options?: Pick<ExtractOptions, 'signal' | 'dispatcher' | 'proxies' | 'scheduler'>;
  /** The time in milliseconds; default: now. */
  readonly now?: () => number;
}

/** A message, or several of them as lines of JSON. */
export type AirbyteMessage = JsonObject | Uint8Array;

/** Returns the message SPEC of a manifest. */
export function specMessage(source: AirbyteManifest): JsonObject {
  const written = specificationOf(source);
  const known = [
    ['documentationUrl', ['documentation_url', 'documentationUrl']],
    ['connectionSpecification', ['connection_specification', 'connectionSpecification']],
    ['advanced_auth', ['advanced_auth']],
  ] as const;
  const members = known.flatMap(([name, spellings]): (readonly [string, Json])[] => {
    const found = spellings.map((key) => ownValue(written, key)).find((value) => value !== undefined);
    return found === undefined ? [] : [[name, found]];
  });
  return { type: 'SPEC', spec: objectFrom(members) };
}

/**
 * @throws FatalError CONFIG_INVALID for required members that a configuration lacks
 */
function checkConfig(source: AirbyteSource): void {
  const missing = airbyteMissing(connectionSpecificationOf(source), source.config);
  if (missing.length > 0)
    throw new FatalError('CONFIG_INVALID', `The configuration lacks ${missing.join(', ')}, which the source needs.`);
}

/**
 * Requests the first page of the streams that the source checks itself by.
 *
 * @returns the message CONNECTION_STATUS
 */
export async function checkMessage(source: AirbyteSource): Promise<JsonObject> {
  try {
    checkConfig(source);
    const names = listAt(ownValue(source.manifest, 'check'), 'stream_names');
    const all = streamsOf(source.manifest).map(nameOf);
    const asked = names.filter((name) => typeof name === 'string');
    for (const name of asked.length > 0 ? asked : all.slice(0, 1)) await checkStream(source, name);
    return { type: 'CONNECTION_STATUS', connectionStatus: { status: 'SUCCEEDED' } };
  } catch (error) {
    if (!(error instanceof HeadwaterError)) throw error;
    return { type: 'CONNECTION_STATUS', connectionStatus: { status: 'FAILED', message: error.message } };
  }
}

async function checkStream(source: AirbyteSource, name: string): Promise<void> {
  const { configuration } = translated(source, name, new Map());
  for await (const page of extract(configuration, runOptions(source)).pages()) if (page.job.dataType === name) return;
}

/** Returns the message CATALOG: the streams that can be read. */
export function catalogMessage(source: AirbyteSource): JsonObject {
  const { config, manifest, schemas, now = Date.now } = source;
  const values = new Values(config, now(), {}, schemas);
  const { streams } = fromAirbyte(manifest, config, { schemas, now: now() });
  const described = streamsOf(manifest)
    .filter((stream) => streams.includes(nameOf(stream)))
    .map((stream) => streamOf(stream, values));
  return { type: 'CATALOG', catalog: { streams: described } };
}

function streamOf(written: Component, values: Values): JsonObject {
  const stream = componentAt(written, 'full_refresh_stream') ?? written;
  const cursor = componentAt(stream, 'incremental_sync') ?? {};
  const field = values.text(ownValue(cursor, 'cursor_field'), cursor);
  const keys = [ownValue(stream, 'primary_key') ?? []].flat().map((each) => (isList(each) ? each : [each]));
  return {
    name: nameOf(written),
    json_schema: schemaOf(stream, values) ?? { type: 'object', additionalProperties: true, properties: {} },
    supported_sync_modes: field === '' ? ['full_refresh'] : ['full_refresh', 'incremental'],
    ...(field === '' ? {} : { source_defined_cursor: true, default_cursor_field: [field] }),
    ...(keys.length === 0 ? {} : { source_defined_primary_key: keys }),
    is_resumable: field !== '',
  };
}

function translated(source: AirbyteSource, name: string, states: ReadonlyMap<string, JsonObject>): FromAirbyte {
  const { manifest, config, schemas, now = Date.now } = source;
  const made = fromAirbyte(manifest, config, { schemas, now: now(), streams: [name], states });
  const [left] = made.leftOut;
  if (left === undefined) return made;
  throw new FatalError('CONFIG_INVALID', `The stream ${name} cannot be read: ${left.message}`);
}

const runOptions = (source: AirbyteSource): ExtractOptions => ({
  ...source.options,
  secrets: airbyteSecrets(connectionSpecificationOf(source), source.config),
});

/** A stream of a configured catalogue, and whether it is read from its state on. */
interface Chosen {
  readonly name: string;
  readonly isIncremental: boolean;
}

function chosenIn(catalog: JsonObject): readonly Chosen[] {
  const streams = ownValue(catalog, 'streams');
  if (!isList(streams)) throw new FatalError('CONFIG_INVALID', 'The catalogue has no "streams".');
  return streams.map((each) => {
    const name = valueBelow(each, 'stream', 'name');
    if (typeof name !== 'string')
      throw new FatalError('CONFIG_INVALID', 'A stream of the catalogue has no "stream" with a "name".');
    return { name, isIncremental: valueBelow(each, 'sync_mode') === 'incremental' };
  });
}

/**
 * Reads the streams of a configured catalogue, one after another: the records of each, with states behind which nothing is missing. A
 * stream that fails does not end the others.
 *
 * @param states the states of earlier runs, by the names of streams
 * @returns messages in their order; the last value says whether all streams are complete
 */
export async function* readMessages(
  source: AirbyteSource,
  catalog: JsonObject,
  states: ReadonlyMap<string, JsonObject> = new Map(),
): AsyncGenerator<AirbyteMessage, boolean> {
  checkConfig(source);
  let isWhole = true;
  for (const { name, isIncremental } of chosenIn(catalog)) {
    const own = isIncremental ? states.get(name) : undefined;
    yield statusMessage(source, name, 'STARTED');
    try {
      yield* streamMessages(source, { name, isIncremental }, new Map(own === undefined ? [] : [[name, own]]));
      yield statusMessage(source, name, 'COMPLETE');
    } catch (error) {
      isWhole = false;
      yield errorMessage(error, source, name);
      yield statusMessage(source, name, 'INCOMPLETE');
      if (source.options?.signal?.aborted === true) throw error;
    }
  }
  return isWhole;
}

async function* streamMessages(
  source: AirbyteSource,
  { name, isIncremental }: Chosen,
  states: ReadonlyMap<string, JsonObject>,
): AsyncGenerator<AirbyteMessage> {
  const made = translated(source, name, states);
  const state = stateFromAirbyte(states, made.cursors);
  const cursors = createCursorTracker(state);
  const logs: JsonObject[] = [];
  let finished: Extract<RunEvent, { readonly type: 'run.finished' }> | undefined;
  const log = (level: string, message: string): void =>
    void logs.push({ type: 'LOG', log: { level: level.toUpperCase(), message } });
  const logged = logEvents({ log, isLevelEnabled: (level) => level !== 'debug' });
  const options: ExtractOptions = {
    ...runOptions(source),
    state,
    onJobError: 'continue',
    onEvent: (event) => {
      if (event.type === 'run.finished') finished = event;
      else if (event.type === 'warning') logged(event);
    },
  };
  const prepared = prepare(made.configuration, options);
  const extraction = extractPrepared(prepared, options, undefined, undefined, 'leave the others');
  const onTheWay = isIncremental ? createOnTheWay(state, made.cursors) : undefined;
  let isRunning = false;
  let records = 0;
  const stateOf = (left: JsonObject): JsonObject => {
    const sourceStats = { recordCount: records };
    records = 0;
    return { type: 'STATE', state: withMember(left, 'sourceStats', sourceStats) };
  };
  function* reached(): Generator<JsonObject> {
    const left = onTheWay?.taken();
    if (left !== undefined) yield stateOf(stateMessage(name, left));
  }
  try {
    for await (const page of extraction.pages()) {
      yield* logs.splice(0);
      if (onTheWay?.isDue() === true) yield* reached();
      cursors.addPage(page);
      onTheWay?.add(page);
      if (page.job.dataType !== name || page.count === 0) continue;
      if (!isRunning) yield statusMessage(source, name, 'RUNNING');
      isRunning = true;
      records += page.count;
      const before = `{"type":"RECORD","record":{"stream":${stringifyJson(name)},"data":`;
      yield page.lines(before, `,"emitted_at":${timeOf(source)}}}`);
    }
  } catch (error) {
    yield* logs.splice(0);
    yield* reached();
    throw error;
  }
  yield* logs.splice(0);
  const { isWhole } = completeJobs(extraction.outputs, finished?.jobs ?? []);
  for (const left of stateToAirbyte(cursors.into(state, isWhole), made)) yield stateOf(left);
}

const timeOf = ({ now = Date.now }: Pick<AirbyteSource, 'now'>): number => now();

const trace = (type: string, source: Pick<AirbyteSource, 'now'>, content: JsonObject): JsonObject => ({
  type: 'TRACE',
  trace: together({ type, emitted_at: timeOf(source) }, content),
});

const statusMessage = (source: AirbyteSource, name: string, status: string): JsonObject =>
  trace('STREAM_STATUS', source, { stream_status: { stream_descriptor: { name }, status } });

/**
 * Returns the message TRACE of an error.
 *
 * @param stream the name of the stream that failed, if one has
 */
export function errorMessage(error: unknown, source: Pick<AirbyteSource, 'now'> = {}, stream?: string): JsonObject {
  const isKnown = error instanceof HeadwaterError;
  return trace('ERROR', source, {
    error: {
      message: error instanceof Error ? error.message : String(error),
      ...(isKnown ? { internal_message: error.code } : {}),
      failure_type: isKnown ? failureOf(error) : 'system_error',
      ...(stream === undefined ? {} : { stream_descriptor: { name: stream } }),
    },
  });
}

const failureOf = ({ code, recovery }: HeadwaterError): string => {
  if (code.startsWith('CONFIG') || code.startsWith('LOGIN')) return 'config_error';
  return recovery === 'retry' ? 'transient_error' : 'system_error';
};
