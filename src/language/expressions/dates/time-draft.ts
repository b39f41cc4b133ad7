import { FARTHEST_SECOND, isoWeekday, midnight } from './calendar';

/** How far a string moves its date. Weekdays are Monday to Friday. */
export interface Move {
  readonly years: number;
  readonly months: number;
  readonly days: number;
  readonly weekdays: number;
  readonly seconds: number;
}

/** The meaning of the parts of a time string that have been read so far. */
export interface Draft {
  /** A field that is `undefined` stays as in the base. */
  readonly date?: {
    readonly year: number | undefined;
    readonly month: number | undefined;
    readonly day: number | undefined;
  };
  readonly clock: { readonly hours: number; readonly minutes: number; readonly seconds: number } | undefined;
  /** Without a clock, the day begins at 00:00. */
  readonly wholeDay: boolean;
  /** Seconds east of UTC. */
  readonly zone?: number;
  readonly move: Move;
  /** Where in the month to start: its first day, its last one, or the day after that. */
  readonly anchor?: 'first' | 'last' | 'after';
  readonly weekday?: {
    /** Monday is 1, Sunday is 7. */
    readonly day: number;
    /** `from` lets the day itself count, `after` and `before` do not; `in-week` stays in the week, which begins on Monday. */
    readonly rule: 'from' | 'after' | 'before' | 'in-week';
  };
}

export const EMPTY_DRAFT: Draft = {
  clock: undefined,
  wholeDay: false,
  move: { years: 0, months: 0, days: 0, weekdays: 0, seconds: 0 },
};

/** The draft, moved further. */
export function moved(draft: Draft, further: Partial<Move>): Draft {
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

/** The draft at the beginning of its day; a clock that was read before is dropped. */
export const atMidnight = (draft: Draft): Draft => ({ ...draft, clock: undefined, wholeDay: true });

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

/** How many days so many weekdays take. On a weekend, the count starts from the Friday before or the Monday after. */
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
 * The moment that a draft means: months and years move first, then comes the day of the week, then days and seconds.
 *
 * @param baseSeconds Unix seconds
 * @returns Unix seconds; `undefined` when no `Date` reaches as far
 */
export function settle(draft: Draft, baseSeconds: number): number | undefined {
  const base = new Date(baseSeconds * 1000);
  const start = startDay(draft, base);
  const named = draft.weekday === undefined ? start : addDays(start, daysToWeekday(start, draft.weekday));
  const shifted = addDays(named, draft.move.days);
  const day = addDays(shifted, daysOfWeekdays(shifted, draft.move.weekdays));
  const seconds = day.getTime() / 1000 + secondOfDay(draft, base) + draft.move.seconds - (draft.zone ?? 0);
  return Math.abs(seconds) <= FARTHEST_SECOND ? seconds : undefined;
}
