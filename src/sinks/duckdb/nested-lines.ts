/** Objects and lists of STRUCT and LIST columns as JSON that DuckDB reads into them without loss. */
import { entriesOf, isList, isObject } from '../../core/json/keys';
import { parseData } from '../../core/json/parse';
import { stringifyAt } from '../../core/json/stringify';
import type { Holder } from '../../core/json/literals';
import { isNestedType } from '../../tables/schema/column-type';
import type { ColumnType } from '../../tables/schema/column-type';
import type { LearnedColumn, NestedValues } from '../../tables/schema/learned-column';

/** Makes a value of a type that is not nested, from its JSON. */
export type WriteScalar = (token: string, type: ColumnType, isChosen: boolean) => string;

/**
 * Rewrites values so that their members are named as the fields of the column.
 *
 * @param nested knows all values
 * @param scalar writes what stands in fields and elements
 * @returns rewrites the JSON of an object or a list
 */
export function nestedRewriter(nested: NestedValues, scalar: WriteScalar): (json: string) => string {
  const write = nestedWriter(nested, scalar);
  return (json) => write([parseData(json, 'spelling')], 0);
}

/** Writes the member of a list or an object. */
type Write = (holder: Holder, key: string | number) => string;

function nestedWriter(nested: NestedValues, scalar: WriteScalar): Write {
  const { element } = nested;
  const writeElement = element === undefined ? undefined : writerOf(element, scalar);
  const fields = new Map<string, { readonly name: string; readonly write: Write }>();
  const fieldAt = (key: string): { readonly name: string; readonly write: Write } | undefined => {
    const known = fields.get(key);
    const column = known === undefined ? nested.fieldOf(key) : undefined;
    if (column === undefined) return known;
    const field = { name: `${JSON.stringify(column.name)}:`, write: writerOf(column, scalar) };
    fields.set(key, field);
    return field;
  };
  return (holder, at) => {
    const value = isList(holder) ? holder[Number(at)] : holder[at];
    if (isList(value)) return `[${value.map((_, index) => writeElement?.(value, index) ?? 'null').join(',')}]`;
    if (!isObject(value)) return 'null';
    const members = entriesOf(value).flatMap(([key]) => {
      const field = fieldAt(key);
      return field === undefined ? [] : [field.name + field.write(value, key)];
    });
    return `{${members.join(',')}}`;
  };
}

function writerOf(column: LearnedColumn, scalar: WriteScalar): Write {
  const { columnType: type, nested, isChosen } = column;
  if (isNestedType(type) && nested !== undefined) return nestedWriter(nested, scalar);
  return (holder, key) => {
    const token = stringifyAt(holder, key);
    return token === 'null' ? token : scalar(token, type, isChosen);
  };
}
