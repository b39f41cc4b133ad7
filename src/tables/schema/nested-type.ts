/** The types of columns that hold objects and lists with typed members: DuckDB calls them STRUCT and LIST. */
import { isNestedType } from './column-type';
import type { ColumnType, NestedType } from './column-type';

/** A field of a struct. */
export interface Field {
  readonly name: string;
  readonly type: ColumnType;
}

/** What a nested type is made of. */
export type Nested =
  | { readonly kind: 'struct'; readonly fields: readonly Field[] }
  | { readonly kind: 'list'; readonly element: ColumnType };

/** @example structOf([{ name: 'id', type: 'integer' }]) // 'struct [["id","integer"]]' */
export const structOf = (fields: readonly Field[]): NestedType =>
  `struct ${JSON.stringify(fields.map(({ name, type }) => [name, type]))}`;

/** @example listOf('integer') // 'list integer' */
export const listOf = (element: ColumnType): NestedType => `list ${element}`;

/** @example nestedIn('list integer') // { kind: 'list', element: 'integer' } */
export function nestedIn(type: NestedType): Nested {
  if (type.startsWith('list ')) return { kind: 'list', element: type.slice('list '.length) as ColumnType };
  const fields = JSON.parse(type.slice('struct '.length)) as readonly (readonly [string, ColumnType])[];
  return { kind: 'struct', fields: fields.map(([name, inner]) => ({ name, type: inner })) };
}

/** Whether a type, or one within it, is such a one. */
export function hasType(type: ColumnType, isWanted: (type: ColumnType) => boolean): boolean {
  if (!isNestedType(type)) return isWanted(type);
  const nested = nestedIn(type);
  if (nested.kind === 'list') return hasType(nested.element, isWanted);
  return nested.fields.some((field) => hasType(field.type, isWanted));
}
