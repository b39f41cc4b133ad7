import { AsyncLocalStorage } from 'node:async_hooks';
import fc from 'fast-check';
import {
  concat,
  defer,
  EMPTY,
  finalize,
  map,
  mergeMap,
  NEVER,
  of,
  range,
  Subject,
  throwError,
  timer,
  VirtualTimeScheduler,
} from 'rxjs';
import type { Observable } from 'rxjs';
import { createLimiter, createPace, inFlight, rateLimit } from '../../src/operators';
import type { LimiterRule } from '../../src/operators';
import { inVirtualTime } from './in-virtual-time';

const defect = new Error('a defect');
const fail = (): never => {
  throw defect;
};
const nothing = (): void => undefined;

/** Admits nobody before a moment. */
const opensAt = (moment: number): LimiterRule => ({ admitsAt: () => moment, start: () => nothing, loosened$: NEVER });

describe('createLimiter', () => {
  afterEach(() => jest.useRealTimers());

  it.each([
    ['-', '^'],
    ['|', '(^!)'],
    ['#', '(^!)'],
    ['--|', '^-!'],
    ['--#', '^-!'],
    ['-a|', '^-!'],
    ['(a|)', '(^!)'],
    ['-a-b-c-|', '^------!'],
    ['-a-b-#', '^----!'],
    ['-a-b-c-', '^'],
  ])('mirrors a source that need not wait: %s', (marbles, subscription) =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold(marbles);
      expectObservable(source.pipe(createLimiter().hold([inFlight(1)]))).toBe(marbles);
      expectSubscriptions(source.subscriptions).toBe(subscription);
    }),
  );

  it('is as its diagram shows', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const limiter = createLimiter();
      const one = inFlight(1);
      const a = cold('                                       --a|');
      const b = cold('                                          (b|)');
      const c = cold('                                              (c|)');
      const d = cold('                                          -d|');
      expectObservable(a.pipe(limiter.hold([one]))).toBe('   --a|');
      expectObservable(b.pipe(limiter.hold([one]))).toBe('   ---(b|)');
      expectObservable(c.pipe(limiter.hold([one, opensAt(7)]))).toBe('-------(c|)');
      expectObservable(d.pipe(limiter.hold([one]))).toBe('   ----d|');
      expectSubscriptions(a.subscriptions).toBe('            ^--!');
      expectSubscriptions(b.subscriptions).toBe('            ---(^!)');
      expectSubscriptions(c.subscriptions).toBe('            -------(^!)');
      expectSubscriptions(d.subscriptions).toBe('            ---^-!');
    }));

  it('passes an error on and counts it as an end', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const limiter = createLimiter();
      const rules = [inFlight(1)];
      expectObservable(cold('--#').pipe(limiter.hold(rules))).toBe(' --#');
      expectObservable(cold('-b|').pipe(limiter.hold(rules))).toBe(' ---b|');
    }));

  it('counts the end of the subscription as an end', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const limiter = createLimiter();
      const rules = [inFlight(1)];
      const endless = cold('                                    a-a-a-');
      expectObservable(endless.pipe(limiter.hold(rules)), '     ---!').toBe('a-a');
      expectObservable(cold('-b|').pipe(limiter.hold(rules))).toBe('----b|');
      expectSubscriptions(endless.subscriptions).toBe('         ^--!');
    }));

  it('lets the next in after the source has cleaned up', () => {
    const log: string[] = [];
    const limiter = createLimiter();
    const rules = [inFlight(1)];
    const first = new Subject<never>();
    const begin = (name: string) => defer(() => (log.push(`begin ${name}`), first));
    const source = (name: string) => begin(name).pipe(finalize(() => log.push(`clean up ${name}`)));
    source('a').pipe(limiter.hold(rules)).subscribe();
    const b = source('b').pipe(limiter.hold(rules)).subscribe();
    first.complete();
    b.unsubscribe();
    expect(log).toEqual(['begin a', 'clean up a', 'begin b', 'clean up b']);
  });

  it('lets one who waits leave the queue; its source is never subscribed', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const limiter = createLimiter();
      const rules = [inFlight(1)];
      const left = cold('-x|');
      expectObservable(cold('----a|').pipe(limiter.hold(rules))).toBe('----a|');
      expectObservable(left.pipe(limiter.hold(rules)), '               --!').toBe('-');
      expectObservable(cold('     -c|').pipe(limiter.hold(rules))).toBe('------c|');
      expectSubscriptions(left.subscriptions).toBe([]);
    }));

  it('one who leaves, the last of those with the same rules, takes no time from those with others', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const limiter = createLimiter();
      expectObservable(of('a').pipe(limiter.hold([opensAt(3)])), '       -!').toBe('-');
      expectObservable(of('b').pipe(limiter.hold([opensAt(5)]))).toBe('-----(b|)');
      expectObservable(cold('c|').pipe(limiter.hold([opensAt(8)]))).toBe('--------c|');
    }));

  it('subscribes again, and waits again, for each subscriber', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('--a|');
      const held$ = source.pipe(createLimiter().hold([inFlight(1)]));
      expectObservable(held$).toBe('--a|');
      expectObservable(held$).toBe('-----a|');
      expectSubscriptions(source.subscriptions).toBe(['^--!', '---^--!']);
    }));

  it('holds nothing of one rule while it waits for another', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const limiter = createLimiter();
      const [x, y] = [inFlight(1), inFlight(1)];
      expectObservable(cold('---a|').pipe(limiter.hold([x]))).toBe('         ---a|');
      expectObservable(cold('-b|').pipe(limiter.hold([x, y])), '             ').toBe('-----b|');
      // Needs only the rule that the second would have taken already.
      expectObservable(cold('c|').pipe(limiter.hold([y]))).toBe('            c|');
      expectObservable(cold('d|').pipe(limiter.hold([y, x])), '              ').toBe('------d|');
    }));

  it('looks at all rules of an end at once: who came first is not passed over', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const limiter = createLimiter();
      const [all, here, there] = [inFlight(1), inFlight(1), inFlight(1)];
      expectObservable(cold('--a|').pipe(limiter.hold([all, here]))).toBe('--a|');
      expectObservable(cold('--b|').pipe(limiter.hold([all, here]))).toBe('-----b|');
      expectObservable(cold('--c|').pipe(limiter.hold([all, there]))).toBe('--------c|');
    }));

  it('of all who could start, the one who came first does, whatever rules the others have', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const limiter = createLimiter();
      const [all, more] = [inFlight(1), inFlight(9)];
      expectObservable(cold('-a|').pipe(limiter.hold([all]))).toBe('-a|');
      expectObservable(cold('-b|').pipe(limiter.hold([all]))).toBe('---b|');
      expectObservable(cold('-c|').pipe(limiter.hold([all, more]))).toBe('-----c|');
      expectObservable(cold('-d|').pipe(limiter.hold([all]))).toBe('-------d|');
    }));

  it('one who comes at the moment at which a rule opens does not overtake those who wait for it', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const limiter = createLimiter();
      const rate = [createPace({ requests: 1, seconds: 0.005 })];
      const late$ = cold('-----c|').pipe(mergeMap((value) => of(value).pipe(limiter.hold(rate))));
      expectObservable(late$).toBe('----------(c|)');
      expectObservable(of('a').pipe(limiter.hold(rate))).toBe('(a|)');
      expectObservable(of('b').pipe(limiter.hold(rate))).toBe('-----(b|)');
    }));

  it('takes the same rules in any order, and one that is named twice, for the same', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const limiter = createLimiter();
      const [x, y] = [inFlight(1), inFlight(2)];
      expectObservable(cold('-a|').pipe(limiter.hold([x, y]))).toBe('-a|');
      expectObservable(cold('-b|').pipe(limiter.hold([y, x, y]))).toBe('---b|');
      expectObservable(cold('-c|').pipe(limiter.hold([x, y]))).toBe('-----c|');
    }));

  it('without a rule nobody waits', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const limiter = createLimiter();
      const one = [inFlight(1)];
      expectObservable(cold('--a|').pipe(limiter.hold(one))).toBe('--a|');
      expectObservable(cold('--b|').pipe(limiter.hold(one))).toBe('-----b|');
      expectObservable(cold('--c|').pipe(limiter.hold([]))).toBe(' --c|');
    }));

  it('looks again when a rule says that it has been loosened', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      let at = Infinity;
      const loosened$ = new Subject<void>();
      const rule: LimiterRule = { admitsAt: () => at, start: () => nothing, loosened$ };
      const held$ = cold('-a|').pipe(createLimiter().hold([rule]));
      cold('---x').subscribe(() => {
        at = 5;
        loosened$.next();
      });
      expectObservable(held$).toBe('------a|');
      expectObservable(held$, '----!').toBe('-');
    }));

  it('several limiters may share a rule', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const rules = [inFlight(1)];
      expectObservable(cold('--a|').pipe(createLimiter().hold(rules))).toBe('--a|');
      expectObservable(cold('--b|').pipe(createLimiter().hold(rules))).toBe('-----b|');
    }));

  it('what is subscribed in answer to an end comes after those who waited', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const limiter = createLimiter();
      const one = [inFlight(1)];
      const again$ = cold('-a|').pipe(limiter.hold(one));
      expectObservable(concat(again$, again$)).toBe('              -a---a|');
      expectObservable(cold('-b|').pipe(limiter.hold(one))).toBe(' ---b|');
    }));

  describe('priority', () => {
    it('the highest goes first, those of equal priority in the order in which they came', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const limiter = createLimiter();
        const one = [inFlight(1)];
        expectObservable(cold('-a|').pipe(limiter.hold(one))).toBe('                     -a|');
        expectObservable(cold('-b|').pipe(limiter.hold(one))).toBe('                     -------b|');
        expectObservable(cold('-c|').pipe(limiter.hold(one, { priority: -1 }))).toBe('   ---------c|');
        expectObservable(cold('-d|').pipe(limiter.hold(one, { priority: 5 }))).toBe('    ---d|');
        expectObservable(cold('-e|').pipe(limiter.hold(one, { priority: 5 }))).toBe('    -----e|');
      }));

    it('counts among those with other rules, too', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const limiter = createLimiter();
        const [all, more] = [inFlight(1), inFlight(9)];
        expectObservable(cold('-a|').pipe(limiter.hold([all]))).toBe('-a|');
        expectObservable(cold('-b|').pipe(limiter.hold([all]))).toBe('-----b|');
        expectObservable(cold('-c|').pipe(limiter.hold([all, more], { priority: 1 }))).toBe('---c|');
      }));

    it('a function is asked once a subscription, when the wait begins', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const limiter = createLimiter();
        const one = [inFlight(1)];
        let mine = 0;
        const held$ = cold('-b|').pipe(limiter.hold(one, { priority: () => (mine += 1) }));
        expectObservable(cold('-a|').pipe(limiter.hold(one))).toBe('-a|');
        expectObservable(held$).toBe('                               -----b|');
        expectObservable(held$).toBe('                               ---b|');
      }));

    it.each([
      ['throws', fail, defect],
      ['gives NaN', () => NaN, new RangeError('hold needs a number for `priority`, not NaN.')],
    ])('one that %s is an error of the stream', (_, priority, error) =>
      inVirtualTime(({ expectObservable }) => {
        expectObservable(of(1).pipe(createLimiter().hold([inFlight(1)], { priority }))).toBe('#', {}, error);
      }),
    );

    it('one who leaves before those of lower priority lets them go on', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const limiter = createLimiter();
        const one = [inFlight(1)];
        expectObservable(cold('---a|').pipe(limiter.hold(one))).toBe('---a|');
        expectObservable(cold('-b|').pipe(limiter.hold(one))).toBe('  -----b|');
        expectObservable(cold('-c|').pipe(limiter.hold(one, { priority: 1 })), '--!').toBe('-');
      }));

    it('one who leaves while those of higher priority wait takes nothing from a rate', () =>
      inVirtualTime(({ expectObservable }) => {
        const limiter = createLimiter();
        const rate = [createPace({ requests: 1, seconds: 0.002 })];
        expectObservable(of('a').pipe(limiter.hold(rate))).toBe('                    (a|)');
        expectObservable(of('b').pipe(limiter.hold(rate, { priority: 1 }))).toBe('   --(b|)');
        expectObservable(of('c').pipe(limiter.hold(rate)), '                        -!').toBe('-');
        expectObservable(of('d').pipe(limiter.hold(rate))).toBe('                    ----(d|)');
      }));
  });

  describe('size', () => {
    it('takes so many places of a cap', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const limiter = createLimiter();
        const three = [inFlight(3)];
        expectObservable(cold('--a|').pipe(limiter.hold(three, { size: 2 }))).toBe('--a|');
        expectObservable(cold('--b|').pipe(limiter.hold(three))).toBe('           --b|');
        expectObservable(cold('--c|').pipe(limiter.hold(three, { size: 3 }))).toBe('-----c|');
      }));

    it('counts as so many starts of a rate, with or without a burst', () =>
      inVirtualTime(({ expectObservable }) => {
        const limiter = createLimiter();
        const window = [createPace({ requests: 3, seconds: 0.006 })];
        const bucket = [createPace({ requests: 3, seconds: 0.006, burst: 3 })];
        for (const rate of [window, bucket]) {
          expectObservable(of('a').pipe(limiter.hold(rate, { size: 2 }))).toBe('(a|)');
          expectObservable(of('b').pipe(limiter.hold(rate))).toBe('             (b|)');
        }
        expectObservable(of('c').pipe(limiter.hold(window, { size: 3 }))).toBe('------(c|)');
        expectObservable(of('c').pipe(limiter.hold(bucket, { size: 3 }))).toBe('------(c|)');
        expectObservable(of('d').pipe(limiter.hold(window))).toBe('            ------------(d|)');
        expectObservable(of('d').pipe(limiter.hold(bucket))).toBe('            --------(d|)');
      }));

    it('of a large one: those behind it, whatever their rules, take no place that it waits for', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const limiter = createLimiter();
        const [all, more, other] = [inFlight(3), inFlight(9), inFlight(9)];
        expectObservable(cold('--a|').pipe(limiter.hold([all]))).toBe('                 --a|');
        expectObservable(cold('-----b|').pipe(limiter.hold([all]))).toBe('              -----b|');
        expectObservable(cold('--c|').pipe(limiter.hold([all], { size: 3 }))).toBe('    --------c|');
        // A stream of small ones that come all the time.
        expectObservable(cold('--d|').pipe(limiter.hold([all, more]))).toBe('           -----------d|');
        expectObservable(cold('--e|').pipe(limiter.hold([all, more]))).toBe('           -----------e|');
        expectObservable(cold('--f|').pipe(limiter.hold([more]))).toBe('                --f|');
        expectObservable(cold('--g|').pipe(limiter.hold([other], { size: 9 }))).toBe('  --g|');
      }));

    it('of a large one that waits for a full rule: those behind it take places of its other rules', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const limiter = createLimiter();
        const [full, other] = [inFlight(2), inFlight(9)];
        expectObservable(cold('--a|').pipe(limiter.hold([full], { size: 2 }))).toBe('       --a|');
        expectObservable(cold('-b|').pipe(limiter.hold([full, other], { size: 2 }))).toBe(' ----b|');
        expectObservable(cold('-c|').pipe(limiter.hold([other]))).toBe('                    -c|');
      }));

    it.each([0, 1.5, NaN, Infinity])('%s is refused', (size) => {
      const expected = new RangeError(`hold needs an integer from 1 for \`size\`, not ${size}.`);
      expect(() => createLimiter().hold([inFlight(2)], { size })).toThrow(expected);
    });

    it.each([
      ['a cap', () => inFlight(2)],
      ['a rate', () => createPace({ requests: 2, seconds: 1 })],
      ['a rate with a burst', () => createPace({ requests: 9, seconds: 1, burst: 2 })],
      ['a rate that can pause', () => rateLimit({ requests: 2, seconds: 1 })],
    ])('that can never start is refused at once: %s', (_, create) => {
      const message = 'hold: a size of 3 can never start, since a rule admits 2 at most.';
      const rule = create();
      expect(() => createLimiter().hold([inFlight(9), rule], { size: 3 })).toThrow(new RangeError(message));
      expect(() => createLimiter().hold([rateLimit(), rule], { size: 2 })).not.toThrow();
    });
  });

  describe('a rule that is held already', () => {
    const nested = /a place of this rule is held already/;
    const outcomeOf = (held$: Observable<unknown>): unknown[] => {
      const received: unknown[] = [];
      held$.subscribe({ next: (value) => received.push(value), error: (error: unknown) => received.push(error) });
      return received;
    };
    const refused = [expect.objectContaining({ message: expect.stringMatching(nested) as string })];

    it('is refused within, even while a place is free, and its place is given back', () => {
      const limiter = createLimiter();
      const two = [inFlight(2)];
      expect(outcomeOf(of(1).pipe(limiter.hold(two), limiter.hold(two)))).toEqual(refused);
      expect(
        outcomeOf(
          of(0).pipe(
            mergeMap(() => of(1).pipe(limiter.hold(two))),
            limiter.hold(two),
          ),
        ),
      ).toEqual(refused);
      expect(outcomeOf(of(1).pipe(limiter.hold(two, { size: 2 })))).toEqual([1]);
    });

    it('is refused within another rule, and behind a wait', () => {
      const limiter = createLimiter();
      const [one, other] = [[inFlight(1)], [inFlight(1)]];
      const first = new Subject<never>();
      first.pipe(limiter.hold(one)).subscribe();
      const received = outcomeOf(of(1).pipe(limiter.hold(one), limiter.hold(other), limiter.hold(one)));
      expect(received).toEqual([]);
      first.complete();
      expect(received).toEqual(refused);
    });

    it('is found when a value passes through a `hold` within, at whatever time', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const limiter = createLimiter();
        const [one, other] = [[inFlight(1)], [inFlight(1)]];
        const inner$ = cold('--a|').pipe(
          limiter.hold(other),
          mergeMap((value) => of(value).pipe(limiter.hold(one))),
        );
        expectObservable(inner$.pipe(limiter.hold(one))).toBe('--#', {}, expect.any(Error));
      }));

    it('is none of those who take a value, or an end, of the holder: they get the place when it has ended', () => {
      const limiter = createLimiter();
      const one = [inFlight(1)];
      const again = () => of(2).pipe(limiter.hold(one));
      expect(outcomeOf(of(1).pipe(limiter.hold(one), mergeMap(again)))).toEqual([2]);
      expect(outcomeOf(concat(of(1).pipe(limiter.hold(one)), again()))).toEqual([1, 2]);
      const received: unknown[] = [];
      of(1)
        .pipe(limiter.hold(one))
        .subscribe({ complete: () => received.push(...outcomeOf(of(3).pipe(limiter.hold(one)))) });
      expect(outcomeOf(again())).toEqual([2]);
    });

    it('is none of those whom an end within lets in', () => {
      const limiter = createLimiter();
      const [one, other] = [[inFlight(1)], [inFlight(1)]];
      const blocking = new Subject<never>();
      blocking.pipe(limiter.hold(other)).subscribe();
      const received = outcomeOf(defer(() => of('b').pipe(limiter.hold(one))).pipe(limiter.hold(other)));
      // Its end, inside of a holding of `one`, lets in who needs that rule, but did not ask within.
      defer(() => {
        blocking.complete();
        return EMPTY;
      })
        .pipe(limiter.hold(one))
        .subscribe();
      expect(received).toEqual(['b']);
    });

    it('is none of those who waited within for another rule until the holder had ended', () => {
      const limiter = createLimiter();
      const [one, other] = [[inFlight(1)], [inFlight(1)]];
      const blocking = new Subject<never>();
      blocking.pipe(limiter.hold(other)).subscribe();
      let received: unknown[] = [];
      defer(() => {
        received = outcomeOf(defer(() => of('b').pipe(limiter.hold(one))).pipe(limiter.hold(other)));
        return EMPTY;
      })
        .pipe(limiter.hold(one))
        .subscribe();
      blocking.complete();
      expect(received).toEqual(['b']);
    });

    it('is refused within also where the holder has other rules as well', () => {
      const limiter = createLimiter();
      const [x, y] = [inFlight(2), inFlight(2)];
      expect(outcomeOf(of(1).pipe(limiter.hold([y]), limiter.hold([x, y])))).toEqual(refused);
    });

    it('may be a rate', () => {
      const limiter = createLimiter();
      const rate = [rateLimit({ requests: 2, seconds: 1 })];
      expect(outcomeOf(of(1).pipe(limiter.hold(rate), limiter.hold(rate)))).toEqual([1]);
    });
  });

  it('who has waited begins in the async context in which it was subscribed', () => {
    const asking = new AsyncLocalStorage<string>();
    const limiter = createLimiter();
    const one = [inFlight(1)];
    const first = new Subject<never>();
    const seen: unknown[] = [];
    first.pipe(limiter.hold(one)).subscribe();
    const work = defer(() => of(asking.getStore())).pipe(limiter.hold(one));
    asking.run('b', () => work.subscribe((store) => seen.push(store)));
    asking.run('c', () => work.subscribe((store) => seen.push(store)));
    asking.run('a', () => first.complete());
    expect(seen).toEqual(['b', 'c']);
  });

  describe('a rule that throws', () => {
    const throwing = (part: 'admitsAt' | 'start', when: () => boolean): LimiterRule => ({
      admitsAt: (now) => (part === 'admitsAt' && when() ? fail() : now),
      start: () => (part === 'start' && when() ? fail() : nothing),
      loosened$: NEVER,
    });

    it.each(['admitsAt', 'start'] as const)('%s at once: an error, and the other rules are free again', (part) =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const limiter = createLimiter();
        const one = inFlight(1);
        const source = cold('-a|');
        expectObservable(source.pipe(limiter.hold([one, throwing(part, () => true)]))).toBe('#', {}, defect);
        expectObservable(cold('-b|').pipe(limiter.hold([one]))).toBe('-b|');
        expectSubscriptions(source.subscriptions).toBe([]);
      }),
    );

    it.each(['admitsAt', 'start'] as const)('%s later: an error for one who waits; the others go on', (part) =>
      inVirtualTime(({ cold, expectObservable }) => {
        const limiter = createLimiter();
        const one = inFlight(1);
        let broken = false;
        cold('--x').subscribe(() => (broken = true));
        expectObservable(cold('---a|').pipe(limiter.hold([one]))).toBe('---a|');
        expectObservable(cold('-b|').pipe(limiter.hold([one, throwing(part, () => broken)]))).toBe('----#', {}, defect);
        expectObservable(cold('-c|').pipe(limiter.hold([one]))).toBe('-----c|');
      }),
    );
  });

  describe('length', () => {
    const N = 10_000;

    it('10,000 synchronous sources pass without overflowing the stack', () => {
      const seen: number[] = [];
      const limiter = createLimiter();
      const rules = [inFlight(1)];
      range(0, N)
        .pipe(mergeMap((n) => of(n).pipe(limiter.hold(rules))))
        .subscribe((n) => seen.push(n));
      expect(seen).toHaveLength(N);
    });

    it('10,000 who wait for one are served one after another, in order, without overflowing the stack', () => {
      const limiter = createLimiter();
      const rules = [inFlight(1)];
      const gate = new Subject<never>();
      const seen: number[] = [];
      gate.pipe(limiter.hold(rules)).subscribe();
      range(0, N)
        .pipe(mergeMap((n) => of(n).pipe(limiter.hold(rules))))
        .subscribe((n) => seen.push(n));
      expect(seen).toEqual([]);
      gate.complete();
      expect(seen).toEqual(Array.from({ length: N }, (_, n) => n));
    });

    it('a chain of 10,000 synchronous sources, each behind the end of the one before, keeps a flat stack', () => {
      const limiter = createLimiter();
      const rules = [inFlight(1)];
      const gate = new Subject<never>();
      let count = 0;
      const link = of(0).pipe(limiter.hold(rules));
      gate.pipe(limiter.hold(rules)).subscribe();
      concat(...Array.from({ length: N }, () => link)).subscribe(() => (count += 1));
      gate.complete();
      expect(count).toBe(N);
    });

    it('10,000 of different rules who need not wait are admitted, and each rule is asked once for each', () => {
      const limiter = createLimiter();
      const most = inFlight(256);
      let asked = 0;
      const counted: LimiterRule = {
        ...most,
        admitsAt: (now, size) => {
          asked += 1;
          return most.admitsAt(now, size);
        },
      };
      const rates = Array.from({ length: 5 }, () => rateLimit({ requests: 1_000_000, seconds: 1 }));
      for (let n = 0; n < N; n += 1)
        of(n)
          .pipe(limiter.hold([counted, ...rates]))
          .subscribe();
      expect(asked).toBe(N);
    });
  });

  it('runs one timer for all who wait, and none when the last has left', () => {
    jest.useFakeTimers();
    const limiter = createLimiter();
    const later = (seconds: number) => of(0).pipe(limiter.hold([opensAt(Date.now() + seconds * 1000)]));
    const waiting = [later(3), later(1), later(2), later(9)].map((held$) => held$.subscribe());
    expect(jest.getTimerCount()).toBe(1);
    jest.advanceTimersByTime(2000);
    expect(jest.getTimerCount()).toBe(1);
    jest.advanceTimersByTime(1000);
    expect(jest.getTimerCount()).toBe(1);
    waiting[3]?.unsubscribe();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('runs no timer for who waits for an end', () => {
    jest.useFakeTimers();
    const limiter = createLimiter();
    const rules = [inFlight(1)];
    NEVER.pipe(limiter.hold(rules)).subscribe();
    of(0).pipe(limiter.hold(rules)).subscribe();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('property: nobody is lost, caps hold, equal rules keep the order, and nobody waits without a reason', () => {
    const work = fc.record({
      asks: fc.nat(20),
      length: fc.nat(8),
      rules: fc.subarray([0, 1, 2]),
      ending: fc.constantFrom('complete', 'error', 'leave'),
      patience: fc.nat(40),
    });
    const caps = fc.tuple(
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 3 }),
    );
    fc.assert(
      fc.property(fc.array(work, { maxLength: 25 }), caps, (works, most) => {
        const scheduler = new VirtualTimeScheduler();
        const limiter = createLimiter({ scheduler });
        const rules = most.map(inFlight);
        const [running, waiting] = [new Set<number>(), new Set<number>()];
        const [asked, begun, wrong]: [number[], number[], unknown[]] = [[], [], []];
        const uses = (id: number, rule: number): boolean => works[id]?.rules.includes(rule) ?? false;
        const countOf = (rule: number): number => [...running].filter((id) => uses(id, rule)).length;
        const couldStart = (id: number): boolean => most.every((cap, rule) => !uses(id, rule) || countOf(rule) < cap);

        works.forEach(({ asks, length, ending, patience }, id) => {
          const source = defer(() => {
            waiting.delete(id);
            if (!couldStart(id)) wrong.push(['above the cap', id]);
            running.add(id);
            begun.push(id);
            return timer(length, scheduler).pipe(
              mergeMap(() => (ending === 'error' ? throwError(() => 'down') : EMPTY)),
              finalize(() => running.delete(id)),
            );
          });
          const ask = (): void => {
            asked.push(id);
            waiting.add(id);
            const its = rules.filter((_, rule) => uses(id, rule));
            const subscription = source.pipe(limiter.hold(its)).subscribe({ error: nothing });
            subscription.add(() => waiting.delete(id));
            if (ending === 'leave') scheduler.schedule(() => subscription.unsubscribe(), patience);
          };
          scheduler.schedule(ask, asks);
        });
        for (let moment = 0.5; moment < 250; moment += 1)
          scheduler.schedule(() => wrong.push(...[...waiting].filter(couldStart)), moment);
        scheduler.flush();

        expect(wrong).toEqual([]);
        expect(running.size + waiting.size).toBe(0);
        expect(works.flatMap(({ ending }, id) => (ending === 'leave' || begun.includes(id) ? [] : [id]))).toEqual([]);
        for (const queue of new Set(works.map(({ rules: its }) => its.join()))) {
          const ofQueue = (id: number): boolean => works[id]?.rules.join() === queue;
          expect(begun.filter(ofQueue)).toEqual(asked.filter((id) => ofQueue(id) && begun.includes(id)));
        }
      }),
    );
  });

  it('a long queue is served two at a time, in order', () => {
    const scheduler = new VirtualTimeScheduler();
    const limiter = createLimiter({ scheduler });
    const rules = [inFlight(2)];
    const seen: number[] = [];
    range(0, 100)
      .pipe(
        mergeMap((n) =>
          timer(1, scheduler).pipe(
            map(() => n),
            limiter.hold(rules),
          ),
        ),
      )
      .subscribe((n) => seen.push(scheduler.now() * 1000 + n));
    scheduler.flush();
    expect(seen).toEqual(Array.from({ length: 100 }, (_, n) => (Math.floor(n / 2) + 1) * 1000 + n));
  });
});
