/** Which values of a field nobody can put in order, though they are dates (docs/extensions/incremental.md). */
import { isTime } from '../core/json/furthest';
import { isNumeric } from '../core/json/numeric';
import type { Json } from '../core/model';

const DAY_NAME = String.raw`(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? +)?`;
const MONTH_NAME = String.raw`(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*\.?`;
/** What may follow a date. */
const END = String.raw`(?=$|[ T,])`;

/** Dates whose order is not that of their characters. */
const FORMS: readonly RegExp[] = [
  // The day or the month stands first: 12/31/2025, 31.12.2025, 1-2-2025, 12/31/25.
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
 * Tells whether there are dates among the values of a field that only their characters put in order, which is not that of time: those that
 * do not begin with the year, and times beside numbers.
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
