import { hasType, listOf, nestedIn, structOf } from '../../tables/schema/nested-type';
import { isNestedType } from '../../tables/schema/column-type';
import type { ColumnType } from '../../tables/schema/column-type';
import { nullOf } from './convert';
import { literal, pathLiteral, quoted } from './sql';
import { typeName } from './type-names';
import type { Column, TableSchema } from '../../tables/schema/schema';

export interface LinesFile {
  readonly file: string;
  /** The maximum number of bytes of a line. */
  readonly largest: number;
}

export interface QueryOptions extends LinesFile {
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
    return isRewritten && hasJson(column.type) ? `CAST(${read} AS ${typeName(column.type)})` : read;
  };
  const read = columns.flatMap((column, at) => {
    if (!isRead(at)) return [];
    const type = isRewritten ? asWritten(column.type) : column.type;
    return [[source(column, at), typeName(type)] as const];
  });
  const from = fromLines({ file, largest }, read);
  return `SELECT ${columns.map((column, at) => `${value(column, at)} AS ${quoted(column.name)}`).join(', ')} FROM ${from}`;
}

/** The lines of a file as a table of these keys, each with its type. */
export function fromLines({ file, largest }: LinesFile, read: readonly (readonly [string, string])[]): string {
  const columns = read.map(([key, type]) => `${literal(key)}: ${literal(type)}`);
  // One column at least must be read: rows of nothing but nulls count, too. The folder may be named like a value of a column.
  return `read_json(${pathLiteral(file)}, format = 'newline_delimited', records = true, compression = 'uncompressed',
    hive_partitioning = false, maximum_object_size = ${Math.max(LINE_BYTES, largest)}, columns = {${columns.join(', ') || "'_': 'VARCHAR'"}})`;
}

const hasJson = (type: ColumnType): boolean => hasType(type, (inner) => inner === 'json');

/** The type that rewritten lines are read in: JSON is a string in them. */
function asWritten(type: ColumnType): ColumnType {
  if (!isNestedType(type)) return type === 'json' ? 'text' : type;
  const nested = nestedIn(type);
  if (nested.kind === 'list') return listOf(asWritten(nested.element));
  return structOf(nested.fields.map((field) => ({ name: field.name, type: asWritten(field.type) })));
}
