/** The entries of a mapping (docs/language/mappings.md#types-of-entries), with all defaults filled in. */
import { EXPECTED_TYPE, chosenTypeOf } from '../../core/json/column-type';
import type { ChosenType } from '../../core/json/column-type';
import { defined, entriesOf, isList, isObject, objectFrom, ownValue } from '../../core/json/objects';
import { memberAt } from '../../core/json/literals';
import { placeBelow } from '../../core/json/path';
import type { Place } from '../../core/json/path';
import { isBlank, isScalar, textOf, typeName } from '../../core/json/scalars';
import type { Json, JsonObject } from '../../core/model';

export type MappingEntry = ColumnEntry | UserEntry | TableEntry | SelfEntry;

interface Column {
  /** The place of the entry in the configuration. */
  readonly place: string;
  readonly column: string;
  readonly primaryKey: boolean;
  /** The type of the column in typed tables; absent: learned from its values. */
  readonly type?: ChosenType;
}

/** A column with the value at a path. */
export interface ColumnEntry extends Column {
  readonly kind: 'column';
  readonly path: MappingPath;
  /** True if an array or an object is written as JSON text. */
  readonly forceType: boolean;
  /** True if a string with a date or a time becomes its Unix timestamp. */
  readonly date: boolean;
}

/** A column with a parent or user column of the job, by its raw name. */
export interface UserEntry extends Column {
  readonly kind: 'user';
  readonly name: string;
}

/** A child table. */
export interface TableEntry {
  readonly kind: 'table';
  readonly place: string;
  readonly path: MappingPath;
  readonly table: string;
  /** The child's last column; absent when `parentKey.disable` is set. */
  readonly parentKey?: ParentKey;
  readonly entries: readonly MappingEntry[];
}

/** More rows of the table of the entry. */
export interface SelfEntry {
  readonly kind: 'self';
  readonly path: MappingPath;
}

export interface ParentKey {
  readonly column: string;
  readonly primaryKey: boolean;
  /** The type of the key of the parent, if that is one column with a type. */
  readonly type?: ChosenType;
}

/** The beginning of errors about the definition of a mapping (docs/language/mappings.md#a-mapping). */
export const BAD_MAPPING = 'Bad Json to CSV Mapping configuration: ';

/** Records a fault at a place of the configuration; returns no value. */
export type Refuse = (place: string, message: string) => [];

/** The place of an entry. */
interface Site {
  /** The table that the mapping fills. */
  readonly table: string;
  /** The key of the entry: a path into the item. */
  readonly key: string;
  readonly place: string;
  readonly refuse: Refuse;
}

/** Returns an object as the language sees it: an array has the keys `0`, `1`, … (docs/language/README.md#objects-and-arrays). */
export function asObject(value: Json | undefined): JsonObject | undefined {
  if (isList(value)) return objectFrom(value.map((element, at) => [String(at), element] as const));
  return isObject(value) ? value : undefined;
}

const PLAIN_KEY = /^[^\s.[\]"]+$/;

/** Returns the place of a key in its usual spelling. */
export const placeOf = (place: string, key: string): string =>
  PLAIN_KEY.test(key) ? `${place}.${key}` : `${place}[${JSON.stringify(key)}]`;

/**
 * Returns the entries of a mapping (docs/language/mappings.md#a-mapping) in their order; unusable ones are refused and left out.
 *
 * @param table the table that the mapping fills
 * @param place the place of the mapping, for example `config.mappings.users`
 */
export function readMapping(table: string, mapping: JsonObject, place: string, refuse: Refuse): MappingEntry[] {
  return entriesOf(mapping).flatMap(([key, written]) =>
    readEntry(written, { table, key, place: placeOf(place, key), refuse }),
  );
}

function readEntry(written: Json, site: Site): MappingEntry | [] {
  const { place, refuse } = site;
  const entry = typeof written === 'string' ? { mapping: { destination: written } } : asObject(written);
  if (entry === undefined) return refuse(place, `must be the name of a column or an object, not ${typeName(written)}.`);
  const type = isSet(entry, 'type') ? ownValue(entry, 'type') : 'column';
  if (type === 'table') return readTable(entry, site);
  if (type === 'column' || type === 'date' || type === 'user') return readColumn(type, entry, site);
  const given = isScalar(type) ? textOf(type) : typeName(type);
  return refuse(placeOf(place, 'type'), `Invalid mapping type "${given}". Use column, user, date or table.`);
}

function readColumn(type: 'column' | 'date' | 'user', entry: JsonObject, site: Site): ColumnEntry | UserEntry | [] {
  const { key, place, refuse } = site;
  const mapping = asObject(ownValue(entry, 'mapping'));
  const column = nameAt(mapping, 'destination');
  if (column === undefined)
    return refuse(place, `${BAD_MAPPING}Key 'mapping.destination' is not set for column '${key}'.`);
  const written = nameAt(mapping, 'type');
  const chosen = written === undefined ? undefined : chosenTypeOf(written);
  if (written !== undefined && chosen === undefined)
    return refuse(placeOf(placeOf(place, 'mapping'), 'type'), `expected ${EXPECTED_TYPE}.`);
  const common = { place, column, primaryKey: isSet(mapping, 'primaryKey'), ...defined({ type: chosen }) };
  if (type === 'user') return { kind: 'user', ...common, name: key };
  const forceType = isSet(entry, 'forceType');
  return { kind: 'column', ...common, path: pathOf(entry, key), forceType, date: type === 'date' };
}

function readTable(entry: JsonObject, site: Site): TableEntry | SelfEntry | [] {
  const { table, key, place, refuse } = site;
  const destination = nameAt(entry, 'destination');
  if (destination === undefined) return refuse(place, `${BAD_MAPPING}Key 'destination' is not set for table '${key}'.`);
  const parentKey = readParentKey(entry, table);
  if (destination === table) return readSelf(entry, parentKey, site);
  if (!isSet(entry, 'tableMapping'))
    return refuse(place, `${BAD_MAPPING}Key 'tableMapping' is not set for table '${key}'.`);
  const inside = placeOf(place, 'tableMapping');
  const mapping = asObject(ownValue(entry, 'tableMapping'));
  if (mapping === undefined) return refuse(inside, 'must be an object of columns.');
  return {
    kind: 'table',
    place,
    path: pathOf(entry, key),
    table: destination,
    ...defined({ parentKey }),
    entries: readMapping(destination, mapping, inside, refuse),
  };
}

/** Returns the column that links a child table; `undefined` when it is disabled. */
function readParentKey(entry: JsonObject, parentTable: string): ParentKey | undefined {
  const written = asObject(ownValue(entry, 'parentKey'));
  if (isSet(written, 'disable')) return undefined;
  return { column: nameAt(written, 'destination') ?? `${parentTable}_pk`, primaryKey: isSet(written, 'primaryKey') };
}

function readSelf(entry: JsonObject, parentKey: ParentKey | undefined, { key, place, refuse }: Site): SelfEntry | [] {
  if (parentKey !== undefined)
    return refuse(place, "'parentKey.disable' must be true to parse child values into parent's table.");
  const path = pathOf(entry, key);
  if (path.steps.length > 0) return { kind: 'self', path };
  return refuse(place, 'must lead to a part of the item: an item cannot be its own child.');
}

const pathOf = (entry: JsonObject, key: string): MappingPath => compilePath(key, nameAt(entry, 'delimiter') ?? '.');

const isSet = (object: JsonObject | undefined, key: string): boolean =>
  object !== undefined && !isBlank(ownValue(object, key));

/** Returns a string, or a number as a string; `undefined` when blank. */
function nameAt(object: JsonObject | undefined, key: string): string | undefined {
  const value = object === undefined ? undefined : ownValue(object, key);
  return isScalar(value) && typeof value !== 'boolean' && !isBlank(value) ? textOf(value) : undefined;
}

/** A path that is split once, to be followed in every item; no steps lead to the item itself. */
export interface MappingPath {
  readonly steps: readonly string[];
  readonly delimiter: string;
}

/**
 * Splits a path (docs/language/mappings.md#types-of-entries): an empty one, or the delimiter alone, is the item itself.
 */
export function compilePath(path: string, delimiter: string): MappingPath {
  return { steps: path === '' || path === delimiter ? [] : path.split(delimiter), delimiter };
}

/** Returns the value at a place; `undefined` if there is none. */
export const valueAt = (place: Place | undefined): Json | undefined =>
  place === undefined ? undefined : memberAt(place.holder, place.key);

/**
 * Returns the place to which a path leads; `undefined` when a step is missing. A `null` element of an array counts as missing.
 *
 * @param from the place of the item
 */
export const placeAt = (from: Place, { steps, delimiter }: MappingPath): Place | undefined =>
  placeBelow(from, steps, delimiter);

/**
 * Returns the value at a path; `undefined` when a step is missing, as in {@link placeAt}.
 *
 * @example valueAtPath({ phones: ['1', '2'] }, compilePath('phones.1', '.')) // '2'
 */
export const valueAtPath = (item: Json, path: MappingPath): Json | undefined =>
  valueAt(placeAt({ holder: [item], key: 0 }, path));

/** An entry of a mapping with a path into items. */
interface TrackedPath {
  /** The place of the entry in the configuration. */
  readonly place: string;
  readonly path: MappingPath;
}

/** Tracks which paths of mappings no item has: most likely they are misspelled. */
export class PathTracker {
  readonly #found = new Set<TrackedPath>();
  readonly #missed = new Set<TrackedPath>();

  /** Looks for a path in an item, as long as it has not been found. */
  see(sought: TrackedPath, item: Json): void {
    // Rows of child tables may exist without an item.
    if (item === null || this.#found.has(sought)) return;
    if (valueAtPath(item, sought.path) === undefined) this.#missed.add(sought);
    else this.#found.add(sought);
  }

  /** Returns the places of all entries whose paths no item had. */
  missing(): readonly string[] {
    return [...new Set([...this.#missed].filter((sought) => !this.#found.has(sought)).map(({ place }) => place))];
  }
}
