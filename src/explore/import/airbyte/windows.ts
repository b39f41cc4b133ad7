/** The windows of a cursor by date, as the CDK of Airbyte has them. */
import { isList, isObject, ownValue } from '../../../core/json/objects';
import type { Json } from '../../../core/model';
import { DateError, Moment, isoDuration, isoMoment, readMoment, writeMoment } from '../../../language/jinja/dates';
import type { Duration } from '../../../language/jinja/dates';
import type { Component } from './manifest';
import { Untranslatable, textOfScalar } from './values';
import type { Values } from './values';

/** The beginning and the end of a window, as they are sent. */
export interface SentWindow {
  readonly from: string;
  readonly to: string;
}

/** The most windows; more are a mistake, such as a beginning in 1970. */
const MOST = 100_000;

/** Returns the moment of a date in one of the formats, or in ISO 8601. */
function momentIn(value: Json, formats: readonly string[]): Moment {
  const text = textOfScalar(value);
  for (const format of formats)
    try {
      return readMoment(text, format);
    } catch (error) {
      if (!(error instanceof DateError)) throw error;
    }
  try {
    const moment = isoMoment(text);
    return moment.offset === undefined ? moment.in(0) : moment;
  } catch {
    throw new Untranslatable('a date that cannot be read', text);
  }
}

function limitOf(
  written: Json | undefined,
  cursor: Component,
  values: Values,
  formats: readonly string[],
): Moment | undefined {
  if (written === undefined || written === null) return undefined;
  if (!isObject(written)) return momentIn(values.constant(written, cursor), formats);
  const own = ownValue(written, 'datetime_format');
  const all = typeof own === 'string' ? [values.text(own, written), ...formats] : formats;
  const of = (name: string): Moment | undefined => {
    const value = ownValue(written, name);
    const made = value === undefined ? null : values.constant(value, written, '');
    return made === null || made === '' ? undefined : momentIn(made, all);
  };
  const moment = of('datetime');
  if (moment === undefined) throw new Untranslatable('a date without a value');
  const [least, most] = [of('min_datetime'), of('max_datetime')];
  const raised = least !== undefined && least.ms > moment.ms ? least : moment;
  return most !== undefined && most.ms < raised.ms ? most : raised;
}

const before = (a: Moment, b: Moment): boolean => a.ms < b.ms || (a.ms === b.ms && a.micros < b.micros);

/** Returns the format of a cursor, and those in which its dates are read. */
function formatsOf(cursor: Component, values: Values): readonly [string, ...string[]] {
  const more = ownValue(cursor, 'cursor_datetime_formats');
  const format = values.text(ownValue(cursor, 'datetime_format'), cursor);
  return [format, ...(isList(more) ? more.map((each) => values.text(each, cursor)) : [])];
}

/** Returns where a cursor begins, in milliseconds since 1970. */
function beginningOf(cursor: Component, values: Values): Moment | undefined {
  return limitOf(ownValue(cursor, 'start_datetime'), cursor, values, formatsOf(cursor, values));
}

/**
 * Returns the windows of a cursor: each ends one granularity before the next one begins, the last one where all end.
 *
 * @param since the moment from which on items are new, if an earlier run has read some
 */
export function windowsOf(cursor: Component, values: Values, since?: Moment): readonly SentWindow[] {
  const formats = formatsOf(cursor, values);
  const [format] = formats;
  const now = new Moment(values.now);
  const end = limitOf(ownValue(cursor, 'end_datetime'), cursor, values, formats) ?? now;
  const written = beginningOf(cursor, values) ?? new Moment(0);
  const back = ownValue(cursor, 'lookback_window');
  const lookback = typeof back === 'string' ? values.text(back, cursor) : '';
  const resumed = since === undefined || lookback === '' ? since : since.plus(isoDuration(lookback), -1);
  const start = resumed !== undefined && before(written, resumed) ? resumed : written;
  const length = (name: string): Duration | undefined => {
    const text = ownValue(cursor, name) === undefined ? '' : values.text(ownValue(cursor, name), cursor);
    return text === '' ? undefined : isoDuration(text);
  };
  const [step, granularity] = [length('step'), length('cursor_granularity')];
  const sent = (from: Moment, to: Moment): SentWindow => ({
    from: writeMoment(from, format),
    to: writeMoment(to, format),
  });
  if (before(end, start)) return [];
  if (step === undefined || !before(start.plus(step), end)) return [sent(start, end)];
  const windows: SentWindow[] = [];
  for (let from = start; before(from, end);) {
    const next = from.plus(step);
    const isLast = !before(next, end);
    const to = isLast ? end : granularity === undefined ? next : next.plus(granularity, -1);
    windows.push(sent(from, to));
    if (windows.length > MOST) throw new Untranslatable('too many windows', `more than ${MOST}`);
    from = isLast ? end : next;
  }
  return windows;
}
