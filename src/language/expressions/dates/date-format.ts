import { MONTHS, WEEKDAYS, isoWeekday, midnight } from './calendar';

const DAY_MILLISECONDS = 86_400_000;

const two = (value: number): string => String(value).padStart(2, '0');
const short = (name: string | undefined): string => (name ?? '').slice(0, 3);

const year = (date: Date): number => date.getUTCFullYear();
const month = (date: Date): number => date.getUTCMonth() + 1;
const day = (date: Date): number => date.getUTCDate();
const hour12 = (date: Date): number => date.getUTCHours() % 12 || 12;
const halfOfDay = (date: Date): 'am' | 'pm' => (date.getUTCHours() < 12 ? 'am' : 'pm');
const daysInMonth = (date: Date): number => midnight(year(date), month(date) + 1, 0).getUTCDate();
const isLeapYear = (date: Date): boolean => midnight(year(date), 3, 0).getUTCDate() === 29;
const wholeDays = (from: Date, to: Date): number => Math.floor((to.getTime() - from.getTime()) / DAY_MILLISECONDS);
const dayOfYear = (date: Date): number => wholeDays(midnight(year(date), 1, 1), date);
/** A week belongs to the year that its Thursday is in (ISO 8601). */
const thursdayOf = (date: Date): Date => midnight(year(date), month(date), day(date) + 4 - isoWeekday(date));

function fourDigitYear(date: Date): string {
  const digits = String(Math.abs(year(date))).padStart(4, '0');
  return year(date) < 0 ? `-${digits}` : digits;
}

function ordinalSuffix(date: Date): string {
  const units = day(date) % 10;
  const isTeen = day(date) > 10 && day(date) < 14;
  return isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][units] ?? 'th');
}

/** A thousandth of the day in Biel, one hour east of UTC. */
function swatchBeat(date: Date): string {
  const secondsInBiel = ((date.getUTCHours() + 1) % 24) * 3600 + date.getUTCMinutes() * 60 + date.getUTCSeconds();
  return String(Math.floor((secondsInBiel * 10) / 864)).padStart(3, '0');
}

/** What each letter of a format stands for (docs/language/dates.md#formats). */
const letters: Readonly<Record<string, (date: Date) => string>> = {
  d: (date) => two(day(date)),
  j: (date) => String(day(date)),
  D: (date) => short(WEEKDAYS[date.getUTCDay()]),
  l: (date) => WEEKDAYS[date.getUTCDay()] ?? '',
  N: (date) => String(isoWeekday(date)),
  w: (date) => String(date.getUTCDay()),
  z: (date) => String(dayOfYear(date)),
  S: ordinalSuffix,
  W: (date) => two(Math.floor(dayOfYear(thursdayOf(date)) / 7) + 1),
  o: (date) => String(year(thursdayOf(date))),
  m: (date) => two(month(date)),
  n: (date) => String(month(date)),
  M: (date) => short(MONTHS[date.getUTCMonth()]),
  F: (date) => MONTHS[date.getUTCMonth()] ?? '',
  t: (date) => String(daysInMonth(date)),
  L: (date) => (isLeapYear(date) ? '1' : '0'),
  Y: fourDigitYear,
  y: (date) => fourDigitYear(date).slice(-2),
  a: halfOfDay,
  A: (date) => halfOfDay(date).toUpperCase(),
  g: (date) => String(hour12(date)),
  G: (date) => String(date.getUTCHours()),
  h: (date) => two(hour12(date)),
  H: (date) => two(date.getUTCHours()),
  i: (date) => two(date.getUTCMinutes()),
  s: (date) => two(date.getUTCSeconds()),
  u: () => '000000',
  v: () => '000',
  e: () => 'UTC',
  T: () => 'UTC',
  I: () => '0',
  O: () => '+0000',
  P: () => '+00:00',
  Z: () => '0',
  B: swatchBeat,
  U: (date) => String(Math.floor(date.getTime() / 1000)),
  c: (date) => formatted('Y-m-d\\TH:i:sP', date),
  r: (date) => formatted('D, d M Y H:i:s O', date),
};

const formatted = (format: string, date: Date): string =>
  format.replace(/\\(.?)|[a-z]/gis, (symbol, literal: string | undefined) =>
    literal === undefined ? (letters[symbol]?.(date) ?? symbol) : literal,
  );

/**
 * A date in UTC as a format says (docs/language/dates.md#formats); `\` makes the next character literal.
 *
 * @param timestamp Unix seconds, between -8.64e12 and 8.64e12
 * @example formatDate('Y-m-d\\TH:i:s', 1600000000) // '2020-09-13T12:26:40'
 */
export const formatDate = (format: string, timestamp: number): string => formatted(format, new Date(timestamp * 1000));

/** Letters that other languages repeat, and what they are called here. */
const REPEATED: readonly (readonly [RegExp, string])[] = [
  [/[yY]{4}/g, 'Y'],
  [/[yY]{2}/g, 'y'],
  [/[dD]{2}/g, 'd'],
  [/HH/g, 'H'],
  [/hh/g, 'h'],
  [/(?<=[hH][^a-zA-Z]*)(?:mm|MM)/g, 'i'],
  [/mm|MM/g, 'm'],
  [/[sS]{3}/g, 'v'],
  [/[sS]{2}/g, 's'],
];

/**
 * What is wrong with a format that is written as in other languages, `YYYY-MM-DD`: it would print the year four times.
 *
 * @returns `undefined` if nothing is
 * @example dateFormatFault('YYYY-MM-DD') // "'YYYY-MM-DD' repeats letters, of which each stands for a whole part of a date: write 'Y-m-d'."
 */
export function dateFormatFault(format: string): string | undefined {
  if (!/yy|dd|mm|hh|ss/i.test(format.replace(/\\./gs, '.'))) return undefined;
  const meant = REPEATED.reduce((text, [letters, letter]) => text.replace(letters, letter), format);
  return `'${format}' repeats letters, of which each stands for a whole part of a date: write '${meant}'.`;
}
