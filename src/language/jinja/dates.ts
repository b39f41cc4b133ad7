/** Dates, times and lengths of time as Python has them: formats, ISO texts, arithmetic. */
import { MONTHS, WEEKDAYS, isoWeekday, midnight } from '../expressions/dates/calendar';

/** A text that is no date, or a date that does not exist: Python's ValueError. */
export class DateError extends Error {}

const DAY = 86_400_000;
const MINUTE = 60_000;
const pad = (value: number, width: number): string => String(value).padStart(width, '0');
const modulo = (value: number, by: number): number => ((value % by) + by) % by;

/** A date, or a date with a time of day, to the microsecond. */
export class Moment {
  /**
   * @param ms milliseconds since 1970 in UTC
   * @param micros the microseconds beyond them, from 0 to 999
   * @param offset minutes east of UTC; `undefined` for a time without a zone, which counts as UTC
   * @param isDate true for a day without a time
   */
  constructor(
    readonly ms: number,
    readonly micros = 0,
    readonly offset: number | undefined = 0,
    readonly isDate = false,
  ) {
    if (!(Math.abs(ms) <= 2.6e14)) throw new DateError('the date is out of range');
  }

  /** Seconds since 1970, with their fraction. */
  get seconds(): number {
    return this.microseconds / 1_000_000;
  }

  /** Microseconds since 1970. */
  get microseconds(): number {
    return this.ms * 1000 + this.micros;
  }

  /** The parts of the clock on the wall, in the zone of the moment. */
  get wall(): Date {
    return new Date(this.ms + (this.offset ?? 0) * MINUTE);
  }

  get microsecond(): number {
    return modulo(this.ms, 1000) * 1000 + this.micros;
  }

  /** Returns the day of the moment. */
  get day(): Moment {
    const wall = this.wall.getTime();
    return new Moment(wall - modulo(wall, DAY), 0, undefined, true);
  }

  in(offset: number | undefined): Moment {
    return new Moment(this.ms, this.micros, offset, this.isDate);
  }

  plus(length: Duration, sign: 1 | -1 = 1): Moment {
    const { months, micros } = length;
    const wall = this.wall;
    const month = wall.getUTCMonth() + 1 + sign * months;
    const lastDay = midnight(wall.getUTCFullYear(), month + 1, 0).getUTCDate();
    const day = midnight(wall.getUTCFullYear(), month, Math.min(wall.getUTCDate(), lastDay));
    const moved = months === 0 ? this.ms : day.getTime() + modulo(wall.getTime(), DAY) - (this.offset ?? 0) * MINUTE;
    const whole = this.isDate ? Math.floor(micros / 1000 / DAY) * DAY * 1000 : micros;
    const all = this.micros + sign * whole;
    return new Moment(moved + Math.floor(all / 1000), modulo(all, 1000), this.offset, this.isDate);
  }

  minus(other: Moment): Duration {
    return new Duration((this.ms - other.ms) * 1000 + this.micros - other.micros);
  }

  /** Returns the text of `isoformat`; `str` has a space between date and time. */
  iso(separator = 'T'): string {
    const [day = '', clock = ''] = this.wall.toISOString().split('T');
    if (this.isDate) return day;
    const fraction = this.microsecond === 0 ? '' : `.${pad(this.microsecond, 6)}`;
    return day + separator + clock.slice(0, 8) + fraction + offsetText(this.offset, ':');
  }
}

/** A length of time; months are of no fixed length and are kept apart. */
export class Duration {
  constructor(
    readonly micros: number,
    readonly months = 0,
  ) {}

  /** Returns Python's text: `1 day, 0:00:00`. */
  get text(): string {
    const ms = Math.floor(this.micros / 1000);
    const days = Math.floor(ms / DAY);
    const rest = Math.floor(modulo(ms, DAY) / 1000);
    const fraction = modulo(this.micros, 1_000_000);
    const clock = `${Math.floor(rest / 3600)}:${pad(Math.floor(rest / 60) % 60, 2)}:${pad(rest % 60, 2)}`;
    const time = clock + (fraction === 0 ? '' : `.${pad(fraction, 6)}`);
    return days === 0 ? time : `${days} day${Math.abs(days) === 1 ? '' : 's'}, ${time}`;
  }
}

const offsetText = (offset: number | undefined, separator: '' | ':'): string => {
  if (offset === undefined) return '';
  const size = Math.abs(offset);
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(size / 60), 2)}${separator}${pad(size % 60, 2)}`;
};

const yearDay = (date: Date): number => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / DAY) + 1;

const hour12 = (date: Date): number => date.getUTCHours() % 12 || 12;

/** What stands for each letter of a format. */
const WRITTEN: Readonly<Record<string, (moment: Moment, wall: Date) => string>> = {
  Y: (_, wall) => pad(wall.getUTCFullYear(), 4),
  y: (_, wall) => pad(wall.getUTCFullYear() % 100, 2),
  m: (_, wall) => pad(wall.getUTCMonth() + 1, 2),
  d: (_, wall) => pad(wall.getUTCDate(), 2),
  e: (_, wall) => String(wall.getUTCDate()).padStart(2),
  H: (_, wall) => pad(wall.getUTCHours(), 2),
  I: (_, wall) => pad(hour12(wall), 2),
  p: (_, wall) => (wall.getUTCHours() < 12 ? 'AM' : 'PM'),
  M: (_, wall) => pad(wall.getUTCMinutes(), 2),
  S: (_, wall) => pad(wall.getUTCSeconds(), 2),
  f: ({ microsecond }) => pad(microsecond, 6),
  z: ({ offset }) => offsetText(offset, ''),
  Z: ({ offset }) => (offset === undefined ? '' : offset === 0 ? 'UTC' : `UTC${offsetText(offset, ':')}`),
  j: (_, wall) => pad(yearDay(wall), 3),
  a: (_, wall) => (WEEKDAYS[wall.getUTCDay()] ?? '').slice(0, 3),
  A: (_, wall) => WEEKDAYS[wall.getUTCDay()] ?? '',
  b: (_, wall) => (MONTHS[wall.getUTCMonth()] ?? '').slice(0, 3),
  B: (_, wall) => MONTHS[wall.getUTCMonth()] ?? '',
  u: (_, wall) => String(isoWeekday(wall)),
  w: (_, wall) => String(wall.getUTCDay()),
  s: ({ seconds }) => String(Math.floor(seconds)),
  T: (moment) => strftime(moment, '%H:%M:%S'),
  F: (moment) => strftime(moment, '%Y-%m-%d'),
  D: (moment) => strftime(moment, '%m/%d/%y'),
  '%': () => '%',
};

/** Returns a moment in a format of Python's `strftime`; an unknown letter stays. */
export const strftime = (moment: Moment, format: string): string => {
  const { wall } = moment;
  return format.replace(/%-?([A-Za-z%])/g, (written, letter: string) => {
    const text = WRITTEN[letter]?.(moment, wall) ?? written;
    return written[1] === '-' && text !== written ? text.replace(/^[0 ]+(?=.)/, '') : text;
  });
};

/** The patterns of the letters that `strptime` reads. */
const READ: Readonly<Record<string, string>> = {
  ...{ Y: '\\d{4}', y: '\\d\\d', m: '1[0-2]|0[1-9]|[1-9]', d: '3[01]|[12]\\d|0[1-9]| ?[1-9]' },
  ...{ H: '2[0-3]|[01]\\d|\\d', I: '1[0-2]|0[1-9]|[1-9]', M: '[0-5]\\d|\\d', S: '6[01]|[0-5]\\d|\\d' },
  ...{ f: '\\d{1,6}', z: '[+-]\\d\\d:?[0-5]\\d|Z', Z: 'UTC|GMT', p: 'AM|PM', j: '[0-3]?\\d?\\d' },
  ...{ a: WEEKDAYS.map((name) => name.slice(0, 3)).join('|'), A: WEEKDAYS.join('|') },
  ...{ b: MONTHS.map((name) => name.slice(0, 3)).join('|'), B: MONTHS.join('|') },
};

/** What a letter stands for, in more than one. */
const SHORT: Readonly<Record<string, string>> = { '%T': '%H:%M:%S', '%F': '%Y-%m-%d' };

interface Pattern {
  readonly letters: readonly string[];
  readonly pattern: RegExp;
}

/** The patterns of the formats that were read last: those of a cursor are read for each record. */
const patterns = new Map<string, Pattern>();
const MOST_PATTERNS = 100;

function patternOf(format: string): Pattern {
  const known = patterns.get(format);
  if (known !== undefined) return known;
  if (patterns.size >= MOST_PATTERNS) patterns.clear();
  const made = newPattern(format);
  patterns.set(format, made);
  return made;
}

function newPattern(format: string): Pattern {
  const letters: string[] = [];
  const pattern = format
    .replace(/%[TF]/g, (short) => SHORT[short] ?? short)
    .replace(/%(.)|\s+|[.*+?^${}()|[\]\\]/g, (written, letter: string | undefined) => {
      if (letter === undefined) return written.trim() === '' ? '\\s+' : `\\${written}`;
      if (letter === '%') return '%';
      const part = READ[letter];
      if (part === undefined) throw new DateError(`'${letter}' is a bad directive in format '${format}'`);
      letters.push(letter);
      return `(${part})`;
    });
  return { letters, pattern: new RegExp(`^${pattern}$`, 'i') };
}

/**
 * Reads a moment in a format of Python's `strptime`.
 *
 * @throws DateError
 */
export function strptime(text: string, format: string): Moment {
  const { letters, pattern } = patternOf(format);
  const found = pattern.exec(text);
  if (found === null) throw new DateError(`time data '${text}' does not match format '${format}'`);
  const parts = new Map(letters.map((letter, at) => [letter, found[at + 1] ?? '']));
  const number = (letter: string): number | undefined => {
    const part = parts.get(letter);
    return part === undefined ? undefined : Number(part);
  };
  const short = number('y');
  const century = short === undefined ? 1900 : short < 69 ? 2000 + short : 1900 + short;
  const half = number('I');
  const isAfternoon = parts.get('p')?.toUpperCase() === 'PM';
  const dayOfYear = number('j');
  return momentOf({
    year: number('Y') ?? century,
    month: number('m') ?? monthNamed(parts.get('b') ?? parts.get('B')) ?? 1,
    day: number('d') ?? dayOfYear ?? 1,
    hour: number('H') ?? (half === undefined ? 0 : (half % 12) + (isAfternoon ? 12 : 0)),
    minute: number('M') ?? 0,
    second: number('S') ?? 0,
    micros: Number((parts.get('f') ?? '').padEnd(6, '0')),
    offset: offsetOf(parts.get('z')) ?? (parts.has('Z') ? 0 : undefined),
    ...(dayOfYear === undefined ? {} : { isDayOfYear: true }),
  });
}

const monthNamed = (name: string | undefined): number | undefined =>
  name === undefined
    ? undefined
    : MONTHS.findIndex((month) => month.toLowerCase().startsWith(name.toLowerCase().slice(0, 3))) + 1;

const offsetOf = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)?/.exec(text) ?? [];
  return hours === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes ?? 0));
};

interface Parts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly micros: number;
  readonly offset: number | undefined;
  readonly isDayOfYear?: boolean;
}

function momentOf({ year, month, day, hour, minute, second, micros, offset, isDayOfYear = false }: Parts): Moment {
  const date = midnight(year, month, day);
  if (!isDayOfYear && (date.getUTCMonth() + 1 !== month || date.getUTCDate() !== day))
    throw new DateError('day is out of range for month');
  if (hour > 24 || minute > 59 || second > 59 || (hour === 24 && minute + second + micros > 0))
    throw new DateError('the time is out of range');
  const clock = ((hour * 60 + minute - (offset ?? 0)) * 60 + second) * 1000;
  return new Moment(date.getTime() + clock + Math.floor(micros / 1000), micros % 1000, offset);
}

const ISO =
  /^(\d{4})(?:-?(\d\d)(?:-?(\d\d))?)?(?:[^\d](\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?)?(Z|z|[+-]\d\d(?::?\d\d)?)?)?$/;

/**
 * Reads an ISO 8601 text, as Python's `dateutil` does.
 *
 * @throws DateError
 */
export function isoMoment(text: string): Moment {
  const [found, year, month, day, hour, minute, second, fraction, offset] = ISO.exec(text) ?? [];
  if (found === undefined) throw new DateError('the text is no ISO 8601 date');
  return momentOf({
    year: Number(year),
    month: Number(month ?? 1),
    day: Number(day ?? 1),
    hour: Number(hour ?? 0),
    minute: Number(minute ?? 0),
    second: Number(second ?? 0),
    micros: Number((fraction ?? '').slice(0, 6).padEnd(6, '0')),
    offset: offsetOf(offset),
  });
}

const LENGTH =
  /^([+-])?P(?:([\d.]+)Y)?(?:([\d.]+)M)?(?:([\d.]+)W)?(?:([\d.]+)D)?(?:T(?:([\d.]+)H)?(?:([\d.]+)M)?(?:([\d.]+)S)?)?$/;

/**
 * Reads an ISO 8601 length of time such as `P1M` or `PT0.000001S`.
 *
 * @throws DateError
 */
export function isoDuration(text: string): Duration {
  const found = LENGTH.exec(text);
  if (found === null || text.endsWith('P') || text.endsWith('T'))
    throw new DateError(`Unable to parse duration string '${text}'`);
  const [, sign, ...written] = found;
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = written.map((part) =>
    Number((part as string | undefined) ?? 0),
  );
  const factor = sign === '-' ? -1 : 1;
  const micros = Math.round(((((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000_000);
  return new Duration(factor * micros, factor * (years * 12 + months));
}

/** Formats of the CDK for numbers since 1970, each with the microseconds of one. */
const EPOCHS: Readonly<Record<string, number>> = {
  '%s': 1e6,
  '%ms': 1e3,
  '%s_as_float': 1e6,
  '%epoch_microseconds': 1,
};

/**
 * Reads a moment in a format of a cursor: one of `strptime`, or `%s`, `%ms`, `%s_as_float`, `%epoch_microseconds`.
 * Without a zone it is in UTC.
 *
 * @throws DateError
 */
export function readMoment(text: string, format: string): Moment {
  const unit = EPOCHS[format];
  if (unit === undefined) {
    const moment = strptime(text, format.replace('%_ms', '%f'));
    return moment.offset === undefined ? moment.in(0) : moment;
  }
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) throw new DateError(`time data '${text}' is no number`);
  return microMoment(Math.round(number * unit));
}

/** Returns the moment that many microseconds after 1970, in UTC. */
export const microMoment = (micros: number): Moment => new Moment(Math.floor(micros / 1000), modulo(micros, 1000));

/**
 * Reads a moment in one of several formats of a cursor, or in ISO 8601. Without a zone it is in UTC.
 *
 * @throws DateError
 */
export function momentIn(text: string, formats: readonly string[]): Moment {
  for (const format of formats)
    try {
      return readMoment(text, format);
    } catch (error) {
      if (!(error instanceof DateError)) throw error;
    }
  const moment = isoMoment(text);
  return moment.offset === undefined ? moment.in(0) : moment;
}

/** Returns a moment in a format of a cursor, which {@link readMoment} reads. */
export function writeMoment(moment: Moment, format: string): string {
  if (format === '%s') return String(Math.floor(moment.seconds));
  if (format === '%ms') return String(Math.floor(moment.ms));
  if (format === '%epoch_microseconds') return String(BigInt(moment.ms) * 1000n + BigInt(moment.micros));
  if (format === '%s_as_float')
    return Number.isInteger(moment.seconds) ? `${moment.seconds}.0` : String(moment.seconds);
  return strftime(moment, format.replace('%_ms', pad(modulo(moment.ms, 1000), 3)));
}
