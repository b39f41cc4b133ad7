/** The cells of STRUCT and LIST columns as a reader of DuckDB finds them. */
import {
  DuckDBDateValue,
  DuckDBListType,
  DuckDBListValue,
  DuckDBStructType,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
} from '@duckdb/node-api';
import type { DuckDBType, DuckDBValue } from '@duckdb/node-api';
import type { Type } from './types';

/** What a column, a field or an element holds. */
export type Shape =
  | { readonly kind: 'value'; readonly type: Type }
  | { readonly kind: 'struct'; readonly fields: ReadonlyMap<string, Shape> }
  | { readonly kind: 'list'; readonly element: Shape };

/** A cell: texts in lists and objects; times are microseconds since 1970. */
export type Cell = string | null | readonly Cell[] | { readonly [field: string]: Cell };

export const isNested = (type: DuckDBType): boolean =>
  type instanceof DuckDBStructType || type instanceof DuckDBListType;

/** @param typeOf the type of a name of a type */
export function shapeOf(type: DuckDBType, typeOf: (name: string) => Type): Shape {
  if (type instanceof DuckDBListType) return { kind: 'list', element: shapeOf(type.valueType, typeOf) };
  if (type instanceof DuckDBStructType)
    return {
      kind: 'struct',
      fields: new Map(type.entryNames.map((name, at) => [name, shapeOf(type.entryTypes[at] as DuckDBType, typeOf)])),
    };
  return { kind: 'value', type: typeOf(type.alias ?? type.toString()) };
}

/** SQL that gives the bytes of texts as hexadecimal digits: the client takes a byte order mark away from their beginning. */
export function asHex(value: string, shape: Shape, depth = 0): string {
  const quoted = (text: string, sign: string): string => `${sign}${text.replaceAll(sign, sign + sign)}${sign}`;
  if (shape.kind === 'value') return isText(shape) ? `hex(CAST(${value} AS VARCHAR))` : value;
  if (shape.kind === 'list')
    return `list_transform(${value}, lambda each${depth}: ${asHex(`each${depth}`, shape.element, depth + 1)})`;
  const fields = Array.from(shape.fields, ([name, field]) => {
    const inner = asHex(`struct_extract(${value}, ${quoted(name, "'")})`, field, depth);
    return `${quoted(name, '"')} := ${inner}`;
  });
  return `CASE WHEN ${value} IS NULL THEN NULL ELSE struct_pack(${fields.join(', ')}) END`;
}

const isText = (shape: Shape): boolean => shape.kind === 'value' && (shape.type === 'text' || shape.type === 'json');

/** A cell of such a query, as a text that {@link cellIn} reads. */
export const textOf = (value: DuckDBValue, shape: Shape): string | null =>
  value === null ? null : JSON.stringify(cellOf(value, shape));

/** @param text what was read of a column: that of a nested one as `textOf` gives it */
export const cellIn = (text: string | null, shape: Shape): Cell =>
  text === null || shape.kind === 'value' ? text : (JSON.parse(text) as Cell);

function cellOf(value: DuckDBValue, shape: Shape): Cell {
  if (value === null) return null;
  if (value instanceof DuckDBListValue && shape.kind === 'list')
    return value.items.map((each) => cellOf(each, shape.element));
  if (value instanceof DuckDBStructValue && shape.kind === 'struct')
    return Object.fromEntries(
      Array.from(shape.fields, ([name, field]) => [name, cellOf(value.entries[name] ?? null, field)]),
    );
  if (typeof value === 'string' && isText(shape)) return Buffer.from(value, 'hex').toString();
  if (value instanceof DuckDBDateValue) return String(BigInt(value.days) * 86_400_000_000n);
  if (value instanceof DuckDBTimestampValue || value instanceof DuckDBTimestampTZValue) return String(value.micros);
  return String(value);
}

/** A shape for people, fields in the order of their names. */
export function shown(shape: Shape | undefined): string {
  if (shape === undefined) return 'nothing';
  if (shape.kind === 'value') return shape.type;
  if (shape.kind === 'list') return `${shown(shape.element)}[]`;
  const fields = Array.from(shape.fields, ([name, field]) => `${JSON.stringify(name)} ${shown(field)}`);
  return `struct(${fields.sort().join(', ')})`;
}
