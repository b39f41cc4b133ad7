/** How a run is over: an event says so in each case, and only one does. */
import { catchError, concat, defer, of, tap, throwError } from 'rxjs';
import type { Observable, OperatorFunction } from 'rxjs';
import { toldError } from './errors/told-error';
import type { Counted, RunEvent } from './events';

const ENDS: ReadonlySet<RunEvent['type']> = new Set(['run.finished', 'run.failed', 'run.cancelled', 'run.skipped']);

/** Whether nothing follows in its run. */
export const endsRun = ({ type }: RunEvent): boolean => ENDS.has(type);

/** Counts what a run has given. */
function counter(): { readonly hear: (event: RunEvent) => void; readonly counted: () => Counted } {
  let [pages, items] = [0, 0];
  return {
    hear: (event) => {
      if (event.type !== 'page.extracted') return;
      pages += 1;
      items += event.page.count;
    },
    counted: () => ({ pages, items }),
  };
}

/**
 * Emits `run.failed` before the error of a run that had not told its end. Its error is masked by now.
 *
 * @example run$.pipe(tellingFailure())
 */
export const tellingFailure = (): OperatorFunction<RunEvent, RunEvent> => (source) =>
  defer(() => {
    const { hear, counted } = counter();
    let isOver = false;
    return source.pipe(
      tap((event) => {
        hear(event);
        isOver ||= endsRun(event);
      }),
      catchError((error: unknown) => {
        const failure = throwError(() => error);
        if (isOver) return failure;
        return concat(of<RunEvent>({ type: 'run.failed', error: toldError(error), ...counted() }), failure);
      }),
    );
  });

/**
 * Tells each event, and `run.cancelled` when the consumer leaves before the run is over.
 *
 * @param tell hears the events before the consumer does
 * @example run$.pipe(toldTo(console.log), untilAborted(signal))
 */
export const toldTo =
  (tell: (event: RunEvent) => void): OperatorFunction<RunEvent, RunEvent> =>
  (source): Observable<RunEvent> =>
    defer(() => {
      const { hear, counted } = counter();
      let isOver = false;
      let run: string | undefined;
      return source.pipe(
        tap({
          next: (event) => {
            hear(event);
            run = event.run;
            // First: who hears the last event may leave at once.
            isOver ||= endsRun(event);
            tell(event);
          },
          unsubscribe: () => {
            if (isOver || run === undefined) return;
            tell({ type: 'run.cancelled', run, ...counted() });
          },
        }),
      );
    });
