import { EXIT, Interruption } from './exit-status';

/** A watch over what ends a run from outside. */
export interface InterruptionWatch {
  /** Aborts with an {@link Interruption}. */
  readonly signal: AbortSignal;
  /** Stops watching. */
  readonly forget: () => void;
}

/** Ctrl-C at a question reaches the library that asks, and not the process: it is the same interruption. */
export const interruptedBy = (failure: unknown): unknown =>
  failure instanceof Error && failure.name === 'ExitPromptError'
    ? new Interruption('Interrupted.', EXIT.interrupted)
    : failure;

/** Ctrl-C, a request to end, or a reader that goes away end the run in order; a second signal ends it at once. */
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
