import type { RunEvent, WarningCode } from './events';
import { logEvents } from './log';
import type { Log } from './log';

/** Takes a warning about a run that no module of the run gives itself. */
export type Tell = (code: WarningCode, message: string) => void;

/**
 * Warnings as events, to whoever hears those of the run.
 *
 * @returns `undefined` when nobody does
 * @example tellTo({ logger })?.('STATE_RESET', 'The next run begins anew.')
 */
export function tellTo({
  logger,
  onEvent,
}: {
  readonly logger?: Log;
  readonly onEvent?: (event: RunEvent) => void;
}): Tell | undefined {
  if (logger === undefined && onEvent === undefined) return undefined;
  const log = logger === undefined ? undefined : logEvents(logger);
  return (code, message) => {
    const event: RunEvent = { type: 'warning', code, message };
    log?.(event);
    onEvent?.(event);
  };
}
