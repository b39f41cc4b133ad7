/** Final tables: rows that no longer fit are made again, tables get their names in the order of their creation. */
import { FatalError } from '../../errors';
import type { Naming } from './columns';
import type { Feed, Spools } from './feed';
import { itemsOf } from './page-log';
import type { PageLog } from './page-log';
import type { RowWriter } from './rows';
import type { Spool } from '../files/spool';
import { spooledTable } from '../files/spooled-table';
import type { Table } from '../table';
import type { Birth, TablePlan } from './table-plan';

/** Rows of one dataType that fit its final structure. */
interface FinalRows {
  readonly writer: RowWriter;
  readonly spools: Spools;
}

/** A feed at the end: the pages before `limit` have been made again. */
interface Remake {
  readonly feed: Feed;
  readonly again: FinalRows;
  readonly limit: number;
}

/** A table that has rows. */
interface Created {
  readonly plan: TablePlan;
  readonly birth: Birth;
  readonly parts: readonly Spool[];
}

export interface Unfinished {
  readonly feeds: readonly Feed[];
  readonly log: PageLog;
  readonly naming: Naming;
  /** Writes what is held in memory, when it is much. */
  readonly settle: () => Promise<void>;
}

/**
 * The tables of all feeds that have rows and columns (docs/language/tables.md#names-of-tables), in the order of their
 * creation.
 *
 * @throws FatalError `API_SHAPE` when different columns go to one table
 */
export async function finishTables({ feeds, log, naming, settle }: Unfinished): Promise<readonly Table[]> {
  const remakes = planRemakes(feeds);
  await makeAgain(remakes, log, settle);
  const tables = new Map<string, Table>();
  for (const { plan, parts } of remakes.flatMap(createdTables).sort(byBirth)) {
    const columns = naming.columns(plan.element, plan.extraNames);
    const known = tables.get(plan.name);
    if (known === undefined) tables.set(plan.name, spooledTable({ name: plan.name, columns, primaryKey: [] }, parts));
    else if (known.columns.join('\n') !== columns.join('\n')) throw differentColumns(plan.name);
  }
  return [...tables.values()].filter(({ columns }) => columns.length > 0);
}

/** When dataTypes share a table, all rows are made again, so that they stand in the order of their pages. */
function planRemakes(feeds: readonly Feed[]): readonly Remake[] {
  const names = feeds.flatMap((feed) => [...new Set(feed.freshWriter.tables.map(({ name }) => name))]);
  const shared: Spools | undefined = new Set(names).size < names.length ? new Map<string, Spool>() : undefined;
  return feeds.map((feed) => {
    const spools: Spools = shared ?? new Map<string, Spool>();
    const limit = shared === undefined ? feed.firstFresh : Infinity;
    return { feed, limit, again: { spools, writer: feed.writerTo(spools) } };
  });
}

async function makeAgain(remakes: readonly Remake[], log: PageLog, settle: () => Promise<void>): Promise<void> {
  const byType = new Map(remakes.map((remake) => [remake.feed.dataType, remake]));
  const end = Math.max(0, ...remakes.map(({ feed, limit }) => (feed.firstPage < limit ? limit : 0)));
  let page = 0;
  if (end === 0) return;
  for await (const logged of log.pages()) {
    const remake = byType.get(logged.dataType);
    if (remake !== undefined && page < remake.limit) {
      remake.again.writer.write(itemsOf(logged), logged.texts, logged.extra, page);
      await settle();
    }
    page += 1;
    if (page >= end) return;
  }
}

function createdTables({ feed, again, limit }: Remake): readonly Created[] {
  const keepsFresh = limit !== Infinity;
  return again.writer.tables.flatMap((plan, at) => {
    const fresh = keepsFresh ? feed.freshWriter.tables[at] : undefined;
    const birth = plan.birth ?? fresh?.birth;
    return birth === undefined
      ? []
      : [{ plan, birth, parts: fresh === undefined ? [plan.lines] : [plan.lines, fresh.lines] }];
  });
}

const byBirth = (a: Created, b: Created): number => a.birth.page - b.birth.page || a.birth.order - b.birth.order;

const differentColumns = (name: string): FatalError =>
  new FatalError(
    'API_SHAPE',
    `Multiple results for '${name}' table have different columns! Give one of the jobs another "dataType".`,
    { table: name },
  );
