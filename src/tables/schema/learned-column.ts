import { isNestedType, typeOf, WHOLE_DIGITS, wider } from './column-type';
import type { ColumnType, NestedType } from './column-type';
import { DECIMAL_38, decimalOf, digitsOfType, isDecimal } from './column-type';
import type { DecimalLimit } from './column-type';
import { digitsOf, fitsDouble } from '../../core/json/decimal';
import type { Digits } from '../../core/json/decimal';
import type { Json, JsonObject } from '../../core/model';

const TEMPORAL: readonly ColumnType[] = ['date', 'timestamp', 'timestamptz'];

/** The objects and lists of a column, where they may be more than JSON. */
export interface NestedValues {
  readonly see: (value: Json) => void;
  /** `undefined`: only JSON holds what came. */
  readonly type: NestedType | undefined;
  /** What is known of elements, where lists came, and nothing else. */
  readonly element: LearnedColumn | undefined;
  /** What is known of the values of a key in objects. */
  readonly fieldOf: (key: string) => LearnedColumn | undefined;
  /** What the next run has to know of the names of fields. */
  readonly kept: () => JsonObject;
}

/** The type of a column, as its values so far have it. */
export class LearnedColumn {
  /** The narrowest type of all values, {@link nested} aside; absent while there are only nulls. */
  type: ColumnType | undefined;
  /** The number of values that are not null. */
  filled = 0;
  /** Whether a text column has values that are no strings, such as numbers: they are stored as their digits. */
  mixed = false;
  /** Whether the configuration says its type: then its values have no say. */
  isChosen = false;
  /** Whether objects or lists are among the values of a chosen type. */
  isNested = false;
  /** Absent: objects and lists are JSON. */
  nested: NestedValues | undefined;
  /** Whether it has integers beyond 2^53, which fractions cannot stand beside in a double. */
  beyond: boolean;
  /** At most so many digits its numbers have before the point, those of integers left out while they are all there is. */
  whole: number;
  fraction: number;

  /** @param known the type of a column which the table has already; nobody knows its integers of 64 bits, and the digits of its doubles */
  constructor(
    readonly name: string,
    readonly known?: ColumnType,
    private readonly limit: DecimalLimit = DECIMAL_38,
  ) {
    const type = known === undefined || !isNestedType(known) ? known : 'json';
    this.type = type;
    this.beyond = type === 'bigint';
    const { whole, fraction } = digitsOfType(type ?? '') ?? { whole: type === 'double' ? Infinity : 0, fraction: 0 };
    this.whole = whole;
    this.fraction = fraction;
  }

  /** Whether it had nothing but null, in earlier runs as well. */
  get isUnknown(): boolean {
    return this.type === undefined;
  }

  /** The type that its table gets: text where nobody knows. */
  get columnType(): ColumnType {
    const { type = 'text', nested } = this;
    const isNested = this.isChosen ? nested?.element !== undefined : type === 'json';
    return (isNested ? nested?.type : undefined) ?? type;
  }

  /** @returns whether the column can have this type: one that it has already must fit into it */
  choose(type: ColumnType): boolean {
    const { type: had } = this;
    this.isChosen = true;
    this.type = type;
    return had === undefined || had === type || wider(had, type) === type;
  }

  /** @param literal a number as it is spelled, where its value has lost digits */
  see(value: Json, literal?: string): void {
    if (value === null) return;
    this.filled += 1;
    this.nested?.see(value);
    if (this.isChosen) {
      this.isNested ||= typeof value === 'object';
      return;
    }
    const { type } = this;
    // Most values are of the kind that the column has already.
    if (type === 'json' || (type === 'text' && typeof value === 'string')) return;
    if (literal !== undefined) {
      const digits = digitsOf(literal);
      this.#seeNumber(fitsDouble(literal) ? 'double' : 'decimal', digits);
      return;
    }
    if (type === 'integer' && typeof value === 'number' && (value | 0) === value) return;
    if (typeof value === 'bigint') this.beyond = true;
    const seen = typeOf(value) as ColumnType;
    if ((typeof value === 'number' || typeof value === 'bigint') && seen !== 'text')
      this.#seeNumber(isDecimal(seen) ? 'decimal' : seen, digitsOf(String(value)));
    else this.#join(seen, typeof value === 'string');
  }

  /** Adds a string of this type. */
  seeText(seen: ColumnType): void {
    this.filled += 1;
    if (seen !== this.type && this.type !== 'json' && !this.isChosen) this.#join(seen, true);
  }

  /** @param seen what holds it alone; `decimal`: no double does, and no integer */
  #seeNumber(seen: ColumnType | 'decimal', { whole, fraction }: Digits): void {
    const { type } = this;
    this.whole = Math.max(this.whole, whole, ...[type, seen].map((each) => WHOLE_DIGITS.get(each as ColumnType) ?? 0));
    this.fraction = Math.max(this.fraction, fraction);
    if (seen !== 'decimal' && !this.#needsDecimal(seen)) {
      const isDouble = !this.beyond && isInteger(type, seen) && [type, seen].includes('double');
      this.#join(isDouble ? 'double' : seen, false, isDouble);
    } else if (type === undefined || type === 'double' || WHOLE_DIGITS.has(type) || isDecimal(type)) {
      this.#join(decimalOf(this, this.limit) ?? 'text', false, true);
    } else this.#join('text', false);
  }

  /** Whether a number of this type and those of the column have no other type of numbers in common. */
  #needsDecimal(seen: ColumnType): boolean {
    const both = [this.type, seen];
    if (this.type !== undefined && isDecimal(this.type)) return true;
    return this.beyond && both.includes('bigint') && both.includes('double');
  }

  /** @param holdsAll whether the type holds the values that the column has as well */
  #join(seen: ColumnType, isText: boolean, holdsAll = false): void {
    const { type } = this;
    if (seen !== type) this.type = type === undefined || holdsAll ? seen : wider(type, seen);
    if (this.type === 'text') this.mixed ||= !isText || (type !== undefined && !isOfTexts(type));
  }
}

const isInteger = (a: ColumnType | undefined, b: ColumnType): boolean =>
  WHOLE_DIGITS.has(a ?? 'text') || WHOLE_DIGITS.has(b);

const isOfTexts = (type: ColumnType): boolean => type === 'text' || TEMPORAL.includes(type);
