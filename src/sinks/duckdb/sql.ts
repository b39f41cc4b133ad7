/** Names, literals, and values as strings, in the SQL of DuckDB. */
import type { ColumnType } from '../schema/column-type';
import { digitsOfType, isDecimal } from '../schema/decimal-type';

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
  // The type says how many digits all values of a column have behind the point.
  return isDecimal(type) && (digitsOfType(type)?.fraction ?? 0) > 0 ? `rtrim(rtrim(${text}, '0'), '.')` : text;
}
