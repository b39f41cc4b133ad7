import { defer, of, tap } from 'rxjs';
import type { Observable } from 'rxjs';

/**
 * Returns a limit: how many at once, how many may wait, how many times.
 *
 * @param least the lowest limit; the highest is `Infinity`, which limits nothing
 * @param operator the operator and the name of the limit, for the message
 * @throws RangeError unless it is an integer from `least`, or `Infinity`
 */
export function limitFrom(least: number, operator: string, name: string, limit: number): number {
  if ((Number.isInteger(limit) || limit === Infinity) && limit >= least) return limit;
  throw new RangeError(`${operator} needs an integer from ${least}, or Infinity, for \`${name}\`, not ${limit}.`);
}

/**
 * Returns the values of a limit that may change: 0 lets nothing start, as it is before the first number. It errors with
 * a RangeError for what is no limit, and if it ends with 0 or without a number, since nothing could start any more.
 *
 * @throws RangeError unless a number is an integer from 1, or `Infinity`
 */
export function changingLimit(operator: string, name: string, limit: number | Observable<number>): Observable<number> {
  if (typeof limit === 'number') return of(limitFrom(1, operator, name, limit));
  return defer(() => {
    let last = 0;
    const next = (given: number): void => void (last = limitFrom(0, operator, name, given));
    const complete = (): void => {
      if (last === 0) throw shut(operator, name);
    };
    return limit.pipe(tap({ next, complete }));
  });
}

/** The error of a limit that is 0 for ever. */
export const shut = (operator: string, name: string): RangeError =>
  new RangeError(`${operator}: its \`${name}\` is 0 for ever, so nothing can start.`);
