import { concat, concatMap, defer, EMPTY, map, of, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import { FatalError } from '../errors';
import type { RunEvent } from '../events';
import type { Checkpoint, Item, Page, Reply, Response } from '../model';
import { readAhead, unfoldPages } from '../operators';
import type { Visit } from '../operators';
import type { JobPlan } from '../plan/plan';
import { isTopLevel, topLevelCall } from './call';
import type { Call } from './call';
import { checkpointAfter, digestOf, isStale, parentsOf } from './checkpoint';
import type { Taken } from './checkpoint';
import { runChildren } from './children';
import { itemsOf } from './items';
import { pagesLeft } from './pages-left';
import type { Step } from './pagination/paginator';
import { sameReplies } from './reply-value';
import { cursorOf, secondsNow, start, tellingJob } from './running';
import type { JobContext, Running } from './running';
import { checkStops } from './stops';

/** Where a job run stands before a request. */
interface Turn {
  readonly step: Step;
  /** Pages and items before this request. */
  readonly pages: number;
  readonly items: number;
  /** Bytes of the responses, where a stop counts them. */
  readonly volume: number;
  /** How many pages, this one included, may be requested at all, as far as that is known. */
  readonly left: number;
  readonly previous?: Reply;
  /** The first request of a call that goes on: what is known of the response before. */
  readonly resumed?: Checkpoint;
}

type PageVisit = Visit<Turn, RunEvent>;

/**
 * One job as an Observable (specification 1 and 4.3, language 5.1): the page loop, built with `expand`. Emits a
 * `page.extracted` event for each page, in the order of the requests; those of its children follow right after it.
 * With `parallel` (docs/extensions/flow.md) the loop is the same; only its next requests are sent before it asks for them.
 *
 * @param plan what to request
 * @param context shared by the jobs of a run
 * @param call the parent items and placeholders of a child call
 * @returns cold: each subscription starts at the first page; unsubscribing closes the sockets of the requests in flight
 * @throws FatalError through the stream: see http/ for those of requests, sources/items.ts for those of responses
 */
export function runJob(plan: JobPlan, context: JobContext, call: Call = topLevelCall(0, 0)): Observable<RunEvent> {
  return defer(() => {
    const known = context.progress.get(call.key.join('.'));
    if (known?.position === undefined && known?.parents === undefined && known !== undefined) return EMPTY;
    const running = start(plan, context, call);
    const started$ = of<RunEvent>({ type: 'job.started', job: running.ref });
    if (known === undefined) return concat(started$, pagesFrom(running, firstTurn(running)));
    const children$ = childrenOf(running, known.pages - 1, () => parentsOf(known));
    const rest$ = defer(() =>
      known.position === undefined
        ? of<RunEvent>({ type: 'job.finished', job: running.ref, pages: known.pages, items: known.items })
        : pagesFrom(running, resumedTurn(running, known)),
    );
    return concat(started$, children$, rest$);
  }).pipe(tellingJob(plan, call));
}

/** The page loop, from a turn on. */
function pagesFrom(running: Running, first: Turn): Observable<RunEvent> {
  const { plan, context, bound } = running;
  const fetch = ({ change }: Step): Observable<Response> => context.send(bound.request(change));
  const same = (a: Step, b: Step): boolean => a.position === b.position;
  return readAhead({ fetch, same, parallel: parallelOf(plan) }, (take) =>
    unfoldPages(
      first,
      (turn) =>
        take(turn.step, following(running, turn)).pipe(concatMap((response) => afterResponse(running, turn, response))),
      { gate: () => context.gate(plan.prefetch ?? context.prefetch) },
    ),
  );
}

/** Gates count pages, and nothing else that happens. */
export const isPage = ({ type }: RunEvent): boolean => type === 'page.extracted';

const parallelOf = ({ paging }: JobPlan): number => ('parallel' in paging ? paging.parallel : 1);

/** A call of a child mostly has one page: until that has come, no other is worth a request. */
const leftAtFirst = ({ plan: { stops }, paginator: { pageSize }, call }: Running): number =>
  isTopLevel(call) ? pagesLeft(stops, { pages: 0, items: 0, pageSize }) : 1;

const firstTurn = (running: Running): Turn => ({
  step: running.paginator.first,
  pages: 0,
  items: 0,
  volume: 0,
  left: leftAtFirst(running),
});

function resumedTurn({ paginator, plan }: Running, known: Checkpoint): Turn {
  const { pages, items, volume, position } = known;
  const left = pagesLeft(plan.stops, { pages, items, pageSize: paginator.pageSize });
  return { step: paginator.at(position ?? null), pages, items, volume, left, resumed: known };
}

/** The steps after this one, if all pages are full. */
function* following({ plan, paginator: { after } }: Running, { step, pages, left }: Turn): Iterable<Step> {
  if (after === undefined) return;
  const most = Math.min(left, plan.requestLimit - pages);
  let next = step;
  for (let count = 1; count < most; count += 1) {
    next = after(next);
    yield next;
  }
}

/** Steps 2 to 4 of the page loop of language 5.1. */
function afterResponse(running: Running, turn: Turn, response: Response): Observable<PageVisit> {
  const { plan, ref, filter, paginator, context } = running;
  const isResumed = turn.resumed !== undefined;
  if (isResumed && paginator.after === undefined && isStale(response)) return restarting(running, response);
  const reply = context.decode(response, plan);
  if (turn.previous !== undefined && sameReplies(turn.previous, reply)) return notAdvancing(running, turn);
  if (isResumed && turn.resumed.digest === digestOf(reply)) return notAdvancing(running, turn);
  const found = itemsOf(plan.items, reply, plan.endpoint, filter);
  if (found.warning !== undefined)
    context.report({ type: 'warning', code: 'NO_DATA', job: ref, message: found.warning });
  const next = paginator.next({
    step: turn.step,
    reply,
    count: found.count,
    get items() {
      return found.items;
    },
    now: secondsNow(),
  });
  const taken = { reply, found, next };
  const page$ = emit({ type: 'page.extracted', page: pageOf(running, turn, taken) });
  const done: Turn = { ...turn, pages: turn.pages + 1, items: turn.items + found.count };
  const proceed$ = defer(() => proceed(running, done, taken));
  if (plan.children.length === 0) return concat(page$, proceed$);
  const children$ = childrenOf(running, turn.pages, () => found.items);
  return concat(page$, children$.pipe(map((event) => ({ emit: event }))), proceed$);
}

const childrenOf = (
  { plan, context, call }: Running,
  page: number,
  items: () => readonly Item[],
): Observable<RunEvent> =>
  runChildren(plan.children, items, {
    parent: call,
    page,
    concurrency: context.concurrency.ofJob(plan),
    ordered: context.ordered,
    gate: context.gate,
    counts: isPage,
    run: (child, below, gate) => runJob(child.job, { ...context, gate }, below),
  });

/** Items are left unparsed, and the checkpoint unmade: who never reads them does not pay for them. It is made once. */
function pageOf(running: Running, turn: Turn, taken: Taken): Page {
  const { found, reply } = taken;
  let checkpoint: Checkpoint | undefined;
  return {
    run: running.context.run,
    job: running.ref,
    index: turn.pages,
    count: found.count,
    get items() {
      return found.items;
    },
    lines: found.lines,
    extra: running.extra,
    reply,
    get cursor() {
      return cursorOf(running, found);
    },
    get checkpoint() {
      checkpoint ??= checkpointAfter(running, turn, taken, secondsNow());
      return checkpoint;
    },
  };
}

/** The rule that a first page takes the place of what a call had before makes this safe for what was written. */
function restarting(running: Running, { status }: Response): Observable<PageVisit> {
  const { ref, context } = running;
  const message =
    `Job '${ref.id}' begins again: the API answers with status ${status} at the place where it was broken off. ` +
    `Its pages take the place of those that it had.`;
  context.report({ type: 'warning', code: 'JOB_RESTARTED', job: ref, message });
  return of({ next: firstTurn(running) });
}

function notAdvancing({ ref, context }: Running, { pages, items }: Turn): Observable<PageVisit> {
  const message =
    `Job '${ref.id}' finished when last response matched the previous! Paging does not advance: ` +
    `page ${pages + 1} of ${ref.endpoint} equals page ${pages}. Check api.pagination and the job's params.`;
  context.report({ type: 'warning', code: 'PAGING_NOT_ADVANCING', job: ref, message });
  return emit({ type: 'job.finished', job: ref, pages, items });
}

/** The next turn, or the end of the job: the common stops are asked first, when the children are done. */
function proceed(
  { plan, ref, startedAt, paginator }: Running,
  done: Turn,
  { reply, found, next }: Taken,
): Observable<PageVisit> {
  const { pages, items } = done;
  const verdict = checkStops(plan.stops, { ...done, reply, startedAt, now: secondsNow() });
  const end = (because: string): Observable<PageVisit> =>
    of<PageVisit[]>(
      { emit: { type: 'paging.stopped', job: ref, because } },
      { emit: { type: 'job.finished', job: ref, pages, items } },
    );
  if (verdict.kind === 'stop') return end(verdict.because);
  if (next.kind === 'stop') return end(next.because);
  if (pages < plan.requestLimit) {
    const left = pagesLeft(plan.stops, { pages, items, reply, pageSize: paginator.pageSize ?? found.count });
    return of({ next: { step: next.step, pages, items, volume: verdict.volume, left, previous: reply } });
  }
  const message =
    `${plan.path}: ${pages} pages were read and there are more. ` +
    `If that is right, raise requestLimit (now ${plan.requestLimit}) in the job or in config.`;
  return throwError(() => new FatalError('PAGE_LIMIT', message));
}

const emit = (event: RunEvent): Observable<PageVisit> => of({ emit: event });
