import {
  isNestedType,
  typeOf,
  WHOLE_DIGITS,
  wider,
  DECIMAL_38,
  decimalOf,
  digitsOfType,
  isDecimal,
} from './column-type';
import type { ColumnType, NestedType, DecimalLimit } from './column-type';
import { digitsOf, fitsDouble } from '../../core/json/decimal';
import type { Digits } from '../../core/json/decimal';
import type { Json, JsonObject } from '../../core/model';

const TEMPORAL: readonly ColumnType[] = ['date', 'timestamp', 'timestamptz'];

/** The objects and lists of a column that may have typed members. */
export interface NestedValues {
  readonly see: (value: Json) => void;
  /** The type; `undefined`: only JSON can hold the values. */
  readonly type: NestedType | undefined;
  /** The elements, if all values are lists. */
  readonly element: LearnedColumn | undefined;
  /** Returns the column of the values of a key in objects. */
  readonly fieldOf: (key: string) => LearnedColumn | undefined;
  /** Returns the names of fields for the next run. */
  readonly kept: () => JsonObject;
}

/** The type of a column, learned from its values so far. */
export class LearnedColumn {
  /** The narrowest type of all values except {@link nested}; absent while there are only nulls. */
  type: ColumnType | undefined;
  /** The number of values that are not null. */
  filled = 0;
  /** True if a string column has values that are no strings, such as numbers: they are stored as their digits. */
  mixed = false;
  /** True if the configuration sets its type, whatever its values. */
  isChosen = false;
  /** True if the values of a chosen type include objects or lists. */
  isNested = false;
  /** The objects and lists; absent: they are JSON. */
  nested: NestedValues | undefined;
  /** The JSON of the value that an existing column got its present type for; absent: there is none, or it is an object or a list. */
  cause: string | undefined;
  /** True if it has integers beyond 2^53, which a double cannot hold together with fractions. */
  beyond: boolean;
  /** The maximum digits of its numbers before the point; integers do not count while there are only integers. */
  whole: number;
  fraction: number;

  /** @param known the type of an existing column; its 64-bit integers, and the digits of its doubles, are unknown */
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

  /** Returns whether it had only nulls, in earlier runs as well. */
  get isUnknown(): boolean {
    return this.type === undefined;
  }

  /** Returns the type in its table: text if it is unknown. */
  get columnType(): ColumnType {
    const { type = 'text', nested } = this;
    const isNested = this.isChosen ? nested?.element !== undefined : type === 'json';
    return (isNested ? nested?.type : undefined) ?? type;
  }

  /** @returns whether the column can have this type: an existing type must fit into it */
  choose(type: ColumnType): boolean {
    const { type: had } = this;
    this.isChosen = true;
    this.type = type;
    return had === undefined || had === type || wider(had, type) === type;
  }

  /** @param literal the spelling of a number whose value has lost digits */
  see(value: Json, literal?: string): void {
    if (value === null) return;
    this.filled += 1;
    this.nested?.see(value);
    if (this.isChosen) {
      this.isNested ||= typeof value === 'object';
      return;
    }
    const { type } = this;
    // Most values are of the known kind of the column.
    if (type === 'json' || (type === 'text' && typeof value === 'string')) return;
    if (literal !== undefined) {
      const digits = digitsOf(literal);
      this.#seeNumber(fitsDouble(literal) ? 'double' : 'decimal', digits);
      if (this.#isOther(type)) this.cause = literal;
      return;
    }
    if (type === 'integer' && typeof value === 'number' && (value | 0) === value) return;
    if (typeof value === 'bigint') this.beyond = true;
    const seen = typeOf(value) as ColumnType;
    if ((typeof value === 'number' || typeof value === 'bigint') && seen !== 'text')
      this.#seeNumber(isDecimal(seen) ? 'decimal' : seen, digitsOf(String(value)));
    else this.#join(seen, typeof value === 'string');
    if (this.#isOther(type) && typeof value !== 'object')
      this.cause = typeof value === 'string' ? JSON.stringify(value) : String(value);
  }

  /**
   * Adds a string of this type.
   *
   * @returns whether it is the {@link cause} of another type of an existing column
   */
  seeText(seen: ColumnType): boolean {
    this.filled += 1;
    const { type } = this;
    if (seen !== type && type !== 'json' && !this.isChosen) this.#join(seen, true);
    return this.#isOther(type);
  }

  /** Returns whether an existing column has another type than it had a value ago. */
  #isOther(before: ColumnType | undefined): boolean {
    return this.type !== before && this.known !== undefined;
  }

  /** @param seen the type that holds it alone; `decimal`: neither a double nor an integer does */
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

  /** Returns whether a decimal is the only type for a number of this type and those of the column. */
  #needsDecimal(seen: ColumnType): boolean {
    const both = [this.type, seen];
    if (this.type !== undefined && isDecimal(this.type)) return true;
    return this.beyond && both.includes('bigint') && both.includes('double');
  }

  /** @param holdsAll whether the type also holds the earlier values of the column */
  #join(seen: ColumnType, isText: boolean, holdsAll = false): void {
    const { type } = this;
    if (seen !== type) this.type = type === undefined || holdsAll ? seen : wider(type, seen);
    if (this.type === 'text') this.mixed ||= !isText || (type !== undefined && !isOfTexts(type));
  }
}

const isInteger = (a: ColumnType | undefined, b: ColumnType): boolean =>
  WHOLE_DIGITS.has(a ?? 'text') || WHOLE_DIGITS.has(b);

const isOfTexts = (type: ColumnType): boolean => type === 'text' || TEMPORAL.includes(type);
