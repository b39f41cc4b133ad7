import { byUndici } from '../../../../src/http/transport/undici';
/** Seconds of the engine in a second of the machine: delays of minutes pass, and real sockets have their time. */
const FACTOR = 200;

export interface Clock {
  /** Moves the clock of the engine and of the server, forward or backward. */
  readonly jump: (seconds: number) => void;
}

/**
 * Makes `Date.now` and all timers of RxJS, which uses intervals for them, run faster. Sockets and the pauses of servers
 * keep the time of the machine. Call it at the top of a `describe`.
 *
 * @param stands `Date.now` stands still, for specs that compare exact times; timers run all the same
 */
export function useFastClock({ stands = false } = {}): Clock {
  let jumped = 0;
  // The first request of a process loads undici, which takes real time: too much by this clock.
  beforeAll(() => byUndici(() => undefined));
  beforeEach(() => {
    jumped = 0;
    const interval = setInterval;
    const now = Date.now;
    const begun = now();
    const passed = (): number => (stands ? 0 : (now() - begun) * FACTOR);
    jest.spyOn(Date, 'now').mockImplementation(() => begun + passed() + jumped);
    jest
      .spyOn(globalThis, 'setInterval')
      .mockImplementation((work: () => void, delay = 0) => interval(work, delay / FACTOR));
  });
  afterEach(() => jest.restoreAllMocks());
  return { jump: (seconds) => void (jumped += seconds * 1000) };
}
