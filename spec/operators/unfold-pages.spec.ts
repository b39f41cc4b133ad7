import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  asapScheduler,
  concat,
  count,
  EMPTY,
  finalize,
  lastValueFrom,
  NEVER,
  Observable,
  from,
  of,
  queueScheduler,
  range,
  scheduled,
  Subject,
  Subscription,
  take,
  tap,
  toArray,
} from 'rxjs';
import { emit, thenVisit, last, mergeInOrder, more, unfoldPages } from '../../src/operators';
import type { Visit } from '../../src/operators';
import { inVirtualTime } from './in-virtual-time';
import { inputs } from './inputs';

type Word = Visit<string, string>;

/** Letters are outputs, digits are the steps that come next. */
const words: Record<string, Word> = {
  ...Object.fromEntries(['a', 'b', 'c'].map((letter) => [letter, emit(letter)])),
  ...Object.fromEntries(['1', '2', '3'].map((digit) => [digit, thenVisit(digit)])),
};

/** Counts up for ever, one output a step, synchronously. */
const numbers = (n: number): Observable<Visit<number, number>> => of(more(n, n + 1));

describe('unfoldPages', () => {
  it.each([false, true])('hears nothing of a visit that speaks after its end (asynchronous: %p)', async (isLater) => {
    const late = (steps: readonly Visit<number, string>[], error?: Error): Observable<Visit<number, string>> =>
      new Observable((visit) => {
        const speak = (): void => {
          steps.forEach((step) => visit.next(step));
          visit.complete();
          visit.next(emit('too late'));
          visit.next(thenVisit(9));
          if (error !== undefined) visit.error(error);
          visit.complete();
        };
        if (isLater) setTimeout(speak);
        else speak();
      });
    const visits = [late([emit('a'), thenVisit(1)], new Error('too late')), late([emit('b')])];
    const seen = await lastValueFrom(unfoldPages(0, (step) => visits[step] ?? of(emit('no step'))).pipe(toArray()));
    expect(seen).toEqual(['a', 'b']);
  });

  it('visits one step after the other; outputs pass at once and in order', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const visits: Record<string, ReturnType<typeof cold<Word>>> = {
        '1': cold('     --a--b--(2|)', words),
        '2': cold('             --c--(3|)', words),
        '3': cold('                  --|', words),
      };
      const visit = (step: string): Observable<Word> => visits[step] ?? NEVER;
      expectObservable(unfoldPages('1', visit)).toBe('    --a--b----c----|');
      expectSubscriptions(visits['1']?.subscriptions ?? []).toBe('^-------!');
      expectSubscriptions(visits['2']?.subscriptions ?? []).toBe('--------^----!');
      expectSubscriptions(visits['3']?.subscriptions ?? []).toBe('-------------^-!');
    }));

  it.each([
    ['-', '-'],
    ['|', '|'],
    ['--|', '--|'],
    ['--(a|)', '--(a|)'],
    ['-a-b-c-|', '-a-b-c-|'],
    ['-a-#', '-a-#'],
  ])('mirrors a single visit: %s', (marbles, expected) =>
    inVirtualTime(({ cold, expectObservable }) => {
      expectObservable(unfoldPages('1', () => cold(marbles, words))).toBe(expected);
    }),
  );

  it('holds the next step back until the visit has completed and cleaned up', () =>
    inVirtualTime(({ cold, expectObservable, flush }) => {
      const log: string[] = [];
      const visit = (step: string) => {
        log.push(`visit ${step}`);
        return cold<Word>(step === '1' ? '-2--|' : '-a|', words).pipe(finalize(() => log.push(`clean up ${step}`)));
      };
      expectObservable(unfoldPages('1', visit)).toBe('-----a|');
      flush();
      expect(log).toEqual(['visit 1', 'clean up 1', 'visit 2', 'clean up 2']);
    }));

  it('emits before it visits the next step', () => {
    const log: string[] = [];
    unfoldPages(1, (n) => {
      log.push(`visit ${n}`);
      return numbers(n);
    })
      .pipe(
        tap((n) => log.push(`emit ${n}`)),
        take(2),
      )
      .subscribe();
    expect(log).toEqual(['visit 1', 'emit 1', 'visit 2', 'emit 2']);
  });

  it('passes on the error of a later visit', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const visit = (step: string) => cold<Word>(step === '1' ? '-a-(2|)' : '-b-#', words);
      expectObservable(unfoldPages('1', visit)).toBe('-a--b-#');
    }));

  it('errors when the visit or the gate throws', () =>
    inVirtualTime(({ expectObservable }) => {
      const defect = new Error('a defect');
      const fail = () => {
        throw defect;
      };
      expectObservable(unfoldPages('1', fail)).toBe('#', {}, defect);
      expectObservable(unfoldPages(1, numbers, { gate: fail })).toBe('#', {}, defect);
      expectObservable(unfoldPages(1, (n) => (n < 3 ? numbers(n) : fail()))).toBe('(12#)', { 1: 1, 2: 2 }, defect);
    }));

  it('unsubscribes from the visit under way when unsubscribed, and begins no other', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const first = cold<Word>('                                     -a-(2|)', words);
      const second = cold<Word>('                                       --b-(3|)', words);
      const visit = jest.fn((step: string) => (step === '1' ? first : second));
      expectObservable(unfoldPages('1', visit), '                    ------!').toBe('-a---b');
      expectSubscriptions(first.subscriptions).toBe('                ^--!');
      expectSubscriptions(second.subscriptions).toBe('               ---^--!');
    }));

  it('does not begin the next synchronous visit when unsubscribed', () => {
    const visit = jest.fn(numbers);
    unfoldPages(1, visit).pipe(take(3)).subscribe();
    expect(visit.mock.calls).toEqual([[1], [2], [3]]);
  });

  it('works for each subscriber again', () => {
    const loop$ = unfoldPages(1, numbers).pipe(take(2), toArray());
    const seen: number[][] = [];
    concat(loop$, loop$).subscribe((pages) => seen.push(pages));
    expect(seen).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  it('begins without a step, and takes `undefined` and `null` for outputs', () => {
    const seen: unknown[] = [];
    unfoldPages<string, undefined | null>(undefined, (cursor) =>
      of(cursor === undefined ? more(undefined, 'next') : last(null)),
    ).subscribe((value) => seen.push(value));
    expect(seen).toEqual([undefined, null]);
  });

  describe('what a visit says', () => {
    it('is pages with the next step, and a last one', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const first = cold<Word>('-m--|', { m: more('a', '2') });
        const second = cold<Word>('   --l-|', { l: last('b') });
        expectObservable(unfoldPages('1', (step) => (step === '1' ? first : second))).toBe('-a----b-|');
        expectSubscriptions(second.subscriptions).toBe('----^---!');
      }));

    // What a person writes in JavaScript, where no compiler looks.
    const wrong: [string, unknown, string][] = [
      ['an object with both', { emit: ['row'], next: 2 }, 'not an object with emit, next.'],
      ['a step without a value', { next: undefined }, 'not an object with next.'],
      ['rows', ['row'], 'not an object with 0.'],
      ['nothing', undefined, 'not undefined.'],
      ['null', null, 'not null.'],
      ['an empty object', {}, 'not an object with nothing.'],
      ['a step that is missing', { kind: 'thenVisit', step: undefined }, 'unfoldPages: thenVisit has no step.'],
      ['a page whose step is missing', { kind: 'more', value: 1, step: null }, 'unfoldPages: more has no step.'],
    ];
    it.each(wrong)('is refused: %s', (_, word, message) => {
      const received: unknown[] = [];
      const visit = jest.fn(() => of(word as Visit<number, unknown>, emit('too late')));
      unfoldPages(1, visit).subscribe({
        next: (value) => received.push(value),
        error: (error) => received.push(error),
      });
      expect(received).toEqual([expect.any(TypeError)]);
      expect(received).toEqual([expect.objectContaining({ message: expect.stringContaining(message) as string })]);
      expect(visit).toHaveBeenCalledTimes(1);
    });

    it.each([
      ['two steps', [thenVisit(2), thenVisit(3)]],
      ['a step after the last page', [last('a'), thenVisit(2)]],
      ['a page after the last page', [last('a'), last('b')]],
      ['an output after the step', [more('a', 2), emit('b')]],
    ])('is refused when it is more than a visit can say: %s', (_, words) => {
      const failed = jest.fn();
      unfoldPages<number, string>(1, () => from(words)).subscribe({ error: failed });
      expect(failed).toHaveBeenCalledWith(
        new TypeError('unfoldPages: a visit goes on after last(value), or names two steps.'),
      );
    });

    it.each([undefined, null])('cannot be made with a step of %s', (nothing) => {
      const step = nothing as unknown as number;
      expect(() => more(['row'], step)).toThrow(TypeError);
      expect(() => thenVisit(step)).toThrow(
        `unfoldPages: thenVisit(step) has ${String(nothing)} for its step. The last page is last(value)`,
      );
    });

    it('does not compile when it would lose rows or loop for ever', () => {
      const both = { emit: ['row'], next: 2 };
      const cursor = undefined as string | undefined;
      // @ts-expect-error -- an object with both
      expect(unfoldPages<number, string[]>(1, () => of(both))).toBeDefined();
      // @ts-expect-error -- a cursor that may be missing
      expect(() => more(['row'], cursor)).toThrow(TypeError);
      // @ts-expect-error -- no step at all
      expect(() => thenVisit(undefined)).toThrow(TypeError);
    });
  });

  it('goes on when an action of others on the global queue of RxJS throws', () => {
    const seen: number[] = [];
    const foreign = (): void => {
      queueScheduler.schedule(() => {
        throw new Error('a foreign defect');
      });
      unfoldPages(1, (n) => of(n < 3 ? more(n, n + 1) : last(n))).subscribe((n) => seen.push(n));
    };
    expect(() => queueScheduler.schedule(foreign)).toThrow('a foreign defect');
    expect(seen).toEqual([1, 2, 3]);
  });

  it('inside of another loop emits as soon as outside of it', () => {
    const log: string[] = [];
    const inner = (): void => {
      unfoldPages(1, (n) => of(n < 2 ? more(`inner ${n}`, n + 1) : last(`inner ${n}`))).subscribe((text) =>
        log.push(text),
      );
      log.push('inner subscribed');
    };
    inner();
    const alone = log.splice(0);
    unfoldPages(1, (n) => of(n < 2 ? more(n, n + 1) : last(n))).subscribe(inner);
    expect(alone).toEqual(['inner 1', 'inner 2', 'inner subscribed']);
    expect(log).toEqual([...alone, ...alone]);
  });

  it('goes on beside a loop that is broken off within it, and one that fails', () => {
    const seen: unknown[] = [];
    const within = (n: number): void => {
      unfoldPages(n, numbers)
        .pipe(take(2))
        .subscribe((each) => seen.push(`left ${each}`));
      unfoldPages(n, (): never => {
        throw new Error('a defect');
      }).subscribe({ error: () => seen.push('failed') });
    };
    unfoldPages(1, (n) => of(n < 2 ? more(n, n + 1) : last(n)))
      .pipe(tap(within))
      .subscribe((n) => seen.push(n));
    expect(seen).toEqual(['left 1', 'left 2', 'failed', 1, 'left 2', 'left 3', 'failed', 2]);
  });

  it.each(inputs)('visits, and asks a gate for, %s', async (_, input) => {
    const visit = (n: number) => input(n < 3 ? more(n, n + 1) : last(n));
    const seen = lastValueFrom(unfoldPages(1, visit, { gate: () => input('open') }).pipe(toArray()));
    expect(await seen).toEqual([1, 2, 3]);
  });

  it('passes on that a promise of a visit or of a gate is rejected', async () => {
    const down = new Error('down');
    const rejected = (): Promise<Visit<number, number>> => Promise.reject(down);
    await expect(lastValueFrom(unfoldPages(1, rejected))).rejects.toBe(down);
    await expect(lastValueFrom(unfoldPages(1, numbers, { gate: rejected }))).rejects.toBe(down);
  });

  describe('gate', () => {
    it('holds each visit back, the first included, until it emits', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const gate = cold('                                  --o-o-o');
        const visit = (step: string) => cold<Word>(step === '1' ? '-a-(2|)' : '-b|', words);
        expectObservable(unfoldPages('1', visit, { gate: () => gate })).toBe('---a----b|');
        expectSubscriptions(gate.subscriptions).toBe(['^-!', '-----^-!']);
      }));

    it('is passed by completion too', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        expectObservable(unfoldPages('1', () => cold<Word>('-a|', words), { gate: () => cold('--|') })).toBe('---a|');
      }));

    it('passes its error on', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        expectObservable(unfoldPages(1, numbers, { gate: () => cold('--#') })).toBe('--#');
      }));

    it('is left when unsubscribed while it is closed', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const gate = cold('-');
        const visit = jest.fn(numbers);
        expectObservable(unfoldPages(1, visit, { gate: () => gate }), '---!').toBe('-');
        expectSubscriptions(gate.subscriptions).toBe('^--!');
        expect(visit).not.toHaveBeenCalled();
      }));

    it('is left at its first emission, before the visit begins, when it is synchronous and endless too', () => {
      const log: string[] = [];
      const gate$ = new Observable<string>((subscriber) => {
        while (!subscriber.closed) {
          log.push('open');
          subscriber.next('open');
        }
        return () => log.push('leave');
      });
      const visit = (n: number) => {
        log.push(`visit ${n}`);
        return n < 2 ? numbers(n) : EMPTY;
      };
      unfoldPages(1, visit, { gate: () => gate$ }).subscribe();
      expect(log).toEqual(['open', 'leave', 'visit 1', 'open', 'leave', 'visit 2']);
    });

    it('begins no visit when leaving the gate unsubscribes', () => {
      const subscription = new Subscription();
      const visit = jest.fn(numbers);
      const gate$ = new Subject<void>();
      const gate = () => gate$.pipe(finalize(() => subscription.unsubscribe()));
      subscription.add(unfoldPages(1, visit, { gate }).subscribe());
      gate$.next();
      expect(visit).not.toHaveBeenCalled();
    });

    it('that opens later, too, lets a synchronous visit clean up before the next', () => {
      const log: string[] = [];
      const gate$ = new Subject<void>();
      let asked = 0;
      const gate = () => ((asked += 1) === 1 ? gate$ : EMPTY);
      const visit = (n: number) =>
        new Observable<Visit<number, number>>((visitor) => {
          log.push(`visit ${n}`);
          if (n < 3) visitor.next(thenVisit(n + 1));
          visitor.complete();
          return () => log.push(`clean up ${n}`);
        });
      unfoldPages(1, visit, { gate }).subscribe();
      gate$.next();
      expect(log).toEqual([1, 2, 3].flatMap((n) => [`visit ${n}`, `clean up ${n}`]));
    });

    it('is asked once for each visit, and its defect in a later round ends the loop', () => {
      const defect = new Error('a defect');
      let asked = 0;
      const gate = () => {
        if ((asked += 1) === 3) throw defect;
        return EMPTY;
      };
      const seen: unknown[] = [];
      unfoldPages(1, numbers, { gate }).subscribe({ next: (n) => seen.push(n), error: (e: unknown) => seen.push(e) });
      expect(seen).toEqual([1, 2, defect]);
    });
  });

  it('leaves a synchronous endless visit when unsubscribed', () => {
    let said = 0;
    const endless$ = new Observable<Visit<number, number>>((visitor) => {
      while (!visitor.closed) visitor.next(emit((said += 1)));
    });
    const seen: number[] = [];
    unfoldPages(1, () => endless$)
      .pipe(take(3))
      .subscribe((n) => seen.push(n));
    expect(seen).toEqual([1, 2, 3]);
    expect(said).toBe(3);
  });

  describe('length', () => {
    const N = 100_000;
    const upTo =
      (end: number, before: (n: number) => Observable<Visit<number, number>>) =>
      (n: number): Observable<Visit<number, number>> =>
        n < end ? before(n) : of(last(n));

    it('visits 100,000 synchronous steps without overflowing the stack', () => {
      const seen: number[] = [];
      unfoldPages(1, upTo(N, numbers))
        .pipe(count())
        .subscribe((total) => seen.push(total));
      expect(seen).toEqual([N]);
    });

    it.each(['at once', 'later'])('asks a gate that opens %s the first time, and at once for 20,000 steps', (when) => {
      const gate$ = new Subject<void>();
      const seen: number[] = [];
      let asked = 0;
      const gate = () => ((asked += 1) === 1 && when === 'later' ? gate$ : EMPTY);
      unfoldPages(1, upTo(20_000, numbers), { gate })
        .pipe(count())
        .subscribe((total) => seen.push(total));
      gate$.next();
      expect(seen).toEqual([20_000]);
      expect(asked).toBe(20_000);
    });

    it('keeps the stack flat over 10,000 loops of one synchronous visit that waited for one that was not', () => {
      const first$ = new Subject<Visit<number, number>>();
      const seen: number[] = [];
      range(0, 10_000)
        .pipe(
          mergeInOrder((n) => unfoldPages(n, () => (n === 0 ? first$ : of(last(n)))), { concurrency: 1 }),
          count(),
        )
        .subscribe((total) => seen.push(total));
      first$.next(emit(0));
      first$.complete();
      expect(seen).toEqual([10_000]);
    });

    it('visits 20,000 synchronous steps without output', () => {
      const completed = jest.fn();
      unfoldPages<number, never>(1, (n) => (n < 20_000 ? of(thenVisit(n + 1)) : EMPTY)).subscribe({
        complete: completed,
      });
      expect(completed).toHaveBeenCalledTimes(1);
    });

    it('visits synchronous steps of a loop inside a visit of a loop, in order', () => {
      const rows: string[] = [];
      unfoldPages<number, string>(1, (parent) => {
        const children$ = unfoldPages<number, Visit<number, string>>(1, (child) => {
          const output = of(emit(emit(`${parent}.${child}`)));
          return child < 3 ? concat(output, of(thenVisit(child + 1))) : output;
        });
        return concat(of(emit(`${parent}`)), children$, parent < 2 ? of(thenVisit(parent + 1)) : EMPTY);
      }).subscribe((row) => rows.push(row));
      expect(rows).toEqual(['1', '1.1', '1.2', '1.3', '2', '2.1', '2.2', '2.3']);
    });

    it('keeps nothing of the visits that are over', async () => {
      setFlagsFromString('--expose-gc');
      const collectGarbage = runInNewContext('gc') as () => void;
      const heapAt = new Map<number, number>();
      const measure = (n: number) =>
        new Observable<Visit<number, number>>((visitor) => {
          const immediate = setImmediate(() => {
            collectGarbage();
            heapAt.set(n, process.memoryUsage().heapUsed);
            visitor.next(thenVisit(n + 1));
            visitor.complete();
          });
          return () => clearImmediate(immediate);
        });
      const visit = (n: number) => {
        if (n === 1000 || n === 11_000) return measure(n);
        return n > 11_000 ? EMPTY : scheduled([emit(n), thenVisit(n + 1)], asapScheduler);
      };
      await lastValueFrom(unfoldPages(1, visit));
      const bytesPerVisit = ((heapAt.get(11_000) ?? NaN) - (heapAt.get(1000) ?? NaN)) / 10_000;
      expect(bytesPerVisit).toBeLessThan(50);
    });
  });
});
