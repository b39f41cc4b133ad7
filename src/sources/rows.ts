/** RowsPlan of what is no list of objects (docs/language/rows.md). */
import { FatalError } from '../core/errors/errors';
import { objectOf } from '../core/json/literals';
import type { Field } from '../core/json/literals';
import { isList, isObject, keysOf } from '../core/json/objects';
import { pathHint, placeAt, valueAt } from '../core/json/path';
import { isScalar, textOf, typeName } from '../core/json/scalars';
import type { Item, Json, JsonArray, JsonObject } from '../core/model';
import type { RowsMethod, RowsPlan } from '../plan/plan';

type Fields = readonly Field[];

/**
 * Returns the rows that a response has. Numbers keep the spelling of the API.
 *
 * @param found the value at `dataField`: the elements of a list, or the value itself
 * @param delimiter what separates the keys of the paths of `rows`
 * @throws FatalError API_SHAPE for a value that cannot be made rows in this way, or a member of the response that is not there
 * @example rowsOf([[1, 'a']], data, { method: { kind: 'names', names: ['id', 'name'] }, add: {} }, '.') // [{ id: 1, name: 'a' }]
 */
export function rowsOf(found: JsonArray, data: Json, { method, add }: RowsPlan, delimiter: string): readonly Item[] {
  const added = Object.entries(add).map(([key, path]): Field => {
    const place = isObject(data) || isList(data) ? placeAt(data, path, delimiter) : undefined;
    if (place !== undefined) return { key, holder: place.holder, from: place.key };
    throw misfit(`add.${key}`, `the response has no value at ${JSON.stringify(path)}.${pathHint(path, delimiter)}`);
  });
  return fieldsOf(found, data, method, delimiter).map((fields) => objectOf(differing([...fields, ...added])));
}

function fieldsOf(found: JsonArray, data: Json, method: RowsMethod, delimiter: string): readonly Fields[] {
  switch (method.kind) {
    case 'items':
      return found.map((item) => membersOf(item, 'add'));
    case 'keys':
      return found.flatMap((map) => keyed(objectIn(map, 'keys'), method.column));
    case 'columns':
      return found.flatMap((columns) => alongside(objectIn(columns, 'columns')));
    case 'header': {
      const [first, ...others] = found;
      return named(others, namesIn(first, 'header'), 'header');
    }
    case 'names': {
      const names =
        typeof method.names === 'string' ? namesIn(valueAt(data, method.names, delimiter), 'names') : method.names;
      return named(found, names, 'names');
    }
  }
}

const membersOf = (item: Json, option: string): Fields => {
  const object = objectIn(item, option);
  return keysOf(object).map((key) => ({ key, holder: object, from: key }));
};

/** A member that is no object is in the column `value`. */
const keyed = (map: JsonObject, column: string): readonly Fields[] =>
  keysOf(map).map((key) => {
    const value = map[key] ?? null;
    if (!isObject(value))
      return [
        { key: column, holder: [key], from: 0 },
        { key: 'value', holder: map, from: key },
      ];
    // Many objects repeat the key under which they stand.
    const own = value[column];
    const isRepeated = isScalar(own) && textOf(own) === key;
    return [...(isRepeated ? [] : [{ key: column, holder: [key], from: 0 }]), ...membersOf(value, 'keys')];
  });

function alongside(object: JsonObject): readonly Fields[] {
  const [columns, others] = [keysOf(object).filter((key) => isList(object[key])), membersOf(object, 'columns')];
  const [[name, length] = ['', 0], ...rest] = columns.map((key) => [key, lengthOf(object[key])] as const);
  const [other] = rest.filter(([, own]) => own !== length);
  if (columns.length === 0) throw misfit('columns', 'the value has no arrays');
  if (other !== undefined)
    throw misfit(
      'columns',
      `${JSON.stringify(name)} has ${length} elements, and ${JSON.stringify(other[0])} has ${other[1]}`,
    );
  return Array.from({ length }, (_, at) =>
    others.map((field): Field => {
      const column = object[field.key];
      return isList(column) ? { key: field.key, holder: column, from: at } : field;
    }),
  );
}

const lengthOf = (value: Json | undefined): number => (isList(value) ? value.length : 0);

/** A row that is shorter than the names lacks its last members. */
const named = (rows: JsonArray, names: readonly string[], option: string): readonly Fields[] =>
  rows.map((row, at) => {
    if (!isList(row)) throw misfit(option, `row ${at + 1} is ${typeName(row)}, where an array was expected`);
    if (row.length > names.length)
      throw misfit(option, `row ${at + 1} has ${row.length} elements, and there are ${names.length} names`);
    return row.map((_, index) => ({ key: names[index] ?? '', holder: row, from: index }));
  });

/** Returns names from a response: scalars, or objects with a `name`, as many APIs describe their columns. */
function namesIn(value: Json | undefined, option: string): readonly string[] {
  const names = isList(value) ? value.map((each) => (isObject(each) ? each['name'] : each)) : [];
  if (names.length === 0 || !names.every((name) => isScalar(name)))
    throw misfit(option, `there are no names: an array of them was expected, not ${typeName(value)}`);
  return names.map((name) => textOf(name));
}

function objectIn(value: Json, option: string): JsonObject {
  if (isObject(value)) return value;
  throw misfit(option, `the value is ${typeName(value)}, where an object was expected`);
}

/** @throws FatalError API_SHAPE where two members would have the same name */
function differing(fields: Fields): Fields {
  const keys = new Set<string>();
  for (const { key } of fields) {
    if (keys.has(key)) throw misfit('', `a row would have two members ${JSON.stringify(key)}. Choose another name`);
    keys.add(key);
  }
  return fields;
}

const misfit = (option: string, what: string): FatalError =>
  new FatalError('API_SHAPE', `"rows${option === '' ? '' : `.${option}`}" does not fit the response: ${what}`);
