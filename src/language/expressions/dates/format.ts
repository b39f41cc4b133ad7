import { meantOrKnown } from '../../codec/finding';
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
/** Returns the Thursday of the week: a week belongs to the year of its Thursday (ISO 8601). */
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

/** Returns the Swatch beat: a thousandth of the day in Biel, one hour east of UTC. */
function swatchBeat(date: Date): string {
  const secondsInBiel = ((date.getUTCHours() + 1) % 24) * 3600 + date.getUTCMinutes() * 60 + date.getUTCSeconds();
  return String(Math.floor((secondsInBiel * 10) / 864)).padStart(3, '0');
}

/** The functions behind the letters of a format (docs/language/dates.md#formats). */
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
 * Formats a date in UTC (docs/language/dates.md#formats); `\` makes the next character literal.
 *
 * @param timestamp Unix seconds, between -8.64e12 and 8.64e12
 * @example formatDate('Y-m-d\\TH:i:s', 1600000000) // '2020-09-13T12:26:40'
 */
export const formatDate = (format: string, timestamp: number): string => formatted(format, new Date(timestamp * 1000));

/** Letters that other languages repeat, and the letters to use here. */
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
 * Returns the fault of a format in the syntax of other languages: `YYYY-MM-DD` would print the year four times.
 *
 * @returns `undefined` if there is none
 * @example dateFormatFault('YYYY-MM-DD') // "'YYYY-MM-DD' repeats letters, of which each stands for a whole part of a date: write 'Y-m-d'."
 */
export function dateFormatFault(format: string): string | undefined {
  if (!/yy|dd|mm|hh|ss/i.test(format.replace(/\\./gs, '.'))) return undefined;
  const meant = REPEATED.reduce((text, [letters, letter]) => text.replace(letters, letter), format);
  return `'${format}' repeats letters, of which each stands for a whole part of a date: write '${meant}'.`;
}

/** Formats by name, in lower case; all other formats consist of letters as in `date`. */
const FORMATS: ReadonlyMap<string, (seconds: number) => string | number> = new Map<
  string,
  (seconds: number) => string | number
>([
  ['iso 8601', (seconds) => formatDate('Y-m-d\\TH:i:s\\Z', seconds)],
  ['date', (seconds) => formatDate('Y-m-d', seconds)],
  ['time', (seconds) => formatDate('H:i:s', seconds)],
  ['unix', (seconds) => seconds],
  ['unix-ms', (seconds) => seconds * 1000],
]);

/** Returns whether a format is one with a name, such as `ISO 8601`, and not made of letters. */
const isNamedFormat = (format: string): boolean => FORMATS.has(format.toLowerCase());

const WORDS = [...FORMATS.keys()];

/** Returns whether a format is a word of at least four letters: it is a misspelled name, not a format of letters. */
const isWord = (format: string): boolean => /^[a-z]{4,}([ _-]?(ms|\d{4}))?$/i.test(format);

/** Returns the fault of a format of moments (docs/language/functions.md#now); `undefined` if there is none. */
export const momentFormatFault = (format: string): string | undefined =>
  isWord(format) && !isNamedFormat(format)
    ? `unknown format '${format}'.${meantOrKnown(format.toLowerCase(), WORDS)}`
    : dateFormatFault(format);

/**
 * Formats a moment by a named format, or by letters as in `date` (docs/language/functions.md#now).
 *
 * @example momentText('unix-ms', 1600000000) // 1600000000000
 */
export const momentText = (format: string, seconds: number): string | number =>
  FORMATS.get(format.toLowerCase())?.(seconds) ?? formatDate(format, seconds);

/**
 * Returns the last moment before another one that a format can express: the millisecond before it if the format has
 * milliseconds, else the second, minute, hour or day. `ISO 8601` has milliseconds here.
 *
 * @example momentBefore('ISO 8601', 1600000000) // '2020-09-13T12:26:39.999Z'
 */
export function momentBefore(format: string, seconds: number): string | number {
  const before = seconds - grainOf(format);
  const name = format.toLowerCase();
  if (name === 'unix-ms') return seconds * 1000 - 1;
  if (name === 'iso 8601') return formatDate('Y-m-d\\TH:i:s.999\\Z', before);
  if (FORMATS.has(name)) return momentText(format, before);
  // Digits are not letters of a format, and stay.
  const last = format.replace(/\\.|[uv]/g, (part) => (part === 'v' ? '999' : part === 'u' ? '999999' : part));
  return momentText(last, before);
}

/**
 * Returns the seconds between moments that a format distinguishes: the seconds of a day if it has no time of day.
 *
 * @example grainOf('Y-m-d') // 86400
 */
export function grainOf(format: string): number {
  const name = format.toLowerCase();
  if (name === 'date') return 86_400;
  if (FORMATS.has(name)) return 1;
  const letters = format.replace(/\\./g, '');
  if (/[suvUBcr]/.test(letters)) return 1;
  if (letters.includes('i')) return 60;
  return /[gGhH]/.test(letters) ? 3600 : 86_400;
}

/** The parts of a moment, from the largest to the smallest, with the letters for each, and the letter to recommend. */
const PARTS = {
  year: [/[Yyo]/g, 'Y'],
  month: [/[mnMFzW]/g, 'm'],
  day: [/[djz]|[DlNw](?=.*W)|(?<=W.*)[DlNw]/g, 'd'],
  hour: [/[GgHh]/g, 'H'],
  minute: [/i/g, 'i'],
  second: [/s/g, 's'],
} as const;
type Part = keyof typeof PARTS;
const ORDER = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const satisfies readonly Part[];

/** Pairs of confused parts: if a part occurs twice, the other one was probably meant. */
const MIXED_UP: readonly (readonly [twice: Part, missing: Part])[] = [
  ['month', 'minute'],
  ['minute', 'month'],
  ['minute', 'second'],
  ['second', 'minute'],
  ['hour', 'minute'],
  ['day', 'month'],
];

/** Letters for several parts at once: the parts next to them may be duplicates. */
const SEVERAL_PARTS = /[UcrB]/;

/** Letters that were probably meant literally, or as another part. */
const SLIPS: readonly (readonly [RegExp, string])[] = [
  [/[djz]\s*T\s*[GgHh]/, 'has a T that is the letter of time zones, and is sent as UTC: write \\T.'],
  [/[djz]\s*t\s*[GgHh]/, 'has a t that is the number of days of the month: write \\T.'],
  [/[GgHhisuv]Z/, 'has a Z that is an offset in seconds, and is sent as 0: write \\Z.'],
  [/i[^a-zA-Z]*S/, 'has an S that is what follows the number of a day, such as th: write s for seconds.'],
  [/^[^aAGH]*[gh][^aAGH]*$/, 'has hours from 1 to 12, and nothing for am or pm: write H, or add A.'],
  [/^[^W]*o[^W]*$/, 'has an o that is the year of the week, which is another one around New Year: write Y.'],
  [/^[^djzW]*[DlNw][^djzW]*$/, 'has a day of the week in the place of one of the month: write d.'],
];

/**
 * Returns the fault of a format that does not distinguish moments, or prints something unexpected: hours of half a day,
 * a month in the place of minutes, or a `T` that is the letter of time zones (docs/language/jobs.md#windows).
 *
 * @param format a name, or letters as in the function `date`
 * @returns `undefined` if there is none
 * @example vagueFormat('Y-m-d h:i') // "'Y-m-d h:i' has hours from 1 to 12, and nothing for am or pm: write H, or add A."
 */
export function vagueFormat(format: string): string | undefined {
  if (isNamedFormat(format)) return undefined;
  const letters = format.replace(/\\.?/gs, '.');
  if (SEVERAL_PARTS.test(letters)) return undefined;
  const [, slip] = SLIPS.find(([pattern]) => pattern.test(letters)) ?? [];
  const why = slip ?? missingPart(letters);
  return why === undefined ? undefined : `'${format}' ${why}`;
}

/** Returns the missing part: one between others, or one that another part replaces by occurring twice. */
function missingPart(letters: string): string | undefined {
  const count = (part: Part): number => letters.match(PARTS[part][0])?.length ?? 0;
  const there = ORDER.map((part) => count(part) > 0);
  const isBelowDays = there.lastIndexOf(true) > ORDER.indexOf('day');
  const mixedUp = MIXED_UP.find(([twice, missing]) => isBelowDays && count(twice) > 1 && count(missing) === 0);
  if (mixedUp !== undefined) {
    const [twice, missing] = mixedUp;
    return `has the ${twice} twice and no ${missing}: write ${PARTS[missing][1]} where the ${missing} should be.`;
  }
  const gap = ORDER.find((_, at) => there[at] !== true && at > there.indexOf(true) && at < there.lastIndexOf(true));
  return gap === undefined
    ? undefined
    : `has no ${gap} between its other parts, so that different moments are written the same: add ${PARTS[gap][1]}.`;
}
