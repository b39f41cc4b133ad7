import { HeadwaterError } from './errors';
import type { ErrorJson } from './errors';

/** An error as data, with secrets masked; one that is none of Headwater's, such as that of a middleware, has no code. */
export type ToldError = ErrorJson | { readonly name: string; readonly message: string; readonly code?: never };

/** An error as events tell it: its secrets are masked with those of the event. */
export function toldError(error: unknown): ToldError {
  if (error instanceof HeadwaterError) return error.toJSON();
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: 'Error', message: String(error) };
}
