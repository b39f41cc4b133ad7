/** The types of columns by docs/sinks.md: each gets the narrowest that holds all of its values, and never a narrower one again. */
import { decimal } from './json-value';
import type { Value } from './json-value';
import { digitsOf, fitsDouble, microseconds } from './expected';

export type Type =
  'boolean' | 'integer' | 'bigint' | 'double' | 'decimal' | 'date' | 'timestamp' | 'timestamptz' | 'json' | 'text';

const DATE = /^\d{4}-\d\d-\d\d$/;
const ZONED = /(?:Z|[+-]\d\d:\d\d)$/;
const NUMBERS: readonly Type[] = ['integer', 'bigint', 'double', 'decimal'];

/** A column over several runs. */
export class ColumnModel {
  type: Type = 'text';
  readonly #values: Value[] = [];
  #isFilled = false;
  #whole = 0;
  #fraction = 0;
  readonly #waiting: ((type: Type) => void)[] = [];

  /** @param digits the digits that a decimal has at most */
  constructor(private readonly digits: number) {}

  add(value: Value): void {
    if (value.kind !== 'null') this.#values.push(value);
  }

  /** What only ever was null is text, and stays it. */
  static ofNull(digits: number): ColumnModel {
    const column = new ColumnModel(digits);
    column.#isFilled = true;
    return column;
  }

  /** @param tell is told the type that the column has at the end of the run */
  atEnd(report: (type: Type) => void): void {
    this.#waiting.push(report);
  }

  /** Ends a run: its values have the type of the column, and those of earlier runs, too. */
  end(): void {
    this.#learn();
    for (const report of this.#waiting.splice(0)) report(this.type);
  }

  #learn(): void {
    const values = this.#values.splice(0);
    if (values.length === 0) return;
    const known = this.#isFilled ? this.type : undefined;
    this.#isFilled = true;
    const own = new Set(values.map(familyOf));
    if (known !== undefined) own.add(NUMBERS.includes(known) ? 'number' : known);
    if (own.has('json')) this.type = 'json';
    else if (own.size > 1) this.type = 'text';
    else if (!own.has('number')) this.type = [...own][0] as Type;
    else this.type = this.#typeOfNumbers(values, known);
  }

  #typeOfNumbers(values: readonly Value[], known: Type | undefined): Type {
    const literals = values.map((value) => (value.kind === 'number' ? value.literal : ''));
    const integers = literals.filter(isInteger);
    const rest = literals.filter((literal) => !isInteger(literal));
    for (const literal of literals) {
      const { whole, fraction } = digitsOf(literal);
      this.#whole = Math.max(this.#whole, whole);
      this.#fraction = Math.max(this.#fraction, fraction);
    }
    if (known === 'bigint') this.#whole = Math.max(this.#whole, 19);
    const areInteger = rest.length === 0 && (known === undefined || known === 'integer' || known === 'bigint');
    if (areInteger && integers.every((literal) => isWithin(literal, 63)))
      return known === 'bigint' || !integers.every((literal) => isWithin(literal, 31)) ? 'bigint' : 'integer';
    const isDouble =
      known !== 'decimal' &&
      known !== 'bigint' &&
      rest.every(fitsDouble) &&
      integers.every((literal) => isWithin(literal, 53));
    if (isDouble) return 'double';
    if (known === 'double') return 'text';
    return this.#whole + this.#fraction <= this.digits ? 'decimal' : 'text';
  }
}

function familyOf(value: Value): Type | 'number' {
  if (value.kind === 'number' || value.kind === 'boolean') return value.kind;
  if (value.kind !== 'string') return 'json';
  const time = value.value;
  if (microseconds(time) === undefined || !isOnCalendar(time) || time.startsWith('0000')) return 'text';
  if (DATE.test(time)) return 'date';
  return ZONED.test(time) ? 'timestamptz' : 'timestamp';
}

/** JavaScript takes the 30th of February for the 1st of March. */
const isOnCalendar = (time: string): boolean =>
  new Date(`${time.slice(0, 10)}T00:00:00Z`).toISOString().slice(0, 10) === time.slice(0, 10);

/** A number without a fraction, if it is one of JavaScript's safe integers or written without an exponent. */
function isInteger(literal: string): boolean {
  if ((decimal(literal)?.exponent ?? -1) < 0) return false;
  return Number.isSafeInteger(Number(literal)) || !/[eE]/.test(literal);
}

const isWithin = (literal: string, bits: number): boolean => {
  const { digits, exponent } = decimal(literal) ?? { digits: 0n, exponent: 0 };
  const value = digits * 10n ** BigInt(exponent);
  return value >= -(2n ** BigInt(bits)) && value < 2n ** BigInt(bits);
};
