/** States of Airbyte: what a run has left, stream by stream, and the cursors of Headwater that say the same. */
import { FatalError } from '../../../core/errors/errors';
import { entriesOf, isList, isObject, objectFrom, ownValue } from '../../../core/json/objects';
import { furthest } from '../../../core/json/order';
import { isScalar, textOf } from '../../../core/json/scalars';
import type { Json, JsonObject } from '../../../core/model';
import { CURSORS } from '../../../run/state/cursors';
import { ELSEWHERE } from '../../../run/state/state-before';
import { OTHER_PARENTS } from '../../../sources/incremental';
import { DateError, isoMoment, momentIn, writeMoment } from '../../../language/jinja/dates';

/** The cursor of a stream, or of a stream above it, and the job that keeps it. */
export interface StreamCursor {
  /** The name of the stream. */
  readonly stream: string;
  /** The id of the job. */
  readonly job: string;
  /** True for the parent of the stream whose cursor comes after it. */
  readonly isParent: boolean;
  readonly field: string;
  /** The format of its dates in states. */
  readonly format: string;
  /** Where it begins, in that format. */
  readonly initial: string;
  /** True if all partitions share one cursor. */
  readonly isGlobal: boolean;
  /** The partition, with placeholders of the job; without members if there is none. */
  readonly partition: JsonObject;
}

/** The state of a stream without a cursor, when it has been read. */
const NO_CURSOR = '__ab_no_cursor_state_message';

/** Returns whether a value is a state of Airbyte: one of its messages, or a list of them. */
export const isAirbyteState = (value: Json): boolean => [value].flat().some(isStateMessage) || isEmptyList(value);

const isEmptyList = (value: Json): boolean => isList(value) && value.length === 0;

function isStateMessage(value: Json): boolean {
  if (!isObject(value)) return false;
  const inner = ownValue(value, 'state');
  return (
    isObject(ownValue(value, 'stream')) ||
    isObject(ownValue(value, 'global')) ||
    (isObject(inner) && isStateMessage(inner))
  );
}

/**
 * Returns the states of streams in a state of Airbyte, by their names.
 *
 * @param value one message `STREAM` or `GLOBAL`, or a list of them
 * @example airbyteStates([{ type: 'STREAM', stream: { stream_descriptor: { name: 'orders' }, stream_state: { at: '2024-01-01' } } }])
 */
export function airbyteStates(value: Json): ReadonlyMap<string, JsonObject> {
  const states = new Map<string, JsonObject>();
  const add = (stream: Json | undefined): void => {
    const descriptor = isObject(stream) ? ownValue(stream, 'stream_descriptor') : undefined;
    const name = isObject(descriptor) ? ownValue(descriptor, 'name') : undefined;
    const state = isObject(stream) ? ownValue(stream, 'stream_state') : undefined;
    if (typeof name === 'string' && isObject(state)) states.set(name, state);
  };
  for (const message of [value].flat()) {
    if (!isObject(message)) throw refused('it has something that is no object');
    const inner = ownValue(message, 'state');
    const state = isObject(inner) ? inner : message;
    add(ownValue(state, 'stream'));
    const all = ownValue(state, 'global');
    const listed = isObject(all) ? ownValue(all, 'stream_states') : undefined;
    if (isList(listed)) listed.forEach(add);
  }
  return states;
}

const refused = (why: string): FatalError => new FatalError('CONFIG_INVALID', `The state of Airbyte: ${why}.`);

/**
 * Returns the state of a run that goes on from states of Airbyte.
 *
 * @param cursors those of the translated streams
 * @example stateFromAirbyte(airbyteStates(read), fromAirbyte(manifest, config).cursors)
 */
export function stateFromAirbyte(
  states: ReadonlyMap<string, JsonObject>,
  cursors: readonly StreamCursor[],
): JsonObject {
  const ofJobs = cursors.flatMap((cursor, at): readonly (readonly [string, Json])[] => {
    const left = stateOf(cursor, at, states, cursors);
    const reached = left === undefined ? [] : reachedIn(left, cursor);
    return reached.length === 0 ? [] : [[cursor.job, objectFrom(new Map(reached))]];
  });
  return { [ELSEWHERE]: true, [CURSORS]: objectFrom(ofJobs) };
}

/** Returns the state of a stream, or that of a parent inside it. */
function stateOf(
  { stream, isParent }: StreamCursor,
  at: number,
  states: ReadonlyMap<string, JsonObject>,
  cursors: readonly StreamCursor[],
): JsonObject | undefined {
  if (!isParent) return states.get(stream);
  const below = cursors[at + 1];
  const left = below === undefined ? undefined : stateOf(below, at + 1, states, cursors);
  const parents = left === undefined ? undefined : ownValue(left, 'parent_state');
  const found = isObject(parents) ? ownValue(parents, stream) : undefined;
  return isObject(found) ? found : undefined;
}

function reachedIn(state: JsonObject, cursor: StreamCursor): readonly (readonly [string, Json])[] {
  const isDivided = entriesOf(cursor.partition).length > 0;
  const parts = ownValue(state, 'states');
  const all = ownValue(state, 'state') ?? state;
  const own = isDivided && !cursor.isGlobal && isList(parts) ? parts.filter(isObject) : [];
  const back = Number(ownValue(state, 'lookback_window') ?? 0);
  return [
    ...valueIn(all, cursor, isDivided && !cursor.isGlobal ? OTHER_PARENTS : '', back),
    ...own.flatMap((part) => {
      const texts = textsIn(cursor.partition, ownValue(part, 'partition') ?? {});
      return valueIn(ownValue(part, 'cursor') ?? {}, cursor, JSON.stringify(Object.fromEntries(texts)));
    }),
  ];
}

function valueIn(
  state: Json,
  { field, format, stream }: StreamCursor,
  parent: string,
  back = 0,
): readonly (readonly [string, Json])[] {
  const value = isObject(state) ? ownValue(state, field) : undefined;
  if (value === undefined || value === null || !isScalar(value)) return [];
  try {
    const moment = momentIn(textOf(value), [format]);
    const less = back > 0 ? momentIn(String(moment.seconds - back), ['%s_as_float']) : moment;
    return [[parent, less.in(0).iso()]];
  } catch (error) {
    if (error instanceof DateError)
      throw refused(`${stream}: ${JSON.stringify(value)} is no date in the format ${JSON.stringify(format)}`);
    throw error;
  }
}

/** Returns the name of a placeholder; `undefined` for anything else. */
const nameIn = (written: Json): string | undefined =>
  typeof written === 'string' ? /^\{(.*)\}$/.exec(written)?.[1] : undefined;

/** Returns the placeholders of a partition, with those of the partitions above it. */
export const placeholdersIn = (partition: JsonObject): readonly string[] =>
  textsIn(partition, partition).map(([name]) => name);

/** Returns the values of the placeholders of a partition. */
function textsIn(template: JsonObject, partition: Json): readonly (readonly [string, string])[] {
  const given = isObject(partition) ? partition : {};
  return entriesOf(template).flatMap(([key, written]) => {
    const value = ownValue(given, key) ?? null;
    if (isObject(written)) return textsIn(written, value);
    const name = nameIn(written);
    return name === undefined || !isScalar(value) ? [] : [[name, textOf(value)] as const];
  });
}

/**
 * Returns what a run has left as states of Airbyte: a message `STREAM` for each stream.
 *
 * @param state the state of the run
 * @param read the streams that it has read, and their cursors
 * @param before states of streams from before the run: those of other streams are kept
 * @example stateToAirbyte(delivery.state, fromAirbyte(manifest, config))
 */
export function stateToAirbyte(
  state: JsonObject,
  { streams, cursors }: { readonly streams: readonly string[]; readonly cursors: readonly StreamCursor[] },
  before: ReadonlyMap<string, JsonObject> = new Map(),
): readonly JsonObject[] {
  const made = streams.map((name) => {
    const at = cursors.findIndex((cursor) => cursor.stream === name && !cursor.isParent);
    return [name, at === -1 ? { [NO_CURSOR]: true } : streamState(state, at, cursors)] as const;
  });
  return [...new Map([...before, ...made])].map(([name, left]) => stateMessage(name, left));
}

/** Returns the message `STREAM` with the state of a stream. */
export const stateMessage = (name: string, left: JsonObject): JsonObject => ({
  type: 'STREAM',
  stream: { stream_descriptor: { name }, stream_state: left },
});

/**
 * Returns the state of a stream.
 *
 * @param at the place of its cursor
 * @param isWhole whether all partitions have been read: others, which come later, then begin at the furthest of them
 */
export function streamState(
  state: JsonObject,
  at: number,
  cursors: readonly StreamCursor[],
  isWhole = true,
): JsonObject {
  const cursor = cursors[at];
  const jobs = ownValue(state, CURSORS);
  if (cursor === undefined) return {};
  const found = isObject(jobs) ? ownValue(jobs, cursor.job) : undefined;
  const reached = isObject(found) ? entriesOf(found) : [];
  const written = (value: Json | undefined): JsonObject => ({
    [cursor.field]: typeof value === 'string' ? writeMoment(isoMoment(value), cursor.format) : cursor.initial,
  });
  const whole = reached
    .filter(([key]) => isWhole || !isPartition(key))
    .reduce<Json | undefined>((most, [, value]) => furthest(most, value), undefined);
  if (entriesOf(cursor.partition).length === 0) return written(whole);
  const above = cursors[at - 1];
  const parent = above?.isParent === true ? { [above.stream]: streamState(state, at - 1, cursors, isWhole) } : {};
  const states = reached
    .filter(([key]) => isPartition(key))
    .map(([key, value]) => ({
      partition: filled(cursor.partition, new Map(Object.entries(JSON.parse(key) as Record<string, string>))),
      cursor: written(value),
    }));
  return {
    use_global_cursor: cursor.isGlobal,
    ...(cursor.isGlobal ? {} : { states }),
    ...(whole === undefined ? {} : { state: written(whole) }),
    lookback_window: 0,
    parent_state: parent,
  };
}

const isPartition = (key: string): boolean => key.startsWith('{');

const filled = (template: JsonObject, texts: ReadonlyMap<string, string>): JsonObject =>
  objectFrom(
    entriesOf(template).map(([key, written]) => {
      if (isObject(written)) return [key, filled(written, texts)] as const;
      const name = nameIn(written);
      return [key, name === undefined ? written : (texts.get(name) ?? null)] as const;
    }),
  );
