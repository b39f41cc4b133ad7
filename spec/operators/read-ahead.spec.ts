import type { Observable } from 'rxjs';
import {
  concat,
  concatMap,
  defer,
  EMPTY,
  finalize,
  lastValueFrom,
  map,
  NEVER,
  of,
  range,
  reduce,
  throwError,
  timer,
} from 'rxjs';
import { last, more, readAhead, unfoldPages } from '../../src/operators';
import type { Take } from '../../src/operators';
import { inVirtualTime } from './in-virtual-time';
import { inputs } from './inputs';

const same = (a: string, b: string): boolean => a === b;

/** Takes these steps one after another; each foretells those after it, or what `predicted` says. */
const inTurn =
  (steps: readonly string[], predicted = (at: number): readonly string[] => steps.slice(at + 1)) =>
  (take: Take<string, string>): Observable<string> =>
    concat(...steps.map((step, at) => take(step, predicted(at))));

describe('readAhead', () => {
  it('fetches foretold steps while the loop is busy, and gives them in the order in which they are taken', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const fetches: Record<string, ReturnType<typeof cold<string>>> = {
        '1': cold('----(a|)'),
        '2': cold('--(b|)'),
        '3': cold('----------(c|)'),
        '4': cold('--(d|)'),
      };
      const fetch = (step: string) => fetches[step] ?? NEVER;
      expectObservable(readAhead({ fetch, same, parallel: 3 }, inTurn(['1', '2', '3', '4']))).toBe('----(ab)--(cd|)');
      expectSubscriptions(fetches['1']?.subscriptions ?? []).toBe('^---!');
      expectSubscriptions(fetches['2']?.subscriptions ?? []).toBe('^-!');
      expectSubscriptions(fetches['3']?.subscriptions ?? []).toBe('^---------!');
      expectSubscriptions(fetches['4']?.subscriptions ?? []).toBe('----^-!');
    }));

  it('with parallel 1 fetches each step when it is taken', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const a = cold('--(a|)');
      const b = cold('--(b|)');
      const fetch = (step: string) => (step === '1' ? a : b);
      expectObservable(readAhead({ fetch, same, parallel: 1 }, inTurn(['1', '2']))).toBe('--a-(b|)');
      expectSubscriptions(b.subscriptions).toBe('--^-!');
    }));

  describe.each([1, 2])('with parallel %d', (parallel) => {
    it.each(inputs)('fetches %s', async (_, input) => {
      const fetch = (step: string) => input(`page ${step}`);
      expect(await lastValueFrom(readAhead({ fetch, same, parallel }, inTurn(['1', '2'])))).toBe('page 2');
    });

    it('has a loop that is a promise', async () => {
      const loop = (take: Take<string, string>) => lastValueFrom(take('1', []));
      expect(await lastValueFrom(readAhead({ fetch: (step: string) => of(step), same, parallel }, loop))).toBe('1');
    });
  });

  it('with parallel Infinity fetches all that is foretold', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const fetch = (step: string) => cold('---(v|)', { v: step });
      const steps = Array.from({ length: 9 }, (_, at) => String(at));
      expectObservable(readAhead({ fetch, same, parallel: Infinity }, inTurn(steps))).toBe('---(012345678|)');
    }));

  it('never has more under way and held than it may', () =>
    inVirtualTime(({ expectObservable, flush }) => {
      let open = 0;
      let most = 0;
      const fetch = (step: string) =>
        defer(() => {
          most = Math.max(most, (open += 1));
          return timer(Number(step) % 3).pipe(
            map(() => step),
            finalize(() => (open -= 1)),
          );
        });
      const steps = Array.from({ length: 30 }, (_, at) => String(at));
      expectObservable(
        readAhead({ fetch, same, parallel: 4 }, inTurn(steps)).pipe(reduce((all, step) => all + step, '')),
      );
      flush();
      expect(most).toBe(4);
      expect(open).toBe(0);
    }));

  it('aborts what was foretold and is not taken next', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const fetches: Record<string, ReturnType<typeof cold<string>>> = {
        '1': cold('--(a|)'),
        '2': cold('-----(b|)'),
        '3': cold('  --(c|)'),
      };
      const fetch = (step: string) => fetches[step] ?? NEVER;
      const loop = inTurn(['1', '3'], (at) => (at === 0 ? ['2'] : []));
      expectObservable(readAhead({ fetch, same, parallel: 2 }, loop)).toBe('--a-(c|)');
      expectSubscriptions(fetches['2']?.subscriptions ?? []).toBe('^-!');
      expectSubscriptions(fetches['3']?.subscriptions ?? []).toBe('--^-!');
    }));

  it('aborts what is no longer foretold', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const fetches: Record<string, ReturnType<typeof cold<string>>> = {
        '1': cold('--(a|)'),
        '2': cold('----(b|)'),
        '3': cold('------(c|)'),
      };
      const fetch = (step: string) => fetches[step] ?? NEVER;
      const loop = inTurn(['1', '2'], (at) => (at === 0 ? ['2', '3'] : []));
      expectObservable(readAhead({ fetch, same, parallel: 3 }, loop)).toBe('--a-(b|)');
      expectSubscriptions(fetches['3']?.subscriptions ?? []).toBe('^-!');
    }));

  it('aborts what is foretold no longer, and fetches at once what is foretold in its place', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const fetches: Record<string, ReturnType<typeof cold<string>>> = {
        '1': cold('--(a|)'),
        '2': cold('----(b|)'),
        '3': cold('--------(c|)'),
        '4': cold('  ---(d|)'),
      };
      const fetch = (step: string) => fetches[step] ?? NEVER;
      const loop = inTurn(['1', '2', '4'], (at) => [['2', '3'], ['4'], []][at] ?? []);
      expectObservable(readAhead({ fetch, same, parallel: 3 }, loop)).toBe('--a-b(d|)');
      expectSubscriptions(fetches['3']?.subscriptions ?? []).toBe('^-!');
      expectSubscriptions(fetches['4']?.subscriptions ?? []).toBe('--^--!');
    }));

  it('aborts what is left when the loop ends, whatever became of it', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const fetches: Record<string, ReturnType<typeof cold<string>>> = {
        '1': cold('---(a|)'),
        '2': cold('-#'),
        '3': cold('------(c|)'),
      };
      const fetch = (step: string) => fetches[step] ?? NEVER;
      const loop = inTurn(['1'], () => ['2', '3']);
      expectObservable(readAhead({ fetch, same, parallel: 3 }, loop)).toBe('---(a|)');
      expectSubscriptions(fetches['2']?.subscriptions ?? []).toBe('^!');
      expectSubscriptions(fetches['3']?.subscriptions ?? []).toBe('^--!');
    }));

  it('an error of a fetch is that of the step: it comes when the step is taken', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const fetches: Record<string, ReturnType<typeof cold<string>>> = {
        '1': cold('---(a|)'),
        '2': cold('-#'),
        '3': cold('-----(c|)'),
      };
      const fetch = (step: string) => fetches[step] ?? NEVER;
      expectObservable(readAhead({ fetch, same, parallel: 3 }, inTurn(['1', '2', '3']))).toBe('---(a#)');
      expectSubscriptions(fetches['3']?.subscriptions ?? []).toBe('^--!');
    }));

  it('aborts everything when it is unsubscribed', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const fetches = [cold('----(a|)'), cold('------(b|)')];
      const fetch = (step: string) => fetches[Number(step) - 1] ?? NEVER;
      expectObservable(readAhead({ fetch, same, parallel: 2 }, inTurn(['1', '2'])), '--!').toBe('---');
      for (const { subscriptions } of fetches) expectSubscriptions(subscriptions).toBe('^-!');
    }));

  it.each([
    ['never', () => NEVER, '-'],
    ['empty', () => EMPTY, '|'],
    ['an error', () => throwError(() => 'error'), '#'],
  ])('mirrors a loop of %s', (_, loop, expected) =>
    inVirtualTime(({ expectObservable }) => {
      expectObservable(readAhead<string, string, never>({ fetch: () => NEVER, same, parallel: 2 }, loop)).toBe(
        expected,
      );
    }),
  );

  it('a fetch that gives several values or none is given as it is', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const fetch = (step: string) => (step === '1' ? cold('-a-b|') : step === '2' ? cold('-|') : cold('--c|'));
      expectObservable(readAhead({ fetch, same, parallel: 3 }, inTurn(['1', '2', '3']))).toBe('-a-b(c|)');
    }));

  it.each([
    ['fetch', { fetch: () => fail('fetch'), same }, 'fetch'],
    ['same', { fetch: () => of('a'), same: () => fail('same') }, 'same'],
  ])('a callback that throws errors the stream: %s', (_, callbacks, error) =>
    inVirtualTime(({ expectObservable }) => {
      expectObservable(readAhead({ ...callbacks, parallel: 2 }, inTurn(['1', '2']))).toBe(
        error === 'same' ? '(a#)' : '#',
        { a: 'a' },
        error,
      );
    }),
  );

  it('a list of what follows that throws errors the stream', () =>
    inVirtualTime(({ expectObservable }) => {
      const loop = inTurn(['1'], () => fail('foretold'));
      expectObservable(defer(() => readAhead({ fetch: () => of('a'), same, parallel: 2 }, loop))).toBe(
        '#',
        {},
        'foretold',
      );
    }));

  it('looks no further into what follows than it fetches: it may be endless', () =>
    inVirtualTime(({ expectObservable }) => {
      function* endless(): Iterable<number> {
        for (let n = 1; ; n += 1) yield n;
      }
      const numbers$ = readAhead({ fetch: (n: number) => of(n), same: (a, b) => a === b, parallel: 5 }, (take) =>
        take(0, endless()),
      );
      expectObservable(numbers$).toBe('(a|)', { a: 0 });
    }));

  it('each subscription fetches for itself', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const a = cold('--(a|)');
      const both$ = readAhead({ fetch: () => a, same, parallel: 2 }, inTurn(['1']));
      expectObservable(both$).toBe('--(a|)');
      expectObservable(both$).toBe('--(a|)');
      expectSubscriptions(a.subscriptions).toBe(['^-!', '^-!']);
    }));

  it('takes 10,000 steps that answer synchronously', () => {
    let newest = -1;
    readAhead({ fetch: (n: number) => of(n), same: (a, b) => a === b, parallel: 3 }, (take) =>
      unfoldPages(0, (n) =>
        take(n, [n + 1, n + 2]).pipe(concatMap((value) => (n < 10_000 ? of(more(value, n + 1)) : of(last(value))))),
      ),
    ).subscribe((n) => (newest = n));
    expect(newest).toBe(10_000);
  });

  it('a parallel that changes holds from the next step on, and is 1 without anything held', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const sources = ['-a|', '-b|', '-c|', '-d|'].map((marbles) => cold(marbles));
      const fetch = (step: string) => sources[Number(step) - 1] ?? NEVER;
      let parallel = 1;
      cold('--x|').subscribe(() => (parallel = 2));
      expectObservable(
        readAhead({ fetch, same: (a, b) => a === b, parallel: () => parallel }, inTurn(['1', '2', '3', '4'])),
      ).toBe('-a-bcd|');
      const expected = ['^-!', '--^-!', '--^-!', '----^-!'];
      sources.forEach(({ subscriptions }, at) => expectSubscriptions(subscriptions).toBe(expected[at] ?? ''));
    }));

  it.each([0, -1, 1.5, NaN])('refuses a parallel of %d', (parallel) => {
    const refused = () => readAhead({ fetch: () => range(1, 2), same: () => true, parallel }, (take) => take(1, []));
    expect(refused).toThrow(RangeError);
    expect(refused).toThrow(/^readAhead .* `parallel`/);
  });
});

const fail = (message: string): never => {
  // eslint-disable-next-line @typescript-eslint/only-throw-error -- marbles compare errors by equality
  throw message;
};
