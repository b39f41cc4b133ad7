/** Cursors of streams: the windows of their jobs, the states of Airbyte that say how far they have come, and such states on the way. */
import { FatalError } from '../../../core/errors/errors';
import { withMember } from '../../../core/json/literals';
import {
  entriesOf,
  isList,
  isObject,
  listAt,
  objectAt,
  objectFrom,
  ownValue,
  stringAt,
  valueBelow,
} from '../../../core/json/objects';
import { furthest, isEarlier } from '../../../core/json/order';
import { isScalar, textOf } from '../../../core/json/scalars';
import type { Json, JsonObject, Page } from '../../../core/model';
import { DateError, Moment, isoDuration, isoMoment, momentIn, writeMoment } from '../../../language/jinja/dates';
import { CURSORS, cursorsOf } from '../../../run/state/cursors';
import { ELSEWHERE } from '../../../run/state/state-before';
import { OTHER_PARENTS } from '../../../sources/incremental';
import { Untranslatable, typeOf } from './manifest';
import type { Component } from './manifest';
import { putOption } from './requests';
import type { Draft } from './requests';
import { textOfScalar } from './values';
import type { Values } from './values';

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

/** The cursor of a stream that is being translated. */
export interface Cursor {
  /** Puts the ends of a window into a job, and returns the values with them. */
  readonly into: (draft: Draft, values: Values) => Values;
  /**
   * Returns the options of the job.
   *
   * @param isSent whether a request has an end of the window
   * @param isFollowed whether later runs go on from where it is
   * @param partition the values by which the stream is divided
   */
  readonly options: (isSent: boolean, isFollowed: boolean, partition: JsonObject) => JsonObject;
  readonly state: Pick<StreamCursor, 'field' | 'format' | 'initial' | 'isGlobal'>;
}

const FROM = '{window.from}';
const TO = '{window.to}';

function momentOf(value: Json, formats: readonly string[]): Moment {
  try {
    return momentIn(textOfScalar(value), formats);
  } catch (error) {
    if (error instanceof DateError) throw new Untranslatable('a date that cannot be read', textOfScalar(value));
    throw error;
  }
}

/** Returns a date of a cursor, which may have a format, a least and a most of its own. */
function limitOf(cursor: Component, name: string, values: Values, formats: readonly string[]): Moment | undefined {
  const written = ownValue(cursor, name) ?? null;
  if (written === null) return undefined;
  if (!isObject(written)) return momentOf(values.constant(written, cursor), formats);
  const own = stringAt(written, 'datetime_format');
  const all = own === undefined ? formats : [values.text(own, written), ...formats];
  const [moment, least, most] = ['datetime', 'min_datetime', 'max_datetime'].map((key) => {
    const made = values.constant(ownValue(written, key) ?? '', written, '');
    return made === null || made === '' ? undefined : momentOf(made, all);
  });
  if (moment === undefined) throw new Untranslatable('a date without a value');
  const raised = least !== undefined && least.ms > moment.ms ? least : moment;
  return most !== undefined && most.ms < raised.ms ? most : raised;
}

const isoText = (moment: Moment): string => moment.in(0).iso().replace('+00:00', 'Z');

/** Returns a length of ISO 8601 as seconds; months have 31 days, so that nothing is missed. */
function secondsOf(text: string): number {
  const { micros, months } = isoDuration(text);
  return micros / 1_000_000 + months * 31 * 86_400;
}

/** Returns the cursor of a stream, if it has one. */
export function cursorOf(cursor: Component | undefined, values: Values): Cursor | undefined {
  if (cursor === undefined) return undefined;
  const type = typeOf(cursor, 'DatetimeBasedCursor');
  if (type !== 'DatetimeBasedCursor') throw new Untranslatable(type);
  if (ownValue(cursor, 'clamping') !== undefined) throw new Untranslatable('clamping');
  const text = (name: string, byDefault = ''): string => values.text(ownValue(cursor, name), cursor) || byDefault;
  const format = text('datetime_format');
  const read = listAt(cursor, 'cursor_datetime_formats').map((each) => values.text(each, cursor));
  const formats = [format, ...read];
  const start = limitOf(cursor, 'start_datetime', values, formats) ?? new Moment(0);
  const end = limitOf(cursor, 'end_datetime', values, formats);
  const isNow = end === undefined || end.ms === values.now;
  const [step, granularity, lookback] = [text('step'), text('cursor_granularity'), text('lookback_window')];
  const field = text('cursor_field');
  const flag = (name: string): boolean => ownValue(cursor, name) === true;
  const older = flag('is_data_feed') ? 'end' : flag('is_client_side_incremental') ? 'drop' : 'keep';
  const isGlobal = flag('global_substream_cursor');
  return {
    into: (draft, around) => {
      const [from, to] = [text('partition_field_start', 'start_time'), text('partition_field_end', 'end_time')];
      const made = around.withSlice({ start_time: FROM, end_time: TO, [from]: FROM, [to]: TO });
      putOption(draft, cursor, 'start_time_option', made, FROM);
      putOption(draft, cursor, 'end_time_option', made, TO);
      return made;
    },
    options: (isSent, isFollowed, partition) => {
      const window = {
        ...(isFollowed ? {} : { from: isoText(start), ...(isNow ? {} : { to: isoText(end) }) }),
        ...(step === '' ? {} : { step }),
        format,
        ...(granularity === '' ? {} : { granularity }),
      };
      const lag = lookback === '' ? 0 : secondsOf(lookback);
      const incremental = {
        field,
        format: read.length === 0 ? format : [...read, format],
        ...(isSent ? { initial: isoText(start), ...(isNow ? {} : { until: isoText(end) }) } : {}),
        ...(lag === 0 ? {} : { lag }),
        ...(older === 'keep' ? {} : { older, initial: isoText(start) }),
        ...(entriesOf(partition).length === 0 ? {} : { by: isGlobal ? [] : placeholdersIn(partition) }),
      };
      return { ...(isSent ? { window } : {}), ...(isFollowed ? { incremental } : {}) };
    },
    state: { field, format, initial: writeMoment(start, format), isGlobal },
  };
}

/** The state of a stream without a cursor, when it has been read. */
const NO_CURSOR = '__ab_no_cursor_state_message';

/** Returns whether a value is a state of Airbyte: one of its messages, or a list of them. */
export const isAirbyteState = (value: Json): boolean =>
  [value].flat().some(isStateMessage) || (isList(value) && value.length === 0);

const isStateMessage = (value: Json | undefined): boolean =>
  isObject(value) &&
  (isObject(ownValue(value, 'stream')) ||
    isObject(ownValue(value, 'global')) ||
    isStateMessage(ownValue(value, 'state')));

/**
 * Returns the states of streams in a state of Airbyte, by their names.
 *
 * @param value one message `STREAM` or `GLOBAL`, or a list of them
 * @example airbyteStates([{ type: 'STREAM', stream: { stream_descriptor: { name: 'orders' }, stream_state: { at: '2024-01-01' } } }])
 */
export function airbyteStates(value: Json): ReadonlyMap<string, JsonObject> {
  const states = new Map<string, JsonObject>();
  for (const message of [value].flat()) {
    if (!isObject(message)) throw refused('it has something that is no object');
    const inner = ownValue(message, 'state');
    const state = isObject(inner) ? inner : message;
    for (const stream of [ownValue(state, 'stream'), ...listAt(ownValue(state, 'global'), 'stream_states')]) {
      const name = valueBelow(stream, 'stream_descriptor', 'name');
      const own = valueBelow(stream, 'stream_state');
      if (typeof name === 'string' && isObject(own)) states.set(name, own);
    }
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
  return below === undefined ? undefined : stateOfParent(stateOf(below, at + 1, states, cursors), stream);
}

/** Returns the state of a parent inside that of a stream. */
export function stateOfParent(state: JsonObject | undefined, name: string): JsonObject | undefined {
  const found = valueBelow(state, 'parent_state', name);
  return isObject(found) ? found : undefined;
}

function reachedIn(state: JsonObject, cursor: StreamCursor): readonly (readonly [string, Json])[] {
  const isDivided = entriesOf(cursor.partition).length > 0 && !cursor.isGlobal;
  const all = ownValue(state, 'state') ?? state;
  const back = Number(ownValue(state, 'lookback_window') ?? 0);
  return [
    ...valueIn(all, cursor, isDivided ? OTHER_PARENTS : '', back),
    ...(isDivided ? listAt(state, 'states').filter(isObject) : []).flatMap((part) => {
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
  const value = valueBelow(state, field) ?? null;
  if (value === null || !isScalar(value)) return [];
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
const placeholdersIn = (partition: JsonObject): readonly string[] =>
  textsIn(partition, partition).map(([name]) => name);

/** Returns the values of the placeholders of a partition. */
const textsIn = (template: JsonObject, partition: Json): readonly (readonly [string, string])[] =>
  entriesOf(template).flatMap(([key, written]) => {
    const value = valueBelow(partition, key) ?? null;
    if (isObject(written)) return textsIn(written, value);
    const name = nameIn(written);
    return name === undefined || !isScalar(value) ? [] : [[name, textOf(value)] as const];
  });

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
function streamState(state: JsonObject, at: number, cursors: readonly StreamCursor[], isWhole = true): JsonObject {
  const cursor = cursors[at];
  if (cursor === undefined) return {};
  const found = valueBelow(state, CURSORS, cursor.job);
  const reached = isObject(found) ? entriesOf(found) : [];
  const written = (value: Json | undefined): JsonObject => ({
    [cursor.field]: typeof value === 'string' ? writeMoment(isoMoment(value), cursor.format) : cursor.initial,
  });
  const parts = reached.filter(([key]) => key.startsWith('{'));
  const whole = reached
    .filter((each) => isWhole || !parts.includes(each))
    .reduce<Json | undefined>((most, [, value]) => furthest(most, value), undefined);
  if (entriesOf(cursor.partition).length === 0) return written(whole);
  const above = cursors[at - 1];
  const states = parts.map(([key, value]) => ({
    partition: filled(cursor.partition, new Map(Object.entries(JSON.parse(key) as Record<string, string>))),
    cursor: written(value),
  }));
  return {
    use_global_cursor: cursor.isGlobal,
    ...(cursor.isGlobal ? {} : { states }),
    ...(whole === undefined ? {} : { state: written(whole) }),
    lookback_window: 0,
    parent_state: above?.isParent === true ? { [above.stream]: streamState(state, at - 1, cursors, isWhole) } : {},
  };
}

const filled = (template: JsonObject, texts: ReadonlyMap<string, string>): JsonObject =>
  objectFrom(
    entriesOf(template).map(([key, written]) => {
      if (isObject(written)) return [key, filled(written, texts)] as const;
      const name = nameIn(written);
      return [key, name === undefined ? written : (texts.get(name) ?? null)] as const;
    }),
  );

/** The state of a stream that is being read. */
export interface OnTheWay {
  /** Adds a page. */
  readonly add: (page: Page) => void;
  /** Returns whether a state is due: it says more than the last one, and enough has come since. */
  readonly isDue: () => boolean;
  /** Returns the state of Airbyte behind which nothing is missing; `undefined` if the last one said the same. */
  readonly taken: () => JsonObject | undefined;
}

/** The records between two states; a page counts as some of them, and so does a partition, which makes states longer. */
const RECORDS = 1000;
const OF_A_PAGE = 20;

/**
 * Follows the calls of a stream. A partition without windows has come to its furthest record when its call is over; one with windows to the
 * end of those that are over, if all before them are.
 *
 * @param state the state that the run goes on from
 * @param cursors those of the stream and of its parents, which stay where they are
 * @returns `undefined` where only the whole stream has a position
 */
export function createOnTheWay(state: JsonObject, cursors: readonly StreamCursor[]): OnTheWay | undefined {
  const at = cursors.findIndex(({ isParent }) => !isParent);
  const cursor = cursors[at];
  if (cursor === undefined || cursor.isGlobal) return undefined;
  const { job, format } = cursor;
  const reached = new Map(cursorsOf(state).get(job));
  const open = new Map<string, { readonly parent: string; readonly value: Json }>();
  const windowsOver = new Map<string, number>();
  let [since, isFurther] = [0, false];
  const end = (call: readonly number[], to: string | undefined): void => {
    const key = call.join('.');
    const found = open.get(key);
    open.delete(key);
    const [above, window = 0] = [call.slice(0, -1).join('.'), call.at(-1)];
    if (to !== undefined && window !== (windowsOver.get(above) ?? 0)) return;
    windowsOver.set(above, window + 1);
    if (found === undefined) return;
    const { parent, value } = found;
    const last = to === undefined ? value : momentIn(to, [format]).in(0).iso();
    const come = isEarlier(last, value) ? last : value;
    if (reached.has(parent) && !isEarlier(reached.get(parent), come)) return;
    reached.set(parent, come);
    isFurther = true;
  };
  return {
    add: (page) => {
      since += page.count + OF_A_PAGE;
      if (page.job.id !== job) return;
      const {
        cursor: own,
        evidence,
        checkpoint,
        job: { placeholders = {} },
      } = page;
      const key = checkpoint.call.join('.');
      if (own !== undefined)
        open.set(key, { parent: own.parent, value: furthest(open.get(key)?.value, own.value) ?? own.value });
      if (checkpoint.position === undefined && evidence?.stopped !== true)
        end(checkpoint.call, placeholders['window.to']);
    },
    isDue: () => isFurther && since >= RECORDS + OF_A_PAGE * reached.size,
    taken: () => {
      if (!isFurther) return undefined;
      [since, isFurther] = [0, false];
      const jobs = withMember(objectAt(state, CURSORS), job, objectFrom(reached));
      return streamState({ [CURSORS]: jobs }, at, cursors, false);
    },
  };
}
