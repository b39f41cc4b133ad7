import { FARTHEST_SECOND, MONTHS, WEEKDAYS, isoWeekday, midnight } from './calendar';

/** The amount by which a string moves its date. Weekdays are Monday to Friday. */
export interface Move {
  readonly years: number;
  readonly months: number;
  readonly days: number;
  readonly weekdays: number;
  readonly seconds: number;
}

/** The meaning of the parts of a time string that have been read. */
export interface Draft {
  /** The date; a field that is `undefined` stays as in the base. */
  readonly date?: {
    readonly year: number | undefined;
    readonly month: number | undefined;
    readonly day: number | undefined;
  };
  readonly clock: { readonly hours: number; readonly minutes: number; readonly seconds: number } | undefined;
  /** True without a clock time: the day begins at 00:00. */
  readonly wholeDay: boolean;
  /** Seconds east of UTC. */
  readonly zone?: number;
  readonly move: Move;
  /** The starting point in the month: its first day, its last day, or the day after that. */
  readonly anchor?: 'first' | 'last' | 'after';
  readonly weekday?: {
    /** Monday is 1, Sunday is 7. */
    readonly day: number;
    /**
     * The rule: `from` lets the day itself count, `after` and `before` do not; `in-week` stays in the week, which
     * begins on Monday.
     */
    readonly rule: 'from' | 'after' | 'before' | 'in-week';
  };
}

const EMPTY_DRAFT: Draft = {
  clock: undefined,
  wholeDay: false,
  move: { years: 0, months: 0, days: 0, weekdays: 0, seconds: 0 },
};

/** Returns the draft, moved further. */
function moved(draft: Draft, further: Partial<Move>): Draft {
  const { years, months, days, weekdays, seconds } = draft.move;
  const move = {
    years: years + (further.years ?? 0),
    months: months + (further.months ?? 0),
    days: days + (further.days ?? 0),
    weekdays: weekdays + (further.weekdays ?? 0),
    seconds: seconds + (further.seconds ?? 0),
  };
  return { ...draft, move };
}

/** Returns the draft at the beginning of its day; a clock that was read before is dropped. */
const atMidnight = (draft: Draft): Draft => ({ ...draft, clock: undefined, wholeDay: true });

const toMonday = (date: Date): number => 1 - isoWeekday(date);

function daysToWeekday(date: Date, { day, rule }: NonNullable<Draft['weekday']>): number {
  const ahead = (day - isoWeekday(date) + 7) % 7;
  if (rule === 'from') return ahead;
  if (rule === 'after') return ahead || 7;
  if (rule === 'before') return ahead - 7;
  return toMonday(date) + day - 1;
}

const FRIDAY = 5;
const NEXT_MONDAY = 8;

/**
 * Returns the number of days for a number of weekdays. On a weekend, the count starts from the Friday before or the
 * Monday after.
 */
function daysOfWeekdays(date: Date, count: number): number {
  if (count === 0) return 0;
  const today = isoWeekday(date);
  const nearest = count > 0 ? FRIDAY : NEXT_MONDAY;
  const start = today > FRIDAY ? nearest : today;
  const weekends = Math.floor((((start - 1) % 7) + count) / 5);
  return start - today + count + 2 * weekends;
}

const addDays = (date: Date, days: number): Date =>
  midnight(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate() + days);

function startDay({ date, anchor, move }: Draft, base: Date): Date {
  const year = (date?.year ?? base.getUTCFullYear()) + move.years;
  const month = (date?.month ?? base.getUTCMonth() + 1) + move.months;
  if (anchor === 'first') return midnight(year, month, 1);
  if (anchor === 'last') return midnight(year, month + 1, 0);
  if (anchor === 'after') return midnight(year, month + 1, 1);
  return midnight(year, month, date?.day ?? base.getUTCDate());
}

function secondOfDay({ clock, wholeDay, date }: Draft, base: Date): number {
  if (clock !== undefined) return clock.hours * 3600 + clock.minutes * 60 + clock.seconds;
  if (wholeDay || date !== undefined) return 0;
  return base.getUTCHours() * 3600 + base.getUTCMinutes() * 60 + base.getUTCSeconds();
}

/**
 * Returns the moment of a draft: months and years move first, then the day of the week, then days and seconds.
 *
 * @param baseSeconds Unix seconds
 * @returns Unix seconds; `undefined` if it is beyond the range of `Date`
 */
function settle(draft: Draft, baseSeconds: number): number | undefined {
  const base = new Date(baseSeconds * 1000);
  const start = startDay(draft, base);
  const named = draft.weekday === undefined ? start : addDays(start, daysToWeekday(start, draft.weekday));
  const shifted = addDays(named, draft.move.days);
  const day = addDays(shifted, daysOfWeekdays(shifted, draft.move.weekdays));
  const seconds = day.getTime() / 1000 + secondOfDay(draft, base) + draft.move.seconds - (draft.zone ?? 0);
  return Math.abs(seconds) <= FARTHEST_SECOND ? seconds : undefined;
}

/** The named groups of a matched part; unmatched groups are absent. */
export type Groups = Readonly<Record<string, string | undefined>>;

/** One way to read a part of a time string. */
export interface TimeRule {
  /** The pattern, which matches at the beginning of the rest of the string, ignoring case. */
  readonly pattern: RegExp;
  /** Returns the draft with this part; `undefined` if the part is not allowed here. */
  readonly read: (part: Groups, draft: Draft) => Draft | undefined;
}

/** Returns a rule from the source of its pattern. */
const timeRule = (source: string, read: TimeRule['read']): TimeRule => ({
  pattern: new RegExp(`^(?:${source})`, 'i'),
  read,
});

/** Returns the alternatives of a pattern. */
const anyOf = (names: readonly string[]): string => names.join('|');

const YEAR = String.raw`(?<year>\d{4})`;
const MONTH = String.raw`(?<month>0?[1-9]|1[0-2])`;
const MONTH_2 = String.raw`(?<month>0[1-9]|1[0-2])`;
const DAY = String.raw`(?<day>0?[1-9]|[12]\d|3[01])`;
const DAY_2 = String.raw`(?<day>0[1-9]|[12]\d|3[01])`;
const NO_DIGIT = String.raw`(?!\d)`;
/** Excludes clock times: the day or year could be the beginning of one, as in `june 4pm`. */
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

/** The offsets, in hours east of UTC, of the zone names in RFC 822. */
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

/** Returns the year; two digits mean 1970 to 2069. */
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

/** Reads an offset. `-7` alone is more likely a forgotten unit than an offset. */
const withOffset: TimeRule['read'] = (part, draft) =>
  draft.date === undefined && draft.clock === undefined ? undefined : withZone(part, draft);

/** Reads the year of `Sat Apr 30 17:52:13 2016`. Four digits alone could also be 20:16. */
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

/** Rules for dates, clock times and zones (docs/language/dates.md#dates-as-they-are-written). */
const ABSOLUTE_RULES: readonly TimeRule[] = [
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

/** The move for one of each unit. */
const UNITS: Readonly<Record<string, Partial<Move>>> = {
  sec: { seconds: 1 },
  second: { seconds: 1 },
  min: { seconds: 60 },
  minute: { seconds: 60 },
  hour: { seconds: 3600 },
  day: { days: 1 },
  week: { days: 7 },
  fortnight: { days: 14 },
  month: { months: 1 },
  year: { years: 1 },
  weekday: { weekdays: 1 },
};

/** Words for a number before a unit. */
const COUNTS: Readonly<Record<string, number>> = {
  last: -1,
  previous: -1,
  this: 0,
  next: 1,
  first: 1,
  second: 2,
  third: 3,
  fourth: 4,
  fifth: 5,
  sixth: 6,
  seventh: 7,
  eighth: 8,
  ninth: 9,
  tenth: 10,
  eleventh: 11,
  twelfth: 12,
};

const COUNT = `(?<count>${anyOf(Object.keys(COUNTS))})`;
const UNIT = String.raw`(?<unit>${anyOf(Object.keys(UNITS))})s?\b`;
const WEEKDAY_NAMES = WEEKDAYS.flatMap((name) => [name, name.slice(0, 3)]);
const WEEKDAY = String.raw`(?<weekday>${anyOf([...WEEKDAY_NAMES, 'tues', 'thurs'])})\b\.?`;

const countOf = (word: string | undefined): number => COUNTS[word?.toLowerCase() ?? ''] ?? 0;

/** Returns the weekday of a name: Monday is 1, Sunday is 7. */
function weekdayOf(name: string | undefined): number {
  const start = name?.slice(0, 3).toLowerCase();
  return WEEKDAYS.findIndex((weekday) => weekday.slice(0, 3).toLowerCase() === start) || 7;
}

function movedBy(count: number, unit: string | undefined, draft: Draft): Draft {
  const one = Object.entries(UNITS[unit?.toLowerCase() ?? ''] ?? {});
  return moved(draft, Object.fromEntries(one.map(([field, amount]) => [field, amount * count])));
}

/** Reads a move. Each minus reverses the direction. */
const withNumber: TimeRule['read'] = ({ signs, number, unit }, draft) => {
  const minuses = (signs ?? '').replaceAll(/[^-]/g, '').length;
  return movedBy(minuses % 2 === 0 ? Number(number) : -Number(number), unit, draft);
};

/** Reads a weekday. `monday` lets today count, unless a week was named before. */
const withWeekday: TimeRule['read'] = ({ weekday }, draft) => {
  const rule = draft.weekday?.rule === 'in-week' ? 'in-week' : 'from';
  return { ...atMidnight(draft), weekday: { day: weekdayOf(weekday), rule } };
};

/**
 * Reads a counted weekday. `next monday` is after today, `last monday` before it, `third monday` two weeks after the
 * next one.
 */
const withCountedWeekday: TimeRule['read'] = ({ count, weekday }, draft) => {
  const weeks = countOf(count);
  const rule = weeks > 0 ? 'after' : weeks < 0 ? 'before' : 'from';
  const named: Draft = { ...atMidnight(draft), weekday: { day: weekdayOf(weekday), rule } };
  return moved(named, { days: Math.max(weeks - 1, 0) * 7 });
};

/**
 * Reads a weekday of a month. `first monday of …` counts from the first day of the month, `last monday of …` back from
 * the day after it.
 */
function withWeekdayOfMonth({ count, weekday }: Groups, draft: Draft): Draft | undefined {
  const weeks = countOf(count);
  if (weeks === 0) return undefined;
  const day = weekdayOf(weekday);
  const start = atMidnight(draft);
  if (weeks < 0) return { ...start, anchor: 'after', weekday: { day, rule: 'before' } };
  return moved({ ...start, anchor: 'first', weekday: { day, rule: 'from' } }, { days: (weeks - 1) * 7 });
}

/** Reads a week, as in `monday this week`; a week alone means its Monday. */
const withWeek: TimeRule['read'] = ({ count }, draft) =>
  moved({ ...draft, weekday: { day: draft.weekday?.day ?? 1, rule: 'in-week' } }, { days: countOf(count) * 7 });

/** Reverses every relative move that was read before. */
function turnedAround(draft: Draft): Draft {
  const { years, months, days, weekdays, seconds } = draft.move;
  const move = { years: -years, months: -months, days: -days, weekdays: -weekdays, seconds: -seconds };
  const { weekday } = draft;
  if (weekday === undefined || weekday.rule === 'in-week') return { ...draft, move };
  return { ...draft, move, weekday: { ...weekday, rule: 'before' } };
}

/** Rules for words that move (docs/language/dates.md#words). */
const RELATIVE_RULES: readonly TimeRule[] = [
  timeRule(String.raw`now\b`, (_part, draft) => draft),
  timeRule(String.raw`(?:today|midnight)\b`, (_part, draft) => atMidnight(draft)),
  timeRule(String.raw`noon\b`, (_part, draft) => ({ ...draft, clock: { hours: 12, minutes: 0, seconds: 0 } })),
  timeRule(String.raw`tomorrow\b`, (_part, draft) => moved(atMidnight(draft), { days: 1 })),
  timeRule(String.raw`yesterday\b`, (_part, draft) => moved(atMidnight(draft), { days: -1 })),

  timeRule(String.raw`(?<signs>[+-]*)\s*(?<number>\d{1,13})\s*${UNIT}`, withNumber),
  timeRule(String.raw`(?<count>last|previous|this|next)\s+week\b`, withWeek),
  timeRule(String.raw`${COUNT}\s+${UNIT}`, ({ count, unit }, draft) => movedBy(countOf(count), unit, draft)),
  timeRule(String.raw`(?<anchor>first|last)\s+day\s+of\b`, ({ anchor }, draft) => ({
    ...draft,
    anchor: anchor?.toLowerCase() === 'first' ? 'first' : 'last',
  })),
  timeRule(String.raw`ago\b`, (_part, draft) => turnedAround(draft)),

  timeRule(WEEKDAY, withWeekday),
  timeRule(String.raw`${COUNT}\s+${WEEKDAY}`, withCountedWeekday),
  timeRule(String.raw`${COUNT}\s+${WEEKDAY}\s+of\b`, withWeekdayOfMonth),
];

/** All rules: if two of them match equally far, the first one applies. */
const RULES = [...RELATIVE_RULES, ...ABSOLUTE_RULES];

const withoutGap = (text: string): string => text.replace(/^[\s,]+/, '');

/** Reads one part by the rule that matches the most text. */
function readPart(text: string, draft: Draft): { readonly draft: Draft; readonly rest: string } | undefined {
  const matches = RULES.flatMap(({ pattern, read }) => {
    const match = pattern.exec(text);
    return match === null ? [] : [{ read, groups: match.groups ?? {}, length: match[0].length }];
  });
  const longest = Math.max(...matches.map(({ length }) => length));
  const part = matches.find(({ length }) => length === longest);
  const next = part?.read(part.groups, draft);
  return next === undefined ? undefined : { draft: next, rest: withoutGap(text.slice(longest)) };
}

/**
 * Returns the moment of a string, in UTC (docs/language/dates.md#words): dates and clock times replace fields of the
 * base, relative words move it. The parts take effect from left to right: `tomorrow 11:00` is at eleven,
 * `11:00 tomorrow` at midnight.
 *
 * @param text for example `-7 days`, `first monday of next month`, `2020-02-03T04:05:06+02:00`, `@1600000000`
 * @param baseSeconds Unix seconds
 * @returns Unix seconds, or `undefined` if the string is not understood
 * @example parseTime('+1 day', 1600000000) // 1600086400
 */
export function parseTime(text: string, baseSeconds: number): number | undefined {
  let draft: Draft | undefined;
  let rest = withoutGap(text);
  while (rest !== '') {
    const part = readPart(rest, draft ?? EMPTY_DRAFT);
    if (part === undefined) return undefined;
    ({ draft, rest } = part);
  }
  return draft === undefined ? undefined : settle(draft, baseSeconds);
}
