import { WEEKDAYS } from './calendar';
import type { Draft, Move } from './time-draft';
import { atMidnight, moved } from './time-draft';
import type { Groups, TimeRule } from './time-rule';
import { anyOf, timeRule } from './time-rule';

/** How far one of each unit moves. */
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

/** Words that stand for a number before a unit. */
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

/** Monday is 1, Sunday is 7. */
function weekdayOf(name: string | undefined): number {
  const start = name?.slice(0, 3).toLowerCase();
  return WEEKDAYS.findIndex((weekday) => weekday.slice(0, 3).toLowerCase() === start) || 7;
}

function movedBy(count: number, unit: string | undefined, draft: Draft): Draft {
  const one = Object.entries(UNITS[unit?.toLowerCase() ?? ''] ?? {});
  return moved(draft, Object.fromEntries(one.map(([field, amount]) => [field, amount * count])));
}

/** Each minus turns the direction around. */
const withNumber: TimeRule['read'] = ({ signs, number, unit }, draft) => {
  const minuses = (signs ?? '').replaceAll(/[^-]/g, '').length;
  return movedBy(minuses % 2 === 0 ? Number(number) : -Number(number), unit, draft);
};

/** `monday` lets today count, unless a week was named before. */
const withWeekday: TimeRule['read'] = ({ weekday }, draft) => {
  const rule = draft.weekday?.rule === 'in-week' ? 'in-week' : 'from';
  return { ...atMidnight(draft), weekday: { day: weekdayOf(weekday), rule } };
};

/** `next monday` is after today, `last monday` before it, `third monday` two weeks after the next one. */
const withCountedWeekday: TimeRule['read'] = ({ count, weekday }, draft) => {
  const weeks = countOf(count);
  const rule = weeks > 0 ? 'after' : weeks < 0 ? 'before' : 'from';
  const named: Draft = { ...atMidnight(draft), weekday: { day: weekdayOf(weekday), rule } };
  return moved(named, { days: Math.max(weeks - 1, 0) * 7 });
};

/** `first monday of …` counts from the first day of the month, `last monday of …` back from the day after it. */
function withWeekdayOfMonth({ count, weekday }: Groups, draft: Draft): Draft | undefined {
  const weeks = countOf(count);
  if (weeks === 0) return undefined;
  const day = weekdayOf(weekday);
  const start = atMidnight(draft);
  if (weeks < 0) return { ...start, anchor: 'after', weekday: { day, rule: 'before' } };
  return moved({ ...start, anchor: 'first', weekday: { day, rule: 'from' } }, { days: (weeks - 1) * 7 });
}

/** `monday this week`; a week alone means its Monday. */
const withWeek: TimeRule['read'] = ({ count }, draft) =>
  moved({ ...draft, weekday: { day: draft.weekday?.day ?? 1, rule: 'in-week' } }, { days: countOf(count) * 7 });

/** Turns around everything relative that was read before it. */
function turnedAround(draft: Draft): Draft {
  const { years, months, days, weekdays, seconds } = draft.move;
  const move = { years: -years, months: -months, days: -days, weekdays: -weekdays, seconds: -seconds };
  const { weekday } = draft;
  if (weekday === undefined || weekday.rule === 'in-week') return { ...draft, move };
  return { ...draft, move, weekday: { ...weekday, rule: 'before' } };
}

/** Words that move (docs/language/dates.md#words). */
export const RELATIVE_RULES: readonly TimeRule[] = [
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
