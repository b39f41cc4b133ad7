import { defer, firstValueFrom, of, throwError, timer, map } from 'rxjs';
import { createSharedLimits } from '../../../src/http/rates/limit';
import type { Request, TimedResponse } from '../../../src/core/model';
import { sharedLogins, sharedRates } from '../../../src/run/sessions/shared-session';
import type { SharedResponse, SharedSession } from '../../../src/run/sessions/shared-session';
import { virtualTime } from '../../../src/testing';

/** A session in this process, as a cluster keeps one. */
function session(now = (): number => 0): SharedSession & { readonly pauses: readonly number[] } {
  const known = new Map<string, { readonly generation: number; readonly response: SharedResponse }>();
  const tasks = new Map<string, number>();
  const waiting: (() => void)[] = [];
  const pauses: number[] = [];
  let next = 0;
  const wake = (): void => waiting.splice(0).forEach((resume) => resume());
  return {
    pauses,
    leases: new Map(),
    login: async ({ key, after }) => {
      for (;;) {
        const found = known.get(key);
        if (found !== undefined && found.generation > after) return found;
        if (!tasks.has(key)) {
          tasks.set(key, after + 1);
          return { generation: after + 1, isOwnTask: true };
        }
        await new Promise<void>((resume) => waiting.push(resume));
      }
    },
    loggedIn: ({ key, generation, response }) => {
      known.set(key, { generation, response });
      tasks.delete(key);
      wake();
      return Promise.resolve();
    },
    loginGoesOn: () => Promise.resolve(),
    loginFailed: ({ key }) => {
      tasks.delete(key);
      wake();
      return Promise.resolve();
    },
    take: ({ requests, seconds, count }) => {
      const everyMs = (seconds * 1000) / requests;
      const from = Math.max(now(), next);
      next = from + count * everyMs;
      return Promise.resolve({ from, everyMs, count });
    },
    pause: ({ until }) => {
      pauses.push(until);
      next = Math.max(next, until);
      return Promise.resolve();
    },
  };
}

const request = (body: string, url = 'https://api.test/login'): Request => ({
  ...{ method: 'POST', url, headers: {}, body, purpose: { kind: 'login' }, home: url },
  ...{ provenance: 'configured', receivedNames: [] },
});

/** Counts the logins that an API has had, and gives each a token. */
function api(status = 200): {
  readonly count: () => number;
  readonly send: (asked: Request) => ReturnType<typeof send>;
} {
  let count = 0;
  const send = (asked: Request) =>
    defer(() => {
      count += 1;
      const token = `token ${count}`;
      return timer(5).pipe(
        map((): TimedResponse => ({
          request: asked,
          status,
          headers: { a: ['b'] },
          body: Buffer.from(token),
          sentAt: 7,
        })),
      );
    });
  return { count: () => count, send };
}
const textOf = ({ body }: TimedResponse): string => Buffer.from(body).toString();

describe('sharedLogins', () => {
  it('sends a login once, however many processes ask', async () => {
    const [shared, { count, send }] = [session(), api()];
    const ask = () => firstValueFrom(sharedLogins(shared, 'me')(send)(request('{"user":"a"}')));
    const responses = await Promise.all([ask(), ask(), ask(), ask()]);
    expect(count()).toBe(1);
    expect(responses.map(textOf)).toEqual(Array(4).fill('token 1'));
    expect(responses.map(({ status, headers, sentAt }) => ({ status, headers, sentAt }))).toEqual(
      Array(4).fill({ status: 200, headers: { a: ['b'] }, sentAt: 7 }),
    );
  });

  it('sends it again where a process has seen the response before, and others take that one', async () => {
    const [shared, { count, send }] = [session(), api()];
    const [one, another] = [sharedLogins(shared, 'me')(send), sharedLogins(shared, 'me')(send)];
    const ask = (by: typeof one) => firstValueFrom(by(request('user=a')));
    await Promise.all([ask(one), ask(another)]);
    const renewed = await Promise.all([ask(one), ask(another)]);
    expect([count(), ...renewed.map(textOf)]).toEqual([2, 'token 2', 'token 2']);
  });

  it('values of a request may differ each time, as signatures do', async () => {
    const [shared, { count, send }] = [session(), api()];
    for (const time of ['1', '2']) await firstValueFrom(sharedLogins(shared, 'me')(send)(request(`assertion=${time}`)));
    expect(count()).toBe(1);
  });

  it('users, places and steps of a login have their own', async () => {
    const [shared, { count, send }] = [session(), api()];
    const asked: [string, Request][] = [
      ['me', request('user=a')],
      ['you', request('user=a')],
      ['me', request('user=a', 'https://api.test/other')],
      ['me', request('user=a&code=1')],
    ];
    for (const [user, each] of asked) await firstValueFrom(sharedLogins(shared, user)(send)(each));
    expect(count()).toBe(4);
  });

  it('a login that fails is not shared, and the next process tries', async () => {
    const shared = session();
    const refused = api(401);
    const response = await firstValueFrom(sharedLogins(shared, 'me')(refused.send)(request('user=a')));
    expect(response.status).toBe(401);
    const broken = sharedLogins(shared, 'me')(() => throwError(() => new Error('reset')));
    await expect(firstValueFrom(broken(request('user=a')))).rejects.toThrow('reset');
    expect(textOf(await firstValueFrom(sharedLogins(shared, 'me')(api().send)(request('user=a'))))).toBe('token 1');
  });
});

describe('sharedRates', () => {
  /** Has processes start so many requests each as fast as they may; messages to the session take a while. */
  async function startsOf(
    processes: number,
    each: number,
    { requests, latency }: { readonly requests: number; readonly latency: number },
  ): Promise<readonly number[]> {
    const { scheduler } = virtualTime(0);
    const common = session(() => scheduler.now());
    const starts: number[] = [];
    const all = Array.from({ length: processes }, () => {
      const shared: SharedSession = {
        ...common,
        leases: new Map(),
        take: async (ask) => {
          await firstValueFrom(timer(latency, scheduler));
          const given = await common.take(ask);
          await firstValueFrom(timer(latency, scheduler));
          return given;
        },
      };
      // The parts that a process makes at once.
      return Array.from({ length: 2 }, async () => {
        const limits = sharedRates(shared, createSharedLimits(scheduler));
        const rate = limits.rateOf({ rate: { requests, seconds: 1 } }, 'https://api.test/');
        const one$ = defer(() => of(starts.push(scheduler.now()))).pipe(limits.limiter.hold([rate]));
        for (let left = each / 2; left > 0; left -= 1) await firstValueFrom(one$);
      });
    });
    await Promise.all(all.flat());
    return starts.sort((a, b) => a - b);
  }

  it.each([
    [1, 5],
    [1, 40],
    [4, 5],
    [4, 100],
  ])('%d processes start 50 requests a second, no more and no less, with messages of %d ms', async (count, latency) => {
    const starts = await startsOf(count, 600 / count, { requests: 50, latency });
    expect(starts).toHaveLength(600);
    const inSecond = starts.map((start) => starts.filter((other) => other >= start && other < start + 1000).length);
    // Starts that arrive late are used at once.
    expect(Math.max(...inSecond)).toBeLessThanOrEqual(56);
    const rate = 600 / (((starts.at(-1) ?? 0) - (starts[0] ?? 0)) / 1000);
    expect([rate > 47, rate < 51]).toEqual([true, true]);
  });

  it('a pause that one response asks for holds for all', () => {
    const shared = session();
    sharedRates(shared, createSharedLimits())
      .rateOf({ rate: { requests: 10, seconds: 1 } }, 'https://api.test/')
      .pauseUntil(5000);
    expect(shared.pauses).toEqual([5000]);
  });

  it('fails what needs a rate that cannot be asked for, and asks again later', async () => {
    const { scheduler } = virtualTime(0);
    let isAway = true;
    const common = session(() => scheduler.now());
    const shared: SharedSession = {
      ...common,
      take: (ask) => (isAway ? Promise.reject(new Error('away')) : common.take(ask)),
    };
    const limits = sharedRates(shared, createSharedLimits(scheduler));
    const rate = limits.rateOf({ rate: { requests: 10, seconds: 1 } }, 'https://api.test/');
    const started = () => firstValueFrom(of('started').pipe(limits.limiter.hold([rate])));
    await expect(started()).rejects.toThrow('away');
    isAway = false;
    await firstValueFrom(timer(1000, scheduler));
    expect(await started()).toBe('started');
  });
});
