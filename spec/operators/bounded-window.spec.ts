import { AsyncLocalStorage } from 'node:async_hooks';
import * as fc from 'fast-check';
import {
  concat,
  concatMap,
  defer,
  EMPTY,
  expand,
  finalize,
  from,
  map,
  mergeMap,
  NEVER,
  of,
  range,
  Subject,
  take,
  tap,
  throwError,
  timer,
} from 'rxjs';
import type { Observable } from 'rxjs';
import { boundedWindow, createDemand, last, more, unfoldPages } from '../../src/operators';
import type { WindowGate } from '../../src/operators';
import { inVirtualTime } from './in-virtual-time';

const defect = new Error('a defect');
const opened = { x: undefined };

/** Asks the gate, then takes `ms` for each value: the source that the window is made for. */
const steps = (values: readonly string[], gate: WindowGate, ms: number, ahead?: number): Observable<string> =>
  from(values).pipe(
    concatMap((value) =>
      gate(ahead).pipe(
        take(1),
        mergeMap(() => timer(ms)),
        map(() => value),
      ),
    ),
  );

describe('boundedWindow', () => {
  afterEach(() => jest.useRealTimers());

  describe('drain', () => {
    it.each([
      ['-', '-'],
      ['|', '|'],
      ['--|', '--|'],
      ['--(a|)', '----(a|)'],
      ['-a-b-c-|', '---a-b-(c|)'],
      ['-(abc)|', '---a-b-(c|)'],
      ['-a--#', '---a#'],
      ['-ab-#', '---a#'],
    ])('works on one value at a time, in order: %s', (marbles, expected) =>
      inVirtualTime(({ cold, expectObservable }) => {
        const { drain } = boundedWindow();
        expectObservable(cold(marbles).pipe(drain((value) => cold('--(v|)', { v: value })))).toBe(expected);
      }),
    );

    it('begins the next work when the one before has completed and cleaned up', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions, flush }) => {
        const log: string[] = [];
        const works = { a: cold('--A-|'), b: cold('--B|') };
        const source = cold<'a' | 'b'>('           -(ab)|');
        const result$ = source.pipe(
          boundedWindow().drain((value, index) => {
            log.push(`begin ${value} ${index}`);
            return works[value].pipe(finalize(() => log.push(`clean up ${value}`)));
          }),
        );
        expectObservable(result$).toBe('           ---A---B|');
        expectSubscriptions(source.subscriptions).toBe('^----!');
        expectSubscriptions(works.a.subscriptions).toBe('-^---!');
        expectSubscriptions(works.b.subscriptions).toBe('-----^--!');
        flush();
        expect(log).toEqual(['begin a 0', 'clean up a', 'begin b 1', 'clean up b']);
      }));

    it('errors with the error of the work, and leaves the source', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const source = cold('-(ab)---');
        const result$ = source.pipe(boundedWindow().drain(() => cold('--#')));
        expectObservable(result$).toBe('---#');
        expectSubscriptions(source.subscriptions).toBe('^--!');
      }));

    it('errors with the error of the source, and leaves the work', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const work = cold('----x');
        expectObservable(cold('-a-#').pipe(boundedWindow().drain(() => work))).toBe('---#');
        expectSubscriptions(work.subscriptions).toBe('-^-!');
      }));

    it('errors when work throws', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const source = cold('-ab---');
        const result$ = source.pipe(
          boundedWindow().drain((value) => {
            if (value === 'b') throw defect;
            return of(value);
          }),
        );
        expectObservable(result$).toBe('-a#', undefined, defect);
        expectSubscriptions(source.subscriptions).toBe('^-!');
      }));

    it('drops what waits and leaves the work under way when unsubscribed', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const source = cold('                                -(abc)---');
        const work = cold('                                   --x|');
        expectObservable(source.pipe(boundedWindow().drain(() => work)), '------!').toBe('---x--');
        expectSubscriptions(source.subscriptions).toBe('     ^-----!');
        expectSubscriptions(work.subscriptions).toBe(['-^--!', '----^-!']);
      }));

    it('takes promises and async iterables for work, and `undefined` and `null` for values', async () => {
      const seen: unknown[] = [];
      async function* twice(value: unknown) {
        yield await Promise.resolve(value);
        yield value;
      }
      await of(undefined, null)
        .pipe(boundedWindow().drain((value) => (value === null ? Promise.resolve(value) : twice(value))))
        .forEach((value) => seen.push(value));
      expect(seen).toEqual([undefined, undefined, null]);
    });

    it('begins no work after the subscriber has left, also when all is synchronous and endless', () => {
      const work = jest.fn((n: number) => of(n));
      const cleanUp = jest.fn();
      range(0, Infinity).pipe(finalize(cleanUp), boundedWindow().drain(work), take(3)).subscribe();
      expect(work).toHaveBeenCalledTimes(3);
      expect(cleanUp).toHaveBeenCalledTimes(1);
    });

    it('leaves endless synchronous work when the subscriber leaves', () => {
      const cleanUp = jest.fn();
      const seen: number[] = [];
      of('a', 'b')
        .pipe(
          boundedWindow().drain(() => range(0, Infinity).pipe(finalize(cleanUp))),
          take(2),
        )
        .subscribe((n) => seen.push(n));
      expect(seen).toEqual([0, 1]);
      expect(cleanUp).toHaveBeenCalledTimes(1);
    });
  });

  describe('gate', () => {
    it('lets a source that asks before each step run ahead by one value, as the diagram shows', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const { gate, drain } = boundedWindow();
        const opened$ = new Subject<string>();
        const seen$ = new Subject<string>();
        const watched: WindowGate = (ahead) => gate(ahead).pipe(tap(() => opened$.next('o')));
        const result$ = steps(['a', 'b', 'c', 'd'], watched, 2).pipe(
          tap((value) => seen$.next(value)),
          drain((value) => cold('-----V|', { V: value.toUpperCase() })),
        );
        expectObservable(opened$).toBe('o-o-----o-----o');
        expectObservable(seen$).toBe('  --a-b-----c-----d');
        expectObservable(result$).toBe('-------A-----B-----C-----D|');
      }));

    it.each([
      [0, '--a------b------(c|)', '-------A------B------(C|)'],
      [1, '--a-b----(c|)', '-------A----B----(C|)'],
      [2, '--a-b-(c|)', '-------A----B----(C|)'],
    ])('opens while fewer than %d values wait', (ahead, arrivals, results) =>
      inVirtualTime(({ cold, expectObservable }) => {
        const { gate, drain } = boundedWindow({ ahead });
        const seen$ = new Subject<string>();
        const result$ = steps(['a', 'b', 'c'], gate, 2).pipe(
          tap(seen$),
          drain((value) => cold('-----(v|)', { v: value.toUpperCase() })),
        );
        expectObservable(seen$).toBe(arrivals);
        expectObservable(result$).toBe(results);
      }),
    );

    it('goes by the `ahead` it is asked with', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const { gate, drain } = boundedWindow({ ahead: 3 });
        const seen$ = new Subject<string>();
        const result$ = steps(['a', 'b', 'c'], gate, 2, 0).pipe(
          tap(seen$),
          drain((value) => cold('-----(v|)', { v: value.toUpperCase() })),
        );
        expectObservable(seen$).toBe('--a------b------(c|)');
        expectObservable(result$).toBe('-------A------B------(C|)');
      }));

    it('opens for those that wait when the room they asked for is made', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const { gate, drain } = boundedWindow();
        expectObservable(cold('(abc)').pipe(drain(() => cold('---|')))).toBe('-');
        expectObservable(gate()).toBe('(x|)', opened);
        // a is worked on until 3, b until 6, c until 9
        expectObservable(gate(3), '-^').toBe(' -(x|)', opened);
        expectObservable(gate(2), '-^').toBe(' ---(x|)', opened);
        expectObservable(gate(1), '-^').toBe(' ------(x|)', opened);
        expectObservable(gate(0), '-^').toBe(' ---------(x|)', opened);
      }));

    it('forgets a gate that is unsubscribed while it waits', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const { gate, drain } = boundedWindow();
        expectObservable(cold('(abc)').pipe(drain(() => cold('---|')))).toBe('-');
        expectObservable(gate(), '-^---!').toBe('-');
        expectObservable(gate(), '-^').toBe('------(x|)', opened);
      }));

    it('reserves no place: steps under way at the same time all pass', () =>
      inVirtualTime(({ expectObservable }) => {
        const { gate } = boundedWindow();
        for (let n = 0; n < 3; n += 1) expectObservable(gate()).toBe('(x|)', opened);
      }));

    it('lets no two synchronous steps pass for one free place', () => {
      const { gate, drain } = boundedWindow();
      const arrivals = new Subject<string>();
      const release = new Subject<void>();
      arrivals.pipe(drain(() => release.pipe(take(1)))).subscribe();
      arrivals.next('worked on');
      arrivals.next('waits');
      const passed: string[] = [];
      for (const step of ['a', 'b', 'c']) {
        gate().subscribe(() => {
          passed.push(step);
          arrivals.next(step);
        });
      }
      expect(passed).toEqual([]);
      release.next();
      expect(passed).toEqual(['a']);
      release.next();
      expect(passed).toEqual(['a', 'b']);
      release.next();
      expect(passed).toEqual(['a', 'b', 'c']);
    });

    it('serves the next that waits when a step gives no value', () => {
      const { gate, drain } = boundedWindow();
      const arrivals = new Subject<string>();
      const release = new Subject<void>();
      arrivals.pipe(drain(() => release.pipe(take(1)))).subscribe();
      arrivals.next('worked on');
      arrivals.next('waits');
      const passed: string[] = [];
      gate().subscribe(() => passed.push('a, without a value'));
      gate().subscribe(() => passed.push('b'));
      release.next();
      expect(passed).toEqual(['a, without a value', 'b']);
    });

    it('serves a gate that was passed over when room is made while another opens', () => {
      const { gate, drain } = boundedWindow();
      const arrivals = new Subject<string>();
      const release = new Subject<void>();
      arrivals.pipe(drain(() => release.pipe(take(1)))).subscribe();
      for (const value of ['worked on', 'waits']) arrivals.next(value);
      const passed: number[] = [];
      gate(1).subscribe(() => passed.push(1));
      gate(2).subscribe(() => {
        release.next();
        passed.push(2);
      });
      expect(passed).toEqual([2, 1]);
    });

    it('opens when the last of several values that came during synchronous work begins', () => {
      const { gate, drain } = boundedWindow();
      const arrivals = new Subject<string>();
      const log: string[] = [];
      const work = (value: string) => {
        log.push(`begin ${value}`);
        return value === 'c' ? NEVER : of(value);
      };
      arrivals.pipe(drain(work)).subscribe((value) => {
        if (value !== 'a') return;
        arrivals.next('b');
        arrivals.next('c');
        gate().subscribe(() => log.push('open'));
      });
      arrivals.next('a');
      expect(log).toEqual(['begin a', 'begin b', 'begin c', 'open']);
    });

    it('begins for each subscription of one gate again', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const { gate, drain } = boundedWindow();
        const gate$ = gate();
        expectObservable(cold('-(ab)').pipe(drain(() => cold('---|')))).toBe('-');
        expectObservable(gate$).toBe('(x|)', opened);
        expectObservable(gate$, '--^').toBe('----(x|)', opened);
      }));
  });

  describe('the count', () => {
    /** Whether `n` values wait, and whether one is worked on, as the gates tell it. */
    const isIdle = (gate: WindowGate): boolean => {
      let idle = false;
      gate(0)
        .pipe(take(1))
        .subscribe(() => (idle = true))
        .unsubscribe();
      return idle;
    };

    const ends: [string, (drained$: Observable<unknown>, end: Subject<void>) => void][] = [
      [
        'unsubscribed',
        (drained$) => {
          drained$.subscribe().unsubscribe();
        },
      ],
      [
        'left at a value',
        (drained$, end) => {
          drained$.pipe(take(1)).subscribe();
          end.next();
        },
      ],
      [
        'failed in its work',
        (drained$, end) => {
          drained$.subscribe({ error: () => undefined });
          end.error(defect);
        },
      ],
    ];
    it.each(ends)('is given back by a subscription that is %s', (_, finish) => {
      const { gate, drain } = boundedWindow();
      const end = new Subject<void>();
      finish(concat(of('a', 'b', 'c'), NEVER).pipe(drain(() => end)), end);
      expect(isIdle(gate)).toBe(true);
    });

    it('is given back when the source fails and when work throws', () => {
      const { gate, drain } = boundedWindow();
      const failed = jest.fn();
      concat(
        of('a', 'b'),
        throwError(() => defect),
      )
        .pipe(drain(() => NEVER))
        .subscribe({ error: failed });
      of('a', 'b')
        .pipe(
          drain(() => {
            throw defect;
          }),
        )
        .subscribe({ error: failed });
      expect(failed.mock.calls).toEqual([[defect], [defect]]);
      expect(isIdle(gate)).toBe(true);
    });

    it('is given back once when the cleaning up of work that has completed ends the subscription', () => {
      const { gate, drain } = boundedWindow();
      const release = new Subject<void>();
      const begun: string[] = [];
      const subscription = concat(of('a', 'b', 'c'), NEVER)
        .pipe(
          drain((value) => {
            begun.push(value);
            return release.pipe(
              take(1),
              finalize(() => subscription.unsubscribe()),
            );
          }),
        )
        .subscribe();
      release.next();
      expect(begun).toEqual(['a']);
      expect(isIdle(gate)).toBe(true);
    });

    it('is given back once when synchronous work ends the subscription while other values wait', () => {
      const { gate, drain } = boundedWindow();
      const release = new Subject<void>();
      const leave = () => subscription.unsubscribe();
      const subscription = concat(of('a', 'b', 'c'), NEVER)
        .pipe(drain((value) => (value === 'a' ? release.pipe(take(1)) : EMPTY.pipe(finalize(leave)))))
        .subscribe();
      release.next();
      expect(isIdle(gate)).toBe(true);

      const opens = jest.fn();
      concat(of('worked on', 'waits'), NEVER)
        .pipe(drain(() => NEVER))
        .subscribe();
      gate(1).subscribe(opens);
      expect(opens).not.toHaveBeenCalled();
    });

    it('is shared by subscriptions at the same time, and each gives back its own', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const { gate, drain } = boundedWindow();
        const busy = () => NEVER;
        expectObservable(cold('(abc)').pipe(drain(busy)), '---!').toBe('-');
        expectObservable(cold('(ab)').pipe(drain(busy)), ' -----!').toBe('-');
        expectObservable(gate(4), '-^').toBe('-(x|)', opened);
        expectObservable(gate(3), '-^').toBe('---(x|)', opened);
        expectObservable(gate(1), '-^').toBe('-----(x|)', opened);
        expectObservable(gate(0), '-^').toBe('-----(x|)', opened);
      }));

    it('serves a second subscription after the first has ended', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const { gate, drain } = boundedWindow({ ahead: 0 });
        const result$ = defer(() => steps(['a', 'b'], gate, 1)).pipe(drain((value) => cold('--(v|)', { v: value })));
        expectObservable(result$, '^---!').toBe('---a');
        expectObservable(result$, '------^').toBe('---------a--(b|)');
      }));

    it('opens none of its own gates while a subscription ends', () => {
      const { gate, drain } = boundedWindow({ ahead: 0 });
      const started: number[] = [];
      const source$ = unfoldPages(
        1,
        (n) => {
          started.push(n);
          return of(more(n, n + 1));
        },
        { gate },
      );
      source$
        .pipe(drain(() => NEVER))
        .subscribe()
        .unsubscribe();
      expect(started).toEqual([1]);
    });
  });

  it.each([-1, 0.5, NaN])('refuses %p for `ahead`', (ahead) => {
    const refusal = new RangeError(`boundedWindow needs an integer from 0, or Infinity, for \`ahead\`, not ${ahead}.`);
    expect(() => boundedWindow({ ahead })).toThrow(refusal);
    expect(() => boundedWindow().gate(ahead)).toThrow(refusal);
  });

  it('leaves no timer behind', () => {
    jest.useFakeTimers();
    const { gate, drain } = boundedWindow();
    const subscription = steps(['a', 'b', 'c'], gate, 10)
      .pipe(drain(() => timer(1000)))
      .subscribe();
    jest.advanceTimersByTime(500);
    expect(jest.getTimerCount()).toBe(1);
    subscription.unsubscribe();
    expect(jest.getTimerCount()).toBe(0);
  });

  describe('length', () => {
    const N = 10_000;

    it('drains 10,000 synchronous values, also those that waited for asynchronous work', () => {
      const seen: number[] = [];
      const release = new Subject<number>();
      range(1, N)
        .pipe(boundedWindow().drain((n) => (n === 1 ? release.pipe(take(1)) : of(n))))
        .subscribe((n) => seen.push(n));
      expect(seen).toEqual([]);
      release.next(1);
      expect(seen).toEqual(Array.from({ length: N }, (_, index) => index + 1));
    });

    it.each([0, 1, 5])('does not nest synchronous steps that ask again (ahead %d)', (ahead) => {
      const { gate, drain } = boundedWindow({ ahead });
      const arrivals = new Subject<number>();
      const seen: number[] = [];
      arrivals.pipe(drain((n) => of(n))).subscribe((n) => seen.push(n));
      const step = (n: number): void => {
        gate().subscribe(() => {
          arrivals.next(n);
          if (n < N) step(n + 1);
        });
      };
      step(1);
      expect(seen).toHaveLength(N);
      expect(seen.every((n, index) => n === index + 1)).toBe(true);
    });

    it.each([0, 1, 5])('does not nest synchronous steps that begin when work has ended (ahead %d)', (ahead) => {
      const { gate, drain } = boundedWindow({ ahead });
      const arrivals = new Subject<number>();
      const release = new Subject<number>();
      const seen: number[] = [];
      const step = (n: number): void => {
        gate().subscribe(() => {
          arrivals.next(n);
          if (n < N) step(n + 1);
        });
      };
      arrivals.pipe(drain((n) => (n === 1 ? release.pipe(take(1)) : of(n)))).subscribe((n) => seen.push(n));
      step(1);
      release.next(1);
      expect(seen).toHaveLength(N);
    });

    it('serves `unfoldPages` and `expand`', () => {
      const { gate, drain } = boundedWindow();
      const seen: number[] = [];
      const loop$ = unfoldPages(1, (n) => (n < N ? of(more(n, n + 1)) : of(last(n))), { gate });
      loop$.pipe(drain((n) => of(n))).subscribe((n) => seen.push(n));
      expect(seen).toHaveLength(N);

      const expanded: number[] = [];
      const gated = (n: number) => gate().pipe(map(() => n));
      gated(1)
        .pipe(
          expand((n) => (n < 100 ? gated(n + 1) : EMPTY)),
          drain((n) => of(n)),
        )
        .subscribe((n) => expanded.push(n));
      expect(expanded).toHaveLength(100);
    });
  });

  it('never lets more than ahead + n values be under way with n steps at once, and loses none', () => {
    const times = fc.array(fc.nat(4), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(
        fc.nat(3),
        fc.array(times, { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(5), { minLength: 1 }),
        (ahead, sources, workTimes) =>
          inVirtualTime(({ flush }) => {
            const { gate, drain } = boundedWindow({ ahead });
            const wait = (ms: number): Observable<unknown> => (ms === 0 ? of(0) : timer(ms));
            let underWay = 0;
            let most = 0;
            let done = 0;
            const source$ = from(sources).pipe(
              mergeMap((delays) =>
                unfoldPages(
                  0,
                  (n) =>
                    wait(delays[n] ?? 0).pipe(
                      mergeMap(() => (n + 1 < delays.length ? of(more(n, n + 1)) : of(last(n)))),
                    ),
                  { gate },
                ),
              ),
              tap(() => {
                underWay += 1;
                most = Math.max(most, underWay);
              }),
            );
            source$
              .pipe(
                drain((_, index) =>
                  wait(workTimes[index % workTimes.length] ?? 0).pipe(
                    tap(() => {
                      underWay -= 1;
                      done += 1;
                    }),
                  ),
                ),
              )
              .subscribe();
            flush();
            expect(done).toBe(sources.flat().length);
            expect(most).toBeLessThanOrEqual(ahead + sources.length);
          }),
      ),
    );
  });

  describe('drain with a concurrency', () => {
    /** Works as long as is said, and logs what begins. */
    const logged = (lengths: Readonly<Record<string, number>>) => {
      const log: string[] = [];
      const work = (value: string) => {
        log.push(value);
        return timer(lengths[value] ?? 1).pipe(map(() => value.toUpperCase()));
      };
      return { log, work };
    };

    it('works on so many at once; results come in order, or as they are there', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const lengths = { a: 6, b: 1, c: 9 };
        const [first, second] = [cold('-(abc)|'), cold('-(abc)|')];
        const { drain } = boundedWindow();
        expectObservable(first.pipe(drain(logged(lengths).work, { concurrency: 2 }))).toBe('-------(AB)(C|)');
        const free = { concurrency: 2, ordered: false };
        expectObservable(second.pipe(drain(logged(lengths).work, free))).toBe('--B----A---(C|)');
        expectSubscriptions(first.subscriptions).toBe('^-----!');
      }));

    it('begins no more than twice as many whose results have not been given', () =>
      inVirtualTime(({ cold, flush }) => {
        const { log, work } = logged({ a: 50 });
        const atTime: number[] = [];
        cold('(abcdefgh|)')
          .pipe(boundedWindow().drain(work, { concurrency: 2 }))
          .subscribe();
        timer(40).subscribe(() => atTime.push(log.length));
        flush();
        expect(atTime).toEqual([4]);
        expect(log.join('')).toBe('abcdefgh');
      }));

    it.each([1, 2, 5])('has at most ahead + %d values that are not worked off', (concurrency) =>
      inVirtualTime(({ flush }) => {
        const { gate, drain } = boundedWindow({ ahead: 3 });
        let [made, done, most] = [0, 0, 0];
        const visit = (n: number) => {
          made += 1;
          most = Math.max(most, made - done);
          return of(n < 60 ? more(n, n + 1) : last(n));
        };
        const work = (n: number) => timer((n % 4) + 1).pipe(tap(() => (done += 1)));
        unfoldPages(1, visit, { gate }).pipe(drain(work, { concurrency })).subscribe();
        flush();
        expect([made, done, most]).toEqual([60, 60, 3 + concurrency]);
      }),
    );

    it('gives the error of a work in its turn, begins no other, and gives its count back', () =>
      inVirtualTime(({ cold, expectObservable, flush }) => {
        const { gate, drain } = boundedWindow();
        const begun: string[] = [];
        const work = (value: string) => {
          begun.push(value);
          return value === 'b' ? throwError(() => defect) : timer(4).pipe(map(() => value));
        };
        expectObservable(cold('(abcde|)').pipe(drain(work, { concurrency: 2 }))).toBe('----(a#)', undefined, defect);
        flush();
        expect(begun).toEqual(['a', 'b']);
        const open = jest.fn();
        gate(0).subscribe(open);
        expect(open).toHaveBeenCalledTimes(1);
      }));

    it('opens no gate after the error of a work, though its turn comes later and more could begin', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const { gate, drain } = boundedWindow();
        const work = (value: string): Observable<unknown> =>
          value === 'b' ? throwError(() => defect) : cold('------|');
        const concurrency = cold('2-3', { 2: 2, 3: 3 });
        expectObservable(cold('(abc)').pipe(drain(work, { concurrency }))).toBe('------#', undefined, defect);
        expectObservable(gate(), '-^').toBe('------(x|)', opened);
      }));

    it('errors with the error of its Observable, also while the last work is under way', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const work = cold('----|');
        const concurrency = cold('2-#', { 2: 2 }, defect);
        const drained$ = cold('(a|)').pipe(boundedWindow().drain(() => work, { concurrency }));
        expectObservable(drained$).toBe('--#', undefined, defect);
        expectSubscriptions(work.subscriptions).toBe('^-!');
      }));

    it('takes an Observable that changes it', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const concurrency = cold('--1--3', { 1: 1, 3: 3 });
        const work = (value: string) => cold('----(v|)', { v: value });
        expectObservable(cold('(abc|)').pipe(boundedWindow().drain(work, { concurrency }))).toBe('------a--(bc|)');
      }));

    it.each([true, false])('of Infinity begins all work at once (ordered: %p)', (ordered) =>
      inVirtualTime(({ cold, expectObservable }) => {
        const works: Record<string, ReturnType<typeof cold>> = { a: cold('---a|'), b: cold('--b|'), c: cold('-c|') };
        const work = (value: string): Observable<unknown> => works[value] ?? NEVER;
        const drained$ = cold('(abc|)').pipe(boundedWindow().drain(work, { concurrency: Infinity, ordered }));
        expectObservable(drained$).toBe(ordered ? '---a(bc|)' : '-cba|');
      }),
    );

    it('begins nothing before its first number, nor while it is 0; one that ends so is an error', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const work = (value: string) => cold('-(v|)', { v: value });
        const drained = (marbles: string) =>
          cold('(ab|)').pipe(boundedWindow().drain(work, { concurrency: cold(marbles, { 0: 0, 1: 1 }) }));
        const shut = new RangeError('drain: its `concurrency` is 0 for ever, so nothing can start.');
        expectObservable(drained('-')).toBe('-');
        expectObservable(drained('--10---1')).toBe('---a----(b|)');
        expectObservable(drained('--|')).toBe('--#', undefined, shut);
      }));

    it.each([-1, 1.5, NaN])('refuses %s', (concurrency) => {
      const message = (least: number): string =>
        `drain needs an integer from ${least}, or Infinity, for \`concurrency\`, not ${concurrency}.`;
      const error = new RangeError(message(0));
      expect(() => boundedWindow().drain(() => NEVER, { concurrency })).toThrow(new RangeError(message(1)));
      const failed = jest.fn();
      const work$ = NEVER.pipe(boundedWindow().drain(() => NEVER, { concurrency: of(concurrency) }));
      work$.subscribe({ error: failed });
      expect(failed).toHaveBeenCalledWith(error);
    });
  });

  describe('the async context', () => {
    it('is that of the one who asked, for a gate that opens later and for work that begins later', () => {
      const context = new AsyncLocalStorage<string>();
      const { gate, drain } = boundedWindow({ ahead: 0 });
      const [values, works] = [new Subject<string>(), [new Subject<never>(), new Subject<never>()]];
      const seen: unknown[] = [];
      values
        .pipe(
          drain((_, index) => {
            seen.push(`work ${context.getStore()}`);
            return works[index] ?? EMPTY;
          }),
        )
        .subscribe();
      context.run('a', () => values.next('a'));
      context.run('b', () => values.next('b'));
      context.run('asks', () => gate().subscribe(() => seen.push(`gate ${context.getStore()}`)));
      context.run('ends a', () => works[0]?.complete());
      context.run('ends b', () => works[1]?.complete());
      expect(seen).toEqual(['work a', 'work b', 'gate asks']);
    });

    it('is that of the one who asked for units of demand', () => {
      const context = new AsyncLocalStorage<string>();
      const demand = createDemand();
      const seen: unknown[] = [];
      context.run('takes', () => demand.take().subscribe(() => seen.push(context.getStore())));
      context.run('raises', () => demand.raise());
      expect(seen).toEqual(['takes']);
    });
  });
});
