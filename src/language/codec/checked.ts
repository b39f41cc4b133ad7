/** A value or the list of its faults: with these functions a definition collects faults without another library. */
import * as A from 'fp-ts/ReadonlyArray';
import * as E from 'fp-ts/Either';
import type { Either } from 'fp-ts/Either';
import { FatalError } from '../../core/errors/errors';
import type { Fault } from '../../core/errors/errors';

/** A value, or all faults. */
export type Checked<T, F = Fault> = Either<readonly F[], T>;

/** Combines checks so that the faults of all are reported, not those of the first alone. */
export const validation = E.getApplicativeValidation(A.getSemigroup<Fault>());

/** All values, or the faults of all checks. */
export const allOf: <T>(checks: readonly Checked<T>[]) => Checked<readonly T[]> = A.sequence(validation);

/** Returns a check without faults. */
export const valid = <T>(value: T): Checked<T, never> => E.right(value);

/** Returns a check with these faults. */
export const invalid = <F>(...faults: readonly F[]): Checked<never, F> => E.left(faults);

/** Returns a check that has found one fault. */
export const fault = (path: string, message: string): Checked<never> => invalid({ path, message });

/**
 * Combines checks by name: all values, or the faults of all.
 *
 * @example collect({ name: valid('a'), size: fault('api.size', 'required') }) // the fault of size
 */
export function collect<C extends Readonly<Record<string, Checked<unknown, unknown>>>>(
  checks: C,
): Checked<
  { readonly [K in keyof C]: C[K] extends Checked<infer T, unknown> ? T : never },
  C[keyof C] extends Checked<unknown, infer F> ? F : never
> {
  type Failure = C[keyof C] extends Checked<unknown, infer F> ? F : never;
  const faults: Failure[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, check] of Object.entries(checks)) {
    if (E.isLeft(check)) faults.push(...(check.left as readonly Failure[]));
    else values[name] = check.right;
  }
  return faults.length > 0
    ? E.left(faults)
    : E.right(values as { readonly [K in keyof C]: C[K] extends Checked<infer T, unknown> ? T : never });
}

/** Changes the value of a check. */
export const mapValid = <T, U, F>(checked: Checked<T, F>, change: (value: T) => U): Checked<U, F> =>
  E.isLeft(checked) ? checked : E.right(change(checked.right));

/** Checks a value further. */
export const andThen = <T, U, F, G>(checked: Checked<T, F>, next: (value: T) => Checked<U, G>): Checked<U, F | G> =>
  E.isLeft(checked) ? checked : next(checked.right);

/** Returns the result of a function, or the error that it throws as a fault of that place, or of a place inside it. */
export function attempt<T>(path: string, compute: () => T): Checked<T> {
  return E.tryCatch(compute, (error) => {
    if (!(error instanceof FatalError)) throw error;
    return [error.fault ?? { path, message: error.message }];
  });
}
