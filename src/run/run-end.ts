/** How a run is over: an event says so in each case, and only one does. */
import { catchError, concat, defer, of, tap, throwError } from 'rxjs';
import type { Observable, OperatorFunction } from 'rxjs';
import { toldError } from '../core/errors/told-error';
import type { Counted, Report, RunEvent } from '../core/events';
import { endsRun } from '../core/run-over';

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
 * @param tell receives the events before the consumer does
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
            // It counts first, since a consumer may unsubscribe when it receives the last event.
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

/** The end of a run that is not over with its last page: its destinations have to take the pages, too. */
export interface HeldEnd {
  /** Passes events on, but for the end of the run. */
  readonly hear: (event: RunEvent) => void;
  /** The run is over as it says itself. */
  readonly release: () => void;
  /** The run is over with this error; `isCancelled` says that it was wanted. */
  readonly fail: (error: unknown, isCancelled: boolean) => void;
}

/**
 * Holds back how a run ends until its destinations have said their part: a failed commit is a failed run, and so is one whose
 * destination took no more, though the run itself was only cancelled then.
 *
 * @example holdEnd(report).hear(event)
 */
export function holdEnd(report: Report): HeldEnd {
  const { hear, counted } = counter();
  let run: string | undefined;
  let end: RunEvent | undefined;
  const release = (): void => {
    if (end !== undefined) report(end);
    run = undefined;
    end = undefined;
  };
  return {
    hear: (event) => {
      hear(event);
      run = event.run;
      if (endsRun(event)) end = event;
      else report(event);
    },
    release,
    fail: (error, isCancelled) => {
      if (run === undefined) return;
      const isOwn = end?.type === 'run.failed' || (end?.type === 'run.cancelled' && isCancelled);
      if (!isOwn) end = { type: 'run.failed', run, error: toldError(error), ...counted() };
      release();
    },
  };
}
