import { HeadwaterError } from '..';
import type { createLogger } from '..';
import { visibleText } from '../core/text';

/** The exit statuses of the command. */
export const EXIT = {
  success: 0,
  /** A fault of the configuration, the credentials or the API. */
  userError: 1,
  /** A defect of the program. */
  programError: 2,
  interrupted: 130,
  terminated: 143,
  /** The reader of standard output ended early. */
  brokenPipe: 141,
} as const;

/** The last line of the log when everything is stored (docs/language/errors.md#exit-statuses). */
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

/** A fault of the environment of the program, not of the configuration: it has the exit status of a defect. */
export class ApplicationError extends Error {
  override readonly name = 'ApplicationError';
}

/** Returns the exit status of a failure. */
export function statusOf(error: unknown): number {
  if (error instanceof Interruption) return error.status;
  return error instanceof HeadwaterError ? EXIT.userError : EXIT.programError;
}

/** Returns a failure in words; with the stack only for a defect of the program. */
export function describe(error: unknown): string {
  if (error instanceof HeadwaterError || error instanceof Interruption || error instanceof ApplicationError)
    return visibleText(error.message);
  return error instanceof Error ? `Program error: ${error.stack ?? error.message}` : `Program error: ${String(error)}`;
}

/** Logs a failure in words; a program that reads the log as JSON finds its code beside them. */
export function logFailure(logger: RunLogger, error: unknown, level = 'error'): void {
  const fields = error instanceof HeadwaterError ? { code: error.code, error: error.name } : {};
  logger.log(level, describe(error), fields);
}

type RunLogger = Pick<ReturnType<typeof createLogger>, 'log'>;

/** Watches for interruptions from outside. */
export interface InterruptionWatch {
  /** Aborts with an {@link Interruption}. */
  readonly signal: AbortSignal;
  /** Stops watching. */
  readonly forget: () => void;
}

/** Returns an interruption for Ctrl-C at a question, which the prompt library receives instead of the process. */
export const interruptedBy = (failure: unknown): unknown =>
  failure instanceof Error && failure.name === 'ExitPromptError'
    ? new Interruption('Interrupted.', EXIT.interrupted)
    : failure;

/** Ends the run in order at Ctrl-C, a termination signal, or when the reader of standard output ends; a second signal ends it at once. */
export function abortOnInterruption(): InterruptionWatch {
  const abort = new AbortController();
  const end = (reason: Interruption): void => {
    if (abort.signal.aborted) process.exit(reason.status);
    abort.abort(reason);
  };
  const interrupted = (): void => end(new Interruption('Interrupted.', EXIT.interrupted));
  const terminated = (): void => end(new Interruption('Terminated.', EXIT.terminated));
  const broken = (error: NodeJS.ErrnoException): void =>
    end(
      error.code === 'EPIPE'
        ? new Interruption('The reader of the output went away.', EXIT.brokenPipe)
        : new Interruption(`The output cannot be written: ${error.message}`, EXIT.userError),
    );
  process.on('SIGINT', interrupted).on('SIGTERM', terminated);
  process.stdout.on('error', broken);
  return {
    signal: abort.signal,
    forget: () => {
      process.off('SIGINT', interrupted).off('SIGTERM', terminated);
      process.stdout.off('error', broken);
    },
  };
}
