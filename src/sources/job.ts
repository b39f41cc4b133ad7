import { EMPTY, concat, defer, finalize, identity, of } from 'rxjs';
import type { Observable } from 'rxjs';
import { FatalError } from '../core/errors/errors';
import { responseFacts, withResponseFacts } from '../core/errors/response-facts';
import { DETAILED } from '../core/events';
import type { Report, RunEvent, WarningCode } from '../core/events';
import type { Item, Reply, Response } from '../core/model';
import { stop } from '../language/parts/pagination/paginator';
import type { Arrival, Step } from '../language/parts/pagination/paginator';
import { emit, readAhead, thenVisit } from '../operators';
import type { ReadAheadOptions, Take, Visit } from '../operators';
import { InnerSubscription, beginWith, deferRescued, emitAll } from '../operators/subscription';
import { unfoldVisits } from '../operators/unfold-pages';
import type { JobPlan } from '../plan/plan';
import { runSubmitted } from './asynchronous';
import { isTopLevel, topLevelCall } from './call';
import type { Call } from './call';
import {
  withoutProgress,
  firstState,
  following,
  isLost,
  needsAllPages,
  pagesHere,
  pagesLeft,
  restarted,
  resumedState,
} from './call-state';
import type { CallState } from './call-state';
import { digestOf, parentsOf } from './checkpoint';
import { runChildren } from './children';
import { judgedPage, refusedPage, ruledDoubts } from './completeness/judge';
import type { Judged } from './completeness/judge';
import { graphqlErrors, refuseGraphqlErrors } from './graphql';
import { itemsOf, withoutItems } from './items';
import type { FoundItems, OtherLists } from './items';
import { secondsNow, start, failJob, withJobInErrors } from './job-run';
import type { JobContext, JobRun } from './job-run';
import { itemsLeft, madeOf, pageOf, ruledPage } from './page';
import { sameResponses } from './response-values';
import { adviseOfRedirects } from './steady-redirects';
import { runSlices } from './slices';
import type { SlicesContext } from './slices';
import { verdictOf } from './stops';
import { pagesOf, requireRest } from './streamed-pages';
import { pagesBefore } from './submitted';

type PageVisit = Visit<CallState, RunEvent>;
/** Receives what comes of a visit. */
type Visitor = InnerSubscription<PageVisit>;

/**
 * Returns one job as an Observable: one call, or, if the job is divided (docs/language/jobs.md#windows-and-partitions), one call for each
 * slice.
 *
 * @param plan what to request
 * @param context shared by the jobs of a run
 * @param call the parent items and placeholders of a child call
 * @returns cold: each subscription starts at the first page; unsubscribing closes the sockets of the requests in flight
 * @throws FatalError through the stream: see http/ for those of requests, sources/items.ts for those of responses
 */
export function runJob(plan: JobPlan, context: JobContext, call: Call = topLevelCall(0, 0)): Observable<RunEvent> {
  if (plan.slices === undefined) return runCall(plan, context, call);
  const atOnce = { concurrency: context.concurrency.ofJob(plan), counts: isPage };
  const run: SlicesContext['run'] = (below, how) => runCall(plan, { ...context, ...how }, below);
  return runSlices(plan, plan.slices, { ...context, ...atOnce, call, run }).pipe(withJobInErrors(plan, call));
}

/**
 * Returns one call of a job: the page loop, built with `expand` (docs/language/pagination.md#how-a-job-pages). It emits a `page.extracted`
 * event for each page, in the order of the requests; the events of its children follow right after it.
 */
function runCall(plan: JobPlan, context: JobContext, call: Call): Observable<RunEvent> {
  if (context.owns?.(call.key) === false) return EMPTY;
  const make = (): Observable<RunEvent> => {
    const known = context.progress.get(call.key.join('.'));
    if (known?.position === undefined && known?.parents === undefined && known !== undefined) return EMPTY;
    if (plan.asynchronous !== undefined)
      return runSubmitted(plan.asynchronous, { plan, context, call, known, pagesFrom, childrenOf });
    const running = start(plan, context, call);
    const started: RunEvent = { type: 'job.started', job: running.ref };
    if (known === undefined) {
      if (isReported(running)) return beginWith(started, () => pagesFrom(running, firstState(running)));
      context.meter?.countCall(running.ref);
      return pagesFrom(running, firstState(running));
    }
    if (known.position !== undefined && needsAllPages(running)) {
      return beginWith(started, () => pagesAnew(running, KEYS_FORGOTTEN));
    }
    const children$ = childrenOf(running, known.pages - 1, () => parentsOf(known));
    const rest$ = defer(() =>
      known.position === undefined
        ? of<RunEvent>({ type: 'job.finished', job: running.ref, pages: known.pages, items: known.items })
        : pagesFrom(running, resumedState(running, known)),
    );
    return beginWith(started, () => concat(children$, rest$));
  };
  return deferRescued(make, (error, subscriber) => failJob(plan, call, error, subscriber));
}

/** Returns whether the beginning and the end of a call are reported: calls of children are many, and may be counted instead. */
const isReported = ({ call, context: { meter = DETAILED } }: JobRun): boolean =>
  meter.isDetailed || call.bindings.size === 0;

const KEYS_FORGOTTEN = "the keys that its items had are not kept, and 'unique' needs them";

/** Returns the page loop, starting at a state of the call. */
function pagesFrom(running: JobRun, first: CallState): Observable<RunEvent> {
  const { plan, context } = running;
  const { fetch, close } = pagesOf(running);
  const ahead = pagesAhead(running, fetch);
  const gate = () => context.gate(context.concurrency.prefetchOf(plan, context.prefetch));
  const pages = (take: Take<Step, Response>): Observable<RunEvent> =>
    unfoldVisits<CallState, RunEvent>(
      first,
      (callState, to) => visit(running, callState, take(callState.step, ahead.following(callState)), to),
      { gate },
    );
  const pages$ = ahead.parallel === 1 ? pages(fetch) : readAhead(ahead, pages);
  return close === undefined ? pages$ : pages$.pipe(finalize(close));
}

/** Returns all pages of an interrupted call, from the first one on. */
const pagesAnew = (running: JobRun, because: string): Observable<RunEvent> =>
  running.submitted?.again(because) ?? defer(() => pagesFrom(withoutProgress(running), restarted(running, because)));

/** Returns whether an event is a page: gates count pages only. */
export const isPage = ({ type }: RunEvent): boolean => type === 'page.extracted';

/** Emits a page, the events of its children, and the next state or the end, which completes the visit. */
function visit(running: JobRun, callState: CallState, response$: Observable<Response>, to: Visitor): void {
  const next = (response: Response): void =>
    withResponseFacts(response, running.context.secrets, () => afterResponse(running, callState, response, to));
  new InnerSubscription<Response>(to, { next, ended: () => undefined }).follow(() => response$);
}

/** Steps 2 to 4 of the page loop (docs/language/pagination.md#how-a-job-pages). */
function afterResponse(running: JobRun, callState: CallState, response: Response, to: Visitor): void {
  const { plan, paginator, context } = running;
  if (isLost(running, callState, response)) {
    const because = `the API answers with status ${response.status} at the place where it was broken off`;
    emitAll<RunEvent, PageVisit>(pagesAnew(running, because), to, emit, () => to.complete());
    return;
  }
  requireRest(running, callState.step, response);
  adviseOfRedirects(running, response);
  const ruled = context.judge?.(response);
  if (ruled !== undefined && ruled.kind !== 'last') {
    const doubts = [...itemsLeft(running, response, ruled), ...ruledDoubts(running, callState, ruled)];
    const page = ruledPage(response, ruled, callState.pages, doubts);
    take(running, callState, { taken: page, known: callState.known }, to);
    return;
  }
  const reply = decoded(running, callState, response);
  if (!('response' in reply)) {
    take(running, callState, reply, to);
    return;
  }
  const isJudged = running.completeness !== 'off';
  if (!isJudged && plan.equalPages === 'stop' && isEqual(callState, reply)) {
    notAdvancing(running, callState, to);
    return;
  }
  const whole = itemsOf(plan.items, reply, plan.endpoint, running.filter, othersOf(running, callState));
  if (isJudged) notePlace(running, whole);
  if (plan.graphql !== undefined) refuseErrors(running, reply, whole);
  const arrival = new ArrivedPage(callState.step, reply, whole, secondsNow(running.context));
  const next = paginator.next(arrival);
  const found = withoutItems(whole, paginator.repeated?.(arrival) ?? []);
  const last = running.isOld === undefined ? undefined : found.items.at(-1);
  const isBehind = last !== undefined && running.isOld?.(last) === true;
  const isLast = ruled?.because ?? (isBehind ? BEHIND : undefined);
  const arrived = { reply, found, next: isLast === undefined ? next : stop(isLast), isLast };
  const judged = isJudged
    ? judgedPage(running, callState, arrived)
    : { taken: { evidence: undefined, ...arrived }, known: callState.known };
  take(running, callState, judged, to);
}

/** A page as the method sees it; its items are parsed when it reads them. */
class ArrivedPage implements Arrival {
  readonly count: number;

  constructor(
    readonly step: Step,
    readonly reply: Reply,
    private readonly found: FoundItems,
    readonly now: number,
  ) {
    this.count = found.count;
  }

  get items(): readonly Item[] {
    return this.found.items;
  }
}

const BEHIND = 'The last item of the page lies before the cursor, and so does all that follows.';

/** Decodes a response, or judges one that is refused because the API has no such page. */
function decoded(running: JobRun, callState: CallState, response: Response): Reply | Judged {
  const { context, plan } = running;
  try {
    return context.decode(response, plan, reportOfBody(running, callState));
  } catch (error) {
    const refused = refusedPage(running, callState, response);
    if (refused === undefined) throw error;
    return refused;
  }
}

/** Returns whether a response has the data of the one before, also of one that an interrupted run had. */
const isEqual = ({ previous, resumed }: CallState, reply: Reply): boolean =>
  (previous !== undefined && sameResponses(previous, reply)) ||
  (resumed !== undefined && resumed.digest === digestOf(reply));

/** Returns what other responses of the job had in the place of the items; nothing where the language alone counts. */
function othersOf({ plan, context, completeness }: JobRun, { known }: CallState): OtherLists | undefined {
  if (completeness === 'off' || context.lenient) return undefined;
  const path = context.listPlaces.get(placeKey(context, plan));
  return { inCall: known.hasLists, ...(path === undefined ? {} : { path }) };
}

/** Notes where a list was found: the other calls of the job have theirs there. */
function notePlace({ plan, context }: JobRun, { place, count }: FoundItems): void {
  if (place.kind !== 'list' || count === 0) return;
  const key = placeKey(context, plan);
  if (!context.listPlaces.has(key)) context.listPlaces.set(key, place.path);
}

const placeKey = ({ iteration }: JobContext, { id }: JobPlan): string => `${iteration} ${id}`;

/** Ends a call without another page; the reason is logged if there is one. */
function end(
  running: JobRun,
  { pages, items }: Pick<CallState, 'pages' | 'items'>,
  reason: { readonly because: string; readonly isWanted: boolean } | undefined,
  to: Visitor,
): void {
  const { ref, context } = running;
  const { iteration } = context;
  const isCounted = !isReported(running);
  // The judge of the run has to know that the configuration wanted no more.
  if (reason !== undefined && (!isCounted || reason.isWanted))
    to.next(emit({ type: 'pagination.stopped', iteration, job: ref, ...reason }));
  if (isCounted) context.meter?.countCall(ref, items);
  else to.next(emit({ type: 'job.finished', job: ref, pages, items }));
  to.complete();
}

/** Emits the page, then the events of its children, then the next state or the end. */
function take(running: JobRun, callState: CallState, judged: Judged, to: Visitor): void {
  const { taken, known } = judged;
  const { found } = taken;
  const made = madeOf(running, callState, taken);
  if (found.warning !== undefined && isNews(running, callState) && !isSummedUp(running))
    warn(running, 'NO_DATA', found.warning, isEmptyExpected(running, { ...callState, known }));
  to.next(emit({ type: 'page.extracted', page: pageOf(running, callState, made) }));
  if (to.closed) return;
  const done: CallState = { ...callState, pages: callState.pages + 1, items: callState.items + found.count, known };
  if (running.plan.children.length === 0) {
    proceed(running, done, judged, to);
    return;
  }
  const children$ = childrenOf(running, callState.pages + pagesBefore(running), () => parentsOf(made));
  emitAll<RunEvent, PageVisit>(children$, to, emit, () => proceed(running, done, judged, to));
}

/** Returns whether a call has all items that `total` of the configuration counts; a page without items is then the expected end. */
const hasDeclaredTotal = ({ plan }: JobRun, { items, pages, known: { total } }: CallState): boolean =>
  plan.total !== undefined && pages > 0 && total !== undefined && items >= total.value;

/** Returns whether a page without items is worth a warning: there was none for the page before, and nothing says that it is the end. */
const isNews = (running: JobRun, callState: CallState): boolean =>
  running.completeness === 'off' ||
  (callState.known.last?.warning === undefined && !hasDeclaredTotal(running, callState));

/**
 * Returns whether a page without items is expected and needs no warning: lists end with one, and it is normal for a job that asks only for
 * new items, or whose API counts no items.
 */
const isEmptyExpected = ({ plan, completeness }: JobRun, { pages, known: { total } }: CallState): boolean =>
  completeness !== 'off' && (pages > 0 || plan.incremental !== undefined || total?.value === 0);

/** Returns a report that counts the warnings about a body as warnings of the call. An empty body is as much worth one as an empty list. */
function reportOfBody(running: JobRun, callState: CallState): Report {
  const { ref, context } = running;
  return (event) => {
    if (event.type !== 'warning') context.report(event);
    else if (event.code !== 'EMPTY_BODY') context.report({ ...event, job: event.job ?? ref });
    else if (!hasDeclaredTotal(running, callState) && !isSummedUp(running))
      warn(running, event.code, event.message, isEmptyExpected(running, callState));
  };
}

/**
 * Returns whether the warning at the end of the run covers a call without items: such calls of children are ordinary, and results of
 * asynchronous jobs are judged as a whole.
 */
const isSummedUp = ({ plan, call, completeness }: JobRun): boolean =>
  completeness !== 'off' && (!isTopLevel(call) || plan.asynchronous !== undefined);

const warn = ({ ref, context }: JobRun, code: WarningCode, message: string, isExpected = false): void =>
  context.report({ type: 'warning', code, job: ref, message, ...(isExpected ? { isExpected } : {}) });

const childrenOf = (
  { plan, context, call }: Pick<JobRun, 'plan' | 'context' | 'call'>,
  page: number,
  items: () => readonly Item[],
): Observable<RunEvent> =>
  runChildren(plan.children, items, {
    parent: call,
    page,
    concurrency: context.concurrency.ofJob(plan),
    ...{ ordered: context.ordered, isNeeded: context.isNeeded, owns: context.owns, reporter: context },
    gate: context.gate,
    counts: isPage,
    run: (child, below, gate) =>
      runJob(child.job, { ...context, gate }, below).pipe(context.aroundCall?.(child.job) ?? identity),
  });

/** Ends the job at a response that equals the one before, which is dropped (docs/language/pagination.md#equal-pages). */
function notAdvancing(running: JobRun, callState: CallState, to: Visitor): void {
  const { plan, ref } = running;
  const page = callState.pages;
  const message =
    `Job '${plan.name}' finished when last response matched the previous! Pagination does not advance: ` +
    `page ${page + 1} of ${ref.endpoint} equals page ${page}. Check api.pagination and the job's params.`;
  warn(running, 'PAGINATION_NOT_ADVANCING', message);
  end(running, callState, undefined, to);
}

/** Emits the next state, or ends the job: when the children are done, the common stops are checked first. */
function proceed(running: JobRun, done: CallState, { taken, known, verdict: judged }: Judged, to: Visitor): void {
  const { plan, startedAt, paginator, context } = running;
  const { reply, found, next } = taken;
  const { pages, items } = done;
  const facts = () => ({ reply, items, count: found.count, pages, startedAt, now: secondsNow(context) });
  const verdict = judged ?? verdictOf(plan.stops, done.volume, facts);
  if (next.kind === 'stop' && next.isWanted !== undefined)
    end(running, done, { because: next.because, isWanted: next.isWanted }, to);
  else if (verdict.kind === 'stop')
    end(running, done, { because: verdict.because, isWanted: verdict.why === 'wanted' }, to);
  else if (next.kind === 'stop') end(running, done, { because: next.because, isWanted: false }, to);
  else if (pages >= plan.requestLimit) {
    const message =
      `${plan.path}: ${pages} pages were read and there are more. ` +
      `If that is right, raise requestLimit (now ${plan.requestLimit}) in the job or in config.`;
    throw new FatalError('PAGE_LIMIT', message, responseFacts(reply.response, context.secrets));
  } else {
    const ahead = pagesLeft(plan, { pages, items, reply, pageSize: paginator.pageSize ?? found.count });
    const here = pagesHere(running, { step: next.step, pages, items, known });
    // After a page that was not full, the next position cannot be computed.
    const left = Math.min(here, known.isBeyond ? 1 : ahead);
    reply.raw?.release();
    if (here > 0)
      to.next(thenVisit({ step: next.step, pages, items, volume: verdict.volume, left, previous: reply, known }));
    to.complete();
  }
}

/** How the pages of a call are requested ahead. */
export interface PagesAhead extends ReadAheadOptions<Step, Response> {
  /** Returns the steps that are probably next. */
  readonly following: (callState: CallState) => Iterable<Step>;
}

/**
 * Returns the source of pages, which requests some before the page loop asks for them (docs/language/concurrency.md#parallel-pages). Where
 * cookies are kept, they are part of a request: a page that was requested before another response changed them is requested again, and from
 * then on the pages of the call are requested one after another. The first page comes alone, since it may begin a session.
 */
function pagesAhead(running: JobRun, fetch: PagesAhead['fetch']): PagesAhead {
  const { plan, context } = running;
  const { cookieChanges, concurrency } = context;
  // The limit of a method that cannot run ahead is fixed, so that such a job does not pay for the tuning of others.
  const parallel = plan.pagination.runsAhead === true ? () => concurrency.parallelOf(plan) : plan.pagination.parallel;
  const isSame = (a: Step, b: Step): boolean => a.position === b.position;
  if (cookieChanges === undefined || parallel === 1)
    return { fetch, same: isSame, parallel, following: (callState) => following(running, callState) };
  const changesAt = new WeakMap<Step, number>();
  let isOneByOne = false;
  return {
    parallel,
    fetch: (step) => {
      changesAt.set(step, cookieChanges());
      return fetch(step);
    },
    same: (begun, wanted) => {
      const isStale = changesAt.get(begun) !== cookieChanges();
      isOneByOne ||= isStale;
      return !isStale && isSame(begun, wanted);
    },
    following: (callState) =>
      isOneByOne || callState.pages === 0 || callState.resumed !== undefined ? [] : following(running, callState),
  };
}

/**
 * Refuses a GraphQL response with errors (docs/language/graphql.md#errors). They may come beside a part of the data, which is accepted
 * where the job says that an incomplete one only causes a warning.
 *
 * @throws FatalError API_ERROR
 */
function refuseErrors({ plan, ref, context, completeness }: JobRun, reply: Reply, { place }: FoundItems): void {
  const hasItems = place.kind === 'list' || place.kind === 'value';
  if (completeness !== 'warn' || !hasItems) {
    refuseGraphqlErrors(reply, plan.path);
    return;
  }
  const failures = graphqlErrors(reply);
  if (failures === undefined) return;
  const message = `${plan.path}: data are missing, since the API answers with errors beside them: ${failures}`;
  context.report({ type: 'warning', code: 'INCOMPLETE', job: ref, message });
}
