import { concat, defer, NEVER, of, throwError, VirtualTimeScheduler } from 'rxjs';
import type { Observable } from 'rxjs';
import { retryHinted } from '../../src/operators';
import type { Outcome, RetryHints } from '../../src/operators';
import { inVirtualTime } from './in-virtual-time';

const defect = new Error('a defect');
const fail = (): never => {
  throw defect;
};

/** Subscribes to the next of the attempts each time. */
const attempts = (...each: Observable<string>[]): Observable<string> => {
  let index = 0;
  return defer(() => each[index++] ?? NEVER);
};

/** `r` is a refusal, and every error is worth a retry. */
const after = (pauseMs: number, maxRetries = 5): RetryHints<string> => ({
  maxRetries,
  pause: (outcome) => (outcome.kind === 'error' || outcome.value === 'r' ? pauseMs : undefined),
});

describe('retryHinted', () => {
  afterEach(() => jest.useRealTimers());

  it.each(['-', '|', '--|', '--(a|)'])('mirrors what asks for no retry: %s', (marbles) =>
    inVirtualTime(({ cold, expectObservable }) => {
      expectObservable(cold(marbles).pipe(retryHinted(after(3)))).toBe(marbles);
    }),
  );

  it('ends an attempt at its first value', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('                                 --a-b-c');
      expectObservable(source.pipe(retryHinted(after(3)))).toBe('--(a|)');
      expectSubscriptions(source.subscriptions).toBe('      ^-!');
    }));

  it('tries again after a refused value and after an error, each attempt over before its pause', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const first = cold('                                --r---');
      const second = cold('                                    --#');
      const third = cold('                                          --a---');
      const pause = (outcome: Outcome<string>) =>
        outcome.kind === 'error' ? 4 : outcome.value === 'r' ? 3 : undefined;
      const result$ = attempts(first, second, third).pipe(retryHinted({ maxRetries: 2, pause }));
      expectObservable(result$).toBe('                    -------------(a|)');
      expectSubscriptions(first.subscriptions).toBe('     ^-!');
      expectSubscriptions(second.subscriptions).toBe('    -----^-!');
      expectSubscriptions(third.subscriptions).toBe('     -----------^-!');
    }));

  it('passes the last outcome on when the retries are used up: a value', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('                                     -(r|)');
      expectObservable(source.pipe(retryHinted(after(2, 2)))).toBe('-------(r|)');
      expectSubscriptions(source.subscriptions).toBe(['^!', '---^!', '------^!']);
    }));

  it('passes the last outcome on when the retries are used up: an error', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      expectObservable(cold('-#', {}, 'down').pipe(retryHinted(after(2, 2)))).toBe('-------#', {}, 'down');
    }));

  it('never retries with maxRetries 0, and does not ask for a pause', () => {
    const pause = jest.fn(() => 1);
    const seen = jest.fn();
    of('r')
      .pipe(retryHinted({ maxRetries: 0, pause }))
      .subscribe(seen);
    expect(seen).toHaveBeenCalledWith('r');
    expect(pause).not.toHaveBeenCalled();
  });

  it('completes when an attempt after a refusal completes without a value', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const result$ = attempts(cold('-r'), cold('-|'), cold('-a')).pipe(retryHinted(after(3)));
      expectObservable(result$).toBe('-----|');
    }));

  it('stays in an endless attempt until unsubscribed', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const endless = cold('-');
      expectObservable(attempts(cold('-r'), endless).pipe(retryHinted(after(2))), '------!').toBe('-');
      expectSubscriptions(endless.subscriptions).toBe('---^--!');
    }));

  it('counts retries from 1, tells of each, and starts anew for each subscriber', () =>
    inVirtualTime(({ cold, flush, now }) => {
      const told: unknown[] = [];
      const result$ = cold('-r').pipe(
        retryHinted({
          maxRetries: 2,
          pause: (_, retry) => retry * 10,
          onRetry: (outcome, retry, pauseMs) => told.push([now(), outcome, retry, pauseMs]),
        }),
      );
      concat(result$, result$).subscribe();
      flush();
      const refusal = { kind: 'value', value: 'r' };
      expect(told).toEqual([
        [1, refusal, 1, 10],
        [12, refusal, 2, 20],
        [34, refusal, 1, 10],
        [45, refusal, 2, 20],
      ]);
    }));

  it('clears the timer when unsubscribed during the pause', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('-r');
      expectObservable(source.pipe(retryHinted(after(10))), '----!').toBe('-');
      expectSubscriptions(source.subscriptions).toBe('^!');
    }));

  it('leaves no timer when unsubscribed during the pause', () => {
    jest.useFakeTimers();
    const subscription = of('r')
      .pipe(retryHinted(after(1000)))
      .subscribe();
    expect(jest.getTimerCount()).toBe(1);
    subscription.unsubscribe();
    expect(jest.getTimerCount()).toBe(0);
  });

  const throwing: [string, Pick<RetryHints<string>, 'pause' | 'onRetry'>][] = [
    ['pause', { pause: fail }],
    ['onRetry', { pause: () => 1, onRetry: fail }],
  ];
  it.each(throwing)('errors with what %s throws, and does not take that for an outcome', (_, callbacks) =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('-a');
      expectObservable(source.pipe(retryHinted({ maxRetries: 9, ...callbacks }))).toBe('-#', {}, defect);
      expectSubscriptions(source.subscriptions).toBe('^!');
    }),
  );

  it('waits longer than one timer can hold, by the given scheduler', () => {
    const scheduler = new VirtualTimeScheduler();
    const month = 30 * 86_400_000;
    const seen: unknown[] = [];
    attempts(of('r'), of('a'))
      .pipe(retryHinted({ ...after(month), scheduler }))
      .subscribe((value) => seen.push([scheduler.now(), value]));
    scheduler.flush();
    expect(seen).toEqual([[month, 'a']]);
  });

  it('keeps a flat stack over 10,000 retries', () => {
    const scheduler = new VirtualTimeScheduler();
    const failed = jest.fn();
    throwError(() => 'down')
      .pipe(retryHinted({ maxRetries: 10_000, pause: () => 0, scheduler }))
      .subscribe({ error: failed });
    scheduler.flush();
    expect(failed).toHaveBeenCalledWith('down');
  });
});
