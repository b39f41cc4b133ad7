import { didYouMean } from '../nearest';
import { dateFormatFault, formatDate } from './date-format';

/** Formats by their names, in lower case; the others are letters as `date` has them. */
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

/** This tells whether a format is one with a name, such as `ISO 8601`, and not made of letters. */
export const isNamedFormat = (format: string): boolean => FORMATS.has(format.toLowerCase());

const WORDS = [...FORMATS.keys()];

/** A word of at least four letters without anything between them is no format of letters: it is misspelled. */
const isWord = (format: string): boolean => /^[a-z]{4,}([ _-]?(ms|\d{4}))?$/i.test(format);

/** What is wrong with a format of moments (docs/language/functions.md#now); `undefined` if nothing is. */
export const momentFormatFault = (format: string): string | undefined =>
  isWord(format) && !isNamedFormat(format)
    ? `unknown format '${format}'.${didYouMean(format.toLowerCase(), WORDS)}`
    : dateFormatFault(format);

/**
 * A moment in a format that has a name, or letters as `date` has them (docs/language/functions.md#now).
 *
 * @example momentText('unix-ms', 1600000000) // 1600000000000
 */
export const momentText = (format: string, seconds: number): string | number =>
  FORMATS.get(format.toLowerCase())?.(seconds) ?? formatDate(format, seconds);

/**
 * The last moment before another one that a format can tell: the millisecond before it where the format has these, else the
 * second, minute, hour or day. `ISO 8601` has milliseconds here.
 *
 * @example momentBefore('ISO 8601', 1600000000) // '2020-09-13T12:26:39.999Z'
 */
export function momentBefore(format: string, seconds: number): string | number {
  const before = seconds - grainOf(format);
  const name = format.toLowerCase();
  if (name === 'unix-ms') return seconds * 1000 - 1;
  if (name === 'iso 8601') return formatDate('Y-m-d\\TH:i:s.999\\Z', before);
  if (FORMATS.has(name)) return momentText(format, before);
  // Digits are no letters of a format, and stay.
  const last = format.replace(/\\.|[uv]/g, (part) => (part === 'v' ? '999' : part === 'u' ? '999999' : part));
  return momentText(last, before);
}

/**
 * The seconds between moments that a format may tell apart: those of a day where it has no time of day.
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
