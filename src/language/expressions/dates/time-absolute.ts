import { MONTHS } from './calendar';
import type { Draft } from './time-draft';
import { moved } from './time-draft';
import type { Groups, TimeRule } from './time-rule';
import { anyOf, timeRule } from './time-rule';

const YEAR = String.raw`(?<year>\d{4})`;
const MONTH = String.raw`(?<month>0?[1-9]|1[0-2])`;
const MONTH_2 = String.raw`(?<month>0[1-9]|1[0-2])`;
const DAY = String.raw`(?<day>0?[1-9]|[12]\d|3[01])`;
const DAY_2 = String.raw`(?<day>0[1-9]|[12]\d|3[01])`;
const NO_DIGIT = String.raw`(?!\d)`;
/** What looks like a day or a year may be the beginning of a clock time: `june 4pm`. */
const NO_CLOCK = String.raw`(?![\d:]|\s*[ap]\.?m\b)`;
const YEAR_2 = String.raw`(?<shortYear>\d{2})(?![\d:])`;

const SHORT_MONTHS = MONTHS.map((name) => name.slice(0, 3));
const MONTH_NAME = String.raw`(?<name>${anyOf([...MONTHS, 'sept', ...SHORT_MONTHS])})(?![a-z])\.?`;
const DAY_NUMBER = String.raw`${DAY}(?:st|nd|rd|th)?${NO_CLOCK}`;
const GAP = String.raw`[ \t.-]*`;

const HOUR_24 = String.raw`t?(?<hours>[01]?\d|2[0-4])`;
const HOUR_12 = String.raw`(?<hours>0?[1-9]|1[0-2])`;
const MINUTE = String.raw`:(?<minutes>[0-5]?\d)`;
const SECOND = String.raw`:(?<seconds>[0-5]\d|60|\d)(?:[.,]\d+)?`;

/** Hours east of UTC of the zone names that RFC 822 lists. */
const ZONES: Readonly<Record<string, number>> = {
  utc: 0,
  ut: 0,
  gmt: 0,
  z: 0,
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
};

/** Two digits mean 1970 to 2069. */
function yearOf({ year, shortYear }: Groups): number | undefined {
  if (year !== undefined) return Number(year);
  if (shortYear === undefined) return undefined;
  return Number(shortYear) + (Number(shortYear) < 70 ? 2000 : 1900);
}

function monthOf({ month, name }: Groups): number | undefined {
  if (name !== undefined) return SHORT_MONTHS.findIndex((short) => short === capitalized(name.slice(0, 3))) + 1;
  return month === undefined ? undefined : Number(month);
}

const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase();

function withDate(part: Groups, draft: Draft): Draft | undefined {
  if (draft.date !== undefined) return undefined;
  const year = yearOf(part);
  // A month of a year means its first day; a month alone keeps the day of the base.
  const impliedDay = year === undefined ? undefined : 1;
  const day = part['day'] === undefined ? impliedDay : Number(part['day']);
  return { ...draft, date: { year, month: monthOf(part), day } };
}

function withClock({ hours, minutes, seconds, half }: Groups, draft: Draft): Draft | undefined {
  if (draft.clock !== undefined) return undefined;
  const afternoon = half?.toLowerCase() === 'p' ? 12 : 0;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + afternoon;
  return { ...draft, clock: { hours: hour, minutes: Number(minutes ?? 0), seconds: Number(seconds ?? 0) } };
}

function withZone({ zone, sign, zoneHours, zoneMinutes }: Groups, draft: Draft): Draft | undefined {
  if (draft.zone !== undefined) return undefined;
  const named = (ZONES[zone?.toLowerCase() ?? 'z'] ?? 0) * 3600;
  const offset = Number(zoneHours ?? 0) * 3600 + Number(zoneMinutes ?? 0) * 60;
  return { ...draft, zone: named + (sign === '-' ? -offset : offset) };
}

/** `-7` alone is more likely a forgotten unit than an offset. */
const withOffset: TimeRule['read'] = (part, draft) =>
  draft.date === undefined && draft.clock === undefined ? undefined : withZone(part, draft);

/** The year of `Sat Apr 30 17:52:13 2016`. Four digits alone could as well be 20:16. */
function withLateYear({ year }: Groups, draft: Draft): Draft | undefined {
  if (draft.date === undefined || draft.date.year !== undefined || draft.clock === undefined) return undefined;
  return { ...draft, date: { ...draft.date, year: Number(year) } };
}

function withTimestamp({ seconds }: Groups, draft: Draft): Draft | undefined {
  const day = withDate({ year: '1970', month: '1', day: '1' }, draft);
  const time = day && withClock({ hours: '0' }, day);
  const zoned = time && withZone({ zone: 'utc' }, time);
  return zoned && moved(zoned, { seconds: Number(seconds) });
}

const withCompactTime: TimeRule['read'] = (part, draft) => {
  const day = withDate(part, draft);
  return day && withClock(part, day);
};

/** Dates, clock times and zones (docs/language/dates.md#dates-as-they-are-written). */
export const ABSOLUTE_RULES: readonly TimeRule[] = [
  timeRule(String.raw`@(?<seconds>-?\d{1,15})(?:\.\d+)?`, withTimestamp),

  timeRule(`${YEAR}-${MONTH}-${DAY}${NO_DIGIT}`, withDate),
  timeRule(`${YEAR}/${MONTH}/${DAY}${NO_DIGIT}`, withDate),
  timeRule(String.raw`${YEAR}-${MONTH}(?![\d-])`, withDate),
  timeRule(`${YEAR}${MONTH_2}${DAY_2}${NO_DIGIT}`, withDate),
  timeRule(
    String.raw`${YEAR}${MONTH_2}${DAY_2}t?(?<hours>[01]\d|2[0-4])(?<minutes>[0-5]\d)(?<seconds>[0-5]\d)?${NO_DIGIT}`,
    withCompactTime,
  ),
  timeRule(String.raw`${MONTH}/${DAY}(?:/(?:${YEAR}|${YEAR_2}))?(?![\d/])`, withDate),
  timeRule(String.raw`${DAY}[.-]${MONTH}[.-]${YEAR}${NO_DIGIT}`, withDate),
  timeRule(String.raw`${DAY}\.${MONTH}\.${YEAR_2}`, withDate),

  timeRule(
    String.raw`${DAY_NUMBER}${GAP}${MONTH_NAME}(?:[ \t,.-]*(?:${YEAR}${NO_CLOCK}|${YEAR_2}(?!\s*[a-z])))?`,
    withDate,
  ),
  timeRule(String.raw`${MONTH_NAME}${GAP}${DAY_NUMBER}(?:[ \t,.-]+${YEAR}${NO_CLOCK})?`, withDate),
  timeRule(`${YEAR}${GAP}${MONTH_NAME}${GAP}${DAY_NUMBER}`, withDate),
  timeRule(String.raw`${MONTH_NAME}(?:[ \t,.-]*${YEAR}${NO_CLOCK})?`, withDate),

  timeRule(`${HOUR_24}${MINUTE}(?:${SECOND})?${NO_DIGIT}`, withClock),
  timeRule(`t(?<hours>[01]\\d|2[0-4])${NO_DIGIT}`, withClock),
  timeRule(String.raw`${HOUR_12}(?:${MINUTE}(?:${SECOND})?)?\s*(?<half>[ap])\.?m\b\.?`, withClock),
  timeRule(`${YEAR}${NO_CLOCK}`, withLateYear),

  timeRule(String.raw`\(?(?<zone>${anyOf(Object.keys(ZONES))})\b\)?`, withZone),
  timeRule(
    String.raw`(?:utc|gmt)?(?<sign>[+-])(?<zoneHours>\d{1,2})(?::?(?<zoneMinutes>[0-5]\d))?${NO_DIGIT}`,
    withOffset,
  ),
];
