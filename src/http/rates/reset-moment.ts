import { isDecimal } from '../../core/json/numeric';
import { httpDate } from './http-date';

const EPOCH_SECONDS = 1e9;
const EPOCH_MILLISECONDS = 1e12;

/**
 * The moment that a reset header names (docs/extensions/rate-limits.md): seconds from now; above 10^9 seconds, and above
 * 10^12 milliseconds since the epoch; or an HTTP date.
 *
 * @param now milliseconds since the epoch
 * @returns milliseconds since the epoch; `undefined` when the value is unusable
 * @example resetMoment('30', 1700000000000) // 1700000030000
 */
export function resetMoment(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const number = isDecimal(value) ? Number(value) : -1;
  if (number < 0) return httpDate(value);
  const moment = number > EPOCH_MILLISECONDS ? number : number > EPOCH_SECONDS ? number * 1000 : now + number * 1000;
  return moment <= LAST_MOMENT ? moment : undefined;
}

/** The last moment that a date can name. */
const LAST_MOMENT = 8.64e15;
