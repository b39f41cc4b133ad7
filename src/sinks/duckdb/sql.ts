/** Names, literals, and values as strings, in the SQL of DuckDB. */
import type { ColumnType } from '../../tables/schema/column-type';
import { digitsOfType, isDecimal } from '../../tables/schema/decimal-type';

/** A name of a column, a table or a field. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The path of one file where DuckDB takes patterns, too. */
export const pathLiteral = (path: string): string => literal(path.replace(/[[*?]/g, '[$&]'));

/** Doubles below it have all their integers. */
const SAFE = String(2 ** 53);

/** This makes a string of a value of any type; times become ISO 8601, and numbers have no more digits behind the point than they need. */
export function asText(value: string, type: ColumnType): string {
  if (type === 'timestamp') return `replace(CAST(${value} AS VARCHAR), ' ', 'T')`;
  if (type === 'timestamptz') return `${asText(`make_timestamp(epoch_us(${value}))`, 'timestamp')} || 'Z'`;
  if (type === 'double')
    return `CASE WHEN ${value} = trunc(${value}) AND abs(${value}) < ${SAFE} THEN CAST(CAST(${value} AS BIGINT) AS VARCHAR) ELSE CAST(${value} AS VARCHAR) END`;
  const text = `CAST(${value} AS VARCHAR)`;
  const { whole, fraction } = (isDecimal(type) ? digitsOfType(type) : undefined) ?? { whole: 1, fraction: 0 };
  // The type says how many digits all values of a column have behind the point.
  if (fraction === 0) return text;
  // Where none may stand before the point, DuckDB writes no zero there.
  const withZero = whole === 0 ? `regexp_replace(${text}, '^(-?)[.]', '\\10.')` : text;
  return `rtrim(rtrim(${withZero}, '0'), '.')`;
}
