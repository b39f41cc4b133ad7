import { EMPTY, NEVER, of, throwError } from 'rxjs';
import { untilAborted } from '../../src/operators';
import { inVirtualTime } from './in-virtual-time';

const reason = new Error('the user left');

/** A signal that tells who listened, and who stopped. */
function watchedSignal() {
  const controller = new AbortController();
  const added = jest.spyOn(controller.signal, 'addEventListener');
  const removed = jest.spyOn(controller.signal, 'removeEventListener');
  return {
    controller,
    signal: controller.signal,
    added,
    removed,
  };
}

describe('untilAborted', () => {
  it('mirrors the source while the signal is quiet: never, empty, one, many, error', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const { signal } = new AbortController();
      for (const marbles of ['-', '|', '--|', '--a|', '-a-b-(c|)', '-a-#']) {
        const source = cold(marbles);
        expectObservable(source.pipe(untilAborted(signal))).toBe(marbles);
        const end = marbles.replace(/\(c\|\)|\||#/, '!').replace(/[abc]/g, '-');
        expectSubscriptions(source.subscriptions).toBe(end === '!' ? '(^!)' : `^${end.slice(1)}`);
      }
    }));

  it('unsubscribes from the source and errors with the reason when the signal aborts', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const controller = new AbortController();
      const source = cold('            --a--b--c--d');
      cold('                           -------x').subscribe(() => controller.abort(reason));
      expectObservable(source.pipe(untilAborted(controller.signal))).toBe('--a--b-#', undefined, reason);
      expectSubscriptions(source.subscriptions).toBe('^------!');
    }));

  it('errors while the source is silent or endless', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const controller = new AbortController();
      cold('---x').subscribe(() => controller.abort(reason));
      expectObservable(NEVER.pipe(untilAborted(controller.signal))).toBe('---#', undefined, reason);
    }));

  it('never subscribes to the source when the signal was aborted before', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('-a|');
      expectObservable(source.pipe(untilAborted(AbortSignal.abort(reason)))).toBe('#', undefined, reason);
      expectSubscriptions(source.subscriptions).toBe([]);
    }));

  it('looks at the signal when it is subscribed, not when it is built', () => {
    const controller = new AbortController();
    const stopped$ = of(1).pipe(untilAborted(controller.signal));
    controller.abort(reason);
    const failed = jest.fn();
    stopped$.subscribe({ error: failed });
    expect(failed).toHaveBeenCalledWith(reason);
  });

  it('mirrors the source when there is no signal', () => {
    expect(untilAborted(undefined)(EMPTY)).toBe(EMPTY);
  });

  it('leaves no listener behind, however the stream ends', () => {
    const quiet = { error: () => undefined };
    const ends: ((signal: AbortSignal, controller: AbortController) => void)[] = [
      (signal) => of(1).pipe(untilAborted(signal)).subscribe(),
      (signal) =>
        throwError(() => reason)
          .pipe(untilAborted(signal))
          .subscribe(quiet),
      (signal) => NEVER.pipe(untilAborted(signal)).subscribe().unsubscribe(),
      (signal, controller) => {
        NEVER.pipe(untilAborted(signal)).subscribe(quiet);
        controller.abort(reason);
      },
    ];
    for (const end of ends) {
      const { controller, signal, added, removed } = watchedSignal();
      end(signal, controller);
      expect(added).toHaveBeenCalledTimes(1);
      expect(removed.mock.calls[0]?.[1]).toBe(added.mock.calls[0]?.[1]);
    }
  });

  it('a hundred streams of one signal are one listener: all end with it, and Node.js has nothing to warn of', async () => {
    const warned = jest.fn();
    process.on('warning', warned);
    const { controller, signal, added, removed } = watchedSignal();
    const failed = jest.fn();
    const streams = Array.from({ length: 100 }, () => NEVER.pipe(untilAborted(signal)).subscribe({ error: failed }));
    streams[7]?.unsubscribe();
    expect(added).toHaveBeenCalledTimes(1);
    expect(removed).not.toHaveBeenCalled();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', warned);
    expect(warned).not.toHaveBeenCalled();
    controller.abort(reason);
    expect(failed.mock.calls).toEqual(Array(99).fill([reason]));
    expect(removed).toHaveBeenCalledTimes(1);
  });

  it('listens again when all have left and another one comes', () => {
    const { controller, signal, added } = watchedSignal();
    const failed = jest.fn();
    NEVER.pipe(untilAborted(signal)).subscribe().unsubscribe();
    NEVER.pipe(untilAborted(signal)).subscribe({ error: failed });
    controller.abort(reason);
    expect(added).toHaveBeenCalledTimes(2);
    expect(failed).toHaveBeenCalledWith(reason);
  });

  it('ends a stream, too, that begins in answer to the end of another', () => {
    const { controller, signal } = watchedSignal();
    const failed = jest.fn();
    const again = () => NEVER.pipe(untilAborted(signal)).subscribe({ error: failed });
    NEVER.pipe(untilAborted(signal)).subscribe({ error: again });
    controller.abort(reason);
    expect(failed).toHaveBeenCalledWith(reason);
  });
});
