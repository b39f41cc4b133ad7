/** Where a run that has failed can go on. */
import { catchError, defer, tap, throwError } from 'rxjs';
import type { MonoTypeOperatorFunction } from 'rxjs';
import { HeadwaterError, setResumePoint } from '../core/errors/errors';
import type { RunEvent } from '../core/events';
import type { Progress } from '../core/model';
import { createProgressTracker } from './state/progress';

/**
 * Gives the error of a run the place behind the last page of each call that the stream has given, as the option `resume` takes it. A
 * consumer that is done with a page when it returns from it has all that lies before.
 *
 * @param before where the run began, if it went on itself
 */
export const tellingWhereToGoOn =
  (before: Progress): MonoTypeOperatorFunction<RunEvent> =>
  (events$) =>
    defer(() => {
      const tracker = createProgressTracker();
      for (const checkpoint of before.values()) tracker.add(checkpoint);
      let startedAt = 0;
      return events$.pipe(
        tap((event) => {
          if (event.type === 'run.started') ({ startedAt } = event);
          if (event.type === 'page.extracted') tracker.add(event.page.checkpoint);
        }),
        catchError((error: unknown) => {
          if (error instanceof HeadwaterError && startedAt > 0)
            setResumePoint(error, { startedAt, progress: tracker.progress() });
          return throwError(() => error);
        }),
      );
    });
