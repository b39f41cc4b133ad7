import { concat, concatMap, defer, of, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import type { ResponseFormat } from '../config/configuration';
import { FatalError } from '../errors';
import type { Report, RunEvent } from '../events';
import { sameJson } from '../json/same';
import type { JobRef, Json, Page, Reply, Response, Send } from '../model';
import { unfoldPages } from '../operators';
import type { Visit } from '../operators';
import type { BoundJob, JobPlan, RunTimes } from '../plan/plan';
import type { Secrets } from '../secrets';
import { TOP_LEVEL } from './call';
import type { Call } from './call';
import { runChildren } from './children';
import { findItems } from './items';
import { paginatorFor } from './pagination/methods';
import type { Next, Paginator, Step } from './pagination/paginator';
import { parentColumns } from './placeholders';
import { responseFilter } from './response-filter';
import { checkStops } from './stops';

/** What the jobs of one run share. */
export interface JobContext {
  /** The number of the run in its configuration. */
  readonly run: number;
  readonly send: Send;
  /** Reads a response; fails for one that cannot be used. */
  readonly decode: (response: Response, format?: ResponseFormat) => Reply;
  readonly report: Report;
  readonly secrets: Secrets;
  readonly times: RunTimes;
  readonly baseUrl: string;
  /** Emits when the consumer is ready for another page; asked before each request. */
  readonly gate: () => Observable<unknown>;
}

/** One job run, made ready. */
interface Running {
  readonly plan: JobPlan;
  readonly ref: JobRef;
  readonly call: Call;
  readonly bound: BoundJob;
  readonly paginator: Paginator;
  readonly filter: ReturnType<typeof responseFilter>;
  readonly extra: ReadonlyMap<string, string>;
  /** Unix seconds. */
  readonly startedAt: number;
  readonly context: JobContext;
}

/** Where a job run stands before a request. */
interface Turn {
  readonly step: Step;
  /** Pages and items before this request. */
  readonly pages: number;
  readonly items: number;
  /** Bytes of the responses, where a stop counts them. */
  readonly volume: number;
  readonly previous?: { readonly data: Json | undefined };
}

type PageVisit = Visit<Turn, RunEvent>;

/**
 * One job as an Observable (specification 1 and 4.3, language 5.1): the page loop, built with `expand`. Emits a
 * `page.extracted` event for each page, in the order of the requests; those of its children follow right after it.
 *
 * @param plan what to request
 * @param context shared by the jobs of a run
 * @param call the parent items and placeholders of a child call
 * @returns cold: each subscription starts at the first page; unsubscribing closes the socket of the request in flight
 * @throws FatalError through the stream: see http/ for those of requests, sources/items.ts for those of responses
 */
export function runJob(plan: JobPlan, context: JobContext, call: Call = TOP_LEVEL): Observable<RunEvent> {
  return defer(() => {
    const running = start(plan, context, call);
    const visit = (turn: Turn): Observable<PageVisit> =>
      context
        .send(running.bound.request(turn.step.change))
        .pipe(concatMap((response) => afterResponse(running, turn, response)));
    const first: Turn = { step: running.paginator.first, pages: 0, items: 0, volume: 0 };
    return concat(
      of<RunEvent>({ type: 'job.started', job: running.ref }),
      unfoldPages(first, visit, { gate: context.gate }),
    );
  });
}

function start(plan: JobPlan, context: JobContext, call: Call): Running {
  const { id, path, endpoint, dataType } = plan;
  const texts = new Map([...call.filling].map(([name, { text }]) => [name, text]));
  const bound = plan.bind({ times: context.times, filling: call.filling });
  context.secrets.add(...bound.secrets);
  return {
    plan,
    context,
    call,
    bound,
    ref: { id, path, endpoint, dataType, ...(texts.size === 0 ? {} : { placeholders: Object.fromEntries(texts) }) },
    paginator: paginatorFor(plan.paging, {
      path,
      params: bound.params,
      baseUrl: context.baseUrl,
      endpointUrl: bound.url,
    }),
    filter: responseFilter(plan.responseFilter),
    startedAt: secondsNow(),
    extra: new Map([...plan.userData(context.times), ...parentColumns(call.filling)]),
  };
}

/** Steps 2 to 4 of the page loop of language 5.1. */
function afterResponse(running: Running, turn: Turn, response: Response): Observable<PageVisit> {
  const { plan, ref, filter, extra, paginator, context, call } = running;
  const reply = context.decode(response, plan.format);
  if (turn.previous !== undefined && sameJson(turn.previous.data, reply.data)) return notAdvancing(running, turn);
  const found = findItems(plan.items, reply.data, plan.endpoint);
  if (found.warning !== undefined)
    context.report({ type: 'warning', code: 'NO_DATA', job: ref, message: found.warning });
  const items = filter === undefined ? found.items : found.items.map(filter);
  const pages = turn.pages + 1;
  const next = paginator.next({ step: turn.step, reply, items, now: secondsNow() });
  const position = next.kind === 'step' ? next.step.position : undefined;
  const page: Page = {
    run: context.run,
    job: ref,
    index: turn.pages,
    items,
    extra,
    reply,
    checkpoint: { job: ref.id, pages, position },
  };
  return concat(
    emit({ type: 'page.extracted', page }),
    runChildren(plan.children, items, call, (child, below) => runJob(child.job, context, below)).pipe(concatMap(emit)),
    defer(() => proceed(running, next, { ...turn, pages, items: turn.items + items.length }, reply)),
  );
}

function notAdvancing({ ref, context }: Running, { pages, items }: Turn): Observable<PageVisit> {
  const message =
    `Job '${ref.id}' finished when last response matched the previous! Paging does not advance: ` +
    `page ${pages + 1} of ${ref.endpoint} equals page ${pages}. Check api.pagination and the job's params.`;
  context.report({ type: 'warning', code: 'PAGING_NOT_ADVANCING', job: ref, message });
  return emit({ type: 'job.finished', job: ref, pages, items });
}

/** The next turn, or the end of the job: the common stops are asked first, when the children are done. */
function proceed({ plan, ref, startedAt }: Running, next: Next, done: Turn, { data }: Reply): Observable<PageVisit> {
  const { pages, items } = done;
  const verdict = checkStops(plan.stops, { ...done, data, startedAt, now: secondsNow() });
  const end = (because: string): Observable<PageVisit> =>
    concat(emit({ type: 'paging.stopped', job: ref, because }), emit({ type: 'job.finished', job: ref, pages, items }));
  if (verdict.kind === 'stop') return end(verdict.because);
  if (next.kind === 'stop') return end(next.because);
  if (pages < plan.requestLimit)
    return of({ next: { ...done, step: next.step, volume: verdict.volume, previous: { data } } });
  const message =
    `${plan.path}: ${pages} pages were read and there are more. ` +
    `If that is right, raise requestLimit (now ${plan.requestLimit}) in the job or in config.`;
  return throwError(() => new FatalError('PAGE_LIMIT', message));
}

const secondsNow = (): number => Date.now() / 1000;

const emit = (event: RunEvent): Observable<PageVisit> => of({ emit: event });
