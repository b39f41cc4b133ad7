import { httpDate } from '../core/headers';
import { withMember } from '../core/json/literals';
import { furthest, isEarlier, isOrdered, isTime, movedBack, secondsAfter } from '../core/json/order';
import { exactValueAt } from '../core/json/path';
import { isNumeric, isScalar, textOf } from '../core/json/scalars';
import type { Cursors, JobRef, Json, JsonObject, JsonScalar, PageCursor, Response } from '../core/model';
import { DateError, isoMoment, microMoment, momentIn, writeMoment } from '../language/jinja/dates';
import type { Moment } from '../language/jinja/dates';
import type { IncrementalPlan, JobPlan } from '../plan/plan';
import type { FoundItems } from './items';

/** Returns the name of the parent of a call, with the iteration if there are several: each has its own cursor. */
function parentOf({ iteration, by }: IncrementalPlan, placeholders: JobRef['placeholders'] = {}): string {
  const parents =
    by === undefined
      ? // The windows of a call have one cursor.
        Object.entries(placeholders).filter(([name]) => !name.startsWith('window.'))
      : by.map((name) => [name, placeholders[name] ?? ''] as const);
  return iteration + (parents.length === 0 ? '' : JSON.stringify(Object.fromEntries(parents)));
}

/** The name of the cursor that parents without one of their own begin at. */
export const OTHER_PARENTS = '*';

/** Returns where the last run has come to in a call of a job. */
export function reachedIn(
  { id, incremental }: Pick<JobPlan, 'id' | 'incremental'>,
  cursors: Cursors,
  placeholders: JobRef['placeholders'],
): Json | undefined {
  if (incremental === undefined) return undefined;
  const ofJob = cursors.get(id);
  return ofJob?.get(parentOf(incremental, placeholders)) ?? ofJob?.get(OTHER_PARENTS);
}

/** Returns the parameters of a job that asks only for new items (docs/language/incremental.md), with its cursor or its initial value. */
export function withCursor(
  job: Pick<JobPlan, 'id' | 'incremental'>,
  params: JsonObject,
  cursors: Cursors,
  placeholders: JobRef['placeholders'],
): JsonObject {
  const { incremental } = job;
  if (incremental?.param === undefined) return params;
  const { param, initial, lag, format } = incremental;
  const reached = reachedIn(job, cursors, placeholders);
  const value = reached === undefined ? initial : sent(movedBack(reached, lag), format);
  return value === undefined ? params : withMember(params, param, value);
}

/** Returns a function that says whether an item lies before the place that a call asks from; `undefined` if that is no matter. */
export function olderThanCursor(
  job: Pick<JobPlan, 'id' | 'incremental'>,
  cursors: Cursors,
  placeholders: JobRef['placeholders'],
): ((item: Json) => boolean) | undefined {
  const { incremental } = job;
  if (incremental === undefined || incremental.older === 'keep') return undefined;
  const reached = reachedIn(job, cursors, placeholders);
  const known = reached === undefined ? undefined : movedBack(reached, incremental.lag);
  const least = furthest(known, incremental.initial);
  return (item) => isEarlier(orderedAt(item, incremental), least);
}

/** Returns a cursor as the API takes it: in the first format of its field. */
const sent = (value: Json, [format]: readonly string[] = []): Json =>
  format === undefined || typeof value !== 'string' ? value : writeMoment(isoMoment(value), format);

/**
 * Returns a value of the cursor field. A date that has a format becomes one of ISO 8601, in UTC, so that all of them have
 * an order; `undefined` for a value without one.
 */
function orderedAt(item: Json, { field, format }: IncrementalPlan): Json | undefined {
  const value = exactValueAt(item, field);
  if (value === undefined || !isOrdered(value)) return undefined;
  return format === undefined || !isScalar(value) ? value : momentOf(value, format)?.in(0).iso();
}

/** Returns the moment of a date in one of its formats; `undefined` for a value that is no date. */
function momentOf(value: JsonScalar, format: readonly string[]): Moment | undefined {
  try {
    return momentIn(textOf(value), format);
  } catch (error) {
    if (error instanceof DateError) return undefined;
    throw error;
  }
}

/**
 * Returns how far the items of a page come; `undefined` where the job asks for everything, or nothing has an order. A time after the start
 * of the run counts as the start, and one that is more than a day later not at all, since later runs would skip everything before it.
 *
 * @param startedAt the start of the run in Unix seconds, as {@link startBy} has it
 * @param cursors the cursors of the jobs before the run
 */
export function cursorIn(
  { id, incremental }: Pick<JobPlan, 'id' | 'incremental'>,
  placeholders: JobRef['placeholders'],
  found: Pick<FoundItems, 'items' | 'values'>,
  { startedAt, cursors }: { readonly startedAt: number; readonly cursors: Cursors },
): PageCursor | undefined {
  if (incremental === undefined) return undefined;
  const parent = parentOf(incremental, placeholders);
  const values = changesIn(found.values?.() ?? valuesAt(found.items, incremental), incremental);
  const { ahead, isUnordered, written } =
    incremental.format === undefined
      ? asWritten(incremental.field, [...values, cursors.get(id)?.get(parent)], startedAt)
      : asInstants(startedAt);
  let value: Json | undefined;
  let least: Json | undefined;
  let ascends = true;
  let isAhead = false;
  for (const at of values) {
    if ((ahead(at)?.seconds ?? 0) > DAY) {
      isAhead = true;
      continue;
    }
    ascends &&= !isEarlier(at, value);
    value = furthest(value, at);
    if (least === undefined || isEarlier(at, least)) least = at;
  }
  if (value === undefined || least === undefined) return undefined;
  const lead = ahead(value)?.units;
  const last = written(value);
  return {
    ...{ parent, ...(lead === undefined ? { value: last } : { value: movedBack(last, lead), furthest: last }) },
    ...{ least: written(least), ascends: ascends && !isUnordered },
    ...(isAhead ? { isAhead } : {}),
    ...(isUnordered ? { isUnordered } : {}),
  };
}

const valuesAt = (items: readonly Json[], { field }: IncrementalPlan): readonly (Json | undefined)[] =>
  items.map((item) => exactValueAt(item, field));

/** Returns the values that have an order; those that repeat the one before them are one. */
function changesIn(given: readonly (Json | undefined)[], { format }: IncrementalPlan): readonly Json[] {
  const values: Json[] = [];
  let before: Json | undefined;
  for (const value of given) {
    if (value === undefined || value === before || !isOrdered(value)) continue;
    before = value;
    const at = format === undefined || !isScalar(value) ? value : momentOf(value, format)?.microseconds;
    if (at !== undefined) values.push(at);
  }
  return values;
}

/** How the values of a cursor lie to the start of a run, and how a cursor has them. */
interface Ordering {
  readonly ahead: (value: Json) => Ahead | undefined;
  readonly isUnordered: boolean;
  readonly written: (value: Json) => Json;
}

/** Values as the API writes them. */
const asWritten = (field: string, known: readonly (Json | undefined)[], startedAt: number): Ordering => ({
  ahead: aheadIn(field, known, startedAt),
  isUnordered: areUnordered(known),
  written: (value) => value,
});

/** Dates that have a format: microseconds since 1970. */
const asInstants = (startedAt: number): Ordering => ({
  ahead: (value) => aheadBy(Number(value) / 1_000_000 - startedAt),
  isUnordered: false,
  written: (value) => microMoment(Number(value)).iso(),
});

/**
 * Returns the start of a run by the clock of the server, which writes the times of its items: by the header `Date` of a response.
 *
 * @param startedAt the start of the run by our clock, in Unix seconds
 * @example startBy({ headers: { date: 'Thu, 01 Dec 2022 17:00:05 GMT' }, receivedAt: 1669910405000 }, 1669910400) // 1669914000
 */
export function startBy({ headers, receivedAt }: Pick<Response, 'headers' | 'receivedAt'>, startedAt: number): number {
  const date = httpDate([headers['date'] ?? ''].flat()[0] ?? '');
  if (date === undefined) return startedAt;
  // When a response from the cache was made, or one that is streamed began, our clock has not measured.
  return receivedAt === undefined ? Math.min(startedAt, date / 1000) : startedAt + (date - receivedAt) / 1000;
}

// Values of a field that lie after the start of the run (docs/language/incremental.md).

/** Seconds by which clocks and time zones may differ. */
const DAY = 86_400;

/** Unix times: from 2001, when seconds got ten digits, to the end of the four-digit years. */
const FIRST = 1_000_000_000;
const LAST = 253_402_300_799;

/** The units of a Unix time: seconds and milliseconds. */
const UNITS = [1, 1000];

/** Names of fields that number things: a greater value is no later time. */
const NUMBERING =
  /(?:^|[._-])(?:id|seq|sequence|version|revision|rev|number|no|offset|position|index)$|(?:Id|ID|Seq|Sequence|Version|Revision|Number|Offset)$/;

/** How far a value lies after the start of a run: in seconds, and in the unit of the field. */
interface Ahead {
  readonly seconds: number;
  readonly units: number;
}

/**
 * Returns a function that says how far values lie after the start of a run, if they do: dates and times, and numbers among which others are
 * Unix times of the past. A number alone does not show what it counts.
 *
 * @param values what is known of the field: ordered values
 * @param startedAt the start of the run in Unix seconds
 * @example aheadIn('at', [1704067200, 32503680000], 1710000000)(1710000060) // { seconds: 60, units: 60 }
 */
function aheadIn(
  field: string,
  values: readonly (Json | undefined)[],
  startedAt: number,
): (value: Json) => Ahead | undefined {
  const numbers = NUMBERING.test(field) ? [] : values.map(numberOf);
  const units = UNITS.filter((unit) =>
    numbers.some((number) => number >= FIRST * unit && number <= (startedAt + DAY) * unit),
  );
  return (value) => {
    const number = numberOf(value);
    const unit = units.find((each) => number >= FIRST * each && number <= LAST * each);
    const after = unit === undefined ? secondsAfter(value, startedAt) : number - startedAt * unit;
    return after === undefined ? undefined : aheadBy(after, unit);
  };
}

/** @param unit how many of them a second has */
const aheadBy = (after: number, unit = 1): Ahead | undefined =>
  after <= 0 ? undefined : { seconds: after / unit, units: Math.ceil(after) };

/** Returns a number, or a string of digits as a number; `NaN` for anything else. */
const numberOf = (value: Json | undefined): number =>
  typeof value === 'number' || typeof value === 'bigint' || (typeof value === 'string' && isNumeric(value))
    ? Number(value)
    : Number.NaN;

// Dates that cannot be ordered by their characters (docs/language/incremental.md).

const DAY_NAME = String.raw`(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? +)?`;
const MONTH_NAME = String.raw`(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*\.?`;
/** Matches what may follow a date. */
const END = String.raw`(?=$|[ T,])`;

/** Dates whose order in time differs from the order of their characters. */
const FORMS: readonly RegExp[] = [
  // The day or the month is first: 12/31/2025, 31.12.2025, 1-2-2025, 12/31/25.
  String.raw`\d\d?([/.-])\d\d?\1(?:19|20)\d\d${END}`,
  String.raw`\d\d?/\d\d?/\d\d${END}`,
  // A month has a name: 3 Nov 2026, 3-Nov-26, Mon, 03 Nov 2026 10:00:00 GMT, Nov 3, 2026, Tue Nov 03 10:00:00 2026.
  String.raw`${DAY_NAME}\d\d?\.?[ -]+${MONTH_NAME},?[ -]+\d\d`,
  String.raw`${DAY_NAME}${MONTH_NAME} +\d\d?,? +\d\d`,
  // A number lacks its zero, or the hours are those of half a day: 2026-1-31, 2026-01-31 1:00 PM.
  String.raw`(?:19|20)\d\d([/-])(?:\d\1\d\d?|\d\d\1\d)${END}`,
  String.raw`(?:19|20)\d\d([/-])\d\d\1\d\d[ T].*\d ?[ap]\.?m\.?$`,
].map((form) => new RegExp(`^${form}`, 'i'));

/**
 * Returns whether a field has dates that only their characters order, which is not the order in time: dates that do not begin with the
 * year, and times beside numbers.
 *
 * @example areUnordered(['12/31/2025', '01/15/2026']) // true
 */
export function areUnordered(values: readonly (Json | undefined)[]): boolean {
  let [times, numbers] = [false, false];
  for (const value of values) {
    if (value === undefined) continue;
    if (isTime(value)) times = true;
    else if (typeof value !== 'string' || isNumeric(value)) numbers = true;
    else if (FORMS.some((form) => form.test(value))) return true;
  }
  return times && numbers;
}
