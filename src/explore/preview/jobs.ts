/** What came of each job, from the events of the run and what it sent. */
import type { IterationPlan, JobPlan } from '../../plan/plan';
import type { NestingOptions } from '../../sinks/linked/nesting';
import type { Collected, Seen } from './collect';
import type { JobPreview, PagePreview } from './model';
import { pagePreviews } from './pages';
import type { Around, Sent } from './pages';
import { shownValue } from './bounded';
import { tablesOf } from './tables';

/** What a preview has gathered. */
export interface Gathered extends Around, NestingOptions {
  readonly collected: Collected;
  readonly sent: readonly Sent[];
  readonly startedAt: number;
  readonly isNeeded: ((job: JobPlan) => boolean) | undefined;
}

/** A job, and the one that it is called for. */
interface Placed {
  readonly plan: JobPlan;
  readonly parent?: JobPlan;
  readonly filter?: string;
}

export async function jobPreviews(
  iterations: readonly IterationPlan[],
  gathered: Gathered,
): Promise<readonly JobPreview[]> {
  const made: JobPreview[] = [];
  for (const { jobs, output } of iterations)
    for (const placed of jobs.flatMap((plan) => withChildren({ plan }))) {
      if (gathered.isNeeded?.(placed.plan) === false) continue;
      const parent = made.find(({ path }) => path === placed.parent?.path);
      made.push(await jobPreview(placed, parent, { ...gathered, output }));
    }
  return made;
}

const withChildren = (placed: Placed): readonly Placed[] => [
  placed,
  ...placed.plan.children.flatMap(({ job, filter }) =>
    withChildren({ plan: job, parent: placed.plan, ...(filter === undefined ? {} : { filter }) }),
  ),
];

async function jobPreview(
  { plan, parent: above, filter }: Placed,
  parent: JobPreview | undefined,
  gathered: Gathered & Pick<IterationPlan, 'output'>,
): Promise<JobPreview> {
  const { collected, sent, secrets, items, startedAt, nested, output } = gathered;
  const { id, path, endpoint, dataType } = plan;
  const masked = (text: string): string => secrets.mask(text);
  const seen: Seen = collected.of(path) ?? { pages: [], warnings: [] };
  const own = sent.filter(({ request: { purpose } }) => purpose.kind === 'page' && purpose.path === path);
  const pages = pagePreviews(plan, seen, own, gathered);
  const state = seen.error !== undefined ? 'failed' : seen.pages.length > 0 ? 'previewed' : 'notReached';
  const how = { most: items, startedAt, ...(nested === undefined ? {} : { nested }) };
  const tables = await tablesOf(seen.pages, [output], how);
  return {
    ...{ id: masked(id), path, endpoint: masked(endpoint), dataType: masked(dataType) },
    ...(above === undefined ? {} : { parent: masked(above.id) }),
    ...(seen.placeholders === undefined ? {} : { placeholders: seen.placeholders }),
    state,
    ...(state === 'notReached' ? { reason: masked(reasonOf(plan, parent, filter)) } : {}),
    ...(seen.error === undefined ? {} : { error: seen.error }),
    pages: pages.map((page) => ({
      ...page,
      found: { ...page.found, path: masked(page.found.path) },
      moreBecause: masked(page.moreBecause),
    })),
    exchanges: own.map(({ shown }) => shown),
    tables: tables.map((table) => ({
      ...{ ...table, name: masked(table.name) },
      ...(table.parent === undefined ? {} : { parent: masked(table.parent) }),
      columns: table.columns.map((column) => ({ ...column, name: masked(column.name) })),
      rows: table.rows.map((row) => row.map((cell) => shownValue(cell, secrets))),
    })),
    warnings: [...shortOf(endpoint, pages.at(-1)), ...seen.warnings].map(masked),
  };
}

/** The silent short result, before it happens. */
function shortOf(endpoint: string, last: PagePreview | undefined): readonly string[] {
  if (last === undefined || last.more !== 'yes' || last.next.request !== undefined) return [];
  return [
    `A run would stop here, and the API has more of ${endpoint}. ${last.moreBecause} ` +
      `Paging stops because: ${last.next.because} Set api.pagination, or the pagination of the job, accordingly.`,
  ];
}

function reasonOf({ slices }: JobPlan, parent: JobPreview | undefined, filter: string | undefined): string {
  if (parent === undefined) {
    return slices === undefined
      ? 'the run ended before it'
      : 'there is nothing to request: no window, or no value of a partition';
  }
  if (parent.state === 'failed') return 'its parent failed';
  if (parent.state === 'notReached') return 'its parent was not reached';
  if (parent.pages.every(({ count }) => count === 0)) return 'its parent had no items';
  if (filter !== undefined) return `no item of its parent passes the recursionFilter ${JSON.stringify(filter)}`;
  return 'no item of its parent led to it, or another child of its parent failed before';
}
