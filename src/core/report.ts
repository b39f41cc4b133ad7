import { FatalError } from './errors/errors';
import type { Report, RunEvent, WarningCode } from './events';
import { logEvents } from './log';
import type { Log } from './log';

/** Takes a warning about a run that no module of the run gives itself. */
export type Tell = (code: WarningCode, message: string) => void;

/**
 * Takes events that no module of a run gives itself, to whoever hears those of the run.
 *
 * @example reportTo({ logger })({ type: 'run.skipped', runId: '2024-06-01' })
 */
export function reportTo({
  logger,
  onEvent,
}: {
  readonly logger?: Log;
  readonly onEvent?: (event: RunEvent) => void;
}): Report {
  const log = logger === undefined ? undefined : logEvents(logger);
  return (event) => {
    log?.(event);
    onEvent?.(event);
  };
}

/**
 * Warnings as events.
 *
 * @example tellTo(reportTo({ logger }))('STATE_RESET', 'The next run begins anew.')
 */
export const tellTo =
  (report: Report): Tell =>
  (code, message) =>
    report({ type: 'warning', code, message });

/** Where warnings are errors, nothing is committed after one. */
export const refuseToTell: Tell = (_, message) => {
  throw new FatalError('WARNINGS', `Warnings count as errors in this run.\n  ${message}`);
};
