/** Final tables: rows that no longer fit are made again, tables get their names in the order of their creation. */
import { FatalError } from '../../core/errors/errors';
import type { Naming } from './columns';
import type { DataTypeBuilder, Spools } from './data-type-builder';
import { itemsOf } from './page-log';
import type { PageLog } from './page-log';
import type { RowWriter } from './rows';
import type { Spool } from '../files/spool';
import { spooledTable } from '../files/spooled-table';
import { safeName } from '../names';
import type { GaveWay, Table, TableLink } from '../table';
import type { CreationOrder, ListField, ObjectPlan, TablePlan } from './table-plan';

/** Rows of one dataType that fit its final structure. */
interface FinalRows {
  readonly writer: RowWriter;
  readonly spools: Spools;
}

/** A builder at the end of a run: the rows of pages before `limit` are made again. */
interface Remake {
  readonly builder: DataTypeBuilder;
  readonly again: FinalRows;
  readonly limit: number;
}

/** A table that has rows. */
interface Created {
  readonly dataType: string;
  readonly plan: TablePlan;
  readonly created: CreationOrder;
  readonly parts: readonly Spool[];
}

export interface UnfinishedTables {
  readonly builders: readonly DataTypeBuilder[];
  readonly log: PageLog;
  readonly naming: Naming;
  /** Whether a column of the items of a dataType had this name in earlier runs. */
  readonly isKnown: (dataType: string, name: string) => boolean;
  /** Writes what the spools hold in memory to files, when it is much. */
  readonly flush: () => Promise<void>;
}

/**
 * The tables of all builders that have rows and columns (docs/language/tables.md#names-of-tables), in the order of their
 * creation.
 *
 * @throws FatalError `API_SHAPE` when different columns go to one table
 */
export async function finishTables(unfinished: UnfinishedTables): Promise<readonly Table[]> {
  const { builders, log, naming, isKnown, flush } = unfinished;
  const remakes = planRemakes(builders);
  await makeAgain(remakes, log, flush);
  const tables = new Map<string, Table>();
  const created = remakes.flatMap(createdTables).sort(byCreation);
  for (const { dataType, plan, parts } of created) {
    const columns = naming.columns(plan.element, plan.extraNames);
    const known = tables.get(plan.name);
    const gaveWay = gaveWayIn(columns, plan.extraNames, (name) => isKnown(dataType, name));
    if (known === undefined)
      tables.set(plan.name, spooledTable({ name: plan.name, dataType, columns, primaryKey: [], gaveWay }, parts));
    else if (known.columns.join('\n') !== columns.join('\n')) throw differentColumns(plan.name);
  }
  const links = linksBetween(created, tables);
  return Array.from(tables.values(), (table) => {
    const [link, ...others] = links.get(table.name) ?? [];
    return link === undefined || others.length > 0 ? table : { ...table, link };
  }).filter(({ columns }) => columns.length > 0);
}

/** @param columns the columns of a table: those of placeholders and of user data are the last ones */
function gaveWayIn(
  columns: readonly string[],
  extra: readonly string[],
  isKnown: (name: string) => boolean,
): ReadonlyMap<string, GaveWay> {
  const named = extra.map((raw, at) => [safeName(raw), columns[columns.length - extra.length + at] ?? ''] as const);
  return new Map(
    named.flatMap(([name, column]) => (name === column ? [] : [[name, { column, isNew: !isKnown(name) }] as const])),
  );
}

/** What leads from the tables of arrays to those of the objects that have them, by the table of the array. */
function linksBetween(
  created: readonly Created[],
  tables: ReadonlyMap<string, Table>,
): ReadonlyMap<string, readonly TableLink[]> {
  const links = new Map<string, TableLink[]>();
  for (const { plan } of created)
    for (const { column, table } of plan.object === undefined ? [] : listsIn(plan.object)) {
      const [from, to] = [tables.get(plan.name)?.columns[column], tables.get(table.name)?.columns.at(-1)];
      if (from === undefined || to === undefined) continue;
      links.set(table.name, [...(links.get(table.name) ?? []), { parent: plan.name, column: to, of: [from] }]);
    }
  return links;
}

const listsIn = ({ fields }: ObjectPlan): readonly ListField[] =>
  fields.flatMap((field) => (field.kind === 'list' ? [field] : field.kind === 'object' ? listsIn(field.object) : []));

/** When dataTypes share a table, all rows are made again, so that they stand in the order of their pages. */
function planRemakes(builders: readonly DataTypeBuilder[]): readonly Remake[] {
  const names = builders.flatMap((builder) => [...new Set(builder.freshWriter.tables.map(({ name }) => name))]);
  const shared: Spools | undefined = new Set(names).size < names.length ? new Map<string, Spool>() : undefined;
  return builders.map((builder) => {
    const spools: Spools = shared ?? new Map<string, Spool>();
    const limit = shared === undefined ? builder.firstFresh : Infinity;
    return { builder, limit, again: { spools, writer: builder.writerTo(spools) } };
  });
}

async function makeAgain(remakes: readonly Remake[], log: PageLog, flush: () => Promise<void>): Promise<void> {
  const byType = new Map(remakes.map((remake) => [remake.builder.dataType, remake]));
  const end = Math.max(0, ...remakes.map(({ builder, limit }) => (builder.firstPage < limit ? limit : 0)));
  let page = 0;
  if (end === 0) return;
  for await (const logged of log.pages()) {
    const remake = byType.get(logged.dataType);
    if (remake !== undefined && page < remake.limit) {
      remake.again.writer.write(itemsOf(logged), logged.texts, logged.extra, page);
      await flush();
    }
    page += 1;
    if (page >= end) return;
  }
}

function createdTables({ builder, again, limit }: Remake): readonly Created[] {
  const keepsFresh = limit !== Infinity;
  return again.writer.tables.flatMap((plan, at) => {
    const fresh = keepsFresh ? builder.freshWriter.tables[at] : undefined;
    const created = plan.created ?? fresh?.created;
    return created === undefined
      ? []
      : [
          {
            dataType: builder.dataType,
            plan,
            created,
            parts: fresh === undefined ? [plan.lines] : [plan.lines, fresh.lines],
          },
        ];
  });
}

const byCreation = (a: Created, b: Created): number =>
  a.created.page - b.created.page || a.created.order - b.created.order;

const differentColumns = (name: string): FatalError =>
  new FatalError(
    'API_SHAPE',
    `Multiple results for '${name}' table have different columns! Give one of the jobs another "dataType".`,
    { table: name },
  );
