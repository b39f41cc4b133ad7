/** The types that a user chooses for columns of JSON values (docs/sinks.md#types-of-columns). */

const SIMPLE = [
  'string',
  'boolean',
  'integer',
  'bigint',
  'double',
  'date',
  'timestamp',
  'timestamptz',
  'json',
] as const;

export type ChosenType =
  | 'string'
  | 'boolean'
  | 'integer'
  | 'bigint'
  | 'double'
  | 'date'
  | 'timestamp'
  | 'timestamptz'
  | 'json'
  | `decimal(${number},${number})`;

const DECIMAL = /^decimal\(\s*(\d{1,2})\s*,\s*(\d{1,2})\s*\)$/;
/** The number of digits that every destination with decimals supports. */
const MOST_DIGITS = 38;

/** The names of all types, as a regular expression of JSON Schema. */
export const CHOSEN_TYPES = `^(?:${SIMPLE.join('|')}|${DECIMAL.source.slice(1, -1)})$`;

/** Returns the expected types, for messages. */
export const EXPECTED_TYPE =
  `the type of a column: ${SIMPLE.join(', ')}, or decimal(P,S) ` +
  `with at most ${MOST_DIGITS} digits, S of them behind the point`;

/**
 * Returns the type that a string names, or `undefined` if it names none.
 * @example chosenTypeOf('decimal(12, 2)') // 'decimal(12,2)'
 */
export function chosenTypeOf(text: string): ChosenType | undefined {
  const simple = SIMPLE.find((type) => type === text);
  if (simple !== undefined) return simple;
  const [, digits, places] = (DECIMAL.exec(text) ?? []).map(Number);
  if (digits === undefined || places === undefined) return undefined;
  return digits < 1 || digits > MOST_DIGITS || places > digits ? undefined : `decimal(${digits},${places})`;
}
