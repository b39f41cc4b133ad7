/** Tables of a folder that are those of other jobs since earlier runs: to overwrite them would lose rows that others lead to. */
import { FatalError } from '../../core/errors/errors';
import type { OutputPlan } from '../../plan/plan';
import { mappingsByBucket } from '../../tables/mapping/by-bucket';
import type { Bucket, Table } from '../../tables/table';
import type { TablesOfTypes } from './child-tables';

/** The tables that other configurations have made, by dataType: jobs of one configuration may share a table. */
export const tablesOfOthers = (known: TablesOfTypes, outputs: readonly OutputPlan[]): TablesOfTypes => {
  const own = new Set(
    outputs.flatMap(({ tables = new Map<string, string>(), jobPlaces = [] }) => [
      ...tables.values(),
      ...jobPlaces.map(({ dataType }) => tables.get(dataType) ?? dataType),
    ]),
  );
  return new Map([...known].filter(([dataType]) => !own.has(dataType)));
};

/** What is asked of a run and of its folder. */
interface Folder {
  readonly outputs: readonly OutputPlan[];
  /** The name of the file of a table as it is in the folder; `undefined`: it is not there. */
  readonly fileOf: (bucket: Bucket, table: Table) => string | undefined;
}

/**
 * Refuses a table that another configuration has made of the lists in its items, and one of lists in the place of another configuration's
 * table. Who gives a table its name with a mapping means it.
 *
 * @param others see {@link tablesOfOthers}
 * @throws FatalError TABLE_NAME
 */
export function checkTaken(buckets: readonly Bucket[], others: TablesOfTypes, { outputs, fileOf }: Folder): void {
  const mapped = new Set(
    [...mappingsByBucket(outputs).values()].flatMap(({ mappings }) => mappings.tables.map(nameOf)),
  );
  for (const bucket of buckets)
    for (const table of bucket.tables) {
      const [owner, tables] = [...others].find(([type, made]) => type !== table.dataType && made.has(table.name)) ?? [];
      if (owner === undefined || mapped.has(table.name)) continue;
      const isOfList = tables?.get(table.name) !== undefined;
      if (!isOfList && table.link === undefined) continue;
      const file = fileOf(bucket, table);
      if (file !== undefined) throw taken(table, { owner, isOfList, file });
    }
}

const nameOf = ({ name }: { readonly name: string }): string => name;

function taken(
  { name, dataType = name }: Table,
  { owner, isOfList, file }: { readonly owner: string; readonly isOfList: boolean; readonly file: string },
): FatalError {
  const [table, job, other] = [name, dataType, owner].map((each) => JSON.stringify(each));
  const fault = isOfList
    ? `is that of a list in the items of another job, ${other}, since an earlier run.`
    : `is that of another job, ${other}, since an earlier run, and a list in the items of ${job} would take its place.`;
  const remedy = `Give the job ${job} another "dataType", or remove the file ${JSON.stringify(file)} if nobody needs it any more.`;
  return new FatalError('TABLE_NAME', `The table ${table} ${fault} ${remedy}`, { table: name });
}
