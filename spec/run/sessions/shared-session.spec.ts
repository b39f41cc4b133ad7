import { defer, firstValueFrom, map, of, repeat, takeUntil, throwError, timer } from 'rxjs';
import { sessionFrom } from '../../../src/cluster/session-state';
import type { Login } from '../../../src/cluster/session-state';
import { createSharedLimits } from '../../../src/http/rates/limit';
import type { Request, TimedResponse } from '../../../src/core/model';
import { sharedLogins, sharedRates } from '../../../src/run/sessions/shared-session';
import type { SharedLogin, SharedResponse, SharedSession } from '../../../src/run/sessions/shared-session';
import { sessionsOfRun } from '../../../src/run/sessions/sessions';
import { prepare } from '../../../src/run/validate';
import type { Report } from '../../../src/core/events';
import { Secrets } from '../../../src/core/secrets/secrets';
import { virtualTime } from '../../../src/testing';

/** A session in this process: what workers of a cluster reach by Temporal. */
function session(now = (): number => 0): SharedSession & { readonly pauses: readonly number[] } {
  const known = sessionFrom({ logins: {}, tasks: {}, rates: {} });
  const pauses: number[] = [];
  const opened = ({ generation, sealed }: Login): SharedLogin => ({
    generation,
    response: JSON.parse(sealed) as SharedResponse,
  });
  return {
    pauses,
    leases: new Map(),
    login: async (ask) => {
      for (;;) {
        const login = known.login(ask, now());
        if ('sealed' in login) return opened(login);
        if ('isOwnTask' in login) return login;
        await firstValueFrom(timer(1));
      }
    },
    loggedIn: ({ response, ...done }) =>
      Promise.resolve(opened(known.loggedIn({ ...done, sealed: JSON.stringify(response) }))),
    loginGoesOn: (done) => {
      known.loginGoesOn(done, now());
      return Promise.resolve();
    },
    loginFailed: (done) => {
      known.loginFailed(done);
      return Promise.resolve();
    },
    isBehind: (ask) => Promise.resolve(known.isBehind(ask, now())),
    take: (ask) => Promise.resolve(known.take(ask, now())),
    pause: (ask) => {
      pauses.push(ask.until);
      known.pause(ask);
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
    const ask = () => firstValueFrom(sharedLogins(shared, 'me').by(send)(request('{"user":"a"}')));
    const responses = await Promise.all([ask(), ask(), ask(), ask()]);
    expect(count()).toBe(1);
    expect(responses.map(textOf)).toEqual(Array(4).fill('token 1'));
    expect(responses.map(({ status, headers, sentAt }) => ({ status, headers, sentAt }))).toEqual(
      Array(4).fill({ status: 200, headers: { a: ['b'] }, sentAt: 7 }),
    );
  });

  it('sends it again where a process has seen the response before, and others take that one', async () => {
    const [shared, { count, send }] = [session(), api()];
    const [one, another] = [sharedLogins(shared, 'me').by(send), sharedLogins(shared, 'me').by(send)];
    const ask = (by: typeof one) => firstValueFrom(by(request('user=a')));
    await Promise.all([ask(one), ask(another)]);
    const renewed = await Promise.all([ask(one), ask(another)]);
    expect([count(), ...renewed.map(textOf)]).toEqual([2, 'token 2', 'token 2']);
  });

  it('values of a request may differ each time, as signatures do', async () => {
    const [shared, { count, send }] = [session(), api()];
    for (const time of ['1', '2'])
      await firstValueFrom(sharedLogins(shared, 'me').by(send)(request(`assertion=${time}`)));
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
    for (const [user, each] of asked) await firstValueFrom(sharedLogins(shared, user).by(send)(each));
    expect(count()).toBe(4);
  });

  it('a login that fails is not shared, and the next process tries', async () => {
    const shared = session();
    const refused = api(401);
    const response = await firstValueFrom(sharedLogins(shared, 'me').by(refused.send)(request('user=a')));
    expect(response.status).toBe(401);
    const broken = sharedLogins(shared, 'me').by(() => throwError(() => new Error('reset')));
    await expect(firstValueFrom(broken(request('user=a')))).rejects.toThrow('reset');
    expect(textOf(await firstValueFrom(sharedLogins(shared, 'me').by(api().send)(request('user=a'))))).toBe('token 1');
  });
});

describe('processes at an API that ends a login when the next one begins', () => {
  const LONG_MS = 20_000;
  /** Resolves when it is opened: what a process that was stopped waits for. */
  const gate = () => {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    return { opened, open: () => open() };
  };
  /** An API with one login at a time, and the clock of the session. */
  function place(...lifetimes: number[]) {
    let [logins, renewed, clock] = [0, 0, 0];
    let current: string | undefined;
    const warnings: string[] = [];
    const shared = session(() => clock);
    /** A process; its login requests wait before they are sent, and before their response comes. */
    const process = (before: (() => Promise<void>)[] = [], after: (() => Promise<void>)[] = []) => {
      const fetch = async (url: unknown, { headers }: RequestInit = {}): Promise<Response> => {
        if (!String(url).endsWith('/login')) {
          const given = new Headers(headers).get('authorization');
          return given === current ? Response.json([]) : new Response('', { status: 401 });
        }
        await before.shift()?.();
        current = `token ${(logins += 1)}`;
        const response = Response.json({ token: current, lifetime: lifetimes.shift() });
        await after.shift()?.();
        return response;
      };
      const { planned } = prepare(ONE_LOGIN, {});
      const [plan] = planned.iterations;
      if (plan === undefined) throw new Error('nothing planned');
      const secrets = new Secrets([]);
      const report: Report = (event) => {
        if (event.type === 'warning') warnings.push(event.message);
        if (event.type === 'credentials.renewed') renewed += 1;
      };
      const { send } = sessionsOfRun(planned, {
        ...{ secrets, shared, renewEarly: true, settings: { middleware: [] } },
        store: { read: () => new Map(), write: () => Promise.resolve() },
        transport: { fetch },
      })
        .of(plan)
        .join({ http: plan.http, report, secrets });
      return async (): Promise<number> => (await firstValueFrom(send(page))).status;
    };
    return {
      process,
      warnings,
      logins: () => logins,
      renewed: () => renewed,
      revoke: () => (current = undefined),
      passes: () => (clock += LONG_MS),
    };
  }
  const page: Request = {
    ...{ method: 'GET', url: 'https://api.test/items', headers: {}, home: 'https://api.test/items' },
    ...{ purpose: { kind: 'page', job: 'items' }, provenance: 'configured', receivedNames: [] },
  };
  const ONE_LOGIN = {
    api: {
      baseUrl: 'https://api.test/',
      authentication: {
        type: 'login',
        loginRequest: { endpoint: 'login', method: 'POST', params: { user: 'me' } },
        apiRequest: { headers: { authorization: { response: 'token' } } },
        expires: { response: 'lifetime', relative: true },
      },
    },
    config: { jobs: [{ endpoint: 'items' }] },
  };

  it('a process that is about to log in lets none take the login that is over', async () => {
    const api = place();
    const stopped = gate();
    const [one, idle] = [api.process([() => Promise.resolve(), () => stopped.opened]), api.process()];
    expect([await one(), await idle(), api.logins()]).toEqual([200, 200, 1]);
    // Who takes the login of another process has not logged in.
    expect(api.renewed()).toBe(1);
    api.revoke();
    const [first, another] = [one(), api.process()()];
    stopped.open();
    expect([await first, await another, await idle(), api.logins()]).toEqual([200, 200, 200, 2]);
  });

  it('a response to a login that comes late gives way to the later login', async () => {
    const api = place();
    const stopped = gate();
    const sent = gate();
    const late = api.process([], [() => (sent.open(), stopped.opened)]);
    const waiting = late();
    await sent.opened;
    api.passes();
    const another = api.process();
    expect([await another(), api.logins()]).toEqual([200, 2]);
    stopped.open();
    expect([await waiting, await late(), await another(), api.logins()]).toEqual([200, 200, 200, 2]);
  });

  it('a login that is sent late ends the one that others have: one more is made, and no request fails', async () => {
    const api = place();
    const stopped = gate();
    const asked = gate();
    const late = api.process([() => (asked.open(), stopped.opened)]);
    const waiting = late();
    await asked.opened;
    api.passes();
    const another = api.process();
    expect([await another(), api.logins()]).toEqual([200, 1]);
    stopped.open();
    expect([await waiting, await late(), await another(), api.logins()]).toEqual([200, 200, 200, 3]);
  });

  it('so it is for a request that was refused before: it is repeated with what is there by then', async () => {
    const api = place();
    const [stopped, asked] = [gate(), gate()];
    const late = api.process([() => Promise.resolve(), () => (asked.open(), stopped.opened)]);
    const another = api.process();
    expect([await late(), await another(), api.logins()]).toEqual([200, 200, 1]);
    api.revoke();
    const waiting = late();
    await asked.opened;
    api.passes();
    expect([await another(), api.logins()]).toEqual([200, 2]);
    stopped.open();
    expect([await waiting, await another(), api.logins()]).toEqual([200, 200, 4]);
  });

  it('a login that has ended since another process got it is not used', async () => {
    const api = place(60);
    expect(await api.process()()).toBe(200);
    const now = Date.now;
    const later = jest.spyOn(Date, 'now').mockImplementation(() => now() + 90_000);
    const one = api.process();
    expect([await one(), await one(), api.logins(), api.warnings]).toEqual([200, 200, 2, []]);
    later.mockRestore();
  });

  it('a request that is refused with the latest login fails, and no more logins are made', async () => {
    const api = place();
    const revoked = (): Promise<void> => {
      api.revoke();
      return Promise.resolve();
    };
    const one = api.process([], [revoked, revoked]);
    expect([await one(), api.logins()]).toEqual([401, 2]);
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

  it('a process takes no more starts than it can use, so that others have them', async () => {
    const { scheduler } = virtualTime(0);
    const common = session(() => scheduler.now());
    let starts = 0;
    // Ten processes of four calls at once, which take 50 ms each: 800 requests a second, of 1,000 that the API allows.
    for (let process = 0; process < 10; process += 1) {
      const limits = sharedRates({ ...common, leases: new Map() }, createSharedLimits(scheduler));
      const rate = limits.rateOf({ rate: { requests: 1000, seconds: 1 } }, 'https://api.test/');
      const call$ = defer(() => timer(50, scheduler)).pipe(limits.limiter.hold([rate]), repeat());
      for (let slot = 0; slot < 4; slot += 1)
        call$.pipe(takeUntil(timer(5000, scheduler))).subscribe(() => (starts += 1));
    }
    await firstValueFrom(timer(5001, scheduler));
    expect(starts).toBeGreaterThan(2500);
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
