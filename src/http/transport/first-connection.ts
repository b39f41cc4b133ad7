import { RetryableError } from '../../core/errors/errors';

/** The longest delay that the timers of JavaScript can hold. */
const LONGEST_TIMER = 2 ** 31 - 1;
/** The failures before a connection exists; a time-out counts if the host has not answered yet. */
const BEFORE_CONNECTION: ReadonlySet<string> = new Set([
  'NETWORK_RESOLVE',
  'NETWORK_CONNECT',
  'NETWORK_TIMEOUT',
  'NETWORK_TLS',
  'NETWORK_CERTIFICATE',
]);

/**
 * Limits the time in which a run tries to reach a host for the first time (docs/language/retries.md). A host that was
 * never reached is most likely misspelled or shut off, and minutes of retries would not help; a host that was reached
 * gets all retries.
 *
 * Origins count separately. The time begins with the first request to an origin, and all requests to it share that
 * time.
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
   * @param limitMs the limit in milliseconds; `Infinity` for none
   * @param reached the origins that have been reached before
   * @param now the clock, in milliseconds since the epoch
   */
  constructor(
    private readonly limitMs: number,
    private readonly reached = new Set<string>(),
    private readonly now: () => number = Date.now,
  ) {}

  /** Starts the time of an origin, at the first request to it. */
  begin(origin: string): void {
    if (this.limitMs === Infinity || this.#deadlines.has(origin)) return;
    this.#deadlines.set(origin, this.now() + this.limitMs);
  }

  /** Records that there is a connection to the origin, or that it answered. */
  reach(origin: string): void {
    this.reached.add(origin);
  }

  /**
   * Returns the remaining milliseconds, at least 1, for reaching an origin; `undefined` if it has been reached, or
   * without a limit.
   */
  left(origin: string): number | undefined {
    const deadline = this.#deadlines.get(origin);
    if (deadline === undefined || this.reached.has(origin)) return undefined;
    return Math.max(1, Math.min(deadline - this.now(), LONGEST_TIMER));
  }

  /** Limits the retries after a failure to connect; returns the same error. */
  limit<E>(error: E, origin: string): E {
    const deadline = this.#deadlines.get(origin);
    if (deadline === undefined || this.reached.has(origin)) return error;
    if (error instanceof RetryableError && BEFORE_CONNECTION.has(error.code)) error.retryUntil = deadline;
    return error;
  }

  /**
   * Calls back when the time for reaching an origin has ended, unless there is a connection by then or the watch has
   * ended.
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

/** Returns the error for a connection that took too long, in the words of Node.js. */
export const connectionTimeout = (): Error =>
  Object.assign(new Error('No connection was made in time.'), { code: 'ETIMEDOUT', syscall: 'connect' });

/**
 * The knowledge of hosts that runs with shared connections have in common. A host that one of them has reached is
 * reached for all. The time for reaching a host restarts with each run, so that connections that live for days do not
 * fail because of their first minute.
 */
export class FirstConnections {
  readonly #reached = new Set<string>();
  readonly #runs = new Set<FirstConnection>();

  /** @param limitMs the limit in milliseconds; `Infinity` for none */
  constructor(
    private readonly limitMs: number,
    private readonly now: () => number = Date.now,
  ) {}

  ofRun(): FirstConnection {
    const run = new FirstConnection(this.limitMs, this.#reached, this.now);
    this.#runs.add(run);
    return run;
  }

  /** Removes a run that has ended: its time does not count any more. */
  leave(run: FirstConnection): void {
    this.#runs.delete(run);
  }

  /** Returns the remaining milliseconds of the run that has the most; `undefined` if none of them has a limit. */
  left(origin: string): number | undefined {
    const left = [...this.#runs].flatMap((run) => run.left(origin) ?? []);
    return left.length === 0 ? undefined : Math.max(...left);
  }
}
