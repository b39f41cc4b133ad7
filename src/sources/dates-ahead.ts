/** Which values of a field lie in the future (docs/extensions/incremental.md). */
import { isEarlier, isTime } from '../core/json/furthest';
import { isNumeric } from '../core/json/numeric';
import type { Json } from '../core/model';

/** Seconds: by as much may clocks and zones differ. */
const DAY = 86_400;

/** Unix times: the year 2001, when seconds got ten digits, and the end of what four digits of a year can say. */
const FIRST = 1_000_000_000;
const LAST = 253_402_300_799;

/** What counts as a Unix time: seconds and milliseconds. */
const UNITS = [1, 1000];

/** Fields that number things: what is greater is no later time. */
const NUMBERING =
  /(?:^|[._-])(?:id|seq|sequence|version|revision|rev|number|no|offset|position|index)$|(?:Id|ID|Seq|Sequence|Version|Revision|Number|Offset)$/;

/**
 * Tells which values lie more than a day after the beginning of a run: dates and times, and numbers among which others are Unix times
 * of the past. A number alone tells nobody what it counts.
 *
 * @param values what is known of the field: ordered values
 * @param startedAt the beginning of the run in Unix seconds
 * @example futureIn('at', [1704067200, 32503680000], 1710000000)(32503680000) // true
 */
export function futureIn(
  field: string,
  values: readonly (Json | undefined)[],
  startedAt: number,
): (value: Json) => boolean {
  const latest = new Date((startedAt + DAY) * 1000).toISOString();
  const numbers = NUMBERING.test(field) ? [] : values.map(numberOf);
  const units = UNITS.filter((unit) =>
    numbers.some((number) => number >= FIRST * unit && number <= (startedAt + DAY) * unit),
  );
  return (value) => {
    if (isTime(value)) return isEarlier(latest, value);
    const number = numberOf(value);
    return units.some((unit) => number > (startedAt + DAY) * unit && number <= LAST * unit);
  };
}

/** A number, or that of a string of digits; `NaN` for anything else. */
const numberOf = (value: Json | undefined): number =>
  typeof value === 'number' || typeof value === 'bigint' || (typeof value === 'string' && isNumeric(value))
    ? Number(value)
    : Number.NaN;
