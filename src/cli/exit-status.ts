import { HeadwaterError } from '..';
import { visibleText } from '../core/visible-text';

/** The exit statuses of the command. */
export const EXIT = {
  success: 0,
  /** The configuration, the credentials or the API is at fault. */
  userError: 1,
  /** A defect of the program. */
  programError: 2,
  interrupted: 130,
  terminated: 143,
  /** The reader of standard output went away before the end. */
  brokenPipe: 141,
} as const;

/** The last line of the log when all is stored (docs/language/errors.md#exit-statuses). */
export const FINISHED = 'Extractor finished successfully.';

/** The run was interrupted by a signal, or its output closed. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

/** The surroundings of the program are at fault, not the configuration: the exit status is that of a defect. */
export class ApplicationError extends Error {
  override readonly name = 'ApplicationError';
}

/** The exit status that a failure means. */
export function statusOf(error: unknown): number {
  if (error instanceof Interruption) return error.status;
  return error instanceof HeadwaterError ? EXIT.userError : EXIT.programError;
}

/** A failure in words; the stack only where the program is at fault. */
export function describe(error: unknown): string {
  if (error instanceof HeadwaterError || error instanceof Interruption || error instanceof ApplicationError)
    return visibleText(error.message);
  return error instanceof Error ? `Program error: ${error.stack ?? error.message}` : `Program error: ${String(error)}`;
}
