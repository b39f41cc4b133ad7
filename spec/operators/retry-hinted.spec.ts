import {
  concat,
  defer,
  finalize,
  mergeMap,
  NEVER,
  Observable,
  of,
  queueScheduler,
  Subject,
  Subscription,
  take,
  takeUntil,
  throwError,
  VirtualTimeScheduler,
} from 'rxjs';
import { retryHinted } from '../../src/operators';
import type { AttemptOutcome, RetryHints } from '../../src/operators';
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

  it.each([
    ['many', '--a-b-c|', '^------!'],
    ['many, endless', '--a-b-c-', '^'],
    ['many at once', '--(abc|)', '^-!'],
    ['a refusal after a value that was accepted', '--a-r-b|', '^------!'],
  ])('passes all values of an attempt that was accepted: %s', (_, marbles, subscription) =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold(marbles);
      expectObservable(source.pipe(retryHinted(after(3)))).toBe(marbles);
      expectSubscriptions(source.subscriptions).toBe(subscription);
    }),
  );

  it('does not try again after an error behind a value: values would come twice', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('                                       --a-b-#');
      const pauses = jest.fn(() => 3);
      expectObservable(
        source.pipe(
          retryHinted({ maxRetries: 2, pause: (outcome) => (outcome.kind === 'error' ? pauses() : undefined) }),
        ),
      ).toBe('--a-b-#');
      expectSubscriptions(source.subscriptions).toBe('            ^-----!');
    }));

  it('passes values of an accepted attempt after refused ones', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const result$ = attempts(cold('-rab|'), cold('-#'), cold('-a-b|')).pipe(retryHinted(after(2)));
      expectObservable(result$).toBe('-------a-b|');
    }));

  describe('backoff', () => {
    const down$ = throwError(() => defect);
    const pausesOf = (hints: Omit<RetryHints<never>, 'maxRetries' | 'scheduler'>, maxRetries = 7): number[] => {
      const scheduler = new VirtualTimeScheduler();
      const pauses: number[] = [];
      down$
        .pipe(retryHinted({ maxRetries, scheduler, onRetry: (_, __, pauseMs) => pauses.push(pauseMs), ...hints }))
        .subscribe({ error: () => undefined });
      scheduler.flush();
      return pauses;
    };

    it('doubles from a second on, up to half a minute, when no option says otherwise', () => {
      expect(pausesOf({ random: () => 0 })).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    });

    it('is less by chance, by a quarter at most unless told otherwise', () => {
      expect(pausesOf({ random: () => 0.5 }, 2)).toEqual([875, 1750]);
      expect(pausesOf({ random: () => 0.5, jitter: 1 }, 2)).toEqual([500, 1000]);
      expect(pausesOf({ jitter: 0 }, 2)).toEqual([1000, 2000]);
      for (const [at, pauseMs] of pausesOf({}, 4).entries()) {
        expect(pauseMs).toBeGreaterThan(750 * 2 ** at - 1);
        expect(pauseMs).toBeLessThanOrEqual(1000 * 2 ** at);
      }
    });

    it('goes by its options', () => {
      expect(pausesOf({ firstPause: 10, longestPause: 25, jitter: 0 }, 4)).toEqual([10, 20, 25, 25]);
      expect(pausesOf({ firstPause: 10, jitter: 0 }, 1100).at(-1)).toBe(30_000);
    });

    it('is given to `pause`, whose hint neither cap nor chance changes', () => {
      const pause = (_: unknown, retry: number, backoff: number) => (retry === 1 ? 100_000 : backoff);
      expect(pausesOf({ pause, random: () => 0 }, 3)).toEqual([100_000, 2000, 4000]);
    });

    it('is not for values, unless `pause` says so', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        expectObservable(cold('-r-a|').pipe(retryHinted({ maxRetries: 3 }))).toBe('-r-a|');
      }));

    const wrong: [string, Omit<RetryHints<never>, 'maxRetries'> & { maxRetries?: number }][] = [
      ['maxRetries', { maxRetries: NaN }],
      ['maxRetries', { maxRetries: 1.5 }],
      ['maxRetries', { maxRetries: -1 }],
      ['firstPause', { firstPause: -1 }],
      ['longestPause', { longestPause: NaN }],
      ['jitter', { jitter: 1.5 }],
    ];
    it.each(wrong)('refuses a number out of range: %s', (name, hints) => {
      expect(() => retryHinted({ maxRetries: 1, ...hints })).toThrow(RangeError);
      expect(() => retryHinted({ maxRetries: 1, ...hints })).toThrow(`\`${name}\``);
    });

    it('says what it expects', () => {
      expect(() => retryHinted({ maxRetries: 1.5 })).toThrow(
        new RangeError('retryHinted needs an integer from 0, or Infinity, for `maxRetries`, not 1.5.'),
      );
    });

    it.each([-5, NaN, Infinity])('errors when a pause is %s', (pauseMs) => {
      const failed = jest.fn();
      const onRetry = jest.fn();
      const expected = new RangeError(
        `retryHinted needs a number of milliseconds from 0 for a pause, not ${pauseMs}. \`undefined\` accepts the outcome.`,
      );
      for (const source$ of [down$, of('r')])
        source$.pipe(retryHinted({ maxRetries: 1, pause: () => pauseMs, onRetry })).subscribe({ error: failed });
      expect(failed.mock.calls).toEqual([[expected], [expected]]);
      expect(onRetry).not.toHaveBeenCalled();
    });

    it('retries for ever with Infinity', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const output$ = cold('#').pipe(retryHinted({ maxRetries: Infinity, pause: () => 1 }));
        expectObservable(output$, '^ 1s !').toBe('-');
      }));
  });

  it('tries again after a refused value and after an error, each attempt over before its pause', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const first = cold('                                --r---');
      const second = cold('                                    --#');
      const third = cold('                                          --a---|');
      const pause = (outcome: AttemptOutcome<string>) =>
        outcome.kind === 'error' ? 4 : outcome.value === 'r' ? 3 : undefined;
      const result$ = attempts(first, second, third).pipe(retryHinted({ maxRetries: 2, pause }));
      expectObservable(result$).toBe('                    -------------a---|');
      expectSubscriptions(first.subscriptions).toBe('     ^-!');
      expectSubscriptions(second.subscriptions).toBe('    -----^-!');
      expectSubscriptions(third.subscriptions).toBe('     -----------^-----!');
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

  it('counts retries from 1, tells of each, and starts again for each subscriber', () =>
    inVirtualTime(({ cold, flush, now }) => {
      const reported: unknown[] = [];
      const result$ = cold('-(r|)').pipe(
        retryHinted({
          maxRetries: 2,
          pause: (_, retry) => retry * 10,
          onRetry: (outcome, retry, pauseMs) => reported.push([now(), outcome, retry, pauseMs]),
        }),
      );
      concat(result$, result$).subscribe();
      flush();
      const refusal = { kind: 'value', value: 'r' };
      expect(reported).toEqual([
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

  it('is flat, too, when the scheduler runs a pause of 0 at once', () => {
    const failed = jest.fn();
    let attempted = 0;
    defer(() => throwError(() => (attempted += 1)))
      .pipe(retryHinted({ maxRetries: 10_000, pause: () => 0, scheduler: queueScheduler }))
      .subscribe({ error: failed });
    expect(failed).toHaveBeenCalledWith(10_001);
  });

  it.each([
    ['r', []],
    ['a', ['a', 'end']],
  ])('leaves a synchronous source of any length when it is refused, or its subscriber leaves: %s', (word, expected) => {
    let said = 0;
    const endless$ = new Observable<string>((subscriber) => {
      while (!subscriber.closed) {
        said += 1;
        subscriber.next(word);
      }
    });
    const seen: unknown[] = [];
    endless$
      .pipe(retryHinted(after(1000)), take(1))
      .subscribe({ next: (v) => seen.push(v), complete: () => seen.push('end') })
      .unsubscribe();
    expect(seen).toEqual(expected);
    expect(said).toBe(1);
  });

  describe('order of effects', () => {
    /** Runs through a refusal, an error and a value; logs with the time in virtual milliseconds. */
    const effects = (attempt: (word: string, clean: () => void) => Observable<string>): unknown[] => {
      const scheduler = new VirtualTimeScheduler();
      const log: unknown[] = [];
      const say = (what: string): unknown => log.push(`${scheduler.now()} ${what}`);
      let attempted = 0;
      defer(() => {
        const word = ['r', '#', 'a'][attempted++] ?? '';
        say(`attempt ${word}`);
        return attempt(word, () => say(`clean up ${word}`));
      })
        .pipe(
          retryHinted({
            maxRetries: 5,
            pause: (outcome) => (outcome.kind === 'error' ? 4 : outcome.value === 'r' ? 3 : undefined),
            onRetry: (_, retry) => say(`retry ${retry}`),
            scheduler,
          }),
        )
        .subscribe({ next: (value) => say(`next ${value}`), complete: () => say('complete') });
      scheduler.flush();
      return log;
    };
    const inOrder = [
      ...['0 attempt r', '0 retry 1', '0 clean up r'],
      ...['3 attempt #', '3 clean up #', '3 retry 2'],
      ...['7 attempt a', '7 next a', '7 clean up a', '7 complete'],
    ];
    const say = (word: string): Observable<string> => (word === '#' ? throwError(() => word) : of(word));

    it('is the same for synchronous attempts', () => {
      expect(effects((word, clean) => say(word).pipe(finalize(clean)))).toEqual(inOrder);
    });

    it('is the same for attempts that hand their clean-up over when they have answered', () => {
      const late = (word: string, clean: () => void) =>
        new Observable<string>((subscriber) => {
          say(word).subscribe(subscriber);
          return clean;
        });
      expect(effects(late)).toEqual(inOrder);
    });

    it('is the same for attempts that answer later', () => {
      const subject = new Subject<string>();
      const log: string[] = [];
      subject
        .pipe(
          finalize(() => log.push('clean up')),
          retryHinted({ maxRetries: 0, pause: () => 1 }),
        )
        .subscribe({ next: (value) => log.push(value), complete: () => log.push('complete') });
      subject.next('a');
      subject.complete();
      expect(log).toEqual(['a', 'clean up', 'complete']);
    });
  });

  it.each([
    ['a value', 'b', (subject: Subject<string>) => subject.next('b')],
    ['an error', 'late', (subject: Subject<string>) => subject.error('late')],
    ['the end', 'end', (subject: Subject<string>) => subject.complete()],
  ])('hears %s that its source says while the first value is judged after that value', (_, expected, say) => {
    const subject = new Subject<string>();
    const pause = jest.fn((): undefined => {
      say(subject);
      return undefined;
    });
    const seen: unknown[] = [];
    subject.pipe(retryHinted({ maxRetries: 9, pause })).subscribe({
      next: (value) => seen.push(value),
      error: (error: unknown) => seen.push(error),
      complete: () => seen.push('end'),
    });
    subject.next('a');
    expect(seen).toEqual(['a', expected]);
    expect(pause).toHaveBeenCalledTimes(1);
  });

  describe('unsubscribed by what it calls', () => {
    const source = (word: string, clean: () => void): Observable<string> =>
      (word === '#' ? throwError(() => 'down') : of(word)).pipe(finalize(clean));
    type Caller = 'pause' | 'onRetry' | 'the clean-up of the attempt';
    const callers: Caller[] = ['pause', 'onRetry', 'the clean-up of the attempt'];

    it.each(callers.flatMap((caller): [Caller, string][] => ['r', '#'].map((word) => [caller, word])))(
      '%s: no timer is left and no attempt follows (%s)',
      (caller, word) => {
        jest.useFakeTimers();
        const subscription = new Subscription();
        const leaveIn = (where: Caller): void => {
          if (where === caller) subscription.unsubscribe();
        };
        const attempt = jest.fn(() => source(word, () => leaveIn('the clean-up of the attempt')));
        const pause = (): number => {
          leaveIn('pause');
          return 0;
        };
        const notified = jest.fn();
        const begin = new Subject<void>();
        const retried$ = defer(attempt).pipe(retryHinted({ maxRetries: 9, pause, onRetry: () => leaveIn('onRetry') }));
        subscription.add(
          begin.pipe(mergeMap(() => retried$)).subscribe({ next: notified, error: notified, complete: notified }),
        );
        begin.next();
        expect(jest.getTimerCount()).toBe(0);
        jest.runAllTimers();
        expect(attempt).toHaveBeenCalledTimes(1);
        expect(notified).not.toHaveBeenCalled();
      },
    );
  });

  it('does not try again when `onRetry` unsubscribes, even if the scheduler runs a pause of 0 at once', () => {
    const attempt = jest.fn(() => of('r'));
    const left$ = new Subject<void>();
    defer(attempt)
      .pipe(
        retryHinted({ maxRetries: 9, pause: () => 0, onRetry: () => left$.next(), scheduler: queueScheduler }),
        takeUntil(left$),
      )
      .subscribe();
    expect(attempt).toHaveBeenCalledTimes(1);
  });
});
