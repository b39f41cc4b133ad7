import { catchError, concat, concatMap, defer, from, ignoreElements, of, take, takeWhile, tap, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import { FatalError } from '../core/errors/errors';
import type { Report, RunEvent } from '../core/events';
import type { Checkpoint } from '../core/model';
import type { WindowGate } from '../operators';
import type { Cap } from '../plan/slices';

/** How a slice is requested of which the API gives only so many items. */
export interface CappedCall {
  /** Runs its call, held back by nothing, and reports by what it is given. */
  readonly run: (report: Report) => Observable<RunEvent>;
  readonly report: Report;
  /** What each of its pages waits for, once they are delivered. */
  readonly gate: WindowGate;
  /** Runs the calls of its halves. */
  readonly halves: () => Observable<RunEvent>;
}

/**
 * A call whose pages are held until all have come: where they have as many items as the API gives at most, they are dropped,
 * with what it warned of, and its halves are requested in its place (docs/language/jobs.md#capped-windows). What is held has
 * fewer items than the cap, and one page more.
 *
 * @param known where an earlier run has left the call, of which it has delivered pages
 * @throws FatalError PAGE_LIMIT through the stream when it cannot be halved
 */
export const unlessCapped = (
  { items: most, path, shown, halves: parts }: Cap,
  known: Checkpoint | undefined,
  { run, report, gate, halves }: CappedCall,
): Observable<RunEvent> =>
  defer(() => {
    let items = known?.items ?? 0;
    const held: RunEvent[] = [];
    const hold: Report = (event) => (event.type === 'warning' ? void held.push(event) : report(event));
    const probe$ = run(hold).pipe(
      tap((event) => {
        held.push(event);
        // The items as the API gave them, and none of before where the call began again.
        if (event.type === 'page.extracted') items = event.page.checkpoint.items;
      }),
      takeWhile(() => items < most),
      ignoreElements(),
      catchError((error: unknown) => {
        held.filter(({ type }) => type === 'warning').forEach(report);
        return throwError(() => error);
      }),
    );
    const verdict$ = defer(() => {
      if (items < most) return released(held, gate);
      const found = `${path}: the window from ${shown} has ${most} items or more, which is all that the API gives`;
      if (known !== undefined)
        return refused(
          `${found}, and some of its pages were delivered before the run was broken off. Begin a new run.`,
        );
      if (parts().length === 0)
        return refused(
          `${found}, and it cannot be shorter. Divide the job by "partitions" as well, or lower "smallest".`,
        );
      return halves();
    });
    return concat(probe$, verdict$);
  });

const refused = (message: string): Observable<never> => throwError(() => new FatalError('PAGE_LIMIT', message));

/** Each page waits for the consumer, as it would have before its request. */
const released = (events: readonly RunEvent[], gate: WindowGate): Observable<RunEvent> =>
  from(events).pipe(
    concatMap((event) =>
      event.type === 'page.extracted' ? concat(gate().pipe(take(1), ignoreElements()), of(event)) : of(event),
    ),
  );
