import { EMPTY, from, of, switchMap, throwError } from 'rxjs';
import type { InteropObservable, Observable } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import type { RunHelpers } from 'rxjs/testing';
import { withObservable } from '../../../src/operators/interop/observable';

/** What is an async iterable, too: RxJS has to choose. */
const iterableWith = <T>(source$: Observable<T>): AsyncIterable<T> & InteropObservable<T> =>
  withObservable(
    {
      [Symbol.asyncIterator]: (): AsyncIterator<T> => {
        throw new Error('RxJS took the async iterable.');
      },
    },
    source$,
  );

const run = (test: (helpers: RunHelpers) => void): void =>
  new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(test);

describe('withObservable', () => {
  it.each([
    ['-----------', '^----------!'],
    ['|', '(^!)'],
    ['(a|)', '(^!)'],
    ['-a|', '^-!'],
    ['-a-b-c|', '^-----!'],
    ['-a-#', '^--!'],
    ['#', '(^!)'],
  ])('from takes it for %s', (marbles, subscribed) =>
    run(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold(marbles);
      expectObservable(from(iterableWith(source$)), '^----------!').toBe(marbles);
      expectSubscriptions(source$.subscriptions).toBe(subscribed);
    }),
  );

  it('switchMap leaves an endless one at once', () =>
    run(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold('a-a-a-a-a-a-a-a');
      const chosen$ = cold('  ---1----2|');
      const all$ = chosen$.pipe(switchMap((choice) => (choice === '1' ? iterableWith(source$) : of('b'))));
      expectObservable(all$).toBe('---a-a-ab|');
      expectSubscriptions(source$.subscriptions).toBe('---^----!');
    }));

  it('is known by the names that copies of RxJS look for, and shows none of them', () => {
    const object = withObservable({ name: 'birds' }, EMPTY);
    expect(Object.keys(object)).toEqual(['name']);
    expect(Reflect.get(object, '@@observable')).toBeInstanceOf(Function);
  });

  it('is known by a Symbol.observable that was defined after RxJS was loaded', () => {
    const symbol = Symbol('observable');
    Object.defineProperty(Symbol, 'observable', { value: symbol, configurable: true });
    try {
      expect(Reflect.get(withObservable({}, of(1)), symbol)).toBeInstanceOf(Function);
    } finally {
      Reflect.deleteProperty(Symbol, 'observable');
    }
  });

  it('passes on what fails at once', () => {
    const seen: unknown[] = [];
    const error = new Error('no');
    from(iterableWith(throwError(() => error))).subscribe({ error: (each: unknown) => seen.push(each) });
    expect(seen).toEqual([error]);
  });
});
