import { asyncScheduler, defer, map } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import type { Middleware, Send, SendTimed } from '../../core/model';

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
