/** The attributes and methods that Python's values have. */
import { Duration, Moment, strftime } from './dates';
import {
  Dict,
  Float,
  List,
  Method,
  TypeMismatch,
  Undefined,
  ValueFault,
  characters,
  compare,
  isEqual,
  isInteger,
  iterated,
  repr,
  requireDefined,
  text,
  typeOf,
} from './values';
import type { Given, Value } from './values';

/** The most characters or elements that an operation may make. */
const MOST = 1_000_000;

/**
 * Returns an argument by its position or name.
 *
 * @param byDefault the value of a missing one; without it, the argument is required
 */
export function argument({ args, named }: Given, at: number, name: string, byDefault?: Value): Value {
  const value = at < args.length ? args[at] : named.has(name) ? named.get(name) : byDefault;
  if (value === undefined) throw new TypeMismatch(`missing a required argument: '${name}'`);
  return value;
}

/** @throws TypeMismatch if the value is no text */
export function requireText(value: Value): string {
  if (typeof requireDefined(value) === 'string') return value as string;
  throw new TypeMismatch(`expected str, found ${typeOf(value)}`);
}

/** @throws TypeMismatch if the value is no integer of a size that counts something */
export function requireCount(value: Value): number {
  if (isInteger(requireDefined(value))) return Number(value);
  throw new TypeMismatch(`'${typeOf(value)}' object cannot be interpreted as an integer`);
}

/** @throws ValueFault beyond {@link MOST} */
export function requireRoom(size: number): void {
  if (size > MOST) throw new ValueFault(`the result is larger than ${MOST}`);
}

type Methods<T> = Readonly<Record<string, (value: T, given: Given) => Value>>;

const WHITE = ' \t\n\r\v\f';

/** Returns the text without these characters at one end or both. */
function stripped(value: string, characters: Value, ends: 'both' | 'left' | 'right'): string {
  const removed = new Set(characters === null ? WHITE : requireText(characters));
  let [from, to] = [0, value.length];
  while (ends !== 'right' && from < to && removed.has(value[from] ?? '')) from += 1;
  while (ends !== 'left' && from < to && removed.has(value[to - 1] ?? '')) to -= 1;
  return value.slice(from, to);
}

function split(value: string, separator: Value, most: number): readonly string[] {
  const count = most < 0 ? Infinity : most;
  if (separator === null) {
    const words = value.match(/\S+/g) ?? [];
    if (words.length <= count) return words;
    const rest = new RegExp(`^\\s*(?:\\S+\\s+){${count}}`).exec(value)?.[0].length ?? 0;
    return [...words.slice(0, count), stripped(value.slice(rest), null, 'right')];
  }
  const between = requireText(separator);
  if (between === '') throw new ValueFault('empty separator');
  const parts = value.split(between);
  return parts.length - 1 <= count ? parts : [...parts.slice(0, count), parts.slice(count).join(between)];
}

function splitFromEnd(value: string, separator: Value, most: number): readonly string[] {
  const parts = split(value, separator, -1);
  if (most < 0 || parts.length - 1 <= most) return parts;
  const between = separator === null ? ' ' : requireText(separator);
  const kept = parts.length - most;
  return [parts.slice(0, kept).join(between), ...parts.slice(kept)];
}

/** Returns a text with another in place of a part, at most so many times. */
export function replacedText(value: string, part: string, other: string, most = -1): string {
  const count = most < 0 ? Infinity : most;
  if (part === '') return value === '' ? other : `${other}${characters(value).join(other)}${other}`;
  const parts = value.split(part);
  requireRoom(value.length + Math.min(count, parts.length) * other.length);
  return parts.reduce((made, next, at) => (at === 0 ? next : `${made}${at <= count ? other : part}${next}`), '');
}

/** Returns the elements of a list as texts, joined. */
function joined(separator: string, elements: readonly Value[]): string {
  const made = elements.map(requireText).join(separator);
  requireRoom(made.length);
  return made;
}

const ends = (given: Given, meets: (part: string) => boolean): boolean => {
  const wanted = argument(given, 0, 'affix');
  return wanted instanceof List ? wanted.elements.some((each) => meets(requireText(each))) : meets(requireText(wanted));
};

const titled = (value: string): string =>
  value.toLowerCase().replace(/(?<![\p{L}])\p{L}/gu, (letter) => letter.toUpperCase());

/** Returns a text with arguments in place of `{}`, `{0}` and `{name}`. */
function formatted(value: string, { args, named }: Given): string {
  let next = 0;
  return value.replace(
    /\{\{|\}\}|\{(\w*)([^{}]*)\}/g,
    (written, name: string | undefined, more: string | undefined) => {
      if (name === undefined) return written.slice(1);
      const found = name === '' ? args[next++] : /^\d+$/.test(name) ? args[Number(name)] : named.get(name);
      if (found === undefined) throw new ValueFault(`Replacement index ${name} out of range`);
      if ((more ?? '') === '') return text(found);
      const zeros = /^:0(\d+)d?$/.exec(more ?? '');
      if (zeros === null) throw new ValueFault(`the format ${JSON.stringify(more)} is not supported`);
      return text(found).padStart(Number(zeros[1]), '0');
    },
  );
}

const padded = (given: Given, pad: (width: number, fill: string) => string): string => {
  const width = requireCount(argument(given, 0, 'width'));
  requireRoom(width);
  return pad(width, requireText(argument(given, 1, 'fillchar', ' ')));
};

const test =
  (pattern: RegExp) =>
  (value: string): boolean =>
    pattern.test(value);

const STRING: Methods<string> = {
  capitalize: (value) => value.charAt(0).toUpperCase() + value.slice(1).toLowerCase(),
  casefold: (value) => value.toLowerCase(),
  center: (value, given) =>
    padded(given, (width, fill) => value.padStart(Math.floor((width + value.length) / 2), fill).padEnd(width, fill)),
  count: (value, given) => value.split(requireText(argument(given, 0, 'sub'))).length - 1,
  encode: (value) => value,
  endswith: (value, given) => ends(given, (part) => value.endsWith(part)),
  find: (value, given) => value.indexOf(requireText(argument(given, 0, 'sub'))),
  format: formatted,
  index: (value, given) => {
    const found = value.indexOf(requireText(argument(given, 0, 'sub')));
    if (found < 0) throw new ValueFault('substring not found');
    return found;
  },
  isalnum: test(/^[\p{L}\p{N}]+$/u),
  isalpha: test(/^\p{L}+$/u),
  isdecimal: test(/^\p{Nd}+$/u),
  isdigit: test(/^\p{Nd}+$/u),
  islower: (value) => value !== value.toUpperCase() && value === value.toLowerCase(),
  isnumeric: test(/^\p{N}+$/u),
  isspace: test(/^\s+$/),
  isupper: (value) => value !== value.toLowerCase() && value === value.toUpperCase(),
  join: (value, given) => joined(value, iterated(argument(given, 0, 'iterable'))),
  ljust: (value, given) => padded(given, (width, fill) => value.padEnd(width, fill)),
  lower: (value) => value.toLowerCase(),
  lstrip: (value, given) => stripped(value, argument(given, 0, 'chars', null), 'left'),
  partition: (value, given) =>
    parts(value, requireText(argument(given, 0, 'sep')), value.indexOf(requireText(argument(given, 0, 'sep')))),
  removeprefix: (value, given) => {
    const prefix = requireText(argument(given, 0, 'prefix'));
    return value.startsWith(prefix) ? value.slice(prefix.length) : value;
  },
  removesuffix: (value, given) => {
    const suffix = requireText(argument(given, 0, 'suffix'));
    return suffix !== '' && value.endsWith(suffix) ? value.slice(0, -suffix.length) : value;
  },
  replace: (value, given) =>
    replacedText(
      value,
      requireText(argument(given, 0, 'old')),
      requireText(argument(given, 1, 'new')),
      requireCount(argument(given, 2, 'count', -1)),
    ),
  rfind: (value, given) => value.lastIndexOf(requireText(argument(given, 0, 'sub'))),
  rjust: (value, given) => padded(given, (width, fill) => value.padStart(width, fill)),
  rpartition: (value, given) =>
    parts(value, requireText(argument(given, 0, 'sep')), value.lastIndexOf(requireText(argument(given, 0, 'sep')))),
  rsplit: (value, given) =>
    new List(splitFromEnd(value, argument(given, 0, 'sep', null), requireCount(argument(given, 1, 'maxsplit', -1)))),
  rstrip: (value, given) => stripped(value, argument(given, 0, 'chars', null), 'right'),
  split: (value, given) =>
    new List(split(value, argument(given, 0, 'sep', null), requireCount(argument(given, 1, 'maxsplit', -1)))),
  splitlines: (value) => new List(value === '' ? [] : value.replace(/\r?\n$/, '').split(/\r\n|\r|\n/)),
  startswith: (value, given) => ends(given, (part) => value.startsWith(part)),
  strip: (value, given) => stripped(value, argument(given, 0, 'chars', null), 'both'),
  swapcase: (value) =>
    characters(value)
      .map((each) => (each === each.toLowerCase() ? each.toUpperCase() : each.toLowerCase()))
      .join(''),
  title: titled,
  upper: (value) => value.toUpperCase(),
  zfill: (value, given) => {
    const [, sign = '', digits = ''] = /^([+-]?)([^]*)$/.exec(value) ?? [];
    const width = requireCount(argument(given, 0, 'width'));
    requireRoom(width);
    return sign + digits.padStart(width - sign.length, '0');
  },
};

const parts = (value: string, separator: string, at: number): List => {
  if (at < 0) return new List([value, '', ''], true);
  return new List([value.slice(0, at), separator, value.slice(at + separator.length)], true);
};

const pairs = (dict: Dict): List => new List(dict.entries.map(([key, value]) => new List([key, value], true)));

/** Returns a value that is there, which `null` is, or another one. */
const known = (value: Value | undefined, otherwise: () => Value): Value => (value === undefined ? otherwise() : value);

const DICT: Methods<Dict> = {
  clear: (dict) => {
    for (const key of dict.keys) dict.delete(key);
    return null;
  },
  copy: (dict) => new Dict(dict.entries),
  get: (dict, given) => known(dict.get(argument(given, 0, 'key')), () => argument(given, 1, 'default', null)),
  items: pairs,
  keys: (dict) => new List(dict.keys),
  pop: (dict, given) => {
    const key = argument(given, 0, 'key');
    const found = known(dict.get(key), () => {
      if (given.args.length > 1) return argument(given, 1, 'default');
      throw new ValueFault(repr(key));
    });
    dict.delete(key);
    return found;
  },
  setdefault: (dict, given) => {
    const key = argument(given, 0, 'key');
    if (!dict.has(key)) dict.set(key, argument(given, 1, 'default', null));
    return known(dict.get(key), () => null);
  },
  update: (dict, given) => {
    const other = argument(given, 0, 'other', new Dict([]));
    const entries = other instanceof Dict ? other.entries : iterated(other).map((pair) => iterated(pair));
    for (const [key = null, value = null] of entries) dict.set(key, value);
    for (const [key, value] of given.named) dict.set(key, value);
    requireRoom(dict.size);
    return null;
  },
  values: (dict) => new List(dict.values),
};

const LIST: Methods<List> = {
  append: ({ elements }, given) => {
    requireRoom(elements.push(argument(given, 0, 'object')));
    return null;
  },
  clear: ({ elements }) => {
    elements.length = 0;
    return null;
  },
  copy: ({ elements }) => new List(elements),
  count: ({ elements }, given) => elements.filter((each) => isEqual(each, argument(given, 0, 'value'))).length,
  extend: ({ elements }, given) => {
    const more = iterated(argument(given, 0, 'iterable'));
    requireRoom(elements.length + more.length);
    elements.push(...more);
    return null;
  },
  index: ({ elements }, given) => {
    const found = elements.findIndex((each) => isEqual(each, argument(given, 0, 'value')));
    if (found < 0) throw new ValueFault(`${repr(argument(given, 0, 'value'))} is not in list`);
    return found;
  },
  insert: ({ elements }, given) => {
    elements.splice(requireCount(argument(given, 0, 'index')), 0, argument(given, 1, 'object'));
    return null;
  },
  pop: ({ elements }, given) => {
    const at = requireCount(argument(given, 0, 'index', -1));
    const [found] = elements.splice(at, 1);
    if (found === undefined) throw new ValueFault('pop index out of range');
    return found;
  },
  reverse: ({ elements }) => {
    elements.reverse();
    return null;
  },
  sort: ({ elements }) => {
    elements.sort(compare);
    return null;
  },
};

const clock = ({ wall, microsecond }: Moment) => ({
  year: wall.getUTCFullYear(),
  month: wall.getUTCMonth() + 1,
  day: wall.getUTCDate(),
  hour: wall.getUTCHours(),
  minute: wall.getUTCMinutes(),
  second: wall.getUTCSeconds(),
  microsecond,
});

const replacedParts = (moment: Moment, { named }: Given): Moment => {
  const now = clock(moment);
  const part = (name: keyof typeof now): number => {
    const value = named.get(name);
    return value === undefined ? now[name] : requireCount(value);
  };
  const day = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  const micros = part('microsecond');
  const zone = named.get('tzinfo') === null ? undefined : moment.offset;
  const ms = day - (moment.offset ?? 0) * 60_000 + Math.floor(micros / 1000);
  return new Moment(ms, micros % 1000, zone, moment.isDate);
};

const MOMENT: Methods<Moment> = {
  astimezone: (moment) => moment.in(0),
  date: (moment) => moment.day,
  isoformat: (moment, given) => moment.iso(requireText(argument(given, 0, 'sep', 'T'))),
  isoweekday: ({ wall }) => wall.getUTCDay() || 7,
  replace: replacedParts,
  strftime: (moment, given) => strftime(moment, requireText(argument(given, 0, 'format'))),
  timestamp: (moment) => new Float(moment.seconds),
  weekday: ({ wall }) => (wall.getUTCDay() + 6) % 7,
};

const DURATION: Methods<Duration> = { total_seconds: ({ micros }) => new Float(micros / 1_000_000) };

const lookUp = <T>(methods: Methods<T>, value: T, name: string): Method | undefined => {
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  return method === undefined ? undefined : new Method(name, (given) => method(value, given));
};

/** Returns a method or an attribute of a value, which is no member of a dictionary. */
function ownAttribute(value: Value, name: string): Value | undefined {
  if (typeof value === 'string') return lookUp(STRING, value, name);
  if (value instanceof Dict) return lookUp(DICT, value, name);
  if (value instanceof List) return lookUp(LIST, value, name);
  if (value instanceof Moment) {
    const parts: Readonly<Record<string, number>> = clock(value);
    return Object.hasOwn(parts, name) ? parts[name] : lookUp(MOMENT, value, name);
  }
  if (value instanceof Duration) {
    const seconds = Math.floor(value.micros / 1_000_000);
    if (name === 'days') return Math.floor(seconds / 86_400);
    return name === 'seconds' ? seconds - Math.floor(seconds / 86_400) * 86_400 : lookUp(DURATION, value, name);
  }
  return undefined;
}

const missing = (value: Value, key: Value): Undefined =>
  new Undefined(
    typeof key === 'string'
      ? `'${typeOf(value)} object' has no attribute '${key}'`
      : `${typeOf(value)} object has no element ${repr(key)}`,
  );

/**
 * Returns `value.name`: a method or an attribute of Python, before a member with this name.
 *
 * @throws UndefinedError
 */
export const attributeOf = (value: Value, name: string): Value =>
  known(ownAttribute(requireDefined(value), name), () => known(memberOf(value, name), () => missing(value, name)));

/**
 * Returns `value[key]`: a member or an element, else a method of Python with this name.
 *
 * @throws UndefinedError
 */
export const itemOf = (value: Value, key: Value): Value =>
  known(memberOf(requireDefined(value), key), () =>
    known(typeof key === 'string' ? ownAttribute(value, key) : undefined, () => missing(value, key)),
  );

function memberOf(value: Value, key: Value): Value | undefined {
  if (value instanceof Dict)
    return key instanceof List || key instanceof Dict ? undefined : value.get(requireDefined(key));
  if (!isInteger(key)) return undefined;
  const at = Number(key);
  if (value instanceof List) return value.elements.at(at);
  return typeof value === 'string' ? characters(value).at(at) : undefined;
}
