import { TestScheduler } from 'rxjs/testing';
import type { RunHelpers } from 'rxjs/testing';

/** Runs a marble test; the helpers also tell the virtual time in milliseconds. */
export function inVirtualTime(test: (helpers: RunHelpers & { readonly now: () => number }) => void): void {
  const scheduler = new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
  scheduler.run((helpers) => test({ ...helpers, now: () => scheduler.now() }));
}
