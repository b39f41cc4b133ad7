import { BehaviorSubject, Subject } from 'rxjs';
import type { Purpose } from '../../core/model';
import { adaptiveLimit, createPace, inFlight } from '../../operators';
import type { AdaptiveLimit, LimiterRule, Pace } from '../../operators';

/** What was set for requests beside the configuration, and may be set anew at any time. */
export interface RequestTuning {
  /** Tells whether a request may have to wait for it. */
  readonly isActive: () => boolean;
  /** What a request waits for. */
  readonly rulesOf: (purpose: Purpose) => TunedRules;
  /** The priority of a request: of those that wait, the highest goes first. It is `undefined` where none was set. */
  readonly priorityOf: (purpose: Purpose) => number | undefined;
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
  readonly prioritize: (priority: number) => void;
  readonly priority: () => number | undefined;
}

/**
 * Tunes the requests of one place: the rules are the same for all of its requests from the first on, so that those which
 * wait already hear of each change.
 *
 * @param adaptive finds the number of requests in flight where that is `auto`
 * @example const requests = tunedRequests(); requests.pause(true);
 */
export function tunedRequests(adaptive: AdaptiveLimit = adaptiveLimit()): TunedRequests {
  const most$ = new BehaviorSubject<number>(UNLIMITED);
  const cap = inFlight(most$);
  const pacing = pauseAndRate();
  let isSet = false;
  let isAdaptive = false;
  let priority: number | undefined;
  return {
    rules: () => ({ caps: [cap], adaptive: isAdaptive ? [adaptive] : [], pacing: [pacing] }),
    isSet: () => isSet,
    cap: (most) => {
      isSet = true;
      isAdaptive = most === 'auto';
      most$.next(most === 'auto' || most === Infinity ? UNLIMITED : most);
    },
    rate: (aSecond, now) => {
      isSet = true;
      pacing.rate(aSecond, now);
    },
    pause: (isPaused) => {
      isSet = true;
      pacing.pause(isPaused);
    },
    prioritize: (next) => {
      isSet = true;
      priority = next;
    },
    priority: () => priority,
  };
}

/** So many are never in flight. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

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
      const rate = { requests: 1, seconds: 1 / aSecond, burst: 1 };
      // What has started counts for the new rate, too.
      if (aSecond === Infinity) pace = undefined;
      else if (pace === undefined) pace = createPace(rate);
      else pace.set(rate, now);
      loosened$.next();
    },
    pause: (next) => {
      isPaused = next;
      if (!next) loosened$.next();
    },
  };
}

const nothing = (): void => undefined;
