/** The functions, filters and tests of Jinja, and those that Airbyte's manifests have beside them. */
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { firstMatch, replaced } from '../expressions/pattern';
import { Duration, Moment, isoDuration, isoMoment, readMoment, strftime, strptime, writeMoment } from './dates';
import { argument, attributeOf, itemOf, replacedText, requireCount, requireRoom, requireText } from './methods';
import { calculated, percentFormatted } from './operations';
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
  dumped,
  includes,
  integer,
  isEqual,
  isInteger,
  isTrue,
  iterated,
  numberIn,
  requireDefined,
  text,
  typeOf,
} from './values';
import type { Given, Value } from './values';

/** A function of a library: its arguments, and the time in milliseconds. */
type Callable = (given: Given, now: number) => Value;

const isoText = (value: Value): Moment => isoMoment(requireText(value));

/** Returns the moment of a text in UTC, where it has no other zone. */
const utcMoment = (value: Value): Moment => isoText(value).in(0);

function formatDatetime(given: Given): Value {
  const value = requireDefined(argument(given, 0, 'dt'));
  const format = requireText(argument(given, 1, 'format'));
  const from = argument(given, 2, 'input_format', null);
  if (value instanceof Moment && !value.isDate) return strftime(value, format);
  if (isInteger(value))
    return writeMoment(readMoment(String(Number(value)), from === null ? '%s' : requireText(from)), format);
  if (!isTrue(from)) return writeMoment(utcMoment(value), format);
  const moment = strptime(requireText(value), requireText(from));
  return writeMoment(moment.offset === undefined ? moment.in(0) : moment, format);
}

function timestamp(given: Given): Value {
  const value = requireDefined(argument(given, 0, 'dt'));
  const number = numberIn(value);
  if (number !== undefined) return typeof number === 'bigint' ? number : integer(Math.trunc(number));
  return new Float(utcMoment(value).seconds);
}

const furthest =
  (sign: 1 | -1): Callable =>
  ({ args }) => {
    const [first] = args;
    const all = args.length === 1 && first !== undefined ? iterated(requireDefined(first)) : args;
    if (all.length === 0) throw new ValueFault('the sequence is empty');
    return all.reduce((a, b) => (compare(b, a) * sign > 0 ? b : a));
  };

/** Returns the day now in a time zone. */
function today(zone: string, now: number): Moment {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(new Date(now));
  return isoMoment(parts).day;
}

/** Returns a text as a part of a query, with `+` for spaces. */
const quotedPlus = (value: string): string =>
  encodeURIComponent(value)
    .replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/%20/g, '+');

/** The functions that templates may call. */
export const FUNCTIONS: Readonly<Record<string, Callable>> = {
  now_utc: (_, now) => new Moment(now),
  today_utc: (_, now) => new Moment(now).day,
  today_with_timezone: (given, now) => today(requireText(argument(given, 0, 'timezone')), now),
  timestamp,
  str_to_datetime: (given) => utcMoment(argument(given, 0, 's')),
  max: furthest(1),
  min: furthest(-1),
  day_delta: (given, now) => {
    const days = numberIn(requireDefined(argument(given, 0, 'num_days')));
    if (days === undefined) throw new TypeMismatch('day_delta needs a number of days');
    const format = requireText(argument(given, 1, 'format', '%Y-%m-%dT%H:%M:%S.%f%z'));
    return strftime(new Moment(now).plus(new Duration(Math.round(Number(days) * 86_400_000_000))), format);
  },
  duration: (given) => isoDuration(requireText(argument(given, 0, 'datestring'))),
  format_datetime: formatDatetime,
  sanitize_url: (given) => quotedPlus(requireText(argument(given, 0, 'value'))),
  camel_case_to_snake_case: (given) =>
    requireText(argument(given, 0, 'value'))
      .replace(/(?!^)(?=[A-Z])/g, '_')
      .toLowerCase(),
  generate_uuid: () => randomUUID(),
  dict: ({ named }) => new Dict(named),
};

/** A filter or a test: the value before it, and its arguments. */
type Filter = (value: Value, given: Given) => Value;

const asInteger: Filter = (value, given) => {
  const plain = requireDefined(value);
  const number = typeof plain === 'string' ? pythonNumber(plain) : numberIn(plain);
  if (number === undefined || (typeof number === 'number' && !Number.isFinite(number)))
    return argument(given, 0, 'default', 0);
  return typeof number === 'bigint' ? integer(number) : integer(Math.trunc(number));
};

/** Returns the number that a text is for `int` and `float` of Python. */
function pythonNumber(written: string): number | bigint | undefined {
  const trimmed = written.trim();
  if (/^[+-]?\d+$/.test(trimmed)) return BigInt(trimmed.replace(/^\+/, ''));
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(trimmed) ? Number(trimmed) : undefined;
}

const asFloat: Filter = (value, given) => {
  const plain = requireDefined(value);
  const number = typeof plain === 'string' ? pythonNumber(plain) : numberIn(plain);
  return number === undefined ? argument(given, 0, 'default', new Float(0)) : new Float(Number(number));
};

const size: Filter = (value) => {
  if (value instanceof Dict) return value.size;
  if (value instanceof List || typeof value === 'string' || value instanceof Undefined) return iterated(value).length;
  throw new TypeMismatch(`object of type '${typeOf(value)}' has no len()`);
};

/** Returns a value below another one by a path: `a.b` or `0`. */
function below(value: Value, path: Value): Value {
  if (isInteger(path)) return itemOf(value, path);
  return requireText(path)
    .split('.')
    .reduce<Value>((inner, key) => itemOf(inner, /^\d+$/.test(key) ? Number(key) : key), value);
}

const orderedBy = (values: readonly Value[], { named, args }: Given, attribute: Value): readonly Value[] => {
  const key = (value: Value): Value => {
    const found = attribute === null ? value : below(value, attribute);
    return typeof found === 'string' && !isTrue(named.get('case_sensitive') ?? false) ? found.toLowerCase() : found;
  };
  const sorted = [...values].sort((a, b) => compare(key(a), key(b)));
  return isTrue(named.get('reverse') ?? args[0] ?? false) ? sorted.reverse() : sorted;
};

/** `map`: an attribute of each element, or a filter of each. */
const mapped: Filter = (value, { args, named }) => {
  const attribute = named.get('attribute');
  const elements = iterated(value);
  if (attribute !== undefined) {
    const byDefault = named.get('default');
    return new List(
      elements.map((each) => {
        const found = below(each, attribute);
        return found instanceof Undefined && byDefault !== undefined ? byDefault : found;
      }),
    );
  }
  const [name = null, ...rest] = args;
  const filter = filterNamed(requireText(name));
  return new List(elements.map((each) => filter(each, { args: rest, named })));
};

/** `select`, `reject` and, with an attribute, `selectattr` and `rejectattr`. */
const selected =
  (wanted: boolean, byAttribute: boolean): Filter =>
  (value, { args, named }) => {
    const [attribute, name, ...rest] = byAttribute ? args : [null, ...args];
    const test =
      name === undefined ? isTrue : (each: Value) => testNamed(requireText(name))(each, { args: rest, named });
    return new List(
      iterated(value).filter((each) => isTrue(test(byAttribute ? below(each, attribute ?? null) : each)) === wanted),
    );
  };

const unique: Filter = (value) => {
  const kept: Value[] = [];
  const folded = (each: Value): Value => (typeof each === 'string' ? each.toLowerCase() : each);
  for (const each of iterated(value)) if (!kept.some((other) => isEqual(folded(other), folded(each)))) kept.push(each);
  return new List(kept);
};

const grouped: Filter = (value, given) => {
  const attribute = argument(given, 0, 'attribute');
  const groups: { readonly key: Value; readonly members: Value[] }[] = [];
  for (const each of orderedBy(iterated(value), { args: [], named: new Map() }, attribute)) {
    const key = below(each, attribute);
    const group = groups.find((other) => isEqual(other.key, key));
    if (group === undefined) groups.push({ key, members: [each] });
    else group.members.push(each);
  }
  return new List(groups.map(({ key, members }) => new List([key, new List(members)], true)));
};

const rounded: Filter = (value, given) => {
  const number = numberIn(requireDefined(value));
  if (number === undefined) throw new TypeMismatch(`type ${typeOf(value)} doesn't define __round__ method`);
  const factor = 10 ** requireCount(argument(given, 0, 'precision', 0));
  const method = text(argument(given, 1, 'method', 'common'));
  const scaled = Number(number) * factor;
  if (method !== 'common') return new Float((method === 'ceil' ? Math.ceil(scaled) : Math.floor(scaled)) / factor);
  const [floor, part] = [Math.floor(scaled), scaled - Math.floor(scaled)];
  const nearest = part === 0.5 ? floor + (floor % 2 === 0 ? 0 : 1) : Math.round(scaled);
  return new Float(nearest / factor);
};

const HASHES: readonly string[] = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'];

const hashed: Filter = (value, given) => {
  const kind = requireText(argument(given, 0, 'hash_type', 'md5'));
  if (!HASHES.includes(kind)) throw new ValueFault(`No hashing function named ${kind}`);
  const salt = argument(given, 1, 'salt', null);
  return createHash(kind)
    .update(text(value) + (isTrue(salt) ? text(salt) : ''))
    .digest('hex');
};

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  "'": '&#39;',
  '"': '&#34;',
};

const percentEncoded = (value: string): string =>
  encodeURIComponent(value)
    .replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/%2F/g, '/');

const urlEncoded: Filter = (value) => {
  if (typeof value === 'string' || !(value instanceof Dict || value instanceof List))
    return percentEncoded(text(value));
  const entries = value instanceof Dict ? value.entries : value.elements.map((pair) => iterated(pair));
  return entries.map(([key = '', member = '']) => `${quotedPlus(text(key))}=${quotedPlus(text(member))}`).join('&');
};

const byDefault: Filter = (value, given) =>
  value instanceof Undefined || (isTrue(argument(given, 1, 'boolean', false)) && !isTrue(value))
    ? argument(given, 0, 'default_value', '')
    : value;

const joinedBy: Filter = (value, given) => {
  const attribute = argument(given, 1, 'attribute', null);
  const parts = iterated(value).map((each) => text(attribute === null ? each : below(each, attribute)));
  const made = parts.join(text(argument(given, 0, 'd', '')));
  requireRoom(made.length);
  return made;
};

const first: Filter = (value) => iterated(value)[0] ?? new Undefined('No first item, sequence was empty.');

const batched: Filter = (value, given) => {
  const count = requireCount(argument(given, 0, 'linecount'));
  if (count < 1) throw new ValueFault('batch needs a positive number');
  const all = iterated(value);
  return new List(
    Array.from({ length: Math.ceil(all.length / count) }, (_, at) => new List(all.slice(at * count, (at + 1) * count))),
  );
};

const cut: Filter = (value, given) => {
  const [plain, length] = [text(value), requireCount(argument(given, 0, 'length', 255))];
  return plain.length <= length + 5 ? plain : `${plain.slice(0, Math.max(0, length - 3)).replace(/\s+\S*$/, '')}...`;
};

const textMethod =
  (name: string): Filter =>
  (value, given) => {
    const method = attributeOf(text(value), name);
    return method instanceof Method ? method.call(given) : method;
  };

const FILTERS: Readonly<Record<string, Filter>> = {
  abs: (value) => {
    const number = numberIn(requireDefined(value));
    if (number === undefined) throw new TypeMismatch(`bad operand type for abs(): '${typeOf(value)}'`);
    return value instanceof Float ? new Float(Math.abs(value.number)) : number < 0 ? integer(-number) : integer(number);
  },
  attr: (value, given) => attributeOf(value, requireText(argument(given, 0, 'name'))),
  base64binascii_decode: (value) => Buffer.from(requireText(value), 'latin1').toString('base64'),
  base64decode: (value) => Buffer.from(requireText(value), 'base64').toString(),
  base64encode: (value) => Buffer.from(requireText(value)).toString('base64'),
  batch: batched,
  capitalize: textMethod('capitalize'),
  count: size,
  d: byDefault,
  default: byDefault,
  dictsort: (value) => {
    if (!(value instanceof Dict)) throw new TypeMismatch('dictsort needs a dict');
    const pairs = value.entries.map(([key, member]) => new List([key, member], true));
    return new List([...pairs].sort((a, b) => compare(a.elements[0] ?? null, b.elements[0] ?? null)));
  },
  e: (value) => text(value).replace(/[&<>'"]/g, (found) => ENTITIES[found] ?? found),
  escape: (value) => text(value).replace(/[&<>'"]/g, (found) => ENTITIES[found] ?? found),
  first,
  float: asFloat,
  format: (value, { args, named }) =>
    percentFormatted(text(value), args.length > 0 ? new List(args, true) : new Dict(named)),
  groupby: grouped,
  hash: hashed,
  hmac: (value, given) => {
    if (argument(given, 1, 'hash_type', 'sha256') !== 'sha256') throw new ValueFault('hmac knows sha256 alone');
    return createHmac('sha256', text(argument(given, 0, 'key')))
      .update(text(value))
      .digest('hex');
  },
  int: asInteger,
  items: (value) => (value instanceof Undefined ? new List([]) : new List(pairsOf(value))),
  join: joinedBy,
  last: (value) => iterated(value).at(-1) ?? new Undefined('No last item, sequence was empty.'),
  length: size,
  list: (value) => new List(iterated(value)),
  lower: textMethod('lower'),
  map: mapped,
  max: (value) =>
    iterated(value).length === 0 ? first(value, NOTHING_GIVEN) : furthest(1)({ args: [value], named: new Map() }, 0),
  min: (value) =>
    iterated(value).length === 0 ? first(value, NOTHING_GIVEN) : furthest(-1)({ args: [value], named: new Map() }, 0),
  regex_replace: (value, given) =>
    replaced(
      requireText(value),
      requireText(argument(given, 0, 'regex')),
      requireText(argument(given, 1, 'replacement'))
        .replace(/\$/g, '$$$$')
        .replace(/\\(\d)/g, '$$$1'),
    ),
  regex_search: (value, given) => {
    const pattern = requireText(argument(given, 0, 'regex'));
    return /\((?!\?)|\(\?P?</.test(pattern) ? (firstMatch(requireText(value), pattern) ?? '') : '';
  },
  reject: selected(false, false),
  rejectattr: selected(false, true),
  replace: (value, given) =>
    replacedText(
      text(value),
      text(argument(given, 0, 'old')),
      text(argument(given, 1, 'new')),
      requireCount(argument(given, 2, 'count', -1)),
    ),
  reverse: (value) =>
    typeof value === 'string' ? characters(value).reverse().join('') : new List([...iterated(value)].reverse()),
  round: rounded,
  safe: (value) => value,
  select: selected(true, false),
  selectattr: selected(true, true),
  sort: (value, given) =>
    new List(orderedBy(iterated(value), given, given.named.get('attribute') ?? given.args[2] ?? null)),
  string: (value) => (typeof value === 'string' ? value : `"""${dumped(requireDefined(value))}"""`),
  sum: (value, given) => {
    const attribute = argument(given, 0, 'attribute', null);
    const parts = iterated(value).map((each) => (attribute === null ? each : below(each, attribute)));
    return parts.reduce((a, b) => calculated('+', a, b), argument(given, 1, 'start', 0));
  },
  title: textMethod('title'),
  tojson: (value) =>
    dumped(requireDefined(value), true).replace(
      /[<>&']/g,
      (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  trim: textMethod('strip'),
  truncate: cut,
  unique,
  upper: textMethod('upper'),
  urlencode: urlEncoded,
  wordcount: (value) => (text(value).match(/\w+/g) ?? []).length,
};

const NOTHING_GIVEN: Given = { args: [], named: new Map() };

function pairsOf(value: Value): readonly Value[] {
  if (!(value instanceof Dict)) throw new TypeMismatch('Can only get item pairs from a mapping.');
  return value.entries.map(([key, member]) => new List([key, member], true));
}

const ordered =
  (meets: (order: number) => boolean): Filter =>
  (value, given) =>
    meets(compare(value, argument(given, 0, 'other')));

const equal: Filter = (value, given) => isEqual(value, argument(given, 0, 'other'));
const unequal: Filter = (value, given) => !isEqual(value, argument(given, 0, 'other'));
const isNumber = (value: Value): boolean => numberIn(value) !== undefined;
const remainder = (value: Value, by: Value): Value => calculated('%', value, by);

const TESTS: Readonly<Record<string, Filter>> = {
  boolean: (value) => typeof value === 'boolean',
  callable: (value) => value instanceof Method,
  defined: (value) => !(value instanceof Undefined),
  divisibleby: (value, given) => remainder(value, argument(given, 0, 'num')) === 0,
  eq: equal,
  equalto: equal,
  '==': equal,
  even: (value) => remainder(value, 2) === 0,
  false: (value) => value === false,
  float: (value) => value instanceof Float,
  ge: ordered((order) => order >= 0),
  '>=': ordered((order) => order >= 0),
  gt: ordered((order) => order > 0),
  greaterthan: ordered((order) => order > 0),
  '>': ordered((order) => order > 0),
  in: (value, given) => includes(argument(given, 0, 'seq'), value),
  integer: (value) => isInteger(value) && typeof value !== 'boolean',
  iterable: (value) => typeof value === 'string' || [List, Dict, Undefined].some((type) => value instanceof type),
  le: ordered((order) => order <= 0),
  '<=': ordered((order) => order <= 0),
  lower: (value) => text(value) === text(value).toLowerCase() && /\p{L}/u.test(text(value)),
  lt: ordered((order) => order < 0),
  lessthan: ordered((order) => order < 0),
  '<': ordered((order) => order < 0),
  mapping: (value) => value instanceof Dict,
  ne: unequal,
  '!=': unequal,
  none: (value) => value === null,
  number: isNumber,
  odd: (value) => remainder(value, 2) === 1,
  sameas: (value, given) => value === argument(given, 0, 'other'),
  sequence: (value) => typeof value === 'string' || [List, Dict, Undefined].some((type) => value instanceof type),
  string: (value) => typeof value === 'string',
  true: (value) => value === true,
  undefined: (value) => value instanceof Undefined,
  upper: (value) => text(value) === text(value).toUpperCase() && /\p{L}/u.test(text(value)),
};

/** @throws ValueFault if there is no such filter */
export function filterNamed(name: string): Filter {
  const filter = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
  if (filter === undefined) throw new ValueFault(`No filter named '${name}'.`);
  return filter;
}

/** @throws ValueFault if there is no such test */
export function testNamed(name: string): Filter {
  const test = Object.hasOwn(TESTS, name) ? TESTS[name] : undefined;
  if (test === undefined) throw new ValueFault(`No test named '${name}'.`);
  return test;
}
