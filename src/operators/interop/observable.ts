import type { InteropObservable, Observable } from 'rxjs';

/** The name that replaces `Symbol.observable` where it is not defined. */
const NAME = '@@observable';

const currentSymbol = (): readonly symbol[] => {
  const symbol: unknown = Reflect.get(Symbol, 'observable');
  return typeof symbol === 'symbol' ? [symbol] : [];
};
/** The symbol at the time when RxJS was loaded, if the same module graph loads both. */
const FIRST = currentSymbol();

/**
 * Makes an object subscribable for RxJS: `from`, `merge` and `switchMap` take it as the Observable, although it may be
 * iterable as well, and unsubscribe from it at once. (They leave an async iterable only after its next value.)
 *
 * Each copy of RxJS looks for the value of `Symbol.observable` at the time when the copy was loaded, or else for the
 * string `@@observable`; the object has them all.
 *
 * @param object The object that gets the methods; they are not enumerable.
 * @param source$ The Observable behind the object.
 * @returns The same object.
 * @example
 * ```ts
 * import { from, of } from 'rxjs';
 * import { withObservable } from 'headwater';
 *
 * from(withObservable({ name: 'birds' }, of('ant', 'bee'))).subscribe((name) => console.log(name));
 * // → ant
 * // → bee
 * ```
 */
export function withObservable<O extends object, T>(object: O, source$: Observable<T>): O & InteropObservable<T> {
  const value = (): Observable<T> => source$;
  for (const key of [NAME, ...FIRST, ...currentSymbol()])
    Object.defineProperty(object, key, { value, configurable: true });
  return object as O & InteropObservable<T>;
}
