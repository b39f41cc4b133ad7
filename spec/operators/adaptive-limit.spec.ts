import { defer, mergeMap, NEVER, range, tap, throwError, timer, VirtualTimeScheduler } from 'rxjs';
import { adaptiveLimit, createLimiter } from '../../src/operators';
import type { AdaptiveLimit } from '../../src/operators';
import { inVirtualTime } from './in-virtual-time';

/** A server of so many workers, each of which takes `serviceMs`; whoever finds them busy waits in a queue. */
interface ServerOptions {
  readonly workers: number;
  readonly serviceMs?: () => number;
  /** It refuses at once what would be one too many. */
  readonly refusesBeyond?: number;
}

/** Sends requests through the limit for a time, as many as it lets; says what the limit was at each answer. */
function loaded(
  limit: AdaptiveLimit,
  server: () => ServerOptions,
  requests: number,
  clock = new VirtualTimeScheduler(),
) {
  const limiter = createLimiter({ scheduler: clock });
  const limits: number[] = [];
  let current = 0;
  limit.limit$.subscribe((most) => (current = most));
  const freeAt: number[] = [];
  let inFlight = 0;
  let refusals = 0;
  const request$ = defer(() => {
    const startedAt = clock.now();
    const { workers, serviceMs = () => 20, refusesBeyond = Infinity } = server();
    inFlight += 1;
    const isRefused = inFlight > refusesBeyond;
    let duration = 1;
    if (!isRefused) {
      freeAt.length = Math.max(workers, 0);
      const free = Array.from(freeAt, (at: number | undefined) => at ?? 0);
      const worker = free.indexOf(Math.min(...free));
      freeAt[worker] = Math.max(free[worker] ?? 0, startedAt) + serviceMs();
      duration = (freeAt[worker] ?? 0) - startedAt;
    }
    return timer(duration, clock).pipe(
      tap(() => {
        inFlight -= 1;
        if (isRefused) refusals += 1;
        if (isRefused) limit.refused(startedAt, clock.now());
        else limit.answered(clock.now() - startedAt);
        limits.push(current);
      }),
    );
  }).pipe(limiter.hold([limit]));
  range(0, requests)
    .pipe(mergeMap(() => request$))
    .subscribe();
  return {
    run: () => {
      clock.maxFrames = Infinity;
      clock.flush();
      return { limits, refusals, elapsed: clock.now() };
    },
  };
}

const meanOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
const lastOf = (numbers: readonly number[], share: number): readonly number[] =>
  numbers.slice(Math.floor(numbers.length * (1 - share)));

describe('adaptiveLimit', () => {
  it('admits the initial number, as a marble diagram', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const limiter = createLimiter();
      const limit = adaptiveLimit({ initial: 2 });
      const c = cold('c|');
      expectObservable(cold('---a|').pipe(limiter.hold([limit]))).toBe('---a|');
      expectObservable(cold('-----b|').pipe(limiter.hold([limit]))).toBe('-----b|');
      expectObservable(c.pipe(limiter.hold([limit]))).toBe('----c|');
      expectSubscriptions(c.subscriptions).toBe('----^!');
    }));

  it.each(['-', '|', '#', '-a|', '-a-b-#'])('mirrors a source that need not wait: %s', (marbles) =>
    inVirtualTime(({ cold, expectObservable }) => {
      expectObservable(cold(marbles).pipe(createLimiter().hold([adaptiveLimit()]))).toBe(marbles);
    }),
  );

  it('who leaves early and who fails gives the place back', () => {
    const limiter = createLimiter();
    const limit = adaptiveLimit({ initial: 1 });
    NEVER.pipe(limiter.hold([limit]))
      .subscribe()
      .unsubscribe();
    throwError(() => new Error('x'))
      .pipe(limiter.hold([limit]))
      .subscribe({ error: () => undefined });
    expect(limit.admitsAt(5)).toBe(5);
  });

  it('converges near what a server can do at once, and then is as fast as it', () => {
    const limit = adaptiveLimit({ initial: 1, most: 200 });
    const { limits, elapsed } = loaded(limit, () => ({ workers: 20 }), 5_000).run();
    const settled = lastOf(limits, 0.8);
    expect(meanOf(settled)).toBeGreaterThan(18);
    expect(meanOf(settled)).toBeLessThan(32);
    expect(Math.max(...limits)).toBeLessThan(70);
    // 5,000 requests of 20 ms by 20 workers take 5 s at least.
    expect(elapsed).toBeLessThan(5_600);
  });

  it('does so where latencies scatter by half', () => {
    let seed = 42;
    const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
    const limit = adaptiveLimit({ initial: 1, most: 500 });
    const { limits, elapsed } = loaded(
      limit,
      () => ({ workers: 20, serviceMs: () => 10 + 20 * random() }),
      5_000,
    ).run();
    expect(meanOf(lastOf(limits, 0.8))).toBeGreaterThan(14);
    expect(meanOf(lastOf(limits, 0.8))).toBeLessThan(40);
    expect(elapsed).toBeLessThan(6_500);
  });

  it('backs off where a server refuses, and recovers when it takes more', () => {
    const clock = new VirtualTimeScheduler();
    const limit = adaptiveLimit({ initial: 4, most: 64 });
    const server = (): ServerOptions => ({ workers: 64, refusesBeyond: clock.now() < 5_000 ? 10 : 40 });
    const { limits, refusals } = loaded(limit, server, 15_000, clock).run();
    const early = limits.slice(500, 2_000);
    expect(meanOf(early)).toBeGreaterThan(5);
    expect(meanOf(early)).toBeLessThan(12);
    expect(Math.max(...lastOf(limits, 0.3))).toBeGreaterThan(30);
    expect(refusals / limits.length).toBeLessThan(0.05);
  });

  it('one burst of refusals halves once', () => {
    const limit = adaptiveLimit({ initial: 16 });
    const seen: number[] = [];
    limit.limit$.subscribe((most) => seen.push(most));
    for (let count = 0; count < 16; count += 1) limit.refused(0, 10);
    limit.refused(11, 20);
    expect(seen).toEqual([16, 8, 4]);
  });

  it.each([20, 100])('a server that now takes %s ms in place of 10 for good is not starved', (slow) => {
    const clock = new VirtualTimeScheduler();
    const limit = adaptiveLimit({ initial: 4, most: 64 });
    const server = (): ServerOptions => ({ workers: 20, serviceMs: () => (clock.now() < 2_000 ? 10 : slow) });
    const { limits } = loaded(limit, server, 10_000, clock).run();
    expect(meanOf(lastOf(limits, 0.3))).toBeGreaterThan(15);
    expect(meanOf(lastOf(limits, 0.3))).toBeLessThan(35);
  });

  it('stays where little of it is made use of', () => {
    const limit = adaptiveLimit({ initial: 8 });
    const seen: number[] = [];
    limit.limit$.subscribe((most) => seen.push(most));
    for (let count = 0; count < 100; count += 1) {
      const end = limit.start(count);
      limit.answered(10);
      end();
    }
    expect(seen).toEqual([8]);
  });

  it('stays within its bounds', () => {
    const limit = adaptiveLimit({ least: 2, most: 3, initial: 3 });
    const seen: number[] = [];
    limit.limit$.subscribe((most) => seen.push(most));
    for (let moment = 1; moment < 5; moment += 1) limit.refused(moment * 10, moment * 10 + 1);
    expect(seen).toEqual([3, 2]);
  });

  it.each([
    [{ least: 0 }, 'adaptiveLimit needs an integer from 1 for `least`, not 0.'],
    [{ least: 5, most: 4 }, 'adaptiveLimit needs an integer from 5, or Infinity, for `most`, not 4.'],
    [{ initial: 101 }, 'adaptiveLimit needs an integer from 1 to 100 for `initial`, not 101.'],
    [{ initial: 1.5 }, 'adaptiveLimit needs an integer from 1 to 100 for `initial`, not 1.5.'],
  ])('refuses %j', (options, message) => {
    expect(() => adaptiveLimit(options)).toThrow(new RangeError(message));
  });
});
