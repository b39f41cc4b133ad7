/** Which tables of a folder hold the lists of which dataType, across runs: a run may have none of them. */
import { FatalError } from '../../core/errors/errors';
import { withMember } from '../../core/json/literals';
import { basename } from 'node:path';
import { entriesOf, objectAt, objectFrom } from '../../core/json/objects';
import type { Json, JsonObject } from '../../core/model';
import type { OutputPlan } from '../../plan/plan';
import { mappingsByBucket } from '../../tables/mapping/mapping';
import type { Bucket, Table, TableLink } from '../../tables/table';

const KEY = 'headwater.children';

/** The tables that are made of the items of a dataType, and the columns that lead from their rows to those of their parents. */
export type TablesOfTypes = ReadonlyMap<string, ReadonlyMap<string, TableLink | undefined>>;

/** Returns the tables in the state of a destination. */
export const childTablesIn = (state: JsonObject): TablesOfTypes =>
  new Map(
    entriesOf(objectAt(state, KEY)).map(([type, tables]) => [
      type,
      new Map(entriesOf(tables as JsonObject).map(([table, link]) => [table, linkIn(link)])),
    ]),
  );

/**
 * Returns the same, updated with the tables of a run.
 *
 * @param others the tables of other configurations; one that the run has made again no longer belongs to them
 */
export function withTablesOf(known: TablesOfTypes, buckets: readonly Bucket[], others: TablesOfTypes): TablesOfTypes {
  const made = new Set(buckets.flatMap(({ tables }) => tables.map(({ name }) => name)));
  const all = new Map(known);
  for (const [type, tables] of others) all.set(type, new Map([...tables].filter(([name]) => !made.has(name))));
  for (const { name, dataType = name, link } of buckets.flatMap(({ tables }) => tables))
    all.set(dataType, new Map([...(all.get(dataType) ?? []), [name, link]]));
  return all;
}

/** Returns a state that keeps them. */
export const withChildTables = (state: JsonObject, types: TablesOfTypes): JsonObject =>
  types.size === 0
    ? state
    : withMember(
        state,
        KEY,
        objectFrom(
          Array.from(types, ([type, tables]) => {
            const links = Array.from(tables, ([table, link]) => [table, link ? { ...link } : null] as const);
            return [type, objectFrom(links)] as const;
          }),
        ),
      );

/** What a folder keeps has a checksum: it is what {@link withChildTables} wrote. */
const linkIn = (value: Json): TableLink | undefined => (value ?? undefined) as TableLink | undefined;

/** Returns the tables that other configurations have made, by dataType: jobs of one configuration may share a table. */
export const tablesOfOthers = (known: TablesOfTypes, outputs: readonly OutputPlan[]): TablesOfTypes => {
  const own = new Set(
    outputs.flatMap(({ tables = new Map<string, string>(), jobPlaces = [] }) => [
      ...tables.values(),
      ...jobPlaces.map(({ dataType }) => tables.get(dataType) ?? dataType),
    ]),
  );
  return new Map([...known].filter(([dataType]) => !own.has(dataType)));
};

/** The outputs of a run, and its folder. */
interface Folder {
  readonly outputs: readonly OutputPlan[];
  /** Returns the path of the file of a table in the folder; `undefined`: it does not exist. */
  readonly oldFile: (bucket: Bucket, table: Table) => string | undefined;
}

/**
 * Refuses a table that another configuration made of the lists in its items, and a table of lists that would replace another
 * configuration's table: rows that others lead to would be lost. A name that a mapping gives to a table is intended.
 *
 * @param others see {@link tablesOfOthers}
 * @throws FatalError TABLE_NAME
 */
export function checkTaken(buckets: readonly Bucket[], others: TablesOfTypes, { outputs, oldFile }: Folder): void {
  const mappings = [...mappingsByBucket(outputs).values()].flatMap((each) => each.mappings.tables);
  const mapped = new Set(mappings.map(({ name }) => name));
  for (const bucket of buckets)
    for (const table of bucket.tables) {
      const [owner, tables] = [...others].find(([type, made]) => type !== table.dataType && made.has(table.name)) ?? [];
      if (owner === undefined || mapped.has(table.name)) continue;
      const isOfList = tables?.get(table.name) !== undefined;
      if (!isOfList && table.link === undefined) continue;
      const file = oldFile(bucket, table);
      if (file !== undefined) throw taken(table, owner, { isOfList, file: basename(file) });
    }
}

function taken(
  { name, dataType = name }: Table,
  owner: string,
  { isOfList, file }: { readonly isOfList: boolean; readonly file: string },
): FatalError {
  const [table, job, other] = [name, dataType, owner].map((each) => JSON.stringify(each));
  const fault = isOfList
    ? `is that of a list in the items of another job, ${other}, since an earlier run.`
    : `is that of another job, ${other}, since an earlier run, and a list in the items of ${job} would take its place.`;
  const remedy = `Give the job ${job} another "dataType", or remove the file ${JSON.stringify(file)} if nobody needs it any more.`;
  return new FatalError('TABLE_NAME', `The table ${table} ${fault} ${remedy}`, { table: name });
}

/** Returns the tables of a bucket, and those that earlier runs made of the same dataTypes, without rows: parents before their children. */
export function parentsFirst({ tables }: Bucket, known: TablesOfTypes): readonly Table[] {
  const names = new Set(tables.map(({ name }) => name));
  const all = new Map(tables.map((table) => [table.name, table]));
  for (const dataType of new Set(tables.map((table) => table.dataType ?? table.name)))
    for (const [child, link] of known.get(dataType) ?? [])
      if (!names.has(child) && link !== undefined) all.set(child, withoutRows(child, dataType, link));
  const depthOf = (table: Table | undefined, seen = 0): number =>
    table?.link === undefined || seen > all.size ? 0 : 1 + depthOf(all.get(table.link.parent), seen + 1);
  return [...all.values()].sort((a, b) => depthOf(a) - depthOf(b));
}

function withoutRows(name: string, dataType: string, link: TableLink): Table {
  const none = { [Symbol.asyncIterator]: async function* (): AsyncGenerator<never> {} };
  const head = { name, dataType, link, columns: [], primaryKey: [], count: 0 };
  return { ...head, rows: none, csv: none, saveCsv: () => Promise.resolve() };
}

/** Returns the columns that lead from the child tables of a table to its rows, by the names of the tables. */
export function linksBelow(
  { name, dataType = name }: Table,
  { tables }: Bucket,
  known: TablesOfTypes,
): readonly (readonly [child: string, link: TableLink])[] {
  const links = new Map([...(known.get(dataType) ?? []), ...tables.map((table) => [table.name, table.link] as const)]);
  return [...links].flatMap(([child, link]) => (link?.parent === name ? [[child, link] as const] : []));
}
