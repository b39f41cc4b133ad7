/** Where the runs of an extraction have their sessions: each its own, or all of them those of a client. */
import { merge } from 'rxjs';
import type { Observable } from 'rxjs';
import type { RunEvent } from '../core/events';
import type { RequestTuning } from '../http/rates/request-tuning';
import type { Planned } from '../plan/plan-run';
import type { Har } from './recording/har';
import { recorded } from './recording/recorded';
import { run } from './run';
import type { RunOptions } from './run';
import { Secrets } from '../core/secrets/secrets';
import { sessionsOfRun } from './sessions/sessions';
import type { Sessions, SessionsOptions } from './sessions/sessions';
import type { Tuning } from './tuning/tuning';

/** What a client gives to its extractions, and they have in common. */
export interface ExtractionHost {
  readonly sessions: Sessions;
  readonly secrets: Secrets;
  readonly tuned: RequestTuning;
  readonly values$: Observable<never>;
  /** Mirrors a stream until the client is closed; then it fails. */
  readonly untilClosed: <T>(source: Observable<T>) => Observable<T>;
  /** Hears the events of all runs. */
  readonly hear: (event: RunEvent) => void;
  /** Hears what happens for runs that are over. */
  readonly afterwards: (event: RunEvent) => void;
}

/** What an extraction itself knows of a run. */
export interface OwnOfRun {
  /** Values of the configuration that must never be printed. */
  readonly secrets: readonly string[];
  readonly sessions: Omit<SessionsOptions, 'secrets'>;
  readonly tuning: Tuning;
  /** Takes the recording of a run that has a session of its own. */
  readonly record?: ((recording: Har) => void) | undefined;
  readonly options: Omit<RunOptions, 'secrets' | 'sessions' | 'ownsSessions' | 'concurrency' | 'values$' | 'tuned'>;
}

/** One run, in the sessions of a client, or in sessions that end with it. */
export function runWithin(
  host: ExtractionHost | undefined,
  planned: Planned,
  { secrets, sessions, record, tuning: { concurrency, requests, values$ }, options }: OwnOfRun,
): Observable<RunEvent> {
  if (host === undefined) {
    // A recording holds all exchanges until it is masked at the end, and so none of their secrets may be forgotten by then.
    const own = new Secrets(secrets, undefined, record === undefined ? undefined : Infinity);
    const { settings } = sessions;
    return recorded(record, { secrets: own, middleware: settings.middleware }, ({ middleware }) => {
      const ownSessions = sessionsOfRun(planned, { ...sessions, secrets: own, settings: { ...settings, middleware } });
      const itself = { secrets: own, sessions: ownSessions, ownsSessions: true, tuned: [requests] };
      return run(planned, { ...options, ...itself, concurrency, values$ });
    });
  }
  return run(planned, {
    ...options,
    secrets: new Secrets(secrets, host.secrets),
    sessions: host.sessions,
    ownsSessions: false,
    tuned: [host.tuned, requests],
    concurrency,
    values$: merge(host.values$, values$),
    afterwards: host.afterwards,
  });
}
