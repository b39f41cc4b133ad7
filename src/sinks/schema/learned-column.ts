import { typeOf, wider } from './column-type';
import type { ColumnType } from './column-type';
import { fitsDouble } from '../../json/decimal';
import type { Json } from '../../model';

const INTEGERS: readonly ColumnType[] = ['integer', 'bigint'];
const TEMPORAL: readonly ColumnType[] = ['date', 'timestamp', 'timestamptz'];

/** The type of a column, as its values so far have it. */
export class LearnedColumn {
  /** The narrowest type of all values; absent while there are only nulls. */
  type: ColumnType | undefined;
  /** The number of values that are not null. */
  filled = 0;
  /** Whether a text column has values that are no strings, such as numbers: they are stored as their digits. */
  mixed = false;
  /** Whether it has integers beyond 2^53, which fractions cannot stand beside. */
  beyond: boolean;

  /** @param type that of a column which the table has already; nobody knows its integers */
  constructor(
    readonly name: string,
    type?: ColumnType,
  ) {
    this.type = type;
    this.beyond = type !== undefined;
  }

  /** @param literal a number as it is spelled, where its value has lost digits */
  see(value: Json, literal?: string): void {
    if (value === null) return;
    this.filled += 1;
    const { type } = this;
    // Most values are of the kind that the column has already.
    if (type === 'json' || (type === 'text' && typeof value === 'string')) return;
    if (literal !== undefined) {
      this.#join(fitsDouble(literal) ? 'double' : 'text', false);
      return;
    }
    if (type === 'integer' && typeof value === 'number' && (value | 0) === value) return;
    if (typeof value === 'bigint') this.beyond = true;
    this.#join(typeOf(value) as ColumnType, typeof value === 'string');
  }

  /** Adds a string of this type. */
  seeText(seen: ColumnType): void {
    this.filled += 1;
    if (seen !== this.type && this.type !== 'json') this.#join(seen, true);
  }

  #join(seen: ColumnType, isText: boolean): void {
    const { type } = this;
    if (seen !== type) this.type = type === undefined ? seen : joined(type, seen, this.beyond);
    if (this.type === 'text') this.mixed ||= !isText || (type !== undefined && !isOfTexts(type));
  }
}

const isOfTexts = (type: ColumnType): boolean => type === 'text' || TEMPORAL.includes(type);

function joined(type: ColumnType, seen: ColumnType, beyond: boolean): ColumnType {
  const isNumber = INTEGERS.includes(type) || INTEGERS.includes(seen);
  return !beyond && isNumber && (type === 'double' || seen === 'double') ? 'double' : wider(type, seen);
}
