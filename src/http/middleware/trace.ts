import { asyncScheduler, defer, map } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import type { Middleware, Request, Send, SendTimed } from '../../core/model';

/** Numbers the requests of one run. */
export interface RequestNumbers {
  /** The id of the run. */
  readonly run: string;
  /** Returns 1, 2, 3, … */
  readonly next: () => number;
}

/** The trace of a request, created once and shared by all of its copies. */
class Trace implements NonNullable<Request['trace']> {
  attempt = 0;

  constructor(
    readonly run: string,
    readonly request: number,
  ) {}
}

/**
 * Creates the numbers of a run.
 *
 * @example createNumbers('run-1').next() // 1
 */
export function createNumbers(run: string): RequestNumbers {
  let last = 0;
  return { run, next: () => (last += 1) };
}

/**
 * Gives each request its number, which connects its events. A request with a number keeps it.
 *
 * @example numbered(createNumbers('run-1'))(send)(request)
 */
export const numbered =
  ({ run, next }: RequestNumbers): Middleware =>
  (send) =>
  (request) =>
    request.trace === undefined ? defer(() => send({ ...request, trace: new Trace(run, next()) })) : send(request);

/**
 * Counts the attempts of a request. A middleware of the application may have replaced the request: then it gets a
 * number here.
 *
 * @example countingAttempts(createNumbers('run-1'))(send)(request)
 */
export const countingAttempts =
  ({ run, next }: RequestNumbers): Middleware =>
  (send) =>
  (request) =>
    defer(() => {
      const trace = request.trace instanceof Trace ? request.trace : new Trace(run, next());
      trace.attempt += 1;
      return send(request.trace === trace ? request : { ...request, trace });
    });

/**
 * Adds to each response the time when its request was sent: the time when the answered attempt had finished all of its
 * waits. For redirects the first request counts, because it may be the one that an API has acted upon.
 *
 * @param attempts the middleware that repeats a request
 * @param hops the middleware inside an attempt, such as redirects and rates
 * @example timed(retrying, (inner) => follow(limits.rates(inner)))(send)(login).subscribe(({ sentAt }) => …)
 */
export const timed =
  (attempts: Middleware, hops: Middleware, scheduler: SchedulerLike = asyncScheduler) =>
  (send: Send): SendTimed =>
  (request) =>
    defer(() => {
      // A middleware of the application may answer without sending anything.
      let sentAt = scheduler.now();
      const attempt: Send = (next) =>
        defer(() => {
          let isFirst = true;
          const noting: Send = (hop) =>
            defer(() => {
              if (isFirst) sentAt = scheduler.now();
              isFirst = false;
              return send(hop);
            });
          return hops(noting)(next);
        });
      return attempts(attempt)(request).pipe(map((response) => ({ ...response, sentAt })));
    });
