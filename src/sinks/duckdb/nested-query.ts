/** Queries that make the rows of linked tables from items as they are in a file. */
import { PARENT_ROW_ID, POSITION, ROW_ID } from '../../tables/linked/places';
import type { LinkedTable, Members } from '../../tables/linked/places';
import type { ObservedItems, ObservedRows } from '../linked/observed-rows';
import type { Column } from '../../tables/schema/schema';
import { fromLines } from './query';
import type { LinesFile } from './query';
import { nullOf } from './convert';
import { literal, quoted } from './sql';
import { typeName } from './type-names';

type Keys = readonly string[];

/** The keys that lead from an item, or from an element of the list before, to each list; none: the items themselves. */
type Path = readonly Keys[];

/** A key, and the type of what is read there. */
type Field = readonly [key: string, type: string];

/**
 * A query for each table that has rows. Ids are the numbers of rows in the order of the file: the same as where items are split.
 *
 * @example nestedQueries(observed, { file: 'items.ndjson', largest: 1000 }).get(observed.root) // 'SELECT …'
 */
export function nestedQueries({ root, rows }: ObservedItems, lines: LinesFile): ReadonlyMap<LinkedTable, string> {
  const queries = new Map<LinkedTable, string>();
  const visit = (table: LinkedTable, path: Path): void => {
    const observed = rows.get(table);
    if (observed !== undefined) queries.set(table, queryOf(table, observed, path, lines));
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

/** A column of items whose number is asked for, too; elements have columns of these names. */
const ROW = 'row_number() OVER ()';

function queryOf({ members, value }: LinkedTable, { schema }: ObservedRows, path: Path, lines: LinesFile): string {
  const facts = schema.facts();
  const columns = schema.columns();
  const filled = columns.filter((_, at) => (facts[at]?.filled ?? 0) > 0);
  const types = new Map(filled.map(({ name, type }) => [name, typeName(type)]));
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
  const read = ({ name, type }: Column): string => {
    const place = types.has(name) ? places.get(name) : undefined;
    return `${place === undefined ? nullOf(type) : `CAST(${place} AS ${typeName(type)})`} AS ${quoted(name)}`;
  };
  const fields = fieldsIn(members, types);
  const element = types.get(value.column ?? '') ?? structOf(fields);
  const from = isItem ? fromLines(lines, fields) : elementsAt(path, element, lines);
  return `SELECT ${columns.map(read).join(', ')} FROM ${from}`;
}

/** The elements of the lists at a path with their number, their place in the list, and the number of what has the list. */
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

/** Columns of the objects at a place, with the keys that lead to their values. */
function* columnsIn({ byKey }: Members, above: Keys = []): Generator<readonly [column: string, Keys]> {
  for (const { key, column, object } of byKey.values()) {
    const keys = [...above, key];
    if (column !== undefined) yield [column, keys];
    if (object !== undefined) yield* columnsIn(object, keys);
  }
}

/** What objects at a place are read with: only keys that have a column of these types, or objects with such keys. */
const fieldsIn = ({ byKey }: Members, types: ReadonlyMap<string, string>): readonly Field[] =>
  Array.from(byKey.values()).flatMap(({ key, column, object }): readonly Field[] => {
    const type = types.get(column ?? '');
    if (type !== undefined) return [[key, type]];
    const fields = object === undefined ? [] : fieldsIn(object, types);
    return fields.length === 0 ? [] : [[key, structOf(fields)]];
  });

/** The type of objects; of those without fields, nobody needs more than that they are there. */
const structOf = (fields: readonly Field[]): string =>
  fields.length === 0 ? 'JSON' : `STRUCT(${fields.map(([key, type]) => `${quoted(key)} ${type}`).join(', ')})`;

/** The type of an object with a value of this type at the keys; without keys, that type itself. */
const typeAt = ([key, ...rest]: Keys, type: string): string =>
  key === undefined ? type : structOf([[key, typeAt(rest, type)]]);

const fieldAt = ([key = '', ...rest]: Keys, type: string): Field => [key, typeAt(rest, type)];

const inItem = ([key = '', ...rest]: Keys): string => within(quoted(key), rest);

const within = (value: string, keys: Keys): string =>
  keys.reduce((object, key) => `struct_extract(${object}, ${literal(key)})`, value);
