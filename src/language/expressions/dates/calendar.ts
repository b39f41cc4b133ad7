/** Names and arithmetic of the calendar, all in UTC. */

export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** Sunday is 0, as in `Date`. */
export const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

/** The last second that a `Date` can hold, before and after 1970. */
export const FARTHEST_SECOND = 8.64e12;

/**
 * Returns the midnight of a day. A month or day beyond its range overflows: day 0 is the last day of the month before.
 *
 * @param month 1 for January
 */
export function midnight(year: number, month: number, day: number): Date {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date;
}

/** Returns the weekday: Monday is 1, Sunday is 7. */
export const isoWeekday = (date: Date): number => date.getUTCDay() || 7;

/** A length of time, in calendar units for months and years. */
export interface Step {
  readonly count: number;
  readonly unit: 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';
}

/** A span of time in Unix seconds: from its beginning until just before its end. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const SECONDS = { second: 1, minute: 60, hour: 3600, day: 86_400, week: 604_800 } as const;

/** The seconds of a day, the same for all days in UTC. */
const DAY = SECONDS.day;

const STEP = /^\s*([1-9]\d{0,5})\s*(second|minute|hour|day|week|month|year)s?\s*$/;

/** A length of ISO 8601 in one unit, or in days and times of day. */
const ISO_STEP = /^P(?:(\d+)Y|(\d+)M|(\d+)W|(?=[\dT])(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?)$/;

/** Returns a length of ISO 8601 in the largest unit that says all of it. */
function isoStep(text: string): Step | undefined {
  const found = ISO_STEP.exec(text);
  if (found === null) return undefined;
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = found
    .slice(1)
    .map((part) => Number((part as string | undefined) ?? 0));
  if (years > 0) return { count: years, unit: 'year' };
  if (months > 0) return { count: months, unit: 'month' };
  const all = ((weeks * 7 + days) * 24 + hours) * 3600 + minutes * 60 + seconds;
  if (all === 0) return undefined;
  return all % DAY === 0 ? { count: all / DAY, unit: 'day' } : { count: all, unit: 'second' };
}

const UNITS: readonly Step['unit'][] = ['second', 'minute', 'hour', 'day', 'week', 'month', 'year'];

/**
 * Reads a length of time, in words or of ISO 8601; returns `undefined` for any other string.
 *
 * @example parseStep('2 weeks') // { count: 2, unit: 'week' }
 */
export function parseStep(text: string): Step | undefined {
  if (text.startsWith('P')) return isoStep(text);
  const [, count = '', name = ''] = STEP.exec(text) ?? [];
  const unit = UNITS.find((each) => each === name);
  return unit === undefined ? undefined : { count: Number(count), unit };
}

/** Returns the seconds of a step, if they are always the same. */
export const secondsIn = ({ count, unit }: Step): number | undefined =>
  unit === 'month' || unit === 'year' ? undefined : SECONDS[unit] * count;

/** Returns whether a step consists of whole days. */
export const isOfDays = ({ unit }: Step): boolean => !['second', 'minute', 'hour'].includes(unit);

/**
 * Returns the moment a number of steps after another one. If a month is too short for the day of the moment, the result
 * is its last day: each step is counted from the first moment, so that later ones have the original day again.
 */
function after(moment: number, { count, unit }: Step, steps: number): number {
  if (unit !== 'month' && unit !== 'year') return moment + SECONDS[unit] * count * steps;
  const months = count * steps * (unit === 'year' ? 12 : 1);
  const date = new Date(moment * 1000);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1 + months];
  const lastDay = midnight(year, month + 1, 0).getUTCDate();
  const day = midnight(year, month, Math.min(date.getUTCDate(), lastDay));
  return day.getTime() / 1000 + (((moment % DAY) + DAY) % DAY);
}

/**
 * Divides a span into consecutive windows of a step; the last one ends where the span ends.
 *
 * @returns nothing for an empty span
 * @example [...windowsOf({ from: 0, to: 100_000 }, { count: 1, unit: 'day' })] // a day, and the rest
 */
export function* windowsOf({ from, to }: Span, step: Step): Iterable<Span> {
  let begin = from;
  for (let steps = 1; begin < to; steps += 1) {
    const end = Math.min(after(from, step, steps), to);
    yield { from: begin, to: end };
    begin = end;
  }
}

/**
 * Returns the two halves of a span, with a border at a multiple of the grain after its beginning; `undefined` for a
 * span of one grain.
 *
 * @param grain seconds
 */
export function halvesOf({ from, to }: Span, grain: number): readonly [Span, Span] | undefined {
  const grains = Math.ceil((to - from) / grain);
  if (grains < 2) return undefined;
  const middle = from + Math.floor(grains / 2) * grain;
  return [
    { from, to: middle },
    { from: middle, to },
  ];
}
