/** Values of columns as those of wider types, in the SQL of DuckDB. */
import { isNestedType } from '../../tables/schema/column-type';
import type { ColumnType, NestedType } from '../../tables/schema/column-type';
import { isDecimal } from '../../tables/schema/decimal-type';
import { nestedIn } from '../../tables/schema/nested-type';
import type { Column } from '../../tables/schema/schema';
import { asText, literal, quoted } from './sql';
import { typeName } from './type-names';

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

/**
 * The values of a column as those of a wider type, times as ISO 8601.
 *
 * @param value an expression of type `from`
 * @param depth how many lists stand around it
 * @example converted('"id"', 'integer', 'text') // 'CAST("id" AS VARCHAR)'
 */
function converted(value: string, from: ColumnType, to: ColumnType, depth = 0): string {
  if (from === to) return value;
  if (to === 'json') return `CAST(${jsonOf(value, from, depth)} AS JSON)`;
  if (isNestedType(from) && isNestedType(to)) return convertedNested(value, from, to, depth);
  return to === 'text' ? asText(value, from) : `CAST(${value} AS ${typeName(to)})`;
}

function convertedNested(value: string, from: NestedType, to: NestedType, depth: number): string {
  const [old, wide] = [nestedIn(from), nestedIn(to)];
  if (old.kind === 'list' && wide.kind === 'list')
    return eachOf(value, depth, (each) => converted(each, old.element, wide.element, depth + 1));
  if (old.kind !== 'struct' || wide.kind !== 'struct') return `CAST(${value} AS ${typeName(to)})`;
  const types = new Map(old.fields.map((field) => [field.name, field.type]));
  const fields = wide.fields.map(({ name, type }) => {
    const had = types.get(name);
    const inner = had === undefined ? nullOf(type) : converted(fieldIn(value, name), had, type, depth);
    return `${quoted(name)} := ${inner}`;
  });
  return `CASE WHEN ${value} IS NULL THEN NULL ELSE struct_pack(${fields.join(', ')}) END`;
}

/** A value as the text of its JSON; NULL stays NULL. */
function jsonOf(value: string, from: ColumnType, depth: number): string {
  if (!isNestedType(from)) {
    const isTime = from === 'date' || from === 'timestamp' || from === 'timestamptz';
    // As JSON, DuckDB would make a double of a decimal.
    if (isDecimal(from) || from === 'json') return asText(value, from);
    return `CAST(to_json(${isTime ? asText(value, from) : value}) AS VARCHAR)`;
  }
  const nested = nestedIn(from);
  const orNull = (json: string): string => `coalesce(${json}, 'null')`;
  if (nested.kind === 'list') {
    const all = eachOf(value, depth, (each) => orNull(jsonOf(each, nested.element, depth + 1)));
    return `'[' || array_to_string(${all}, ',') || ']'`;
  }
  const members = nested.fields.map(({ name, type }) => {
    const key = literal(`${JSON.stringify(name)}:`);
    return `${key} || ${orNull(jsonOf(fieldIn(value, name), type, depth))}`;
  });
  return `CASE WHEN ${value} IS NULL THEN NULL ELSE '{' || ${members.join(` || ',' || `)} || '}' END`;
}

const fieldIn = (value: string, name: string): string => `struct_extract(${value}, ${literal(name)})`;

const eachOf = (value: string, depth: number, of: (each: string) => string): string =>
  `list_transform(${value}, lambda e${depth}: ${of(`e${depth}`)})`;
