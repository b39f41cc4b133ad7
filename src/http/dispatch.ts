import { first } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Request, Response, Send } from '../core/model';
import { abortable } from '../operators';
import type { Abortion } from '../operators';

/**
 * Sends one request. An abortion closes its socket and clears its timers; the promise of an aborted request may stay
 * unsettled, since nobody waits for it.
 */
export type Dispatch = (request: Request, abortion: Abortion) => Promise<Response>;

/** Returns a `Send` each of whose subscriptions dispatches the request. */
export const sendBy =
  <T extends Response>(dispatch: (request: Request, abortion: Abortion) => Promise<T>) =>
  (request: Request): Observable<T> =>
    abortable((abortion) => dispatch(request, abortion));

/** Returns the dispatch that subscribes to a `Send`. */
export const dispatchBy =
  (send: Send): Dispatch =>
  (request, abortion) =>
    firstValue(send(request), abortion);

/**
 * Resolves with the first value of a stream; an abortion unsubscribes from it.
 *
 * @throws the error of the stream; EmptyError if it completes without a value
 */
export const firstValue = <T>(source$: Observable<T>, abortion: Abortion): Promise<T> =>
  new Promise((resolve, reject) => {
    const subscription = source$.pipe(first()).subscribe({ next: resolve, error: reject });
    abortion.onAbort(() => subscription.unsubscribe());
  });

/** @throws Error if the request was aborted meanwhile: nobody waits for its response any more */
export function throwIfAborted({ isAborted }: Abortion): void {
  if (isAborted) throw new Error('Nobody waits for the response any more.');
}
