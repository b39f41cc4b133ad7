import { asyncScheduler, catchError, throwError } from 'rxjs';
import type { MonoTypeOperatorFunction, SchedulerLike, Subscriber } from 'rxjs';
import { addFacts, FatalError, eventError } from '../core/errors/errors';
import type { HeadwaterError } from '../core/errors/errors';
import { jsonPathOf } from '../core/json/path';
import type { Meter, Report, RunEvent } from '../core/events';
import type { Completeness } from '../core/evidence';
import type {
  Checkpoint,
  Cursors,
  Item,
  JobRef,
  PagesHere,
  Progress,
  Reply,
  Request,
  Response,
  Send,
} from '../core/model';
import type { WindowGate } from '../operators';
import type { BoundJob, JobPlan, RunTimes, StreamPlan } from '../plan/plan';
import type { Secrets } from '../core/secrets/secrets';
import type { Answers, Submitted } from './submitted';
import type { Call } from './call';
import { warnOfChangedAddress, parentColumns } from './call';
import type { Concurrency } from './concurrency';
import { completenessOf } from './completeness/judgement';
import { seenIds, visitedPages } from './completeness/facts';
import type { SeenIds, VisitedPages } from './completeness/facts';
import { cursorIn, olderThanCursor, startBy, withCursor } from './incremental';
import type { FoundItems } from './items';
import type { Paginator } from '../language/parts/pagination/paginator';
import { nodeOf } from './graphql';
import { responseFilter, shapingOf } from './shaping/shaping';
import { soughtBy } from './shaping/sought-fields';
import type { SoughtTracker } from './shaping/sought-fields';
import type { Shaping } from './shaping/shaping';

/** How streamed responses are read (docs/language/large-responses.md). */
export interface StreamAccess {
  readonly open: (
    response: Response,
    format: StreamPlan['format'],
  ) => {
    readonly bytes: AsyncIterable<Uint8Array>;
    readonly textOf: (bytes: Uint8Array) => string;
    /** Returns whether a response that was cut off could look complete. */
    readonly mayBeCut: () => boolean;
  };
  /** The maximum number of retries of a response that breaks off at the same page. */
  readonly maxRetries: number;
  /** The maximum time in milliseconds to wait for the next item, and the error after that; absent: there is no limit. */
  readonly patience?: { readonly milliseconds: number; readonly overdue: (request: Request) => HeadwaterError };
}

/**
 * What a rule of the configuration makes of a response: one without items (`skip`), which ends the pagination because the configuration wants no
 * more (`stop`) or the API has no more (`end`), or the last page (`last`).
 */
export interface Ruled {
  readonly kind: 'skip' | 'stop' | 'end' | 'last';
  readonly because: string;
  /** True if the rule looks at nothing but the status, which a wrong address may have as well. */
  readonly isByStatus: boolean;
}

/** How the requests of a job have been redirected so far; `over` where one was not, or not in the same way, or the advice was given. */
export type SteadyRedirect = { readonly advice: string; readonly requests: number } | 'over';

/** The state that the jobs of one run share. */
export interface JobContext {
  /** The number of the run in its configuration. */
  readonly iteration: number;
  readonly send: Send;
  /** Decodes a response, and warns by `report`; fails for a response that cannot be used. */
  readonly decode: (response: Response, plan: Pick<JobPlan, 'format' | 'items'>, report: Report) => Reply;
  /** Opens streamed responses. */
  readonly streams: StreamAccess;
  /** Returns how often responses have changed the cookies of requests; absent: no cookies are kept. */
  readonly cookieChanges?: () => number;
  /** Returns the decision of the rules about a response; fails where they say so; absent: there are no rules. */
  readonly judge?: (response: Response) => Ruled | undefined;
  readonly answers: Answers;
  /** The clock; `asyncScheduler` by default. */
  readonly scheduler?: SchedulerLike;
  readonly report: Report;
  /** Counts calls of children where nobody listens to every event; absent: each is reported. */
  readonly meter?: Meter;
  /** The once-a-job warnings that were given; absent: they are given each time. */
  readonly warnOnce?: Set<string>;
  readonly secrets: Secrets;
  readonly times: RunTimes;
  readonly baseUrl: string;
  /** The gate before each page, with the number of pages that may wait for the consumer. */
  readonly gate: WindowGate;
  /** How many pages may wait for the consumer, for jobs without a `prefetch` of their own. */
  readonly prefetch: number;
  /** True if pages come in the order of the configuration, whatever runs at once. */
  readonly ordered: boolean;
  /** How much of a job runs at once, and how far ahead; may change at any time. */
  readonly concurrency: Pick<Concurrency, 'ofJob' | 'parallelOf' | 'prefetchOf'>;
  /** The last checkpoints of calls that an earlier run has begun. */
  readonly progress: Progress;
  /** The cursors of incremental jobs, as the last run left them. */
  readonly cursors: Cursors;
  /** How incomplete jobs without their own setting are treated (docs/completeness.md). */
  readonly completeness: Completeness;
  /** True if an incomplete job only causes a warning, whatever the configuration says. */
  readonly lenient: boolean;
  /** Where jobs had their list of items, by the number of the run and the id, for those that do not name its place. */
  readonly listPlaces: Map<string, readonly string[]>;
  /** How jobs have been redirected so far, by id. */
  readonly redirects: Map<string, SteadyRedirect>;
  /** Returns whether a job is called as the child of another; absent: every job is. */
  readonly isNeeded?: ((job: JobPlan) => boolean) | undefined;
  /** Returns whether a call, by its key, belongs to this run; absent: each does. Several processes may share the calls of a run. */
  readonly owns?: ((call: Call['key']) => boolean) | undefined;
  /** Returns how many more pages of a call are requested here; absent: all. */
  readonly pagesHere?: PagesHere | undefined;
  /** Wraps each call of a child, so that one that fails does not end the others; absent: it ends them. */
  readonly aroundCall?: ((job: JobPlan) => MonoTypeOperatorFunction<RunEvent>) | undefined;
}

/** One call of a job with everything that its page loop needs. */
export interface JobRun {
  readonly plan: JobPlan;
  readonly ref: JobRef;
  readonly call: Call;
  readonly bound: BoundJob;
  readonly paginator: Paginator;
  readonly filter: ReturnType<typeof responseFilter>;
  /** Makes the delivered items of a page. */
  readonly shape: Shaping;
  /** Records which of the fields that the configuration names the items have. */
  readonly sought: SoughtTracker;
  /** Returns whether an item lies before the cursor, where that ends the pagination. */
  readonly isOld?: (item: Item) => boolean;
  readonly extra: ReadonlyMap<string, string>;
  /** What the call has submitted; absent for a job that is not asynchronous. */
  readonly submitted?: Submitted;
  readonly completeness: Completeness;
  /** The pages that the call has seen; unused if completeness is off. */
  readonly visited: VisitedPages;
  /** The same pages by their items alone, if they have other keys as well. */
  readonly visitedItems: VisitedPages;
  /** The ids of the items that the call has had. */
  readonly ids: SeenIds;
  /** Unix seconds. */
  readonly startedAt: number;
  readonly context: JobContext;
}

/** Returns the reference of the job that a call belongs to. */
export function jobRefOf({ id, path, endpoint, dataType }: JobPlan, { bindings }: Call): JobRef {
  const placeholders = Object.fromEntries([...bindings].map(([name, { text }]) => [name, text]));
  return { id, path, endpoint, dataType, ...(bindings.size === 0 ? {} : { placeholders }) };
}

/** Adds the job to errors; errors of a child already have it. */
export const withJobInErrors = <T>(plan: JobPlan, call: Call): MonoTypeOperatorFunction<T> =>
  catchError((error: unknown) => throwError(() => addFacts(error, { job: jobRefOf(plan, call) })));

/** Adds the job to the error of a call, and emits `job.failed` before it. */
export function failJob(plan: JobPlan, call: Call, error: unknown, subscriber: Subscriber<RunEvent>): void {
  const job = jobRefOf(plan, call);
  const failure = addFacts(error, { job });
  subscriber.next({ type: 'job.failed', job, error: eventError(failure) });
  subscriber.error(failure);
}

/** @throws FatalError EXPRESSION_FAILED */
export function start(plan: JobPlan, context: JobContext, call: Call, submitted?: Submitted): JobRun {
  const { times } = context;
  const { bindings, slice } = call;
  const values = slice === undefined ? { times, bindings } : { times, bindings, slice };
  const bound = plan.bind(submitted === undefined ? values : { ...values, bindings: submitted.bindings });
  context.secrets.add(...bound.secrets);
  warnOfChangedAddress(plan, context, call);
  const ref = jobRefOf(plan, call);
  const paginator = plan.pagination.paginator({
    path: plan.path,
    // The parameters for new items were already sent with the submission.
    params: submitted === undefined ? withCursor(plan, bound.params, context.cursors, ref.placeholders) : bound.params,
    ...(ref.placeholders === undefined ? {} : { placeholders: ref.placeholders }),
    ...(bound.body === undefined ? {} : { body: bound.body }),
    ...(plan.graphql === undefined ? {} : { graphql: true as const }),
    baseUrl: context.baseUrl,
    endpointUrl: bound.url,
  });
  refuseChoice(plan, paginator);
  const sought = soughtBy(plan);
  const isOld = olderThanCursor(plan, context.cursors, ref.placeholders);
  return {
    plan,
    context,
    call,
    bound,
    ref,
    paginator,
    filter: filterOf(plan),
    shape: shapingOf(plan.shaping, values, plan.path, sought.look, isOld),
    ...(isOld !== undefined && plan.incremental?.older === 'end' ? { isOld } : {}),
    sought,
    completeness: completenessOf(plan, context),
    visited: visitedPages(),
    visitedItems: visitedPages(),
    ids: seenIds(plan.isKeyId),
    startedAt: secondsNow(context),
    extra: extraOf(plan, context, call),
    ...(submitted === undefined ? {} : { submitted }),
  };
}

/** Returns the columns that a call adds to each of its rows. */
export const extraOf = (
  plan: JobPlan,
  { times, lenient }: JobContext,
  { bindings, slice }: Call,
): ReadonlyMap<string, string> =>
  new Map([
    ...plan.userData({ times, ...(slice === undefined ? {} : { slice }) }),
    ...parentColumns(bindings, lenient),
  ]);

/** Refuses a path that chooses some items of a page, which would then look like a last page; `filter` is meant for that. */
function refuseChoice({ path, items }: JobPlan, { by }: Paginator): void {
  if (by === 'nothing' || items.path === undefined || jsonPathOf(items.path, items.delimiter)?.chooses !== true) return;
  const message =
    `${path}.dataField: ${items.path} chooses among the items of a page, so their number does not show the last page. ` +
    `Let dataField lead to all items, and choose by "filter".`;
  throw new FatalError('CONFIG_INVALID', message);
}

/** Returns the change to each item before anything reads it. */
function filterOf({ graphql, responseFilter: kept, shaping, path }: JobPlan): JobRun['filter'] {
  const filter = responseFilter(kept);
  const node = graphql?.edges === undefined ? undefined : nodeOf(graphql.edges.fields, path);
  if (node !== undefined) return filter === undefined ? node : (item) => filter(node(item));
  return filter ?? (shaping === undefined ? undefined : asItIs);
}

/** Items that change are read with the spelling of their numbers. */
const asItIs = (item: Item): Item => item;

/** Unix seconds. */
export const secondsNow = ({ scheduler = asyncScheduler }: Pick<JobContext, 'scheduler'>): number =>
  scheduler.now() / 1000;

/** The items of a page before and after the job has changed them. */
interface Arrived {
  readonly found: Pick<FoundItems, 'items' | 'values'>;
  readonly delivered: Pick<FoundItems, 'items' | 'values'>;
  readonly reply: Reply;
}

/** Returns the items of a page that have the field of the cursor: as the API sent them, or as `steps` have made them. */
export const cursorSource = ({ shaping }: JobPlan, { found, delivered }: Omit<Arrived, 'reply'>): Arrived['found'] =>
  shaping?.steps === undefined ? found : delivered;

/** Returns how far a page of the job comes. */
export const cursorOf = (
  { plan, ref, context: { times, cursors } }: JobRun,
  { found, delivered, reply: { response } }: Arrived,
): Checkpoint['cursor'] | undefined =>
  plan.incremental === undefined
    ? undefined
    : cursorIn(plan, ref.placeholders, cursorSource(plan, { found, delivered }), {
        startedAt: startBy(response, times.currentStart),
        cursors,
      });
