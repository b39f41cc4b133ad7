import * as A from 'fp-ts/ReadonlyArray';
import * as E from 'fp-ts/Either';
import type { Either } from 'fp-ts/Either';
import { FatalError } from '../errors';
import type { Fault } from '../errors';

/** A value, or everything that is wrong. */
export type Checked<T> = Either<readonly Fault[], T>;

/** Combines checks so that the faults of all are reported, not those of the first alone. */
export const validation = E.getApplicativeValidation(A.getSemigroup<Fault>());

/** All values, or the faults of all. */
export const allOf: <T>(checks: readonly Checked<T>[]) => Checked<readonly T[]> = A.sequence(validation);

/** What a function gives, or the error that it throws as a fault of that place, or of a place inside it. */
export function attempt<T>(path: string, compute: () => T): Checked<T> {
  return E.tryCatch(compute, (error) => {
    if (!(error instanceof FatalError)) throw error;
    return [error.fault ?? { path, message: error.message }];
  });
}

/** One fault. */
export const fault = (path: string, message: string): Checked<never> => E.left([{ path, message }]);
