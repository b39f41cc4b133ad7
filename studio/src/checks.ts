/** What is wrong with a text, and with the files that it extends. */
import type { Observable } from 'rxjs';
import { catchError, concat, distinctUntilChanged, EMPTY, exhaustMap, filter, timer } from 'rxjs';
import { call } from './server';
import type { Checked } from './server';

const AGAIN_MILLISECONDS = 2_000;

/**
 * Checks a text. Its parts may change while it stays as it is, so that it is checked again and again, as long as somebody sees it.
 *
 * @param hasParts tells whether the text extends other files
 */
export function checksOf(text: string, hasParts: () => boolean): Observable<Checked> {
  const again$ = timer(AGAIN_MILLISECONDS, AGAIN_MILLISECONDS).pipe(
    filter(() => hasParts() && document.visibilityState !== 'hidden'),
    exhaustMap(() => call('check', { text }).pipe(catchError(() => EMPTY))),
  );
  return concat(call('check', { text }), again$).pipe(
    distinctUntilChanged((before, next) => JSON.stringify(before) === JSON.stringify(next)),
  );
}
