/** The cursor of a stream: the window of its job, and how later runs go on from there. */
import { entriesOf, isList, isObject, ownValue } from '../../../core/json/objects';
import type { Json, JsonObject } from '../../../core/model';
import { DateError, Moment, isoDuration, momentIn, writeMoment } from '../../../language/jinja/dates';
import { putOption, typeOf } from './draft';
import type { Draft } from './draft';
import type { Component } from './manifest';
import { placeholdersIn } from './state';
import type { StreamCursor } from './state';
import { Untranslatable, textOfScalar } from './values';
import type { Values } from './values';

/** The cursor of one stream. */
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
function limitOf(
  written: Json | undefined,
  cursor: Component,
  values: Values,
  formats: readonly string[],
): Moment | undefined {
  if (written === undefined || written === null) return undefined;
  if (!isObject(written)) return momentOf(values.constant(written, cursor), formats);
  const own = ownValue(written, 'datetime_format');
  const all = typeof own === 'string' ? [values.text(own, written), ...formats] : formats;
  const of = (name: string): Moment | undefined => {
    const value = ownValue(written, name);
    const made = value === undefined ? null : values.constant(value, written, '');
    return made === null || made === '' ? undefined : momentOf(made, all);
  };
  const moment = of('datetime');
  if (moment === undefined) throw new Untranslatable('a date without a value');
  const [least, most] = [of('min_datetime'), of('max_datetime')];
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
  const more = ownValue(cursor, 'cursor_datetime_formats');
  const read = isList(more) ? more.map((each) => values.text(each, cursor)) : [];
  const formats = [format, ...read];
  const start = limitOf(ownValue(cursor, 'start_datetime'), cursor, values, formats) ?? new Moment(0);
  const end = limitOf(ownValue(cursor, 'end_datetime'), cursor, values, formats);
  const isNow = end === undefined || end.ms === values.now;
  const [step, granularity, lookback] = [text('step'), text('cursor_granularity'), text('lookback_window')];
  const field = text('cursor_field');
  const flag = (name: string): boolean => ownValue(cursor, name) === true;
  const older = flag('is_data_feed') ? 'end' : flag('is_client_side_incremental') ? 'drop' : 'keep';
  const isGlobal = ownValue(cursor, 'global_substream_cursor') === true;
  return {
    into: (draft, around) => {
      const [from, to] = [text('partition_field_start', 'start_time'), text('partition_field_end', 'end_time')];
      const made = around.withSlice({ start_time: FROM, end_time: TO, [from]: FROM, [to]: TO });
      putOption(draft, cursor, 'start_time_option', made, FROM);
      putOption(draft, cursor, 'end_time_option', made, TO);
      return made;
    },
    options: (isSent, isFollowed, partition) => {
      const until = isNow ? {} : { until: isoText(end) };
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
        ...(isSent ? { initial: isoText(start), ...until } : {}),
        ...(lag === 0 ? {} : { lag }),
        ...(older === 'keep' ? {} : { older, initial: isoText(start) }),
        ...(entriesOf(partition).length === 0 ? {} : { by: isGlobal ? [] : placeholdersIn(partition) }),
      };
      return { ...(isSent ? { window } : {}), ...(isFollowed ? { incremental } : {}) };
    },
    state: {
      field,
      format,
      initial: writeMoment(start, format),
      isGlobal,
    },
  };
}
