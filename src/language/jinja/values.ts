/** The values of Jinja, which are Python's: what they are as text, when they are true, equal, or in order. */
import { entriesOf, isList, objectFrom } from '../../core/json/objects';
import type { Json, JsonObject } from '../../core/model';
import { Duration, Moment } from './dates';

/** A value of an expression. Integers are numbers or, beyond 2^53, bigints; other numbers are {@link Float}. */
export type Value =
  null | boolean | number | bigint | string | Float | List | Dict | Moment | Duration | Undefined | Method;

/** A number with a fraction, also if that is zero: its text is `1.0`. */
export class Float {
  constructor(readonly number: number) {}
}

/** A list or a tuple. Elements of a JSON array are converted when they are first read. */
export class List {
  private made: Value[] | undefined;

  constructor(
    private readonly source: readonly Json[] | readonly Value[],
    readonly isTuple = false,
    isMade = true,
  ) {
    if (isMade) this.made = [...(source as readonly Value[])];
  }

  get elements(): Value[] {
    return (this.made ??= (this.source as readonly Json[]).map(fromJson));
  }
}

/** A key of a dictionary: 1, 1.0 and True are the same one, as in Python. */
type Key = null | number | bigint | string;

/** A dictionary. Members of a JSON object are converted when they are first read. */
export class Dict {
  private made: Map<Key, Value> | undefined;
  private readonly source: JsonObject | undefined;

  constructor(content: JsonObject | Iterable<readonly [Value, Value]>) {
    if (isIterable(content)) this.made = new Map([...content].map(([key, value]) => [keyOf(key), value]));
    else this.source = content;
  }

  private get map(): Map<Key, Value> {
    return (this.made ??= new Map(entriesOf(this.source ?? {}).map(([key, value]) => [key, fromJson(value)])));
  }

  get(key: Value): Value | undefined {
    return this.map.get(keyOf(key));
  }

  has(key: Value): boolean {
    return this.map.has(keyOf(key));
  }

  set(key: Value, value: Value): void {
    this.map.set(keyOf(key), value);
  }

  delete(key: Value): void {
    this.map.delete(keyOf(key));
  }

  get keys(): readonly Value[] {
    return [...this.map.keys()];
  }

  get values(): readonly Value[] {
    return [...this.map.values()];
  }

  get entries(): readonly (readonly [Value, Value])[] {
    return [...this.map];
  }

  get size(): number {
    return this.map.size;
  }
}

const isIterable = (
  content: JsonObject | Iterable<readonly [Value, Value]>,
): content is Iterable<readonly [Value, Value]> => Symbol.iterator in content;

/** What a name without a value stands for: empty as text, and false; anything else with it fails. */
export class Undefined {
  constructor(readonly complaint: string) {}
}

/** Arguments of a function, by position and by name. */
export interface Given {
  readonly args: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
}

/** A method of a value, which can be called and is true. */
export class Method {
  constructor(
    readonly name: string,
    readonly call: (given: Given) => Value,
  ) {}
}

/** Something was done with a value that is undefined. */
export class UndefinedError extends Error {}

/** Values of these types do not go together: Python's TypeError. */
export class TypeMismatch extends Error {}

/** A value has the right type and is not possible: Python's ValueError and the like. */
export class ValueFault extends Error {}

export const typeOf = (value: Value): string => {
  if (value === null) return 'NoneType';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number' || typeof value === 'bigint') return 'int';
  if (typeof value === 'string') return 'str';
  if (value instanceof Float) return 'float';
  if (value instanceof List) return value.isTuple ? 'tuple' : 'list';
  if (value instanceof Dict) return 'dict';
  if (value instanceof Moment) return value.isDate ? 'date' : 'datetime';
  if (value instanceof Duration) return 'timedelta';
  return value instanceof Undefined ? 'Undefined' : 'method';
};

/** @throws UndefinedError if the value is undefined */
export function requireDefined(value: Value): Exclude<Value, Undefined> {
  if (value instanceof Undefined) throw new UndefinedError(value.complaint);
  return value;
}

function keyOf(value: Value): Key {
  if (value instanceof Float) return value.number;
  if (typeof value === 'boolean') return Number(value);
  if (value === null || typeof value === 'number' || typeof value === 'bigint' || typeof value === 'string')
    return value;
  if (value instanceof Moment) return value.iso();
  throw new TypeMismatch(`unhashable type: '${typeOf(requireDefined(value))}'`);
}

/** Returns the value of JSON data. */
export function fromJson(value: Json): Value {
  if (typeof value === 'number') return Number.isInteger(value) ? integer(value) : new Float(value);
  if (value === null || typeof value !== 'object') return value;
  return isList(value) ? new List(value, false, false) : new Dict(value);
}

/** Returns a value as JSON; dates and lengths of time are texts, and what is undefined is `undefined`. */
export function toJson(value: Value): Json | undefined {
  if (value instanceof Float) return value.number;
  if (value instanceof List) return value.elements.map((element) => toJson(element) ?? null);
  if (value instanceof Dict)
    return objectFrom(value.entries.map(([key, member]) => [text(key), toJson(member) ?? null] as const));
  if (value instanceof Undefined) return undefined;
  return value instanceof Moment || value instanceof Duration || value instanceof Method ? text(value) : value;
}

/** Returns an integer, as a bigint if a number cannot hold it. */
export const integer = (value: number | bigint): number | bigint => {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : BigInt(value);
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
};

export const isInteger = (value: Value): value is number | bigint | boolean =>
  typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean';

/** Returns the number of a value, if it is one; booleans are numbers in Python. */
export function numberIn(value: Value): number | bigint | undefined {
  if (value instanceof Float) return value.number;
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'number' || typeof value === 'bigint' ? value : undefined;
}

/** Returns the text of a number with a fraction as Python writes it. */
function floatText(number: number): string {
  if (Number.isNaN(number)) return 'nan';
  if (!Number.isFinite(number)) return number < 0 ? '-inf' : 'inf';
  const size = Math.abs(number);
  if (size !== 0 && (size >= 1e16 || size < 1e-4)) return number.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  return Number.isInteger(number) ? `${number}.0` : String(number);
}

/** Returns the text of a value, as `str` gives it. */
export function text(value: Value): string {
  if (typeof value === 'string') return value;
  if (value instanceof Undefined) return '';
  if (value instanceof Moment) return value.iso(' ');
  return value instanceof Duration ? value.text : repr(value);
}

/** Returns the text of a value inside a list, as `repr` gives it. */
export function repr(value: Value): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (typeof value === 'string') return quoted(value);
  if (value instanceof Float) return floatText(value.number);
  if (value instanceof List) {
    const inner = value.elements.map(repr).join(', ');
    if (!value.isTuple) return `[${inner}]`;
    return value.elements.length === 1 ? `(${inner},)` : `(${inner})`;
  }
  if (value instanceof Dict)
    return `{${value.entries.map(([key, member]) => `${repr(key)}: ${repr(member)}`).join(', ')}}`;
  if (value instanceof Moment) return `datetime.${typeOf(value)}(${value.iso(' ')})`;
  if (value instanceof Duration) return `datetime.timedelta(${value.text})`;
  return value instanceof Undefined ? 'Undefined' : `<built-in method ${value.name}>`;
}

const WRITTEN: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function quoted(value: string): string {
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
  // eslint-disable-next-line no-control-regex -- Python escapes them
  const inner = value.replace(/[\\\n\r\t\0-\x1f\x7f]/g, (found) => {
    return WRITTEN[found] ?? `\\x${found.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
  return quote + (quote === "'" ? inner.replaceAll("'", "\\'") : inner) + quote;
}

/** Returns JSON as Python's `json.dumps` writes it. */
export function dumped(value: Value, isSorted = false): string {
  if (value === null || typeof value === 'boolean' || isInteger(value)) return String(value);
  if (value instanceof Float) return floatText(value.number);
  if (typeof value === 'string')
    return JSON.stringify(value).replace(
      /[\x7f-\uffff]/g,
      (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  if (value instanceof List) return `[${value.elements.map((element) => dumped(element, isSorted)).join(', ')}]`;
  if (value instanceof Dict) {
    const entries = value.entries.map(([key, member]) => [text(key), member] as const);
    if (isSorted) entries.sort(([a], [b]) => Number(a > b) - Number(a < b));
    return `{${entries.map(([key, member]) => `${dumped(key)}: ${dumped(member, isSorted)}`).join(', ')}}`;
  }
  throw new TypeMismatch(`Object of type ${typeOf(value)} is not JSON serializable`);
}

/** Returns whether a value is true in a condition. */
export function isTrue(value: Value): boolean {
  if (value === null || value instanceof Undefined) return false;
  if (typeof value === 'string') return value !== '';
  if (value instanceof List) return value.elements.length > 0;
  if (value instanceof Dict) return value.size > 0;
  if (value instanceof Duration) return value.micros !== 0 || value.months !== 0;
  const number = numberIn(value);
  return number === undefined || (number !== 0 && number !== 0n);
}

/** Returns whether two values are equal; numbers are, whatever their kind. */
export function isEqual(a: Value, b: Value): boolean {
  const [x, y] = [numberIn(a), numberIn(b)];
  if (x !== undefined && y !== undefined) return x === y || (!(x < y) && !(x > y) && x <= y);
  if (a instanceof List && b instanceof List)
    return (
      a.isTuple === b.isTuple &&
      a.elements.length === b.elements.length &&
      a.elements.every((element, at) => isEqual(element, b.elements[at] ?? null))
    );
  if (a instanceof Dict && b instanceof Dict)
    return (
      a.size === b.size &&
      a.entries.every(([key, value]) => {
        const other = b.get(key);
        return other !== undefined && isEqual(value, other);
      })
    );
  if (a instanceof Moment && b instanceof Moment)
    return a.isDate === b.isDate && areComparable(a, b) && a.ms === b.ms && a.micros === b.micros;
  if (a instanceof Duration && b instanceof Duration) return a.micros === b.micros && a.months === b.months;
  if (a instanceof Undefined && b instanceof Undefined) return true;
  return a === b;
}

const areComparable = (a: Moment, b: Moment): boolean => (a.offset === undefined) === (b.offset === undefined);

/**
 * Returns the order of two values: negative, zero or positive.
 *
 * @throws UndefinedError
 * @throws TypeMismatch if they have none, such as a text and a number
 */
export function compare(a: Value, b: Value): number {
  const [left, right] = [requireDefined(a), requireDefined(b)];
  const [x, y] = [numberIn(left), numberIn(right)];
  if (x !== undefined && y !== undefined) return Number(x > y) - Number(x < y);
  if (typeof left === 'string' && typeof right === 'string') return Number(left > right) - Number(left < right);
  if (left instanceof Moment && right instanceof Moment && left.isDate === right.isDate && areComparable(left, right))
    return left.ms - right.ms || left.micros - right.micros;
  if (left instanceof Duration && right instanceof Duration && left.months + right.months === 0)
    return left.micros - right.micros;
  if (left instanceof List && right instanceof List && left.isTuple === right.isTuple) {
    const at = left.elements.findIndex((element, index) => {
      const other = right.elements[index];
      return other === undefined || !isEqual(element, other);
    });
    const [one, other] = [left.elements[at], right.elements[at]];
    if (one === undefined || other === undefined) return left.elements.length - right.elements.length;
    return compare(one, other);
  }
  throw new TypeMismatch(`'<' not supported between instances of '${typeOf(left)}' and '${typeOf(right)}'`);
}

/** Returns the characters of a text; a pair of surrogates is one. */
export const characters = (value: string): string[] => Array.from(value);

/**
 * Returns what a loop over a value has: elements, keys, characters; nothing for what is undefined.
 *
 * @throws TypeMismatch
 */
export function iterated(value: Value): readonly Value[] {
  if (value instanceof List) return value.elements;
  if (value instanceof Dict) return value.keys;
  if (typeof value === 'string') return characters(value);
  if (value instanceof Undefined) return [];
  throw new TypeMismatch(`'${typeOf(value)}' object is not iterable`);
}

/** Returns whether a value has another one in it. */
export function includes(whole: Value, part: Value): boolean {
  if (typeof whole === 'string') {
    if (typeof requireDefined(part) === 'string') return whole.includes(part as string);
    throw new TypeMismatch(`'in <string>' requires string as left operand, not ${typeOf(part)}`);
  }
  return whole instanceof Dict ? whole.has(part) : iterated(whole).some((element) => isEqual(element, part));
}
