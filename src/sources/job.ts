import { concat, concatMap, defer, of } from 'rxjs';
import type { Observable } from 'rxjs';
import { FatalError } from '../errors';
import type { Report, RunEvent } from '../events';
import { sameJson } from '../json/same';
import type { JobRef, Json, Page, Reply, Response, Send } from '../model';
import { unfoldPages } from '../operators';
import type { Visit } from '../operators';
import type { JobPlan, RunTimes } from '../plan/plan';
import type { Secrets } from '../secrets';
import { findItems } from './items';
import { paginatorFor } from './pagination/methods';
import type { Next, Paginator, Step } from './pagination/paginator';

/** What the jobs of one run share. */
export interface JobContext {
  readonly send: Send;
  /** Reads a response; fails for one that cannot be used. */
  readonly decode: (response: Response) => Reply;
  readonly report: Report;
  readonly secrets: Secrets;
  readonly times: RunTimes;
  readonly baseUrl: string;
  /** Emits when the consumer is ready for another page; asked before each request. */
  readonly gate: () => Observable<unknown>;
}

/** Where a job run stands before a request. */
interface Turn {
  readonly step: Step;
  /** Pages and items before this request. */
  readonly pages: number;
  readonly items: number;
  readonly previous?: { readonly data: Json | undefined };
}

type PageVisit = Visit<Turn, RunEvent>;

/**
 * One job as an Observable (specification 1 and 4.3, language 5.1): the page loop, built with `expand`. Emits a
 * `page.extracted` event for each page, in the order of the requests.
 *
 * @param job what to request
 * @param context shared by the jobs of a run
 * @returns cold: each subscription starts at the first page; unsubscribing closes the socket of the request in flight
 * @throws FatalError through the stream: see http/ for those of requests, sources/items.ts for those of responses
 */
export function runJob(job: JobPlan, context: JobContext): Observable<RunEvent> {
  return defer(() => {
    const ref: JobRef = { id: job.id, path: job.path, endpoint: job.endpoint, dataType: job.dataType };
    const params = job.params(context.times);
    context.secrets.add(...params.secrets);
    const paginator = paginatorFor(job.paging, {
      path: job.path,
      params: params.values,
      baseUrl: context.baseUrl,
      endpointUrl: job.url,
    });
    const visit = (turn: Turn): Observable<PageVisit> =>
      context
        .send(job.request(turn.step.change))
        .pipe(concatMap((response) => afterResponse(job, ref, paginator, turn, context, response)));
    const first: Turn = { step: paginator.first, pages: 0, items: 0 };
    return concat(of<RunEvent>({ type: 'job.started', job: ref }), unfoldPages(first, visit, { gate: context.gate }));
  });
}

/** Steps 2 to 4 of the page loop of language 5.1. */
function afterResponse(
  job: JobPlan,
  ref: JobRef,
  paginator: Paginator,
  turn: Turn,
  context: JobContext,
  response: Response,
): Observable<PageVisit> {
  const reply = context.decode(response);
  if (turn.previous !== undefined && sameJson(turn.previous.data, reply.data)) {
    context.report({
      type: 'warning',
      code: 'PAGING_NOT_ADVANCING',
      job: ref,
      message:
        `Job '${ref.id}' finished when last response matched the previous! Paging does not advance: ` +
        `page ${turn.pages + 1} of ${ref.endpoint} equals page ${turn.pages}. Check api.pagination and the job's params.`,
    });
    return emit({ type: 'job.finished', job: ref, pages: turn.pages, items: turn.items });
  }
  const { items, warning } = findItems(job.items, reply.data, job.endpoint);
  if (warning !== undefined) context.report({ type: 'warning', code: 'NO_DATA', job: ref, message: warning });
  const pages = turn.pages + 1;
  const next = paginator.next({ step: turn.step, reply, items });
  const position = next.kind === 'step' ? next.step.position : undefined;
  const page: Page = { job: ref, index: turn.pages, items, reply, checkpoint: { job: ref.id, pages, position } };
  const extracted = emit({ type: 'page.extracted', page });
  return concat(extracted, proceed(job, ref, next, { ...turn, pages, items: turn.items + items.length }, reply));
}

/** The next turn, or the end of the job. */
function proceed(job: JobPlan, ref: JobRef, next: Next, done: Turn, reply: Reply): Observable<PageVisit> {
  if (next.kind === 'stop')
    return concat(
      emit({ type: 'paging.stopped', job: ref, because: next.because, level: 'info' }),
      emit({ type: 'job.finished', job: ref, pages: done.pages, items: done.items }),
    );
  if (done.pages >= job.requestLimit)
    return defer(() => {
      throw new FatalError(
        'PAGE_LIMIT',
        `${job.path}: ${done.pages} pages were read and there are more. ` +
          `If that is right, raise requestLimit (now ${job.requestLimit}) in the job or in config.`,
      );
    });
  return of({ next: { ...done, step: next.step, previous: { data: reply.data } } });
}

const emit = (event: RunEvent): Observable<PageVisit> => of({ emit: event });
