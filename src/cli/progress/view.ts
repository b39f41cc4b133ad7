import { NO_RUN, snapshotAfter } from '../..';
import type { Log, RunEvent, RunSnapshot } from '../..';
import type { ProgressMode } from './mode';
import { reportProgress } from './reports';
import type { Screen } from './screen';

/** What shows how far a run is. */
export interface ProgressView {
  readonly hear: (event: RunEvent) => void;
  readonly snapshot: () => RunSnapshot;
  /** Ends it: after a success the summary says the rest, else what was there last stays. */
  readonly end: (isSuccess: boolean) => void;
}

/**
 * Shows a run from its first event on.
 *
 * @param screen the terminal, where there is one to draw on
 */
export function showProgress(mode: ProgressMode, log: Log, screen: Screen | undefined): ProgressView {
  let current = NO_RUN;
  let stop: (() => void) | undefined;
  const begin = (): (() => void) => {
    if (mode === 'terminal') screen?.show(() => current);
    return mode === 'plain' || mode === 'json' ? reportProgress(log, () => current) : () => undefined;
  };
  return {
    hear: (event) => {
      current = snapshotAfter(current, event, Date.now());
      if (event.type === 'run.started') stop ??= begin();
    },
    snapshot: () => current,
    end: (isSuccess) => {
      stop?.();
      screen?.end(isSuccess ? 'clear' : 'leave');
    },
  };
}
