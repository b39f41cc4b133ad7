import { AsyncLocalStorage } from 'node:async_hooks';
import * as fc from 'fast-check';
import {
  BehaviorSubject,
  concat,
  concatMap,
  defer,
  EMPTY,
  finalize,
  from,
  ignoreElements,
  lastValueFrom,
  map,
  mergeMap,
  NEVER,
  of,
  range,
  Subject,
  take,
  takeUntil,
  tap,
  throwError,
  timer,
  toArray,
  VirtualTimeScheduler,
} from 'rxjs';
import type { Observable, ObservableInput, SchedulerLike } from 'rxjs';
import { boundedWindow, last, mergeInOrder, mergeInOrderFrom, more, unfoldPages } from '../../src/operators';
import type { WindowGate } from '../../src/operators';
import { runsOf } from '../support/cases';
import { inVirtualTime } from './in-virtual-time';
import { inputs } from './inputs';

const defect = new Error('a defect');
const fail = (): never => {
  throw defect;
};

/** 0, 1, 2 …, up to `end`; tells how many were taken, and whether the iterator was closed. */
function counted(end = Infinity) {
  const log = { taken: 0, closed: 0 };
  function* numbers() {
    try {
      for (let n = 0; n < end; n += 1) {
        log.taken += 1;
        yield n;
      }
    } finally {
      if (log.taken < end) log.closed += 1;
    }
  }
  return { log, inputs: { [Symbol.iterator]: numbers } };
}

interface Step<T> {
  readonly ms: number;
  readonly value: T;
}

/** One step after the other: asks the gate, waits, emits. This is what a paged stream does. */
const stepping = <T>(steps: readonly Step<T>[], gate: WindowGate, scheduler?: SchedulerLike): Observable<T> =>
  from(steps).pipe(
    concatMap(({ ms, value }) =>
      concat(
        defer(() => gate()).pipe(take(1), ignoreElements()),
        (ms === 0 ? of(0) : timer(ms, scheduler)).pipe(map(() => value)),
      ),
    ),
  );

describe('mergeInOrderFrom', () => {
  afterEach(() => jest.useRealTimers());

  it('emits in the order of the inputs, as the diagram shows', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const inners = [
        cold('            --a-----b|'),
        cold('            ---c--d|'),
        cold('                   -------e|'),
      ] as const;
      const result$ = mergeInOrderFrom(inners, (inner) => inner, { concurrency: 2 });
      expectObservable(result$).toBe('              --a-----b(cd)-e|');
      expectSubscriptions(inners[0].subscriptions).toBe('^--------!');
      expectSubscriptions(inners[1].subscriptions).toBe('^------!');
      expectSubscriptions(inners[2].subscriptions).toBe('-------^-------!');
    }));

  it.each([
    [[], '|'],
    [['-'], '-'],
    [['|'], '|'],
    [['--|', '|', '---|'], '---|'],
    [['--(a|)'], '--(a|)'],
    [['-', '-a-|'], '-'],
    [['-a-', '-b|'], '-a-'],
    [['---a|', '-b-|', '-c-|'], '---a(bc|)'],
    [['-a|', '---b-c|', '----d|'], '-a-b-c(d|)'],
    [['#', '-a|'], '#'],
    [['-a-#', 'b|'], '-a-#'],
  ])('runs %j at once: %s', (marbles, expected) =>
    inVirtualTime(({ cold, expectObservable }) => {
      const inners = marbles.map((each) => cold(each));
      expectObservable(mergeInOrderFrom(inners, (inner) => inner, { concurrency: 3 })).toBe(expected);
    }),
  );

  it('gives `project` the value and its index, for each subscriber again', () => {
    const project = jest.fn((value: string, index: number) => of(`${value}${index}`));
    const seen: string[] = [];
    const result$ = mergeInOrderFrom(new Set(['a', 'b']), (value, index) => project(value, index), { concurrency: 2 });
    concat(result$, result$).subscribe((value) => seen.push(value));
    expect(seen).toEqual(['a0', 'b1', 'a0', 'b1']);
  });

  it('takes promises and async iterables, and `undefined` and `null` for values', async () => {
    async function* both() {
      yield await Promise.resolve(null);
      yield undefined;
    }
    const seen: unknown[] = [];
    const inners: ObservableInput<unknown>[] = [Promise.resolve(null), both(), [undefined]];
    await mergeInOrderFrom(inners, (inner) => inner, { concurrency: 3 }).forEach((value) => seen.push(value));
    expect(seen).toEqual([null, null, undefined, undefined]);
  });

  it('keeps the order of values that a stream emits while those it held are emitted', () => {
    const front = new Subject<number>();
    const behind = new Subject<number>();
    const seen: number[] = [];
    mergeInOrderFrom([front, behind], (inner) => inner, { concurrency: 2 }).subscribe((n) => {
      seen.push(n);
      if (n === 1) behind.next(3);
      if (n === 3) behind.complete();
    });
    behind.next(1);
    behind.next(2);
    front.complete();
    expect(seen).toEqual([1, 2, 3]);
  });

  describe('limits', () => {
    it('starts at most twice as many streams as run at once before the front is over', () =>
      inVirtualTime(({ cold, expectObservable, flush, now }) => {
        const started: [number, number][] = [];
        const { inputs, log } = counted();
        const result$ = mergeInOrderFrom(
          inputs,
          (n) => {
            started.push([now(), n]);
            return n === 0 ? cold('---------(a|)') : cold('--(b|)');
          },
          { concurrency: 2 },
        );
        expectObservable(result$, '----------!').toBe('---------(abbb)');
        flush();
        expect(started).toEqual([
          [0, 0],
          [0, 1],
          [2, 2],
          [4, 3],
          // 1 to 3 are over and held. At 9 all of them are emitted.
          [9, 4],
          [9, 5],
        ]);
        expect(log).toEqual({ taken: 6, closed: 1 });
      }));

    it('starts more when the limit is raised, and lets those that run finish when it is lowered', () =>
      inVirtualTime(({ cold, expectObservable, flush, now }) => {
        const concurrency = new BehaviorSubject(1);
        cold('-3---1').subscribe((limit) => concurrency.next(Number(limit)));
        const started: [number, string][] = [];
        const result$ = mergeInOrderFrom(
          'abcde',
          (value) => {
            started.push([now(), value]);
            return cold('-------(v|)', { v: value });
          },
          { concurrency },
        );
        expectObservable(result$).toBe('-------a(bc)---d------(e|)');
        flush();
        expect(started).toEqual([
          [0, 'a'],
          [1, 'b'],
          [1, 'c'],
          [8, 'd'],
          [15, 'e'],
        ]);
        expect(concurrency.observed).toBe(false);
      }));

    it('takes a limit that changes at a value, and one whose subject has completed', () => {
      const concurrency = new BehaviorSubject(1);
      let running = 0;
      const { inputs } = counted(6);
      mergeInOrderFrom(
        inputs,
        (n) => {
          running += 1;
          return n === 0 ? of(n) : concat(of(n), NEVER);
        },
        { concurrency },
      ).subscribe(() => {
        if (concurrency.value === 3) return;
        concurrency.next(3);
        concurrency.complete();
      });
      expect(running).toBe(1 + 3);
    });

    it('is `concatMap` with concurrency 1, the times of subscription included', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions, flush }) => {
        const marbles = ['--a-b|', '|', '(c|)', '---|', '-d-(e|)', '-f-#', '-g|'];
        const subscriptions = ['^----!', '-----(^!)', '-----(^!)', '-----^--!', '--------^--!', '-----------^--!', []];
        const run = (merge: (inners: Observable<string>[]) => Observable<string>): string[] => {
          const log: string[] = [];
          const colds = marbles.map((each) => cold(each));
          const inners = colds.map((inner, index) =>
            defer(() => {
              log.push(`begin ${index}`);
              return inner.pipe(finalize(() => log.push(`clean up ${index}`)));
            }),
          );
          expectObservable(merge(inners)).toBe('--a-bc---d-ef-#');
          colds.forEach((inner, index) => expectSubscriptions(inner.subscriptions).toBe(subscriptions[index] ?? []));
          return log;
        };
        const log = run((inners) => mergeInOrderFrom(inners, (inner) => inner, { concurrency: 1 }));
        const expected = run((inners) => from(inners).pipe(concatMap((inner) => inner)));
        flush();
        expect(log).toEqual(expected);
        expect(log).toHaveLength(12);
      }));

    it.each([-1, 1.5, NaN])('refuses %p for `concurrency`, also while running', (concurrency) => {
      const expected = (least: number): RangeError =>
        new RangeError(
          `mergeInOrder needs an integer from ${least}, or Infinity, for \`concurrency\`, not ${concurrency}.`,
        );
      expect(() => mergeInOrderFrom([1], () => EMPTY, { concurrency })).toThrow(expected(1));
      const limit$ = new BehaviorSubject(1);
      const failed = jest.fn();
      const cleanUp = jest.fn();
      mergeInOrderFrom([1], () => NEVER.pipe(finalize(cleanUp)), { concurrency: limit$ }).subscribe({ error: failed });
      limit$.next(concurrency);
      expect(failed.mock.calls).toEqual([[expected(0)]]);
      expect(cleanUp).toHaveBeenCalledTimes(1);
    });

    it.each<[string, (outer: readonly Observable<string>[]) => Observable<string>]>([
      ['mergeInOrder', (outer) => from(outer).pipe(mergeInOrder((inner) => inner, { concurrency: Infinity }))],
      ['mergeInOrderFrom', (outer) => mergeInOrderFrom(outer, (inner) => inner, { concurrency: Infinity })],
      [
        'unordered',
        (outer) => from(outer).pipe(mergeInOrder((inner) => inner, { concurrency: of(Infinity), ordered: false })),
      ],
    ])('of Infinity starts all at once: %s', (name, merged) =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const inners = ['---a|', '--b|', '-c|'].map((marbles) => cold(marbles));
        expectObservable(merged(inners)).toBe(name === 'unordered' ? '-cba|' : '---a(bc|)');
        const expected = ['^---!', '^--!', '^-!'];
        inners.forEach(({ subscriptions }, at) => expectSubscriptions(subscriptions).toBe(expected[at] ?? ''));
      }),
    );

    it('of 0 lets nothing start, and what runs go on', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const inners = ['----a|', '-b|'].map((marbles) => cold(marbles));
        const concurrency = cold('0-1-0--2', { 0: 0, 1: 1, 2: 2 });
        expectObservable(mergeInOrderFrom(inners, (inner) => inner, { concurrency })).toBe('------a-b|');
        expectSubscriptions(inners[0]?.subscriptions ?? []).toBe('--^----!');
        expectSubscriptions(inners[1]?.subscriptions ?? []).toBe('-------^-!');
      }));

    it.each([
      ['|', '#'],
      ['--|', '--#'],
      ['1-(0|)', '--#'],
      ['1-|', '---a-b|'],
    ])('that ends with 0, or without a number, is an error: %s', (marbles, expected) =>
      inVirtualTime(({ cold, expectObservable }) => {
        const shut = new RangeError('mergeInOrder: its `concurrency` is 0 for ever, so nothing can start.');
        const inners = ['---a|', '-b|'].map((inner) => cold(inner));
        const concurrency = cold(marbles, { 0: 0, 1: 1 });
        const output$ = mergeInOrderFrom(inners, (inner) => inner, { concurrency });
        expectObservable(output$).toBe(expected, undefined, shut);
      }),
    );

    it.each(inputs)('asks a gate for %s, and merges it', async (_, input) => {
      const gate = jest.fn(() => input('open'));
      const stepwise = (n: number, __: number, open: WindowGate) => stepping([{ ms: 0, value: n }], open);
      const stepped$ = mergeInOrderFrom([1, 2, 3], stepwise, { concurrency: 2, gate });
      expect(await lastValueFrom(stepped$.pipe(toArray()))).toEqual([1, 2, 3]);
      expect(gate).toHaveBeenCalledTimes(3);
      const merged$ = mergeInOrderFrom([1, 2, 3], (n) => input(n), { concurrency: 2 });
      expect(await lastValueFrom(merged$.pipe(toArray()))).toEqual([1, 2, 3]);
    });

    it.each([-1, 0.5, NaN])('refuses %p for `ahead`', (ahead) => {
      expect(() => mergeInOrderFrom([1], () => EMPTY, { concurrency: 1, ahead })).toThrow(
        new RangeError(`mergeInOrder needs an integer from 0, or Infinity, for \`ahead\`, not ${ahead}.`),
      );
    });
  });

  describe('inputs', () => {
    it('takes an input only when its stream can start', () => {
      const { inputs, log } = counted(10_000);
      const ends = [0, 1, 2, 3].map(() => new Subject<never>());
      const subscription = mergeInOrderFrom(inputs, (n) => ends[n] ?? NEVER, { concurrency: 2 }).subscribe();
      expect(log.taken).toBe(2);
      ends[1]?.complete();
      expect(log.taken).toBe(3);
      ends[2]?.complete();
      expect(log.taken).toBe(4);
      ends[3]?.complete();
      expect(log.taken).toBe(4);
      ends[0]?.complete();
      expect(log.taken).toBe(6);
      expect(log.closed).toBe(0);
      subscription.unsubscribe();
      expect(log.closed).toBe(1);
    });

    it('closes the iterator once: on an error, and when the subscriber leaves at a synchronous value', () => {
      for (const project of [() => throwError(() => defect), (n: number) => of(n)]) {
        const { inputs, log } = counted();
        mergeInOrderFrom<number, number>(inputs, project, { concurrency: 2 })
          .pipe(take(3))
          .subscribe({ error: () => undefined });
        expect(log).toEqual({ taken: log.taken, closed: 1 });
        expect(log.taken).toBeLessThanOrEqual(3);
      }
    });

    it('neither closes an iterator that has come to its end, nor asks it again', () => {
      const left = [1, 2];
      const next = jest.fn(() => ({ done: left.length === 0, value: left.shift() }));
      const close = jest.fn(() => ({ done: true as const, value: undefined }));
      const inputs = { [Symbol.iterator]: () => ({ next, return: close }) };
      const end = new Subject<never>();
      const completed = jest.fn();
      mergeInOrderFrom(inputs, () => end, { concurrency: 3 }).subscribe({ complete: completed });
      end.complete();
      expect(completed).toHaveBeenCalledTimes(1);
      expect(next).toHaveBeenCalledTimes(3);
      expect(close).not.toHaveBeenCalled();
    });

    it('does not close an iterator that has thrown', () => {
      const close = jest.fn(() => ({ done: true as const, value: undefined }));
      const failed = jest.fn();
      const inputs: Iterable<never> = { [Symbol.iterator]: () => ({ next: fail, return: close }) };
      mergeInOrderFrom(inputs, () => EMPTY, { concurrency: 1 }).subscribe({ error: failed });
      expect(failed.mock.calls).toEqual([[defect]]);
      expect(close).not.toHaveBeenCalled();
    });

    it('errors in its turn when the iterator throws, and at once when there is none', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        function* broken() {
          yield '--a--b|';
          yield '-c|';
          fail();
        }
        const result$ = mergeInOrderFrom(broken(), (marbles) => cold(marbles), { concurrency: 3 });
        expectObservable(result$).toBe('--a--b(c#)', undefined, defect);
        const none = { [Symbol.iterator]: fail };
        expectObservable(mergeInOrderFrom(none, () => EMPTY, { concurrency: 3 })).toBe('#', undefined, defect);
      }));
  });

  describe('errors', () => {
    it('come in their turn, after all values of the streams before; then all streams are left, and none has started', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const inners = [cold('--a---b|'), cold('c--d|'), cold('-e-#'), cold('-f-----------'), cold('g|')] as const;
        const result$ = mergeInOrderFrom(inners, (inner) => inner, { concurrency: 4 });
        expectObservable(result$).toBe('--a---b(cde#)');
        const subscriptions = ['^------!', '^---!', '^--!', '^------!', []];
        inners.forEach((inner, index) => expectSubscriptions(inner.subscriptions).toBe(subscriptions[index] ?? []));
      }));

    it('is the first of several, in the order of the inputs', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const inners = [cold('---a-#', undefined, 'first'), cold('-#', undefined, 'second')];
        expectObservable(mergeInOrderFrom(inners, (inner) => inner, { concurrency: 2 })).toBe(
          '---a-#',
          undefined,
          'first',
        );
      }));

    it('come in their turn from a `project` that throws, too', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const project = (n: number) => (n === 0 ? cold('--a|') : fail());
        expectObservable(mergeInOrderFrom(counted().inputs, project, { concurrency: 2 })).toBe(
          '--a#',
          undefined,
          defect,
        );
      }));

    it('come from the subject of the limit at once', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const concurrency = new BehaviorSubject(1);
        cold('--x').subscribe(() => concurrency.error(defect));
        const inner = cold('-a--');
        expectObservable(mergeInOrderFrom([inner], () => inner, { concurrency })).toBe('-a#', undefined, defect);
        expectSubscriptions(inner.subscriptions).toBe('^-!');
      }));
  });

  describe('early end', () => {
    it('leaves all streams when unsubscribed', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions, flush }) => {
        const concurrency = new BehaviorSubject(2);
        const inners = [cold('-a------'), cold('--b-----'), cold('c|')] as const;
        expectObservable(
          mergeInOrderFrom(inners, (inner) => inner, { concurrency }),
          '----!',
        ).toBe('-a---');
        const subscriptions = ['^---!', '^---!', []];
        inners.forEach((inner, index) => expectSubscriptions(inner.subscriptions).toBe(subscriptions[index] ?? []));
        flush();
        expect(concurrency.observed).toBe(false);
      }));

    it('leaves an endless synchronous stream, and emits no more of what is held', () => {
      const seen: number[] = [];
      mergeInOrderFrom([0, 1], () => range(0, Infinity), { concurrency: 1 })
        .pipe(take(2))
        .subscribe((n) => seen.push(n));
      const front = new Subject<number>();
      mergeInOrderFrom([front, of(7, 8, 9)], (inner) => inner, { concurrency: 2 })
        .pipe(take(2))
        .subscribe((n) => seen.push(n));
      front.complete();
      expect(seen).toEqual([0, 1, 7, 8]);
    });

    it('leaves no timer behind', () => {
      jest.useFakeTimers();
      const subscription = mergeInOrderFrom(counted().inputs, () => timer(10), { concurrency: 3 }).subscribe();
      expect(jest.getTimerCount()).toBe(3);
      jest.advanceTimersByTime(25);
      expect(jest.getTimerCount()).toBe(3);
      subscription.unsubscribe();
      expect(jest.getTimerCount()).toBe(0);
    });
  });

  describe('gate', () => {
    const letters = (text: string) => Array.from(text, (value) => ({ ms: 1, value }));

    it.each([
      // The front is over at 8. The stream behind it takes 1 for each letter that its gate lets it make.
      ['the default', {}, undefined, '-a-------bcd', '--------abc(d|)'],
      ['the option', { ahead: 0 }, undefined, '---------abcd', '---------abc(d|)'],
      ['the option', { ahead: 4 }, undefined, '-abcd', '--------(abcd|)'],
      ['the argument', { ahead: 3 }, 1, '-a-------bcd', '--------abc(d|)'],
      ['the argument', {}, 0, '---------abcd', '---------abc(d|)'],
      ['the argument', { ahead: 0 }, 4, '-abcd', '--------(abcd|)'],
    ])('lets a stream behind the front hold as many values as %s says: %j, %p', (_, options, asked, made, output) =>
      inVirtualTime(({ cold, expectObservable }) => {
        const made$ = new Subject<string>();
        const project = (n: number, _: number, gate: WindowGate) =>
          n === 0
            ? cold('--------|')
            : stepping(letters('abcd'), () => gate(asked)).pipe(tap((value) => made$.next(value)));
        const result$ = mergeInOrderFrom([0, 1], project, { concurrency: 2, ...options });
        expectObservable(made$).toBe(made);
        expectObservable(result$).toBe(output);
      }),
    );

    it('counts only the held values that count', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const steps = Array.from('xaxb', (value) => ({ ms: 5, value }));
        const made$ = new Subject<string>();
        const project = (n: number, _: number, gate: WindowGate) =>
          n === 0 ? cold('----------------|') : stepping(steps, gate).pipe(tap((value) => made$.next(value)));
        const counts = (value: string) => value !== 'x';
        const result$ = mergeInOrderFrom([0, 1], project, { concurrency: 2, counts });
        expectObservable(made$).toBe(' -----x----a----------x----b');
        expectObservable(result$).toBe('----------------(xa)-x----(b|)');
      }));

    it('is the outer gate at the front, asked with the same number; what a stream held passes it value by value', () =>
      inVirtualTime(({ cold, expectObservable, flush, now }) => {
        const asked: [number, number | undefined][] = [];
        const outer: WindowGate = (ahead) => {
          asked.push([now(), ahead]);
          return cold('------o');
        };
        const project = (n: number, _: number, gate: WindowGate) =>
          stepping(letters(n === 0 ? 'ab' : 'cde'), () => gate(n === 0 ? undefined : 2));
        const result$ = mergeInOrderFrom([0, 1], project, { concurrency: 2, gate: outer });
        expectObservable(result$).toBe('-------a------b-----c-----d-----(e|)');
        flush();
        expect(asked).toEqual([
          [0, undefined],
          [7, undefined],
          [14, 2],
          [20, 2],
          [26, 2],
        ]);
      }));

    it.each([
      ['emission', (asked$: Observable<unknown>) => asked$.pipe(take(1))],
      ['end', (asked$: Observable<unknown>) => asked$],
    ])('lets one value pass for each time that it opened, as its first %s says: what comes besides asks', (_, opened) =>
      inVirtualTime(({ cold, expectObservable, flush, now }) => {
        const asked: number[] = [];
        const outer: WindowGate = () => {
          asked.push(now());
          return cold('---o');
        };
        const project = (__: number, ___: number, gate: WindowGate) =>
          concat(opened(gate()).pipe(ignoreElements()), cold('-(abc)-|'));
        const result$ = mergeInOrderFrom([0], project, { concurrency: 1, gate: outer });
        expectObservable(result$).toBe('----a--b--(c|)');
        flush();
        expect(asked).toEqual([0, 4, 7]);
      }),
    );

    it('keeps a pass for the value that counts, whatever passes before it', () =>
      inVirtualTime(({ cold, expectObservable, flush, now }) => {
        const asked: number[] = [];
        const outer: WindowGate = () => {
          asked.push(now());
          return cold('---o');
        };
        const project = (_: number, __: number, gate: WindowGate) =>
          concat(gate().pipe(take(1), ignoreElements()), cold('-x-y-a-(bx|)'));
        const counts = (value: string) => value !== 'x' && value !== 'y';
        const result$ = mergeInOrderFrom([0], project, { concurrency: 1, gate: outer, counts });
        expectObservable(result$).toBe('----x-y-a----(bx|)');
        flush();
        expect(asked).toEqual([0, 10]);
      }));

    it('counts what is held while it passes the outer gate: values that do not count make no room', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const steps = Array.from('xab', (value) => ({ ms: 2, value }));
        const made$ = new Subject<string>();
        const project = (n: number, _: number, gate: WindowGate) =>
          n === 0 ? cold('----------|') : stepping(steps, gate).pipe(tap((value) => made$.next(value)));
        const result$ = mergeInOrderFrom([0, 1], project, {
          concurrency: 2,
          counts: (value) => value !== 'x',
          gate: () => cold('------o'),
        });
        expectObservable(made$).toBe(' --x-a-------------------b');
        expectObservable(result$).toBe('----------x-----a-------(b|)');
      }));

    it('passes the error of the outer gate that a held value met', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const behind = cold('--a-b-----');
        const result$ = mergeInOrderFrom([cold('-----|'), behind], (inner) => inner, {
          concurrency: 2,
          gate: () => cold('--#'),
        });
        expectObservable(result$).toBe('-------#');
        expectSubscriptions(behind.subscriptions).toBe('^------!');
      }));

    it('is passed by completion of the outer gate, too, and forgets who leaves while it waits', () =>
      inVirtualTime(({ cold, expectObservable, flush }) => {
        const outer = jest.fn<Observable<unknown>, [number?]>(() => EMPTY);
        const result$ = mergeInOrderFrom(
          [0, 1],
          (n, _, gate) =>
            n === 0 ? concat(gate().pipe(ignoreElements()), cold('---a|')) : gate(0).pipe(takeUntil(cold('-x'))),
          { concurrency: 2, gate: outer },
        );
        expectObservable(result$).toBe('---a|');
        flush();
        expect(outer.mock.calls).toEqual([[undefined]]);
      }));

    it('is open at the front unless an outer gate is given', () => {
      const seen: string[] = [];
      mergeInOrderFrom([0], (_, __, gate) => concat(gate().pipe(map(() => 'open')), of('a')), {
        concurrency: 1,
      }).subscribe((value) => seen.push(value));
      expect(seen).toEqual(['open', 'a']);
    });

    it('passes the error of the outer gate to the stream that asked', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const outer = () => cold('--#');
        const result$ = mergeInOrderFrom([0], (_, __, gate) => stepping(letters('a'), gate), {
          concurrency: 1,
          gate: outer,
        });
        expectObservable(result$).toBe('--#');
      }));

    it('holds pages back to the consumer: what is not worked off is bounded', () =>
      inVirtualTime(({ flush }) => {
        const { gate, drain } = boundedWindow({ ahead: 1 });
        let underWay = 0;
        let most = 0;
        let done = 0;
        const result$ = mergeInOrderFrom(counted(10).inputs, (_, __, inner) => stepping(letters('abcdefgh'), inner), {
          concurrency: 3,
          ahead: 2,
          gate,
        });
        result$
          .pipe(
            tap(() => {
              underWay += 1;
              most = Math.max(most, underWay);
            }),
            drain(() => timer(20)),
            tap(() => {
              underWay -= 1;
              done += 1;
            }),
          )
          .subscribe();
        flush();
        expect(done).toBe(80);
        // The window holds 2; a stream that comes to the front brings what it holds, and a step under way.
        expect(most).toBeLessThanOrEqual(2 + 2 + 1);
      }));
  });

  describe('unordered', () => {
    it('emits as they come, and starts the next whenever one is over', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const inners = [cold('-----------a|'), cold('-b|'), cold('-c-d|'), cold('-e|'), cold('-f|')] as const;
        const result$ = mergeInOrderFrom(inners, (inner) => inner, { concurrency: 2, ordered: false });
        expectObservable(result$).toBe('-b-c-d-e-f-a|');
        const subscriptions = ['^-----------!', '^-!', '--^---!', '------^-!', '--------^-!'];
        inners.forEach((inner, index) => expectSubscriptions(inner.subscriptions).toBe(subscriptions[index] ?? []));
      }));

    it('errors at once, and leaves all streams', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const front = cold('--a---');
        const result$ = mergeInOrderFrom([front, cold('-b-#')], (inner) => inner, { concurrency: 2, ordered: false });
        expectObservable(result$).toBe('-ba#');
        expectSubscriptions(front.subscriptions).toBe('^--!');
      }));

    it('gives every stream the outer gate', () => {
      const outer = jest.fn<Observable<unknown>, [number?]>(() => NEVER);
      mergeInOrderFrom([1, 2, 3], (n, _, gate) => gate(n), { concurrency: 3, ordered: false, gate: outer }).subscribe();
      expect(outer.mock.calls).toEqual([[1], [2], [3]]);
    });
  });

  describe('length', () => {
    it.each([
      [1, true],
      [3, true],
      [3, false],
    ])(
      'runs 10,000 synchronous streams without overflowing the stack (concurrency %d, ordered %p)',
      (concurrency, ordered) => {
        const seen: number[] = [];
        const { inputs } = counted(10_000);
        mergeInOrderFrom(inputs, (n) => of(n), { concurrency, ordered }).subscribe((n) => seen.push(n));
        expect(seen).toEqual(Array.from({ length: 10_000 }, (_, n) => n));
      },
    );

    it('runs 10,000 synchronous streams behind a front that ends late', () => {
      const front = new Subject<never>();
      let count = 0;
      const project = (n: number): Observable<number> => (n === 0 ? front : of(n));
      mergeInOrderFrom(counted(10_001).inputs, project, { concurrency: 6000 }).subscribe(() => (count += 1));
      expect(count).toBe(0);
      front.complete();
      expect(count).toBe(10_000);
    });

    it('asks the gate 10,000 times in one synchronous stream', () => {
      const { gate, drain } = boundedWindow();
      const pages = (_: number, __: number, inner: WindowGate) =>
        unfoldPages(1, (n) => (n < 5000 ? of(more(n, n + 1)) : of(last(n))), { gate: inner });
      let count = 0;
      mergeInOrderFrom([1, 2], pages, { concurrency: 2, gate })
        .pipe(drain((n) => of(n)))
        .subscribe(() => (count += 1));
      expect(count).toBe(10_000);
    });
  });

  describe('for any timing', () => {
    const script = fc.record({
      steps: fc.array(fc.record({ ms: fc.nat(4), value: fc.nat(99) }), { maxLength: 6 }),
      end: fc.constantFrom('complete', 'complete', 'complete', 'complete', 'error'),
      endMs: fc.nat(3),
    });
    type Script = typeof script extends fc.Arbitrary<infer S> ? S : never;

    const play = (script: Script, index: number, gate: WindowGate, scheduler: SchedulerLike): Observable<number> => {
      const { steps, end, endMs } = script;
      return concat(
        stepping(steps, gate, scheduler),
        (endMs === 0 ? of(0) : timer(endMs, scheduler)).pipe(
          mergeMap(() => (end === 'error' ? throwError(() => `error ${index}`) : EMPTY)),
        ),
      );
    };

    const said = (stream: (scheduler: SchedulerLike) => Observable<unknown>): unknown[] => {
      const scheduler = new VirtualTimeScheduler();
      const notes: unknown[] = [];
      stream(scheduler).subscribe({
        next: (value) => notes.push(value),
        error: (error: unknown) => notes.push({ error }),
        complete: () => notes.push('complete'),
      });
      scheduler.flush();
      return notes;
    };

    it('says what `concatMap` says, within its limits', () => {
      const options = fc.record({
        ahead: fc.nat(3),
        first: fc.integer({ min: 1, max: 4 }),
        changes: fc.array(fc.record({ at: fc.nat(30), limit: fc.integer({ min: 1, max: 5 }) }), { maxLength: 3 }),
        gateMs: fc.nat(2),
      });
      fc.assert(
        fc.property(fc.array(script, { maxLength: 10 }), options, (scripts, { ahead, first, changes, gateMs }) => {
          const open: WindowGate = () => of(undefined);
          const expected = said((scheduler) =>
            from(scripts).pipe(concatMap((each, index) => play(each, index, open, scheduler))),
          );

          const concurrency = new BehaviorSubject(first);
          const highest = Math.max(first, ...changes.map(({ limit }) => limit));
          const made = scripts.map(() => 0);
          const emitted = scripts.map(() => 0);
          let running = 0;
          let failed = false;
          const broken: string[] = [];
          const check = (holds: boolean, what: string) => {
            if (!holds) broken.push(what);
          };
          const project = (each: Script, index: number, gate: WindowGate, scheduler: SchedulerLike) =>
            defer(() => {
              check(running < concurrency.value, 'a start above the limit');
              check(!failed, 'a start after a failure');
              running += 1;
              return play(each, index, gate, scheduler);
            }).pipe(
              tap({ error: () => (failed = true) }),
              map((value) => ({ index, value })),
              tap(() => {
                made[index] = (made[index] ?? 0) + 1;
              }),
              finalize(() => (running -= 1)),
            );
          const held = () => made.map((count, index) => count - (emitted[index] ?? 0));
          const checkHeld = () => {
            check(Math.max(0, ...held()) <= ahead, 'a stream holds too much');
            check(held().filter((count) => count > 0).length <= 2 * highest, 'too many streams hold');
          };
          const notes = said((scheduler) => {
            timer(0, 1, scheduler).pipe(take(500)).subscribe(checkHeld);
            changes.forEach(({ at, limit }) => timer(at, scheduler).subscribe(() => concurrency.next(limit)));
            return mergeInOrderFrom(scripts, (each, index, gate) => project(each, index, gate, scheduler), {
              concurrency,
              ahead,
              gate: () => (gateMs === 0 ? EMPTY : timer(gateMs, scheduler)),
            }).pipe(
              tap(({ index }) => {
                emitted[index] = (emitted[index] ?? 0) + 1;
              }),
              map(({ value }) => value),
            );
          });
          expect(notes).toEqual(expected);
          expect(broken).toEqual([]);
          expect(running).toBe(0);
        }),
        { numRuns: runsOf(300) },
      );
    });
  });
});

describe('mergeInOrder', () => {
  it('is as its diagram shows', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const streams = { 1: cold('--a-----b|'), 2: cold('---c--d|'), 3: cold('-------e|') };
      const source = cold<1 | 2 | 3>('(123|)', { 1: 1, 2: 2, 3: 3 });
      const project = (n: 1 | 2 | 3) => streams[n];
      expectObservable(source.pipe(mergeInOrder(project, { concurrency: 2 }))).toBe('--a-----b(cd)-e|');
      expectSubscriptions(streams[1].subscriptions).toBe('^--------!');
      expectSubscriptions(streams[2].subscriptions).toBe('^------!');
      expectSubscriptions(streams[3].subscriptions).toBe('-------^-------!');
    }));

  it.each([
    ['-', '-', '^'],
    ['|', '|', '(^!)'],
    ['--#', '--#', '^-!'],
    ['a|', '--(a|)', '^!'],
    ['ab-c-|', '--a-b-(c|)', '^----!'],
    ['a--#', '--a#', '^--!'],
    ['ab-#', '--a#', '^--!'],
  ])('takes a source: %s', (marbles, expected, subscription) =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold(marbles);
      const project = (value: string) => cold('--(v|)', { v: value });
      expectObservable(source.pipe(mergeInOrder(project, { concurrency: 1 }))).toBe(expected);
      expectSubscriptions(source.subscriptions).toBe(subscription);
    }),
  );

  it('an error of a stream comes in its turn, and one that is thrown, too', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const slow = cold('----a|');
      const fail = (): never => {
        throw defect;
      };
      const project = (value: string) => (value === 'a' ? slow : fail());
      expectObservable(cold('(ab)-').pipe(mergeInOrder(project, { concurrency: 2 }))).toBe('----a#', undefined, defect);
    }));

  it('leaves the source and the streams, and starts no other, when it is left', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('   (ab)-c-');
      const stream = cold('   --x-----');
      expectObservable(source.pipe(mergeInOrder(() => stream, { concurrency: 2 })), '---!').toBe('--x');
      expectSubscriptions(source.subscriptions).toBe('^--!');
      expectSubscriptions(stream.subscriptions).toBe(['^--!', '^--!']);
    }));

  it('stops a synchronous endless source', () => {
    const seen: number[] = [];
    range(0, Infinity)
      .pipe(
        mergeInOrder((n) => of(n), { concurrency: 3 }),
        take(3),
      )
      .subscribe((n) => seen.push(n));
    expect(seen).toEqual([0, 1, 2]);
  });

  it('takes a limit that changes, and one that is late', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const limit$ = cold('--1--2', { 1: 1, 2: 2 });
      const project = (value: string) => cold('----(v|)', { v: value });
      expectObservable(cold('(abc|)').pipe(mergeInOrder(project, { concurrency: limit$ }))).toBe('------a--b(c|)');
    }));

  it('holds no stack: 10,000 synchronous streams that waited for one that was not', () => {
    const first = new Subject<number>();
    const seen: number[] = [];
    range(0, 10_000)
      .pipe(mergeInOrder((n) => (n === 0 ? first : of(n)), { concurrency: 1 }))
      .subscribe((n) => seen.push(n));
    first.next(0);
    first.complete();
    expect(seen).toEqual(Array.from({ length: 10_000 }, (_, n) => n));
  });

  it('starts a stream that waited in the async context of its value', () => {
    const context = new AsyncLocalStorage<string>();
    const source = new Subject<string>();
    const first = new Subject<never>();
    const seen: unknown[] = [];
    source
      .pipe(mergeInOrder((value) => (value === 'a' ? first : of(context.getStore())), { concurrency: 1 }))
      .subscribe((store) => seen.push(store));
    context.run('1', () => source.next('a'));
    context.run('2', () => source.next('b'));
    context.run('3', () => first.complete());
    expect(seen).toEqual(['2']);
  });

  it('starts a stream in the async context of its value, also one that comes while another is started', () => {
    const context = new AsyncLocalStorage<string>();
    const source = new Subject<string>();
    const seen: unknown[] = [];
    const began = defer(() => {
      context.run('2', () => source.next('b'));
      return NEVER;
    });
    source
      .pipe(
        mergeInOrder((value) => (value === 'a' ? began : of(context.getStore())), { concurrency: 2, ordered: false }),
      )
      .subscribe((store) => seen.push(store));
    context.run('1', () => source.next('a'));
    expect(seen).toEqual(['2']);
  });

  it('refuses numbers out of range at once', () => {
    expect(() => mergeInOrder(() => NEVER, { concurrency: 0 })).toThrow(RangeError);
    expect(() => mergeInOrder(() => NEVER, { concurrency: 1, ahead: -1 })).toThrow(RangeError);
  });
});
