import { Observable } from 'rxjs';
import type { MonoTypeOperatorFunction } from 'rxjs';

/** Runs work in the async context in which it was made: `AsyncLocalStorage` has there what it had then. */
export type InContext = (work: () => void) => void;

const inNoContext: InContext = (work) => work();

/** Absent outside of Node.js, where operators run as well. Asked for by name, so that no bundler looks for a module. */
const asyncHooks =
  typeof process === 'undefined'
    ? undefined
    : (process as Partial<Pick<typeof process, 'getBuiltinModule'>>).getBuiltinModule?.('node:async_hooks');

/**
 * Remembers the async context of one who begins to wait: what he waited for would otherwise go on in the context of the one who
 * opened the gate. Half a microsecond a wait; who need not wait does not ask.
 */
export function currentContext(): InContext {
  if (asyncHooks === undefined) return inNoContext;
  const resource = new asyncHooks.AsyncResource('headwater.wait', { requireManualDestroy: true });
  return (work) => resource.runInAsyncScope(work);
}

/** What its source says is heard in the async context of the subscriber. For sources that make him wait. */
export const inContextOfSubscriber =
  <T>(): MonoTypeOperatorFunction<T> =>
  (source) =>
    new Observable((subscriber) => {
      const inContext = currentContext();
      return source.subscribe({
        next: (value) => inContext(() => subscriber.next(value)),
        error: (error: unknown) => inContext(() => subscriber.error(error)),
        complete: () => inContext(() => subscriber.complete()),
      });
    });
