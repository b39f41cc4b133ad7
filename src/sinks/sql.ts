/** Transactions of any database; names, literals, and values as strings in the SQL of DuckDB. */
import { quoted } from '../core/json/sql-name';
import {
  DECIMAL_38,
  decimalOf,
  digitsOfType,
  isDecimal,
  isNestedType,
  listOf,
  nestedIn,
  structOf,
} from '../tables/schema/column-type';
import type { ColumnType, DecimalType, ScalarType } from '../tables/schema/column-type';
import type { Column } from '../tables/schema/schema';

export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * Runs statements as a transaction.
 *
 * @param begin the statement that begins it
 */
export async function inTransaction<T>(
  run: (sql: string) => unknown,
  work: () => Promise<T>,
  begin = 'BEGIN',
): Promise<T> {
  await run(begin);
  try {
    const result = await work();
    await run('COMMIT');
    return result;
  } catch (error) {
    try {
      await run('ROLLBACK');
    } catch {
      // The database has ended the transaction itself, or is gone: the first error is more useful.
    }
    throw error;
  }
}

/** Returns the path of one file for functions of DuckDB that also accept patterns. */
export const pathLiteral = (path: string): string => literal(path.replace(/[[*?]/g, '[$&]'));

/** Doubles below it represent all integers. */
const SAFE = String(2 ** 53);

/**
 * Returns the SQL that converts a value of any type to a string; times become ISO 8601, and numbers have no more decimals than they need.
 */
export function asText(value: string, type: ColumnType): string {
  if (type === 'timestamp') return `replace(CAST(${value} AS VARCHAR), ' ', 'T')`;
  if (type === 'timestamptz') return `${asText(`make_timestamp(epoch_us(${value}))`, 'timestamp')} || 'Z'`;
  if (type === 'double')
    return `CASE WHEN ${value} = trunc(${value}) AND abs(${value}) < ${SAFE} THEN CAST(CAST(${value} AS BIGINT) AS VARCHAR) ELSE CAST(${value} AS VARCHAR) END`;
  const text = `CAST(${value} AS VARCHAR)`;
  const { whole, fraction } = (isDecimal(type) ? digitsOfType(type) : undefined) ?? { whole: 1, fraction: 0 };
  // All values of a column have as many decimals as the type says.
  if (fraction === 0) return text;
  // If no digit is allowed before the point, DuckDB writes no zero there.
  const withZero = whole === 0 ? `regexp_replace(${text}, '^(-?)[.]', '\\10.')` : text;
  return `rtrim(rtrim(${withZero}, '0'), '.')`;
}

/** The names of column types in DuckDB. */
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
} as const satisfies Record<Exclude<ScalarType, DecimalType>, string>;

/** @example typeName('list integer') // 'INTEGER[]' */
export function typeName(type: ColumnType): string {
  if (!isNestedType(type)) return isDecimal(type) ? type.toUpperCase() : TYPE_NAMES[type];
  const nested = nestedIn(type);
  if (nested.kind === 'list') return `${typeName(nested.element)}[]`;
  return `STRUCT(${nested.fields.map((field) => `${quoted(field.name)} ${typeName(field.type)}`).join(', ')})`;
}

const TYPES = new Map(Object.entries(TYPE_NAMES).map(([type, name]) => [name as string, type as ColumnType]));

const FIELD = /"((?:[^"]|"")*)" |([^\s",()[\]]+) /y;
const SCALAR = /DECIMAL\(\d+,\d+\)|[A-Z][A-Z ]*[A-Z]/y;

/** Returns the type of a column that a sink made; `undefined` for one that it would not make. */
export function typeNamed(text: string): ColumnType | undefined {
  let at = 0;
  const takes = (next: string): boolean => {
    const isNext = text.startsWith(next, at);
    if (isNext) at += next.length;
    return isNext;
  };
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  const fieldsFrom = (): ColumnType | undefined => {
    const fields: Column[] = [];
    do {
      const [, inQuotes, plain] = match(FIELD) ?? [];
      const name = inQuotes?.replaceAll('""', '"') ?? plain;
      const type = name === undefined ? undefined : typeFrom();
      if (name === undefined || type === undefined) return undefined;
      fields.push({ name, type });
    } while (takes(', '));
    return takes(')') ? structOf(fields) : undefined;
  };
  const typeFrom = (): ColumnType | undefined => {
    let type = takes('STRUCT(') ? fieldsFrom() : scalarNamed(match(SCALAR)?.[0] ?? '');
    while (type !== undefined && takes('[]')) type = listOf(type);
    return type;
  };
  const type = typeFrom();
  return at === text.length ? type : undefined;
}

function scalarNamed(name: string): ColumnType | undefined {
  const digits = digitsOfType(name.toLowerCase());
  return digits === undefined ? TYPES.get(name) : decimalOf(digits, DECIMAL_38);
}
