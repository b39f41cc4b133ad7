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

/** The last second that a `Date` can name, before and after 1970. */
export const FARTHEST_SECOND = 8.64e12;

/**
 * Midnight of a day. A month or a day beyond its range rolls on: day 0 is the last of the month before.
 *
 * @param month 1 for January
 */
export function midnight(year: number, month: number, day: number): Date {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date;
}

/** Monday is 1, Sunday is 7. */
export const isoWeekday = (date: Date): number => date.getUTCDay() || 7;
