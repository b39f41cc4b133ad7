/** Names, literals, and values as strings, in the SQL of DuckDB. */
import type { ColumnType } from '../schema/column-type';

/** A name of a column, a table or a field. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The path of one file where DuckDB takes patterns, too. */
export const pathLiteral = (path: string): string => literal(path.replace(/[[*?]/g, '[$&]'));

/** This makes a string of a value of any type; times become ISO 8601. */
export function asText(value: string, type: ColumnType): string {
  if (type === 'timestamp') return `replace(CAST(${value} AS VARCHAR), ' ', 'T')`;
  if (type === 'timestamptz') return `${asText(`make_timestamp(epoch_us(${value}))`, 'timestamp')} || 'Z'`;
  return `CAST(${value} AS VARCHAR)`;
}
