import { Subject } from 'rxjs';
import type { Purpose } from '../../model';
import { adaptiveLimit, createPace, variableCap } from '../../operators';
import type { AdaptiveLimit, LimiterRule, Pace } from '../../operators';

/** What was set for requests beside the configuration, and may be set anew at any time. */
export interface RequestTuning {
  /** Whether a request may have to wait for it. */
  readonly isActive: () => boolean;
  /** What a request waits for. */
  readonly rulesOf: (purpose: Purpose) => TunedRules;
}

/** The rules of one request. */
export interface TunedRules {
  /** They count what is in flight. */
  readonly caps: readonly LimiterRule[];
  /** They count as well, and have to be told of answers. */
  readonly adaptive: readonly AdaptiveLimit[];
  /** Pauses and rates: they say when something may start. */
  readonly pacing: readonly LimiterRule[];
}

export const NOTHING_TUNED: TunedRules = { caps: [], adaptive: [], pacing: [] };

/** How the requests of one place, a job, a run or a client, may be tuned. */
export interface TunedRequests {
  readonly rules: () => TunedRules;
  /** Whether anything was set so far. */
  readonly isSet: () => boolean;
  /** Requests in flight at once, an integer from 1, `Infinity`, or as many as the API takes. */
  readonly cap: (most: number | 'auto') => void;
  /** Requests a second, evenly spaced; `Infinity`: no rate. */
  readonly rate: (aSecond: number, now: number) => void;
  /** Whether nothing new starts. */
  readonly pause: (isPaused: boolean) => void;
}

/**
 * Tunes the requests of one place: the rules are the same for all of its requests from the first on, so that those which
 * wait already hear of each change.
 *
 * @param adaptive finds the number of requests in flight where that is `auto`
 * @example const requests = tunedRequests(); requests.pause(true);
 */
export function tunedRequests(adaptive: AdaptiveLimit = adaptiveLimit()): TunedRequests {
  const cap = variableCap(Infinity);
  const pacing = pauseAndRate();
  let isSet = false;
  let isAdaptive = false;
  return {
    rules: () => ({ caps: [cap], adaptive: isAdaptive ? [adaptive] : [], pacing: [pacing] }),
    isSet: () => isSet,
    cap: (most) => {
      isSet = true;
      isAdaptive = most === 'auto';
      cap.changeTo(most === 'auto' ? Infinity : most);
    },
    rate: (aSecond, now) => {
      isSet = true;
      pacing.rate(aSecond, now);
    },
    pause: (isPaused) => {
      isSet = true;
      pacing.pause(isPaused);
    },
  };
}

interface PauseAndRate extends LimiterRule {
  readonly rate: TunedRequests['rate'];
  readonly pause: TunedRequests['pause'];
}

function pauseAndRate(): PauseAndRate {
  const loosened$ = new Subject<void>();
  let pace: Pace | undefined;
  let isPaused = false;
  return {
    admitsAt: (now) => (isPaused ? Infinity : (pace?.admitsAt(now) ?? now)),
    start: (now) => pace?.start(now) ?? nothing,
    loosened$,
    rate: (aSecond, now) => {
      // One a second, and a share of that: what has started counts for the new rate, too.
      pace ??= createPace({ requests: 1, seconds: 1, burst: 1 });
      pace.changeTo(aSecond, now);
      loosened$.next();
    },
    pause: (next) => {
      isPaused = next;
      if (!next) loosened$.next();
    },
  };
}

const nothing = (): void => undefined;
