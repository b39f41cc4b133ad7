import {
  concatMap,
  defer,
  EMPTY,
  EmptyError,
  firstValueFrom,
  merge,
  NEVER,
  of,
  retry,
  Subscription,
  take,
  tap,
  throwError,
  timer,
  toArray,
  VirtualTimeScheduler,
} from 'rxjs';
import type { Observable } from 'rxjs';
import { renewing, renewingEachTime } from '../../src/operators';
import type { RenewingOptions } from '../../src/operators';
import { inVirtualTime } from './in-virtual-time';
import { inputs } from './inputs';

const defect = new Error('a defect');
const fail = (): never => {
  throw defect;
};

interface Token {
  readonly name: string;
  readonly expiresAt?: number;
}

/** Tokens by name; those named in `expiry` expire at that time. */
const tokens = (expiry: Readonly<Record<string, number>> = {}): Record<string, Token> =>
  Object.fromEntries(
    ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => {
      const expiresAt = expiry[name];
      return [name, expiresAt === undefined ? { name } : { name, expiresAt }];
    }),
  );

/** A stream of tokens that renews itself from each of the renewals in turn. */
function renewingFrom(...renewals: Observable<Token>[]) {
  let count = 0;
  const renew = jest.fn(() => renewals[count++] ?? NEVER);
  return { renew, ...renewing<Token>({ renew, expiresAt: ({ expiresAt }) => expiresAt }) };
}

const times = (n: number): number[] => Array.from({ length: n }, (_, index) => index);

describe('renewing', () => {
  describe('one renewal for all', () => {
    it('renews for the first subscriber, emits, and stays', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const renewal = cold('               --a|', tokens());
        const { value$ } = renewingFrom(renewal);
        expectObservable(value$).toBe('      --a', tokens());
        expectSubscriptions(renewal.subscriptions).toBe('^-!');
      }));

    it('waits as long as a renewal takes, an endless one for ever', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const renewal = cold<Token>('-');
        expectObservable(renewingFrom(renewal).value$).toBe('-');
        expectSubscriptions(renewal.subscriptions).toBe('^');
      }));

    it('does nothing before somebody subscribes', () => {
      const { renew } = renewingFrom();
      expect(renew).not.toHaveBeenCalled();
    });

    it('shares a renewal under way with late-comers, and its value with those who come after', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const renewal = cold('                            ----a|', tokens());
        const one$ = renewingFrom(renewal).value$.pipe(take(1));
        expectObservable(one$, '           ^').toBe('     ----(a|)', tokens());
        expectObservable(one$, '           --^').toBe('   ----(a|)', tokens());
        expectObservable(one$, '           ------^').toBe('------(a|)', tokens());
        expectSubscriptions(renewal.subscriptions).toBe(' ^---!');
      }));

    it('runs one renewal for 1,000 simultaneous subscribers', () =>
      inVirtualTime(({ cold, flush }) => {
        const { value$, renew } = renewingFrom(cold('--a|', tokens()));
        const seen: string[] = [];
        times(1000).forEach(() => value$.pipe(take(1)).subscribe(({ name }) => seen.push(name)));
        flush();
        expect(seen).toEqual(times(1000).map(() => 'a'));
        expect(renew).toHaveBeenCalledTimes(1);
      }));

    it('serves a synchronous renewal to all', () => {
      const { value$, renew } = renewingFrom(of({ name: 'a' }));
      const seen: Token[] = [];
      times(3).forEach(() => value$.subscribe((token) => seen.push(token)));
      expect(seen.map(({ name }) => name)).toEqual(['a', 'a', 'a']);
      expect(renew).toHaveBeenCalledTimes(1);
    });

    it('takes the first value of a renewal that emits many', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const renewal = cold('               -a-b-c', tokens());
        expectObservable(renewingFrom(renewal).value$).toBe('-a', tokens());
        expectSubscriptions(renewal.subscriptions).toBe('^!');
      }));
  });

  describe('unsubscribing', () => {
    it('aborts the renewal when the last who waits leaves', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const renewal = cold('                           ------a|', tokens());
        const next = cold('                                    ---b|', tokens());
        const { value$ } = renewingFrom(renewal, next);
        expectObservable(value$, '           --!').toBe('-');
        expectObservable(value$, '           ----!').toBe('-');
        expectObservable(value$, '           ------^').toBe('---------b', tokens());
        expectSubscriptions(renewal.subscriptions).toBe('^---!');
        expectSubscriptions(next.subscriptions).toBe('   ------^--!');
      }));

    describe('while somebody keeps renewals going', () => {
      const kept = (expiry: Readonly<Record<string, number>>, ...renewals: Observable<Token>[]) => {
        let count = 0;
        const keeping = new Subscription();
        const { value$ } = renewing<Token>({
          renew: () => renewals[count++] ?? NEVER,
          expiresAt: ({ name }) => expiry[name],
          begins: (renewal$) => keeping.add(renewal$.subscribe({ error: () => undefined })),
        });
        return { value$, keeping };
      };

      it('the next one gets the value of a renewal that all have left', () =>
        inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
          const renewal = cold('                  ----a|', tokens());
          const { value$ } = kept({}, renewal);
          expectObservable(value$, '  --!').toBe('-');
          expectObservable(value$, '  ------^').toBe('------a', tokens());
          expectSubscriptions(renewal.subscriptions).toBe('^---!');
        }));

      it('a value that is over when it is born is renewed for nobody', () =>
        inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
          const [first, second] = [cold('--a|', tokens()), cold('--b|', tokens())];
          const { value$ } = kept({ a: 0, b: 0 }, first, second);
          const one$ = value$.pipe(take(1));
          expectObservable(one$).toBe('                  --(a|)', tokens());
          expectObservable(one$, '-----^').toBe('        -------(b|)', tokens());
          expectSubscriptions(first.subscriptions).toBe('^-!');
          expectSubscriptions(second.subscriptions).toBe('-----^-!');
        }));

      it('a renewal that fails fails for those who wait, and the next one renews', () =>
        inVirtualTime(({ cold, expectObservable }) => {
          const { value$ } = kept({}, cold<Token>('--#', {}, defect), cold('-b|', tokens()));
          expectObservable(value$).toBe('          --#', {}, defect);
          expectObservable(value$, '----^').toBe(' -----b', tokens());
        }));

      it('it is aborted when that one leaves as well', () =>
        inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
          const renewal = cold('                 ------a|', tokens());
          const { value$, keeping } = kept({}, renewal);
          expectObservable(value$, '--!').toBe(' -');
          cold('----(x|)').subscribe(() => keeping.unsubscribe());
          expectSubscriptions(renewal.subscriptions).toBe('^---!');
        }));
    });

    it('leaves the renewal to the others when one leaves', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const { value$ } = renewingFrom(cold('     ----a|', tokens()));
        expectObservable(value$, '--!').toBe('     -');
        expectObservable(value$, '^------!').toBe('----a', tokens());
      }));

    it('forgets nothing: who comes later gets the value without a renewal', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const renewal = cold('-a|', tokens({ a: 9 }));
        const { value$ } = renewingFrom(renewal);
        expectObservable(value$, '^--!').toBe('         -a', tokens({ a: 9 }));
        expectObservable(value$, '-------^!').toBe('    -------a', tokens({ a: 9 }));
        expectSubscriptions(renewal.subscriptions).toBe('^!');
      }));
  });

  describe('errors', () => {
    it('tells all who wait, and tries again for the next', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const { value$ } = renewingFrom(cold('       --#', {}, 'down'), cold('-a|', tokens()));
        expectObservable(value$).toBe('              --#', {}, 'down');
        expectObservable(value$, '-^').toBe('        --#', {}, 'down');
        expectObservable(value$, '---^').toBe('      ----a', tokens());
      }));

    it('lets those who waited try again at once, together', () =>
      inVirtualTime(({ cold, expectObservable, flush }) => {
        const { value$, renew } = renewingFrom(cold<Token>('--#'), cold<Token>('--#'), cold('--a|', tokens()));
        expectObservable(value$.pipe(retry(2))).toBe('------a', tokens());
        expectObservable(value$.pipe(retry(2))).toBe('------a', tokens());
        flush();
        expect(renew).toHaveBeenCalledTimes(3);
      }));

    it('tells those who stay when a later renewal fails', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const values = tokens({ a: 5 });
        const { value$ } = renewingFrom(cold('-a|', values), cold<Token>('--#'));
        expectObservable(value$).toBe('       -a-----#', values);
      }));

    it.each([
      ['renew throws', { renew: (): never => fail(), expiresAt: () => undefined }],
      ['expiresAt throws', { renew: () => of({ name: 'a' }), expiresAt: (): never => fail() }],
    ])('errors when %s', (_, options) =>
      inVirtualTime(({ expectObservable }) => {
        expectObservable(renewing<Token>(options).value$).toBe('#', {}, defect);
      }),
    );

    it('errors when a renewal completes without a value', () => {
      const failed = jest.fn();
      renewingFrom(EMPTY).value$.subscribe({ error: failed });
      expect(failed).toHaveBeenCalledWith(expect.any(EmptyError));
    });
  });

  describe('expiry', () => {
    it('renews once at each expiry while a subscriber stays', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const values = tokens({ a: 5, b: 10 });
        const renewals = [cold('-a|', values), cold('--b|', values), cold('-c|', values)];
        const { value$ } = renewingFrom(...renewals);
        expectObservable(value$).toBe('                        -a-----b---c', values);
        expectSubscriptions(renewals[0]?.subscriptions ?? []).toBe('^!');
        expectSubscriptions(renewals[1]?.subscriptions ?? []).toBe('-----^-!');
        expectSubscriptions(renewals[2]?.subscriptions ?? []).toBe('----------^!');
      }));

    it('runs exactly one more renewal for 1,000 who stay', () =>
      inVirtualTime(({ cold, flush }) => {
        const values = tokens({ a: 5 });
        const { value$, renew } = renewingFrom(cold('-a|', values), cold('-b|', values));
        const seen: string[] = [];
        times(1000).forEach(() => value$.subscribe(({ name }) => seen.push(name)));
        flush();
        expect(seen).toEqual([...times(1000).map(() => 'a'), ...times(1000).map(() => 'b')]);
        expect(renew).toHaveBeenCalledTimes(2);
      }));

    it('gives a value until just before it expires, and never the dead one while the next is made', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const values = tokens({ a: 5 });
        const { value$ } = renewingFrom(cold('               -a|', values), cold('---b|', values));
        const one$ = value$.pipe(take(1));
        expectObservable(value$).toBe('                      -a------b', values);
        expectObservable(one$, '               ----^').toBe('----(a|)', values);
        expectObservable(one$, '              -----^').toBe('--------(b|)', values);
        expectObservable(one$, '             ------^').toBe('--------(b|)', values);
      }));

    it('lets a value expire unnoticed while nobody is subscribed, and renews for the next', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const values = tokens({ a: 5 });
        const second = cold('                               -b|', values);
        const { value$ } = renewingFrom(cold('   -a|', values), second);
        expectObservable(value$, '               ^--!').toBe('-a', values);
        expectObservable(value$, '               ---------^').toBe('----------b', values);
        expectSubscriptions(second.subscriptions).toBe('      ---------^!');
      }));

    it('does not take an expiry in the year 2100 for now', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const far = Date.UTC(2100, 0) - Date.UTC(2026, 0);
        const values = tokens({ a: far });
        const { value$ } = renewingFrom(cold('-a|', values), cold('-b|', values));
        expectObservable(value$).toBe(`-a ${far - 1}ms b`, values);
      }));

    it('keeps the time of the given scheduler', () => {
      const scheduler = new VirtualTimeScheduler();
      const seen: number[] = [];
      const renew = () => defer(() => of({ name: 'a', expiresAt: scheduler.now() + 60_000 }));
      const { value$ } = renewing<Token>({ renew, expiresAt: ({ expiresAt }) => expiresAt, scheduler });
      value$.pipe(take(3)).subscribe(() => seen.push(scheduler.now()));
      scheduler.flush();
      expect(seen).toEqual([0, 60_000, 120_000]);
    });
  });

  describe('timers', () => {
    beforeEach(() => jest.useFakeTimers());
    afterEach(() => jest.useRealTimers());
    const inAMinute = () => renewingFrom(of({ name: 'a', expiresAt: Date.now() + 60_000 }));

    it('runs none for those who take one value', () => {
      const { value$ } = inAMinute();
      times(1000).forEach(() => value$.pipe(take(1)).subscribe());
      expect(jest.getTimerCount()).toBe(0);
    });

    it('runs one for 1,000 who stay, and none when they have left', () => {
      const { value$ } = inAMinute();
      const all = new Subscription();
      times(1000).forEach(() => all.add(value$.subscribe()));
      expect(jest.getTimerCount()).toBe(1);
      all.unsubscribe();
      expect(jest.getTimerCount()).toBe(0);
    });

    it('runs none for a value that never expires', () => {
      const subscription = renewingFrom(of({ name: 'a' })).value$.subscribe();
      expect(jest.getTimerCount()).toBe(0);
      subscription.unsubscribe();
    });

    it('runs none for a value that had expired when it was born', () => {
      const subscription = renewingFrom(of({ name: 'a', expiresAt: Date.now() })).value$.subscribe();
      expect(jest.getTimerCount()).toBe(0);
      subscription.unsubscribe();
    });
  });

  describe('a clock that is set back', () => {
    beforeEach(() => jest.useFakeTimers({ now: 100_000 }));
    afterEach(() => jest.useRealTimers());
    const seenBy = (value$: Observable<Token>) => {
      const seen: string[] = [];
      value$.subscribe(({ name }) => seen.push(name));
      return seen;
    };

    it('does not bring a value back whose time was over', () => {
      const { value$ } = renewingFrom(of({ name: 'a', expiresAt: 160_000 }), of({ name: 'b' }));
      const seen = seenBy(value$);
      jest.setSystemTime(50_000);
      jest.advanceTimersByTime(60_000);
      expect(seen).toEqual(['a', 'b']);
    });

    it('does not bring a value back that is being renewed', () => {
      const { value$ } = renewingFrom(of({ name: 'a', expiresAt: 160_000 }), NEVER);
      value$.pipe(take(1)).subscribe();
      jest.setSystemTime(160_000);
      expect(seenBy(value$)).toEqual([]);
      jest.setSystemTime(150_000);
      expect(seenBy(value$)).toEqual([]);
    });
  });

  describe('invalidation', () => {
    it('renews for those who stay', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const values = tokens();
        const { value$, invalidate } = renewingFrom(cold('-a|', values), cold('--b|', values));
        cold('                         ----a', values).subscribe(invalidate);
        expectObservable(value$).toBe('-a----b', values);
      }));

    it('renews for the next subscriber, and not before', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const values = tokens();
        const second = cold('-b|', values);
        const { value$, invalidate } = renewingFrom(cold('-a|', values), second);
        cold('                                         ---a', values).subscribe(invalidate);
        expectObservable(value$, '           ^-!').toBe('-a', values);
        expectObservable(value$, '           -----^').toBe('------b', values);
        expectSubscriptions(second.subscriptions).toBe(' -----^!');
      }));

    it('runs one renewal when 1,000 subscribers refuse the same value', () =>
      inVirtualTime(({ cold, flush }) => {
        const values = tokens();
        const { value$, invalidate, renew } = renewingFrom(cold('-a|', values), cold('-b|', values));
        const seen: string[] = [];
        for (const index of times(1000)) {
          const request$ = value$.pipe(
            take(1),
            concatMap((token) => timer(index % 7).pipe(tap(() => invalidate(token)))),
            concatMap(() => value$.pipe(take(1))),
          );
          request$.subscribe(({ name }) => seen.push(name));
        }
        flush();
        expect(seen).toEqual(times(1000).map(() => 'b'));
        expect(renew).toHaveBeenCalledTimes(2);
      }));

    it('has no effect for another value than the current one, or while a renewal is under way', () =>
      inVirtualTime(({ cold, expectObservable, flush }) => {
        const values = tokens({ a: 4 });
        const { value$, invalidate, renew } = renewingFrom(cold('-a|', values), cold('---b|', values));
        cold('                         --c--a---a', values).subscribe(invalidate);
        expectObservable(value$).toBe('-a-----b', values);
        flush();
        expect(renew).toHaveBeenCalledTimes(2);
      }));

    it('gives nobody a value that the first refused on receipt', () =>
      inVirtualTime(({ cold, expectObservable, flush }) => {
        const values = tokens();
        const { value$, invalidate, renew } = renewingFrom(cold('-a|', values), cold('--b|', values));
        const refusing$ = value$.pipe(tap((token) => (token.name === 'a' ? invalidate(token) : undefined)));
        expectObservable(refusing$).toBe('            -a-b', values);
        expectObservable(value$).toBe('               ---b', values);
        expectObservable(value$.pipe(take(1))).toBe(' ---(b|)', values);
        flush();
        expect(renew).toHaveBeenCalledTimes(2);
      }));

    it('serves one who refuses on receipt and asks again', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const values = tokens();
        const { value$, invalidate } = renewingFrom(cold('-a|', values), cold('--b|', values));
        const again$ = value$.pipe(
          take(1),
          tap(invalidate),
          concatMap(() => value$.pipe(take(1))),
        );
        expectObservable(again$).toBe('---(b|)', values);
      }));
  });

  describe('values that are refused on receipt, synchronously', () => {
    const N = 20_000;
    const counting = () => {
      let born = 0;
      return renewing({ renew: () => of((born += 1)) });
    };

    it('are renewed 20,000 times without overflowing the stack', () => {
      const { value$, invalidate } = counting();
      const received: unknown[] = [];
      let latest = 0;
      const subscription = value$.subscribe({
        next: (value) => {
          latest = value;
          if (value <= N) invalidate(value);
        },
        error: (error: unknown) => received.push(error),
        complete: () => received.push('complete'),
      });
      expect(latest).toBe(N + 1);
      expect(received).toEqual([]);
      expect(subscription.closed).toBe(false);
      subscription.unsubscribe();
    });

    it('are renewed by the one of two who refuses them, and reach both', () => {
      const { value$, invalidate } = counting();
      const seen = { refusing: 0, staying: 0 };
      const all = value$.subscribe((value) => (seen.staying = value));
      all.add(
        value$.subscribe((value) => {
          seen.refusing = value;
          if (value <= 10_000) invalidate(value);
        }),
      );
      expect(seen).toEqual({ refusing: 10_001, staying: 10_001 });
      all.unsubscribe();
    });

    it('are renewed until the renewal fails, which is told', () => {
      let born = 0;
      const renew = () => ((born += 1) > 1000 ? throwError(() => defect) : of(born));
      const { value$, invalidate } = renewing({ renew });
      const failed = jest.fn();
      value$.subscribe({ next: invalidate, error: failed });
      expect(failed.mock.calls).toEqual([[defect]]);
    });
  });

  it.each(inputs)('renews by %s', async (_, input) => {
    const renew = jest.fn(() => input({ name: 'a' }));
    const { value$ } = renewing({ renew });
    const both = [firstValueFrom(value$), firstValueFrom(value$)];
    expect(await Promise.all(both)).toEqual([{ name: 'a' }, { name: 'a' }]);
    expect(renew).toHaveBeenCalledTimes(1);
    expect(await firstValueFrom(renewingEachTime(renew).value$)).toEqual({ name: 'a' });
  });

  describe('a value that has expired when it is born', () => {
    it('serves one who waited; each other runs a renewal of its own, all at the same time', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const values = tokens({ a: 0, b: 0, c: 0 });
        const renewals = [cold('--a|', values), cold('--b|', values), cold('-c|', values)];
        const { value$ } = renewingFrom(...renewals);
        expectObservable(value$).toBe('                          --a', values);
        expectObservable(value$).toBe('                          ----b', values);
        expectObservable(value$.pipe(take(1))).toBe('            ---(c|)', values);
        expectSubscriptions(renewals[0]?.subscriptions ?? []).toBe('^-!');
        expectSubscriptions(renewals[1]?.subscriptions ?? []).toBe('--^-!');
        expectSubscriptions(renewals[2]?.subscriptions ?? []).toBe('--^!');
      }));

    it('is given to nobody twice, whatever the number of subscribers', () =>
      inVirtualTime(({ flush }) => {
        let born = 0;
        const renew = () => timer(3).pipe(concatMap(() => of({ name: `${++born}`, expiresAt: 0 })));
        const { value$ } = renewing<Token>({ renew, expiresAt: ({ expiresAt }) => expiresAt });
        const seen: string[] = [];
        for (const index of times(1000)) {
          timer(index % 10)
            .pipe(concatMap(() => value$.pipe(take(1))))
            .subscribe(({ name }) => seen.push(name));
        }
        flush();
        expect(seen).toHaveLength(1000);
        expect(new Set(seen).size).toBe(1000);
        expect(born).toBe(1000);
      }));

    it('is not renewed by time for one who stays', () =>
      inVirtualTime(({ cold, expectObservable, flush }) => {
        const values = tokens({ a: -100 });
        const { value$, renew } = renewingFrom(cold('-a|', values));
        expectObservable(value$, '^ 10s !').toBe('-a', values);
        flush();
        expect(renew).toHaveBeenCalledTimes(1);
      }));

    it('is spent: the next subscriber renews', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const values = tokens({ a: 0 });
        const { value$ } = renewingFrom(cold('-a|', values), cold('-b|', values));
        expectObservable(value$.pipe(take(1))).toBe('      -(a|)', values);
        expectObservable(value$, '           -----^').toBe('------b', values);
      }));

    it('gives way to a value that lives, when an own renewal brings one', () =>
      inVirtualTime(({ cold, expectObservable, flush }) => {
        const values = tokens({ a: 0 });
        const { value$, renew } = renewingFrom(cold('-a|', values), cold('-b|', values));
        const one$ = value$.pipe(take(1));
        expectObservable(merge(one$, one$).pipe(toArray())).toBe('--(r|)', { r: [values['a'], values['b']] });
        expectObservable(one$, '----^').toBe('----(b|)', values);
        flush();
        expect(renew).toHaveBeenCalledTimes(2);
      }));

    it('aborts an own renewal when its subscriber leaves, and tells its error to nobody else', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const values = tokens({ a: 0 });
        const left = cold('----b|', values);
        const { value$ } = renewingFrom(cold('-a|', values), left, cold<Token>('--#'), cold('---c|', values));
        expectObservable(value$).toBe('              -a', values);
        expectObservable(value$, '           ^--!').toBe('-');
        expectObservable(value$).toBe('              ---#', values);
        expectObservable(value$).toBe('              ----c', values);
        expectSubscriptions(left.subscriptions).toBe('-^-!');
      }));
  });
});

describe('renewing of other values, and times', () => {
  /** `a`, `b`, …, one a renewal. */
  const strings = (words: string, options: Partial<RenewingOptions<string>> = {}) => {
    let count = 0;
    const renew = jest.fn(() => of(words[count++] ?? ''));
    return { renew, ...renewing<string>({ renew, ...options }) };
  };
  const taken = (value$: Observable<string>): string[] => {
    const seen: string[] = [];
    value$.pipe(take(1)).subscribe((value) => seen.push(value));
    return seen;
  };

  it('strings: one that is refused is renewed; one that is refused late, and was another, is not', () => {
    const { renew, value$, invalidate } = strings('abc');
    expect(taken(value$)).toEqual(['a']);
    invalidate('a');
    expect(taken(value$)).toEqual(['b']);
    invalidate('a');
    expect(taken(value$)).toEqual(['b']);
    expect(renew).toHaveBeenCalledTimes(2);
  });

  it('strings: one that is refused late, and was equal, costs one renewal for all', () => {
    const { renew, value$, invalidate } = strings('aab');
    taken(value$);
    invalidate('a');
    taken(value$);
    invalidate('a');
    expect([...taken(value$), ...taken(value$)]).toEqual(['b', 'b']);
    expect(renew).toHaveBeenCalledTimes(3);
  });

  it('one who stays gets an equal string again, when it was refused', () => {
    const { value$, invalidate } = strings('aab');
    const seen: string[] = [];
    value$.subscribe((value) => seen.push(value));
    invalidate('a');
    expect(seen).toEqual(['a', 'a']);
  });

  it('NaN, too, is a value that can be refused', () => {
    const renew = jest.fn(() => of(NaN));
    const { value$, invalidate } = renewing({ renew });
    value$.pipe(take(1)).subscribe();
    invalidate(NaN);
    value$.pipe(take(1)).subscribe();
    expect(renew).toHaveBeenCalledTimes(2);
  });

  const expiries: [string, (now: number) => number | Date | undefined, string][] = [
    ['milliseconds', (now) => now + 5, 'a----b----c----d'],
    ['a Date', (now) => new Date(now + 5), 'a----b----c----d'],
    ['never', () => undefined, 'a'],
    ['Infinity', () => Infinity, 'a'],
  ];
  it.each(expiries)('expiry: %s', (_, expiresAt, marbles) =>
    inVirtualTime(({ expectObservable, now }) => {
      expectObservable(strings('abcd', { expiresAt: () => expiresAt(now()) }).value$, '^---------------!').toBe(
        marbles,
      );
    }),
  );

  it('with a leeway it is renewed so much earlier', () =>
    inVirtualTime(({ expectObservable, now }) => {
      const { value$ } = strings('abcd', { expiresAt: () => now() + 5, leeway: 2 });
      expectObservable(value$, '^--------!').toBe('a--b--c--');
    }));

  it('one that lives no longer than the leeway serves one subscriber, and is no storm', () => {
    const { renew, value$ } = strings('abcd', { expiresAt: () => Date.now() + 5, leeway: 1000 });
    const staying = value$.subscribe();
    expect(taken(value$)).toEqual(['b']);
    expect(renew).toHaveBeenCalledTimes(2);
    staying.unsubscribe();
  });

  it.each([
    ['NaN', NaN],
    ['an invalid Date', new Date('soon')],
  ])('an expiry of %s is an error, neither never nor a storm', (_, expiry) => {
    const { renew, value$ } = strings('abcd', { expiresAt: () => expiry });
    const failed = jest.fn();
    value$.subscribe({ error: failed });
    expect(failed).toHaveBeenCalledWith(expect.any(RangeError));
    expect(renew).toHaveBeenCalledTimes(1);
  });

  it.each([-1, NaN, Infinity])('refuses a leeway of %s', (leeway) => {
    expect(() => strings('', { leeway })).toThrow(RangeError);
  });
});

describe('renewingEachTime', () => {
  it('renews for each subscriber, sharing and keeping nothing', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const renewals = [cold('--a|', tokens()), cold('---b|', tokens()), cold<Token>('-#', {}, 'down')];
      let count = 0;
      const { value$, invalidate } = renewingEachTime((): Observable<Token> => renewals[count++] ?? NEVER);
      expectObservable(value$).toBe('              --a|', tokens());
      expectObservable(value$, '^-!').toBe('       -', tokens());
      expectObservable(value$).toBe('              -#', {}, 'down');
      expectSubscriptions(renewals[0]?.subscriptions ?? []).toBe('^--!');
      expectSubscriptions(renewals[1]?.subscriptions ?? []).toBe('^-!');
      invalidate({ name: 'a' });
    }));

  it('errors when renew throws', () =>
    inVirtualTime(({ expectObservable }) => {
      expectObservable(renewingEachTime<Token>(() => fail()).value$).toBe('#', {}, defect);
    }));
});
