import { typeOf, wider } from './column-type';
import type { ColumnType } from './column-type';
import { fitsDouble } from '../../json/decimal';
import type { Json } from '../../model';

const INTEGERS: readonly ColumnType[] = ['integer', 'bigint'];
const TEMPORAL: readonly ColumnType[] = ['date', 'timestamp', 'timestamptz'];

/** What the values of a column have told so far. */
export class LearnedColumn {
  /** Absent: only nulls so far. */
  type: ColumnType | undefined;
  /** Values that are not null. */
  filled = 0;
  /** Whether a column of texts has values that are none, such as numbers: their digits are their text. */
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

  /** A text of this type. */
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
