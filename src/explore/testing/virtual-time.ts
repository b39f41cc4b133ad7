import { VirtualAction, VirtualTimeScheduler } from 'rxjs';
import type { SchedulerAction, SchedulerLike, Subscription } from 'rxjs';

/** A virtual clock, which never waits. */
export interface VirtualTime {
  /** For the option `scheduler` of `extract`, and for operators. */
  readonly scheduler: SchedulerLike;
  /** Returns the virtual milliseconds since the start. */
  readonly elapsed: () => number;
}

/** The number of event loop turns before time jumps, for work without a clock, such as promises. */
const TURNS = 3;

class JumpingScheduler extends VirtualTimeScheduler {
  #isWaiting = false;

  constructor(readonly start: number) {
    super(VirtualAction, 0);
    this.now = () => this.start + this.frame;
  }

  override schedule<T>(work: (this: SchedulerAction<T>, state?: T) => void, delay = 0, state?: T): Subscription {
    const action = super.schedule(work, delay, state);
    this.#wait();
    return action;
  }

  #wait(turns = TURNS): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    setImmediate(() => {
      this.#isWaiting = false;
      if (turns > 1) this.#wait(turns - 1);
      else this.#jump();
    });
  }

  /** Jumps to the next timer. */
  #jump(): void {
    const [next] = this.actions;
    if (next === undefined) return;
    this.maxFrames = next.delay;
    this.flush();
    if (this.actions.length > 0) this.#wait();
  }
}

/**
 * Makes a clock that jumps to the next timer when nothing else is left to do: retries, rates, expiry and polling take no time, and happen
 * in their order. It is for APIs without a network, such as `scriptedApi`: time would overtake data on a real network.
 *
 * @param start the start in milliseconds since the epoch; default 2024-01-01
 * @example
 * const time = virtualTime();
 * const api = scriptedApi([{ path: '/rivers', answer: [{ status: 503 }, { json: [{ id: 1 }] }] }], time);
 * await lastValueFrom(extract(config, { fetch: api.fetch, scheduler: time.scheduler }).items$);
 * time.elapsed(); // 1000: the pause before the retry
 */
export function virtualTime(start = Date.UTC(2024, 0)): VirtualTime {
  const scheduler = new JumpingScheduler(start);
  return { scheduler, elapsed: () => scheduler.frame };
}
