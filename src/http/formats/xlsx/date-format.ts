/** What a number is that a style shows as a date: a day, a time of day, or both. */
export type DateKind = 'date' | 'time' | 'moment';

/** Formats that have a number and no text; those from 27 on depend on the language of Excel. */
const BUILT_IN: readonly (readonly [from: number, to: number, kind: DateKind])[] = [
  [14, 17, 'date'],
  [18, 21, 'time'],
  [22, 22, 'moment'],
  [27, 31, 'date'],
  [32, 35, 'moment'],
  [36, 36, 'date'],
  [45, 45, 'time'],
  [47, 47, 'time'],
  [50, 54, 'date'],
  [55, 56, 'moment'],
  [57, 58, 'date'],
];

export const builtInKind = (number: number): DateKind | undefined =>
  BUILT_IN.find(([from, to]) => number >= from && number <= to)?.[2];

/**
 * What a format shows numbers as; `undefined` for a number, and for a duration such as `[h]:mm`.
 *
 * @example dateKindOf('yyyy"-"mm"-"dd hh:mm') // 'moment'
 */
export function dateKindOf(code: string): DateKind | undefined {
  // Only what is neither quoted, escaped, padding nor an exponent are letters of the format; the first section is for numbers from 0 on.
  const [bare = ''] = code.replace(/"[^"]*"|[\\_*].|E[+-]/g, '').split(';', 1);
  if (/\[(?:h+|m+|s+)\]/i.test(bare)) return undefined;
  const letters = bare.replace(/\[[^\]]*\]/g, '');
  if (/general/i.test(letters)) return undefined;
  const isTime = /[hs]|a\/p|am\/pm/i.test(letters);
  const isDate = /[ydebg]|aaa/i.test(letters.replace(/am\/pm|a\/p/gi, ''));
  if (isDate) return isTime ? 'moment' : 'date';
  if (isTime) return 'time';
  return /m/i.test(letters) ? 'date' : undefined;
}

const DAY = 86_400_000;
/** Days to 10000-01-01. */
const LAST_DAY = 2_958_466;
/** Excel has a 29 February 1900, which there was not. */
const NO_DAY = 60;

/**
 * A number of days as the date that it is shown as, in ISO 8601, to the millisecond; `undefined` for what is none.
 *
 * @param is1904 whether days are counted from 1904
 * @example isoOf(45292.5, 'moment', false) // '2024-01-01T12:00:00'
 */
export function isoOf(days: number, kind: DateKind, is1904: boolean): string | undefined {
  const milliseconds = Math.round(days * DAY);
  const day = Math.floor(milliseconds / DAY);
  if (!(milliseconds >= 0 && day < LAST_DAY)) return undefined;
  if (kind !== 'date' && day === 0) return new Date(milliseconds).toISOString().slice(11, -1).replace('.000', '');
  if (!is1904 && (day === 0 || day === NO_DAY)) return undefined;
  const first = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, day < NO_DAY ? 31 : 30);
  const at = new Date(first + milliseconds);
  if (at.getUTCFullYear() > LAST_YEAR) return undefined;
  const text = at.toISOString().slice(0, -1).replace('.000', '');
  return kind === 'date' ? text.replace('T00:00:00', '') : text;
}

const LAST_YEAR = 9999;
