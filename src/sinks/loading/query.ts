import { quoted } from '../../core/json/sql-name';
import { PARENT_ROW_ID, POSITION, ROW_ID } from '../../tables/linked/places';
import type { LinkedTable, Members, ObservedRows } from '../../tables/linked/places';
import { hasType, isDecimal, isNestedType, listOf, nestedIn, structOf } from '../../tables/schema/column-type';
import type { ColumnType, NestedType } from '../../tables/schema/column-type';
import type { LearnedColumn } from '../../tables/schema/learned-column';
import type { TableSchema } from '../../tables/schema/schema';
import { asText, literal, pathLiteral, typeName } from '../sql';

export interface LinesFile {
  readonly file: string;
  /** The maximum number of bytes of a line. */
  readonly largest: number;
}

export interface QueryOptions extends LinesFile {
  readonly schema: TableSchema;
  /** True if members are named by the index of their column, and JSON is a string. */
  readonly isRewritten: boolean;
}

/** The bytes that DuckDB reserves for a line: with its maximum, the data would not stay in a cache. */
const LINE_BYTES = 1024 * 1024;

/** Returns a query that reads the columns of a schema from a file of lines. */
export function queryOf({ file, largest, schema, isRewritten }: QueryOptions): string {
  const columns = schema.learned();
  const source = (name: string, at: number): string => (isRewritten ? String(at) : name);
  const value = ({ name, columnType: type, filled }: LearnedColumn, at: number): string => {
    if (filled === 0) return nullOf(type);
    const read = quoted(source(name, at));
    return isRewritten && hasJson(type) ? `CAST(${read} AS ${typeName(type)})` : read;
  };
  const read = columns.flatMap(({ name, columnType: type, filled }, at) =>
    filled === 0 ? [] : [[source(name, at), typeName(isRewritten ? asWritten(type) : type)] as const],
  );
  const from = fromLines({ file, largest }, read);
  return `SELECT ${columns.map((column, at) => `${value(column, at)} AS ${quoted(column.name)}`).join(', ')} FROM ${from}`;
}

/** Returns the lines of a file as a table of these keys, each with its type. */
function fromLines({ file, largest }: LinesFile, read: readonly (readonly [string, string])[]): string {
  const columns = read.map(([key, type]) => `${literal(key)}: ${literal(type)}`);
  // At least one column must be read, since rows of only nulls count as well. The folder may be named like a value of a column.
  return `read_json(${pathLiteral(file)}, format = 'newline_delimited', records = true, compression = 'uncompressed',
    hive_partitioning = false, maximum_object_size = ${Math.max(LINE_BYTES, largest)}, columns = {${columns.join(', ') || "'_': 'VARCHAR'"}})`;
}

const hasJson = (type: ColumnType): boolean => hasType(type, (inner) => inner === 'json');

/** Returns the type in which rewritten lines are read: JSON is a string in them. */
function asWritten(type: ColumnType): ColumnType {
  if (!isNestedType(type)) return type === 'json' ? 'text' : type;
  const nested = nestedIn(type);
  if (nested.kind === 'list') return listOf(asWritten(nested.element));
  return structOf(nested.fields.map((field) => ({ name: field.name, type: asWritten(field.type) })));
}

/** The keys of a member. */
type Keys = readonly string[];

/** The keys that lead from an item, or from an element of the outer list, to each list; empty: the items themselves. */
type Path = readonly Keys[];

/** A key, and the type that is read there. */
type Field = readonly [key: string, type: string];

/** A query for the rows of a table. */
interface ObservedQuery {
  readonly name: string;
  readonly observed: ObservedRows;
  readonly query: string;
}

/**
 * Returns a query for each table of items that has rows. Ids are the numbers of rows in the order of the file, the same as for split items.
 *
 * @param root the table of the items, whose rows were observed
 * @example nestedQueries(root, { file: 'items.ndjson', largest: 1000 }) // [{ name: 'orders', query: 'SELECT …', observed }]
 */
export function nestedQueries(root: LinkedTable, lines: LinesFile): readonly ObservedQuery[] {
  const queries: ObservedQuery[] = [];
  const visit = (table: LinkedTable, path: Path): void => {
    const { name, observer: observed } = table;
    if (observed !== undefined && observed.rows > 0)
      queries.push({ name, observed, query: queryOfTable(table, observed, path, lines) });
    visitLists(table.members, [], path);
    if (table.value.list !== undefined) visit(table.value.list, [...path, []]);
  };
  const visitLists = ({ byKey }: Members, above: Keys, path: Path): void => {
    for (const { key, object, list } of byKey.values()) {
      const keys = [...above, key];
      if (object !== undefined) visitLists(object, keys, path);
      if (list !== undefined) visit(list, [...path, keys]);
    }
  };
  visit(root, []);
  return queries;
}

/** A column with the number of an item; elements have columns of these names. */
const ROW = 'row_number() OVER ()';

function queryOfTable({ members, value }: LinkedTable, { schema }: ObservedRows, path: Path, lines: LinesFile): string {
  const columns = schema.learned();
  const filled = columns.filter((column) => column.filled > 0);
  const types = new Map(filled.map(({ name, columnType }) => [name, typeName(columnType)]));
  const isItem = path.length === 0;
  const places = new Map([
    [ROW_ID, isItem ? ROW : '"row"'],
    [PARENT_ROW_ID, '"parent"'],
    [POSITION, '"position"'],
    ...Array.from(
      columnsIn(members),
      ([name, keys]) => [name, isItem ? inItem(keys) : within('"element"', keys)] as const,
    ),
    ...(value.column === undefined ? [] : [[value.column, '"element"'] as const]),
  ]);
  const read = ({ name, columnType: type }: LearnedColumn): string => {
    const place = types.has(name) ? places.get(name) : undefined;
    return `${place === undefined ? nullOf(type) : `CAST(${place} AS ${typeName(type)})`} AS ${quoted(name)}`;
  };
  const fields = fieldsIn(members, types);
  const element = types.get(value.column ?? '') ?? structType(fields);
  const from = isItem ? fromLines(lines, fields) : elementsAt(path, element, lines);
  return `SELECT ${columns.map(read).join(', ')} FROM ${from}`;
}

/** Returns the elements of the lists at a path with their number, their index in the list, and the number of the parent. */
function elementsAt(path: Path, element: string, lines: LinesFile): string {
  const keys = path.at(-1) as Keys;
  const above = path.slice(0, -1);
  const isItem = above.length === 0;
  const list = `${element}[]`;
  const lists = isItem
    ? `SELECT ${ROW} AS "row", ${inItem(keys)} AS "list" FROM ${fromLines(lines, [fieldAt(keys, list)])}`
    : `SELECT "row", ${within('"element"', keys)} AS "list" FROM ${elementsAt(above, typeAt(keys, list), lines)}`;
  const elements = `SELECT "row" AS "parent", unnest(range(len("list"))) AS "position", unnest("list") AS "element" FROM (${lists})`;
  return `(SELECT ${ROW} AS "row", "parent", "position", "element" FROM (${elements}))`;
}

/** Returns the columns of the objects at a place, with the keys that lead to their values. */
function* columnsIn({ byKey }: Members, above: Keys = []): Generator<readonly [column: string, Keys]> {
  for (const { key, column, object } of byKey.values()) {
    const keys = [...above, key];
    if (column !== undefined) yield [column, keys];
    if (object !== undefined) yield* columnsIn(object, keys);
  }
}

/** Returns the fields to read of the objects at a place: only keys that have a column of these types, or objects with such keys. */
const fieldsIn = ({ byKey }: Members, types: ReadonlyMap<string, string>): readonly Field[] =>
  Array.from(byKey.values()).flatMap(({ key, column, object }): readonly Field[] => {
    const type = types.get(column ?? '');
    if (type !== undefined) return [[key, type]];
    const fields = object === undefined ? [] : fieldsIn(object, types);
    return fields.length === 0 ? [] : [[key, structType(fields)]];
  });

/** Returns the type of objects; for objects without fields, only their presence matters. */
const structType = (fields: readonly Field[]): string =>
  fields.length === 0 ? 'JSON' : `STRUCT(${fields.map(([key, type]) => `${quoted(key)} ${type}`).join(', ')})`;

/** Returns the type of an object with a value of this type at the keys; without keys, that type itself. */
const typeAt = ([key, ...rest]: Keys, type: string): string =>
  key === undefined ? type : structType([[key, typeAt(rest, type)]]);

const fieldAt = ([key = '', ...rest]: Keys, type: string): Field => [key, typeAt(rest, type)];

const inItem = ([key = '', ...rest]: Keys): string => within(quoted(key), rest);

const within = (value: string, keys: Keys): string =>
  keys.reduce((object, key) => `struct_extract(${object}, ${literal(key)})`, value);

export const nullOf = (type: ColumnType): string => `CAST(NULL AS ${typeName(type)})`;

/**
 * Returns the SQL of the values of a column in a wider type, with times as ISO 8601.
 *
 * @param value an expression of type `from`
 * @param depth the number of lists around it
 * @example converted('"id"', 'integer', 'text') // 'CAST("id" AS VARCHAR)'
 */
export function converted(value: string, from: ColumnType, to: ColumnType, depth = 0): string {
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

/** Returns a value as the text of its JSON; NULL stays NULL. */
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
