import { BehaviorSubject, Subject } from 'rxjs';
import type { Purpose } from '../../core/model';
import { adaptiveLimit, createPace, inFlight } from '../../operators';
import type { AdaptiveLimit, LimiterRule, Pace } from '../../operators';

/** The settings of requests outside of the configuration, which may change at any time. */
export interface RequestTuning {
  /** Returns whether a request may have to wait for them. */
  readonly isActive: () => boolean;
  /** Returns the rules that a request waits for. */
  readonly rulesOf: (purpose: Purpose) => TunedRules;
  /**
   * Returns the priority of a request: among waiting requests, the highest is sent first. It is `undefined` if none was
   * set.
   */
  readonly priorityOf: (purpose: Purpose) => number | undefined;
}

/** The rules of one request. */
export interface TunedRules {
  /** Caps on requests in flight. */
  readonly caps: readonly LimiterRule[];
  /** Adaptive caps, which also have to receive the answers. */
  readonly adaptive: readonly AdaptiveLimit[];
  /** Pauses and rates, which decide when a request may start. */
  readonly pacing: readonly LimiterRule[];
}

export const NOTHING_TUNED: TunedRules = { caps: [], adaptive: [], pacing: [] };

/** The tuning of the requests of one place: a job, a run or a client. */
export interface TunedRequests {
  readonly rules: () => TunedRules;
  /** Returns whether anything has been set. */
  readonly isSet: () => boolean;
  /** Sets the cap on requests in flight: an integer from 1, `Infinity`, or `auto` for as many as the API can handle. */
  readonly cap: (most: number | 'auto') => void;
  /** Sets the requests in a second, evenly spaced; `Infinity` for no rate. */
  readonly rate: (aSecond: number, now: number) => void;
  /** Pauses or continues: during a pause no request starts. */
  readonly pause: (isPaused: boolean) => void;
  readonly prioritize: (priority: number) => void;
  readonly priority: () => number | undefined;
}

/**
 * Creates the tuning of the requests of one place: all of its requests share the same rules from the first on, so that
 * waiting requests follow each change.
 *
 * @param adaptive determines the number of requests in flight if the cap is `auto`
 * @example const requests = tunedRequests(); requests.pause(true);
 */
export function tunedRequests(adaptive: AdaptiveLimit = adaptiveLimit()): TunedRequests {
  const most$ = new BehaviorSubject<number>(NO_CAP);
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
      most$.next(most === 'auto' || most === Infinity ? NO_CAP : most);
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

/** A cap that is never reached. */
const NO_CAP = Number.MAX_SAFE_INTEGER;

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
      // Earlier starts count for the new rate, too.
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
