import { isObject, keysOf } from '../json/keys';
import type { Item, Json } from '../model';

export type ColumnType =
  'boolean' | 'integer' | 'bigint' | 'double' | 'date' | 'timestamp' | 'timestamptz' | 'json' | 'text';

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

/** What is known of a column beside its name and type. */
export interface ColumnFacts {
  /** Values that are not null. */
  readonly filled: number;
  /** Whether a column of texts has values that are none, such as numbers: their digits are their text. */
  readonly mixed: boolean;
}

/**
 * Learns the columns of a table from its items, in the order in which they first appear; `extra` are text columns after
 * those of the item they came with. Items that are no objects stand in a column `value`. Many databases do not tell
 * upper from lower case: a name that differs from an earlier one only so gets a suffix.
 */
export interface Schema {
  readonly see: (items: readonly Item[], extra: ReadonlyMap<string, string>) => void;
  readonly columns: () => readonly Column[];
  /** As `columns` has them. */
  readonly facts: () => readonly ColumnFacts[];
  /** The place in `columns` of the values of a key; `value` for items that are no objects. */
  readonly indexOf: (key: string) => number | undefined;
  readonly indexOfExtra: (name: string) => number | undefined;
}

const INTEGERS: readonly ColumnType[] = ['integer', 'bigint'];
const TEMPORAL: readonly (ColumnType | undefined)[] = ['date', 'timestamp', 'timestamptz'];

/**
 * The type that holds all values of both without loss: a `bigint` may have more digits than a `double` holds.
 *
 * @example wider('integer', 'double') // 'double'
 */
export const wider = (a: ColumnType, b: ColumnType): ColumnType => {
  if (a === b) return a;
  const both = [a, b];
  if (both.includes('json')) return 'json';
  if (INTEGERS.includes(a) && INTEGERS.includes(b)) return 'bigint';
  return both.includes('integer') && both.includes('double') ? 'double' : 'text';
};

/**
 * The narrowest type that holds a value; `undefined` for null, which says nothing.
 *
 * @example typeOf('2024-02-29') // 'date'
 */
export function typeOf(value: Json): ColumnType | undefined {
  if (typeof value === 'string') return typeOfText(value);
  if (typeof value === 'number') return typeOfNumber(value);
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? 'bigint' : 'text';
  return value === null ? undefined : 'json';
}

function typeOfNumber(value: number): ColumnType {
  if ((value | 0) === value) return 'integer';
  if (Number.isSafeInteger(value)) return 'bigint';
  return Number.isFinite(value) ? 'double' : 'text';
}

/** Of a second no more digits than databases keep. */
const MOMENT = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)?)?$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function typeOfText(text: string): ColumnType {
  const { length } = text;
  if (length < 10 || length > 32 || text[4] !== '-' || !MOMENT.test(text) || !isDay(text)) return 'text';
  if (length === 10) return 'date';
  if (twoDigits(text, 11) > 23 || twoDigits(text, 14) > 59 || twoDigits(text, 17) > 59) return 'text';
  if (text.endsWith('Z')) return 'timestamptz';
  const sign = text[length - 6];
  if (sign !== '+' && sign !== '-') return 'timestamp';
  return twoDigits(text, length - 5) > 14 || twoDigits(text, length - 2) > 59 ? 'text' : 'timestamptz';
}

const twoDigits = (text: string, at: number): number => text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 528;

function isDay(text: string): boolean {
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const last = month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0);
  return year > 0 && day > 0 && day <= last;
}

/** A column as far as it is known. */
interface Learned {
  readonly name: string;
  /** Absent: only nulls so far. */
  type: ColumnType | undefined;
  /** Whether it has integers beyond 2^53, which fractions cannot stand beside. */
  beyond: boolean;
  filled: number;
  mixed: boolean;
}

/** A column by the key of its values. */
interface Keyed {
  readonly key: string;
  readonly index: number;
  readonly column: Learned;
}

/**
 * @param known the columns that the table has already; they stay, and only become wider
 * @example
 * const schema = createSchema();
 * schema.see([{ id: 1, born: '2024-02-29' }], new Map());
 * schema.columns(); // [{ name: 'id', type: 'integer' }, { name: 'born', type: 'date' }]
 */
export const createSchema = (known: readonly Column[] = []): Schema => {
  const learned = known.map((column): Learned => ({ ...column, beyond: true, filled: 0, mixed: false }));
  const claim = claimNames(learned);
  const inOrder: Keyed[] = [];
  const byKey = new Map<string, Keyed>();
  const byExtra = new Map<string, Keyed>();
  let rows = 0;
  const add = (key: string, to: Map<string, Keyed>): Keyed => {
    const index = claim(key);
    const keyed = { key, index, column: learned[index] as Learned };
    to.set(key, keyed);
    return keyed;
  };
  const columnOf = (key: string): Keyed => {
    const found = byKey.get(key);
    if (found !== undefined) return found;
    const keyed = add(key, byKey);
    inOrder.push(keyed);
    return keyed;
  };
  const seeItem = (item: Item): void => {
    if (!isObject(item)) {
      learn(columnOf('value').column, item);
      return;
    }
    const keys = keysOf(item);
    for (let at = 0; at < keys.length; at += 1) {
      const key = keys[at] as string;
      // Most items have the same keys in the same order.
      const guess = inOrder[at];
      learn((guess?.key === key ? guess : columnOf(key)).column, item[key] as Json);
    }
  };
  return {
    see: (items, extra) => {
      rows += items.length;
      for (const item of items) seeItem(item);
      if (items.length === 0) return;
      for (const name of extra.keys()) {
        const { column } = byExtra.get(name) ?? add(name, byExtra);
        learn(column, ' ');
        column.filled += items.length - 1;
      }
    },
    columns: () => {
      // A table has at least one column, even if all items are {}.
      if (learned.length === 0 && rows > 0) columnOf('value');
      return learned.map(({ name, type }) => ({ name, type: type ?? 'text' }));
    },
    facts: () => learned.map(({ filled, mixed }) => ({ filled, mixed })),
    indexOf: (key) => byKey.get(key)?.index,
    indexOfExtra: (name) => byExtra.get(name)?.index,
  };
};

function learn(column: Learned, value: Json): void {
  if (value === null) return;
  column.filled += 1;
  const { type } = column;
  // Most values are of the kind that the column has already.
  if (type === 'json' || (type === 'text' && typeof value === 'string')) return;
  if (type === 'integer' && typeof value === 'number' && (value | 0) === value) return;
  const seen = typeOf(value) as ColumnType;
  if (typeof value === 'bigint') column.beyond = true;
  if (seen !== type) column.type = type === undefined ? seen : joined(type, seen, column.beyond);
  if (column.type === 'text')
    column.mixed ||= typeof value !== 'string' || (type !== undefined && type !== 'text' && !TEMPORAL.includes(type));
}

const joined = (type: ColumnType, seen: ColumnType, beyond: boolean): ColumnType => {
  const isNumber = INTEGERS.includes(type) || INTEGERS.includes(seen);
  return !beyond && isNumber && (type === 'double' || seen === 'double') ? 'double' : wider(type, seen);
};

/** Finds the place of the column of each new key, or makes one with a name that no other column has. */
function claimNames(learned: Learned[]): (key: string) => number {
  const claimed = new Set<string>();
  const taken = new Map(learned.map(({ name }, index) => [name.toLowerCase(), index]));
  return (key) => {
    // Databases take no empty names, no NUL and no halves of characters.
    const plain = key === '' ? '_' : key.toWellFormed().replaceAll('\0', '\uFFFD');
    for (let suffix = 1; ; suffix += 1) {
      const name = suffix === 1 ? plain : `${plain}_${suffix}`;
      const folded = name.toLowerCase();
      const index = taken.get(folded);
      const isOwn = index !== undefined && learned[index]?.name === name && !claimed.has(folded);
      if (index !== undefined && !isOwn) continue;
      claimed.add(folded);
      if (index !== undefined) return index;
      taken.set(folded, learned.length);
      return learned.push({ name, type: undefined, beyond: false, filled: 0, mixed: false }) - 1;
    }
  };
}
