/** Names, literals and types in the SQL of DuckDB. */
import type { ColumnType } from '../schema/column-type';
import { DECIMAL_38, decimalOf, digitsOfType, isDecimal } from '../schema/decimal-type';
import type { DecimalType } from '../schema/decimal-type';
import type { Column } from '../schema/schema';

const TYPE_NAMES = {
  boolean: 'BOOLEAN',
  integer: 'INTEGER',
  bigint: 'BIGINT',
  double: 'DOUBLE',
  date: 'DATE',
  timestamp: 'TIMESTAMP',
  timestamptz: 'TIMESTAMP WITH TIME ZONE',
  json: 'JSON',
  text: 'VARCHAR',
} as const satisfies Record<Exclude<ColumnType, DecimalType>, string>;

export const typeName = (type: ColumnType): string => (isDecimal(type) ? type.toUpperCase() : TYPE_NAMES[type]);

const TYPES = new Map(Object.entries(TYPE_NAMES).map(([type, name]) => [name as string, type as ColumnType]));

/** The type of a column that a sink has made; `undefined` for one that it would not make. */
export function typeNamed(name: string): ColumnType | undefined {
  const digits = digitsOfType(name.toLowerCase());
  return digits === undefined ? TYPES.get(name) : decimalOf(digits, DECIMAL_38);
}

/** A name of a column or a table. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The path of one file where DuckDB takes patterns, too. */
export const pathLiteral = (path: string): string => literal(path.replace(/[[*?]/g, '[$&]'));

/**
 * The values of a column as those of a wider type, times as ISO 8601.
 *
 * @param value an expression of type `from`
 * @example converted('"id"', 'integer', 'text') // 'CAST("id" AS VARCHAR)'
 */
function converted(value: string, from: ColumnType, to: ColumnType): string {
  if (from === to) return value;
  const isText = from === 'text' || from === 'date' || from === 'timestamp' || from === 'timestamptz';
  // As JSON, DuckDB would make a double of it.
  if (to === 'json' && isDecimal(from)) return `CAST(CAST(${value} AS VARCHAR) AS JSON)`;
  if (to === 'json') return `CAST(to_json(${isText ? asText(value, from) : value}) AS JSON)`;
  return to === 'text' ? asText(value, from) : `CAST(${value} AS ${typeName(to)})`;
}

function asText(value: string, type: ColumnType): string {
  if (type === 'timestamp') return `replace(CAST(${value} AS VARCHAR), ' ', 'T')`;
  if (type === 'timestamptz') return `${asText(`make_timestamp(epoch_us(${value}))`, 'timestamp')} || 'Z'`;
  return `CAST(${value} AS VARCHAR)`;
}

/** Columns of a table as another one has them; those that it lacks are NULL. */
export const convertedColumns = (from: readonly Column[], to: readonly Column[]): string => {
  const types = new Map(from.map(({ name, type }) => [name, type]));
  const expressions = to.map(({ name, type }) => {
    const old = types.get(name);
    return `${old === undefined ? nullOf(type) : converted(quoted(name), old, type)} AS ${quoted(name)}`;
  });
  return expressions.join(', ');
};

export const nullOf = (type: ColumnType): string => `CAST(NULL AS ${typeName(type)})`;
