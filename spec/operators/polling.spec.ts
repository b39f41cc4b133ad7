import { defer, lastValueFrom, NEVER, of } from 'rxjs';
import type { Observable } from 'rxjs';
import { polling } from '../../src/operators';
import type { PollingOptions } from '../../src/operators';
import { inVirtualTime } from './in-virtual-time';
import { inputs } from './inputs';

const late = new Error('too late');
const broken = new Error('broken');

/** `r` asks to wait for some time, `x` is an error, and anything else is the result. */
const after = (
  wait: number,
  changes: Partial<PollingOptions<string, string>> = {},
): PollingOptions<string, string> => ({
  judge: (answer) => {
    if (answer === 'x') throw broken;
    return answer === 'r' ? { wait } : { done: answer };
  },
  timeout: 100,
  timedOut: () => late,
  ...changes,
});

/** The next of these each time. */
const inTurn = (each: readonly Observable<string>[]): (() => Observable<string>) => {
  let index = 0;
  return () => each[index++] ?? NEVER;
};

describe('polling', () => {
  it('asks until an answer is final, each time after the wait that the answer asks for', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const asked = [cold('-r|'), cold('-r|'), cold('-d|')];
      expectObservable(polling(inTurn(asked), after(5))).toBe('-------------(d|)');
      expectSubscriptions(asked[0]?.subscriptions ?? []).toBe('^!');
      expectSubscriptions(asked[1]?.subscriptions ?? []).toBe('------^!');
      expectSubscriptions(asked[2]?.subscriptions ?? []).toBe('------------^!');
    }));

  it.each(inputs)('asks for %s', async (_, input) => {
    const answers = ['r', 'd'];
    expect(await lastValueFrom(polling(() => input(answers.shift() ?? 'x'), { ...after(1), timeout: 60_000 }))).toBe(
      'd',
    );
  });

  it('waits before the first question where it is told to', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const asked = cold('-d|');
      expectObservable(polling(() => asked, after(5, { delay: 4 }))).toBe('-----(d|)');
      expectSubscriptions(asked.subscriptions).toBe('----^!');
    }));

  it('fails when the time is over, and cancels the question under way', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const slow = cold('----------d');
      expectObservable(polling(() => slow, after(5, { timeout: 8 }))).toBe('--------#', undefined, late);
      expectSubscriptions(slow.subscriptions).toBe('^-------!');
    }));

  it('fails at once where a wait would end after the time', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      expectObservable(polling(() => cold('-r|', { r: 'r' }), after(50, { timeout: 20 }))).toBe('-#', undefined, late);
      expectObservable(polling(() => cold('-d|', { d: 'd' }), after(1, { timeout: 20, delay: 21 }))).toBe(
        '#',
        undefined,
        late,
      );
    }));

  it('fails with what the question or the verdict fails with', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      expectObservable(polling(() => cold('--#', { r: 'r' }, broken), after(5))).toBe('--#', undefined, broken);
      expectObservable(polling(() => cold('--x', { x: 'x' }), after(5))).toBe('--#', undefined, broken);
    }));

  it('asks no more, and holds no timer, when nobody listens', () => {
    jest.useFakeTimers();
    try {
      let asked = 0;
      const ask = () =>
        defer(() => {
          asked += 1;
          return of('r');
        });
      const listener = polling(ask, after(10)).subscribe({ error: () => undefined });
      jest.advanceTimersByTime(25);
      expect([asked, jest.getTimerCount()]).toEqual([3, 2]);
      listener.unsubscribe();
      expect(jest.getTimerCount()).toBe(0);
      jest.advanceTimersByTime(1000);
      expect(asked).toBe(3);
    } finally {
      jest.useRealTimers();
    }
  });

  it('asks twenty thousand times without running out of stack', () =>
    inVirtualTime(({ expectObservable }) => {
      let asked = 0;
      const ask = () => of((asked += 1) < 20_000 ? 'r' : 'd');
      expectObservable(polling(ask, after(1, { timeout: 40_000 }))).toBe('19999ms (d|)');
    }));
});
