import { RetryableError } from '../../core/errors/errors';

/** The longest delay that the timers of JavaScript can hold. */
const LONGEST_TIMER = 2 ** 31 - 1;
/** Failures that come before a connection stands; a time-out counts where nothing was heard from the host yet. */
const BEFORE_CONNECTION: ReadonlySet<string> = new Set([
  'NETWORK_RESOLVE',
  'NETWORK_CONNECT',
  'NETWORK_TIMEOUT',
  'NETWORK_TLS',
  'NETWORK_CERTIFICATE',
]);

/**
 * How long a run tries to reach a host for the first time (docs/extensions/retries.md). A host that was never reached is
 * most likely misspelled or shut off, and minutes of retries would not mend that; one that was reached gets all retries.
 *
 * Origins count apart. The time begins with the first request to an origin, and all requests to it share that time.
 *
 * @example
 * const first = new FirstConnection(20_000);
 * first.begin('https://api.example');
 * const { connected } = first.watch('https://api.example', () => reject(connectionTimeout()));
 */
export class FirstConnection {
  /** The deadlines by origin, in milliseconds since the epoch. */
  readonly #deadlines = new Map<string, number>();

  /**
   * @param limitMs `Infinity`: no limit
   * @param reached the origins that were reached before
   * @param now milliseconds since the epoch
   */
  constructor(
    private readonly limitMs: number,
    private readonly reached = new Set<string>(),
    private readonly now: () => number = Date.now,
  ) {}

  /** The time of an origin begins with the first request to it. */
  begin(origin: string): void {
    if (this.limitMs === Infinity || this.#deadlines.has(origin)) return;
    this.#deadlines.set(origin, this.now() + this.limitMs);
  }

  /** A connection to the origin stands, or it answered. */
  reach(origin: string): void {
    this.reached.add(origin);
  }

  /**
   * The milliseconds, at least 1, that are left for reaching an origin; `undefined` when it was reached, or without a
   * limit.
   */
  left(origin: string): number | undefined {
    const deadline = this.#deadlines.get(origin);
    if (deadline === undefined || this.reached.has(origin)) return undefined;
    return Math.max(1, Math.min(deadline - this.now(), LONGEST_TIMER));
  }

  /** Limits the retries after a failure that means that there was no connection; returns the same error. */
  limit<E>(error: E, origin: string): E {
    const deadline = this.#deadlines.get(origin);
    if (deadline === undefined || this.reached.has(origin)) return error;
    if (error instanceof RetryableError && BEFORE_CONNECTION.has(error.code)) error.retryUntil = deadline;
    return error;
  }

  /**
   * Calls back when the time for reaching an origin is over, unless a connection stands by then or nobody waits for it.
   */
  watch(origin: string, tooLate: () => void): Watch {
    const left = this.left(origin);
    if (left === undefined) return { connected: () => this.reach(origin), stop: () => undefined };
    const timer = setTimeout(() => {
      if (!this.reached.has(origin)) tooLate();
    }, left);
    const stop = (): void => clearTimeout(timer);
    const connected = (): void => {
      stop();
      this.reach(origin);
    };
    return { connected, stop };
  }
}

/** The connection of one attempt. */
export interface Watch {
  readonly connected: () => void;
  readonly stop: () => void;
}

/** The error of a connection that took too long, as Node.js words it. */
export const connectionTimeout = (): Error =>
  Object.assign(new Error('No connection was made in time.'), { code: 'ETIMEDOUT', syscall: 'connect' });

/**
 * What the runs that share connections know of hosts. A host that one of them has reached is reached for all; the time for
 * reaching one begins anew with each run, so that connections of days do not give up for what was the matter in their
 * first minute.
 */
export class FirstConnections {
  readonly #reached = new Set<string>();
  readonly #runs = new Set<FirstConnection>();

  /** @param limitMs `Infinity`: no limit */
  constructor(
    private readonly limitMs: number,
    private readonly now: () => number = Date.now,
  ) {}

  ofRun(): FirstConnection {
    const run = new FirstConnection(this.limitMs, this.#reached, this.now);
    this.#runs.add(run);
    return run;
  }

  /** The run is over: its time counts no more. */
  leave(run: FirstConnection): void {
    this.#runs.delete(run);
  }

  /** The milliseconds that the run with the most time has left; `undefined` when none of them has a limit. */
  left(origin: string): number | undefined {
    const left = [...this.#runs].flatMap((run) => run.left(origin) ?? []);
    return left.length === 0 ? undefined : Math.max(...left);
  }
}
