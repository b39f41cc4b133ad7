/** Which tables of a folder hold lists of which dataType, from run to run: a run may have none of them. */
import { entriesOf, isList, isObject, objectFrom, ownValue } from '../../core/json/keys';
import { withMember } from '../../core/json/literals';
import type { Json, JsonObject } from '../../core/model';
import type { Bucket, TableLink } from '../../tables/table';

const KEY = 'headwater.children';

/** The tables that are made of the items of a dataType, and what leads from their rows to those of their parents. */
export type TablesOfTypes = ReadonlyMap<string, ReadonlyMap<string, TableLink | undefined>>;

/** What runs have left in the state of a destination. */
export const childTablesIn = (state: JsonObject): TablesOfTypes =>
  new Map(
    membersOf(ownValue(state, KEY)).map(([type, tables]) => [
      type,
      new Map(membersOf(tables).map(([table, link]) => [table, linkIn(link)])),
    ]),
  );

/**
 * The same, with the tables of a run.
 *
 * @param others what other configurations have made: a table of theirs that the run has made anew is no longer theirs
 */
export function withTablesOf(
  known: TablesOfTypes,
  buckets: readonly Bucket[],
  others: TablesOfTypes = new Map(),
): TablesOfTypes {
  const made = new Set(buckets.flatMap(({ tables }) => tables.map(({ name }) => name)));
  const all = new Map(known);
  for (const [type, tables] of others) all.set(type, new Map([...tables].filter(([name]) => !made.has(name))));
  for (const { name, dataType = name, link } of buckets.flatMap(({ tables }) => tables))
    all.set(dataType, new Map([...(all.get(dataType) ?? []), [name, link]]));
  return all;
}

/** A state that keeps them. */
export const withChildTables = (state: JsonObject, types: TablesOfTypes): JsonObject =>
  types.size === 0
    ? state
    : withMember(
        state,
        KEY,
        objectFrom(Array.from(types, ([type, tables]) => [type, objectFrom(Array.from(tables, keptLink))] as const)),
      );

const keptLink = ([table, link]: readonly [string, TableLink | undefined]): readonly [string, Json] => [
  table,
  link === undefined ? null : { ...link },
];

const membersOf = (value: Json | undefined): readonly (readonly [string, Json])[] =>
  isObject(value) ? entriesOf(value) : [];

function linkIn(value: Json): TableLink | undefined {
  if (!isObject(value)) return undefined;
  const { parent, column, of } = value;
  if (typeof parent !== 'string' || typeof column !== 'string' || !isList(of)) return undefined;
  return { parent, column, of: of.filter((name) => typeof name === 'string') };
}
