import { catchError, concatMap, defer, map, of, throwError, timer } from 'rxjs';
import type { Observable } from 'rxjs';
import { RetryableError } from '../core/errors/errors';
import { requestFields } from '../core/errors/request-fields';
import { responseFacts } from '../core/errors/response-facts';
import type { Response } from '../core/model';
import { abortable } from '../operators';
import type { StreamPlan } from '../plan/plan';
import type { JobRun } from './job-run';
import { otherResponse, OpenStream } from './open-stream';
import { streamPosition } from '../language/parts/pagination/streamed';
import type { StreamPosition } from '../language/parts/pagination/streamed';
import type { Step } from '../language/parts/pagination/paginator';

/** Gives pages, each as a response of its own. */
export interface PageSource {
  readonly fetch: (step: Step) => Observable<Response>;
  /** Closes the connection of a response that is not over; absent: each response is over when it is given. */
  readonly close?: () => void;
}

/** How the pages of a job come: each by a request of its own, or all cut from one response. */
export function pagesOf(running: JobRun): PageSource {
  const { plan, context, bound } = running;
  if (plan.stream !== undefined) return streamedPages(running, plan.stream);
  return { fetch: ({ change }) => context.send(bound.request(change)) };
}

const NOTHING: StreamPosition = { items: 0, digest: '' };
const OK = 200;
const FIRST_PAUSE = 1000;
const MOST_DOUBLINGS = 6;

/**
 * Cuts the response of a job into pages while it arrives (docs/language/large-responses.md). A page ends at a position: so many
 * items, with this digest. To go on at a position that the open response is not at, because the run was broken off or the
 * connection broke, the request is sent again, and the items up to the position are passed over; another digest of them is an
 * error. Each page that is asked for takes from the connection what it needs; in between it is paused.
 *
 * @param plan how pages are cut
 */
function streamedPages({ plan: { endpoint }, bound, context }: JobRun, plan: StreamPlan): PageSource {
  let open: OpenStream | undefined;

  const close = (): void => {
    open?.cancel();
    open = undefined;
  };
  const begin = (step: Step): Observable<OpenStream | Response> =>
    context.send({ ...bound.request(step.change), streams: true }).pipe(
      map((response) => {
        if (response.status !== OK) return response;
        return (open = new OpenStream(response, plan, context, endpoint));
      }),
    );
  const page = (step: Step, breaks: number): Observable<Response> => {
    const position = streamPosition(step.position) ?? NOTHING;
    const source = defer(() => {
      if (open?.isAt(position) === true) return of(open);
      close();
      return begin(step);
    });
    return source.pipe(
      concatMap((from) => {
        if (!(from instanceof OpenStream)) return of(from);
        return pageFrom(from, position).pipe(catchError((error: unknown) => again(error, from, step, breaks)));
      }),
    );
  };
  /** What breaks before the response has begun has been retried already; this is about what breaks in the middle. */
  const again = (error: unknown, from: OpenStream, step: Step, breaks: number): Observable<Response> => {
    if (!(error instanceof RetryableError) || breaks >= context.streams.maxRetries) return throwError(() => error);
    const delayMilliseconds = FIRST_PAUSE * 2 ** Math.min(breaks, MOST_DOUBLINGS);
    const because = `${error.message} It broke off after item ${from.given}: the items that came are passed over.`;
    const told = { ...requestFields(from.request, context.secrets), retry: breaks + 1, delayMilliseconds, because };
    context.report({ type: 'retry.scheduled', ...told });
    return timer(delayMilliseconds, context.scheduler).pipe(concatMap(() => page(step, breaks + 1)));
  };

  return { close, fetch: (step) => page(step, 0) };
}

/**
 * Refuses a response without a body to cut, where an earlier one has given items already: what `ignoreErrors`, a rule or a status
 * such as 204 makes a page without items would end the job in the middle.
 *
 * @throws FatalError RESUME, or what the status or a rule says
 */
export function requireRest({ plan, context }: JobRun, { position }: Step, response: Response): void {
  const items = streamPosition(position)?.items ?? 0;
  if (plan.stream === undefined || items === 0 || response.status === OK) return;
  if (context.judge?.(response) === undefined) context.decode(response, plan, () => undefined);
  const what = `it has the status ${response.status} now, and ${items} items had come`;
  throw otherResponse(plan.endpoint, what, responseFacts(response, context.secrets));
}

/** Reads a page; whoever leaves before it is there closes the connection. */
const pageFrom = (from: OpenStream, position: StreamPosition): Observable<Response> =>
  abortable(async (abortion) => {
    abortion.onAbort(() => from.cancel());
    return from.page(position).catch((error: unknown) => {
      from.cancel();
      throw error;
    });
  });
