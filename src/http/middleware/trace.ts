import { asyncScheduler, defer, map } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import type { Middleware, Request, Send, SendTimed } from '../../core/model';

/** Numbers the requests of one run. */
export interface RequestNumbers {
  /** The id of the run. */
  readonly run: string;
  /** Gives 1, 2, 3, … */
  readonly next: () => number;
}

/** Made once a request, and shared by all that is made of the request on its way. */
class Trace implements NonNullable<Request['trace']> {
  attempt = 0;

  constructor(
    readonly run: string,
    readonly request: number,
  ) {}
}

/**
 * @example createNumbers('run-1').next() // 1
 */
export function createNumbers(run: string): RequestNumbers {
  let last = 0;
  return { run, next: () => (last += 1) };
}

/**
 * Gives each request its number, by which events can be joined. One that has a number keeps it.
 *
 * @example numbered(createNumbers('run-1'))(send)(request)
 */
export const numbered =
  ({ run, next }: RequestNumbers): Middleware =>
  (send) =>
  (request) =>
    request.trace === undefined ? defer(() => send({ ...request, trace: new Trace(run, next()) })) : send(request);

/**
 * Counts how often a request is sent. A middleware of the application may have made it anew: then it gets a number here.
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
 * Says of each response when its request was sent: when the attempt that it answers had waited for all there was to wait
 * for. Of redirects it is the first request that counts, since it may be the one that an API has acted upon.
 *
 * @param attempts repeats a request
 * @param hops what one attempt passes, redirects and rates for example
 * @example timed(retrying, (inner) => follow(limits.rates(inner)))(send)(login).subscribe(({ sentAt }) => …)
 */
export const timed =
  (attempts: Middleware, hops: Middleware, scheduler: SchedulerLike = asyncScheduler) =>
  (send: Send): SendTimed =>
  (request) =>
    defer(() => {
      // A middleware of the application may answer by itself.
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
