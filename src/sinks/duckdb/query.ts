import { literal, nullOf, pathLiteral, quoted, typeName } from './sql';
import type { Column, TableSchema } from '../schema/schema';

export interface QueryOptions {
  readonly file: string;
  /** The maximum number of bytes of a line. */
  readonly largest: number;
  readonly schema: TableSchema;
  /** Whether members are named by the place of their column, and JSON is a text. */
  readonly isRewritten: boolean;
}

/** Bytes that DuckDB reserves for a line: with its maximum, the data would not stay in a cache. */
const LINE_BYTES = 1024 * 1024;

/** A query that reads the columns of a schema from a file of lines. */
export function queryOf({ file, largest, schema, isRewritten }: QueryOptions): string {
  const facts = schema.facts();
  const columns = schema.columns();
  const isRead = (at: number): boolean => (facts[at]?.filled ?? 0) > 0;
  const source = ({ name }: Column, at: number): string => (isRewritten ? String(at) : name);
  const value = (column: Column, at: number): string => {
    if (!isRead(at)) return nullOf(column.type);
    const read = quoted(source(column, at));
    return isRewritten && column.type === 'json' ? `CAST(${read} AS JSON)` : read;
  };
  const read = columns.flatMap((column, at) => {
    if (!isRead(at)) return [];
    const type = isRewritten && column.type === 'json' ? 'text' : column.type;
    return [`${literal(source(column, at))}: ${literal(typeName(type))}`];
  });
  // One column at least must be read: rows of nothing but nulls count, too.
  const from = `read_json(${pathLiteral(file)}, format = 'newline_delimited', records = true, compression = 'uncompressed',
    maximum_object_size = ${Math.max(LINE_BYTES, largest)}, columns = {${read.join(', ') || "'_': 'VARCHAR'"}})`;
  return `SELECT ${columns.map((column, at) => `${value(column, at)} AS ${quoted(column.name)}`).join(', ')} FROM ${from}`;
}
