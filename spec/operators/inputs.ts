import { of } from 'rxjs';
import type { ObservableInput } from 'rxjs';

/** What RxJS takes for a stream, each with how it is made of a value. */
export const inputs: [string, <T>(value: T) => ObservableInput<T>][] = [
  ['an Observable', (value) => of(value)],
  ['a promise', (value) => Promise.resolve(value)],
  ['an array', (value) => [value]],
  [
    'an iterable',
    function* (value) {
      yield value;
    },
  ],
  [
    'an async iterable',
    async function* (value) {
      await Promise.resolve();
      yield value;
    },
  ],
];
