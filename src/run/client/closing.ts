/** The end of a client: what runs fails, and nothing new begins. */
import { catchError, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import { FatalError } from '../../core/errors/errors';
import { untilAborted } from '../../operators/until-aborted';

/** The state of a client, open or closed: made by {@link createClosing}. */
export interface Closing {
  /** Mirrors a stream until the client is closed; then it fails, each time with an error of its own: that tells where its run can go on. */
  readonly untilClosed: <T>(source: Observable<T>) => Observable<T>;
  /** @throws FatalError CLIENT_CLOSED, or the reason of the signal, when it is closed */
  readonly throwIfClosed: () => void;
  /** May be called again: gives the same promise. */
  readonly close: () => Promise<void>;
}

/**
 * @param signal closes as `close` does
 * @param release lets go of what the client has
 * @example createClosing(signal, sessions.close).close()
 */
export function createClosing(signal: AbortSignal | undefined, release: () => Promise<void>): Closing {
  const closing = new AbortController();
  let reasonOf: () => unknown = closedError;
  let released: Promise<void> | undefined;
  const close = (): Promise<void> => {
    signal?.removeEventListener('abort', aborted);
    closing.abort();
    return (released ??= release());
  };
  const aborted = (): void => {
    reasonOf = () => signal?.reason;
    void close();
  };
  signal?.addEventListener('abort', aborted, { once: true });
  if (signal?.aborted === true) aborted();
  return {
    untilClosed: (source) =>
      source.pipe(
        untilAborted(closing.signal),
        catchError((error: unknown) => throwError(() => (error === closing.signal.reason ? reasonOf() : error))),
      ),
    throwIfClosed: () => {
      if (closing.signal.aborted) throw reasonOf();
    },
    close,
  };
}

const closedError = (): FatalError =>
  new FatalError(
    'CLIENT_CLOSED',
    'The client is closed: make another one to go on, and close it when its runs are over.',
  );
