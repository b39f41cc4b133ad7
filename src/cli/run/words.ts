import { grouped } from '../../core/text';

const KILO = 1000;
const UNITS = ['kB', 'MB', 'GB', 'TB'] as const;

/** @example sizeOf(1_234_567) // '1.2 MB' */
export function sizeOf(bytes: number): string {
  if (bytes < KILO) return `${bytes} B`;
  let [size, unit] = [bytes / KILO, 0];
  while (size >= KILO && unit < UNITS.length - 1) [size, unit] = [size / KILO, unit + 1];
  return `${size < 10 ? size.toFixed(1) : grouped(Math.round(size))} ${UNITS[unit] ?? ''}`;
}

const MINUTE = 60;
const HOUR = 3600;

/** @example durationOf(95_000) // '1 min 35 s' */
export function durationOf(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < MINUTE) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)} min ${whole % MINUTE} s`;
  return `${Math.floor(whole / HOUR)} h ${Math.floor((whole % HOUR) / MINUTE)} min`;
}

/** @example rateOf(1200, 10_000) // '120 items/s' */
export function rateOf(items: number, milliseconds: number): string {
  const rate = (items * 1000) / Math.max(1, milliseconds);
  return `${rate < 10 ? rate.toFixed(1) : grouped(Math.round(rate))} items/s`;
}

/** Control characters, line ends included, and characters that change the direction of the text. */
const OBEYED = /\p{Cc}|[\u2028-\u202E\u2066-\u2069]/gu;

/** @example visible('a\u001b[2Jb') // 'a\\u001b[2Jb' */
export const visible = (text: string): string =>
  text.replace(OBEYED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
