/** What processes that run one configuration together share at its API: logins and rates. */
import { createHash } from 'node:crypto';
import { Subject, merge } from 'rxjs';
import type { Observable } from 'rxjs';
import type { SendTimed, TimedResponse, Request } from '../../core/model';
import { isObject } from '../../core/json/objects';
import { parseJson } from '../../core/json/parse';
import { firstValue, sendBy } from '../../http/dispatch';
import type { SharedLimits } from '../../http/rates/limit';
import type { Rate, RateLimit } from '../../operators';
import type { RatePlan } from '../../plan/plan';

/** The response to a login request, as plain data. */
export interface SharedResponse {
  readonly status: number;
  readonly headers: TimedResponse['headers'];
  /** In base64. */
  readonly body: string;
  /** Milliseconds since the epoch. */
  readonly sentAt: number;
}

/** The current response to a login request; or the task to send it, for a process that then reports what came. */
export type SharedLogin =
  | { readonly generation: number; readonly response: SharedResponse }
  | { readonly generation: number; readonly isOwnTask: true };

/** Starts of requests: `count` of them, `everyMs` apart, from a moment in milliseconds since the epoch. */
export interface Starts {
  readonly from: number;
  readonly everyMs: number;
  readonly count: number;
}

/** A session that several processes share. Each of them has its own connection to it. */
export interface SharedSession {
  /** Resolves to a response of a later generation than `after`: that of another process, or the task to get one. */
  readonly login: (ask: { readonly key: string; readonly after: number }) => Promise<SharedLogin>;
  readonly loggedIn: (done: {
    readonly key: string;
    readonly generation: number;
    readonly response: SharedResponse;
  }) => Promise<void>;
  /** Says that the task is still being done; it has to be called every few seconds. It reports a failure itself, and never rejects. */
  readonly loginGoesOn: (done: { readonly key: string; readonly generation: number }) => Promise<void>;
  /** Gives the task back. */
  readonly loginFailed: (done: { readonly key: string; readonly generation: number }) => Promise<void>;
  /** Resolves to the next starts that a rate allows for all processes together. */
  readonly take: (ask: {
    readonly key: string;
    readonly requests: number;
    readonly seconds: number;
    readonly count: number;
  }) => Promise<Starts>;
  /** Allows no start of a rate before a moment, in milliseconds since the epoch. It reports a failure itself, and never rejects. */
  readonly pause: (ask: { readonly key: string; readonly until: number }) => Promise<void>;
  /** The starts that this process has been given. */
  readonly leases: Leases;
}

const FIRST_ERROR = 400;
const ALIVE_MS = 3000;

/**
 * Returns what sends the login requests of a user: each is sent once for all processes, and again when the credentials of its response have
 * expired or were refused.
 *
 * @param user distinguishes users of the API
 * @example sharedLogins(session, plan.user)(sender.logins)
 */
export const sharedLogins = (session: SharedSession, user: string): ((send: SendTimed) => SendTimed) => {
  const seen = new Map<string, number>();
  return (send) =>
    sendBy<TimedResponse>(async (request, abortion) => {
      const key = keyOf(user, request);
      const login = await session.login({ key, after: seen.get(key) ?? 0 });
      const { generation } = login;
      if ('response' in login) {
        seen.set(key, generation);
        const { status, headers, body, sentAt } = login.response;
        return { request, status, headers, sentAt, body: Buffer.from(body, 'base64') };
      }
      let response: TimedResponse | undefined;
      const alive = setInterval(() => {
        void session.loginGoesOn({ key, generation });
      }, ALIVE_MS);
      try {
        response = await firstValue(send(request), abortion);
      } finally {
        clearInterval(alive);
        if (response === undefined || response.status >= FIRST_ERROR) await session.loginFailed({ key, generation });
      }
      if (response.status >= FIRST_ERROR) return response;
      const { status, headers, body, sentAt } = response;
      const base64 = Buffer.from(body).toString('base64');
      await session.loggedIn({ key, generation, response: { status, headers, sentAt, body: base64 } });
      seen.set(key, generation);
      return response;
    });
};

/** Names a login request by its place and its fields. Values may differ each time, as a signature or the time does. */
function keyOf(user: string, { method, url, body = '' }: Request): string {
  const { origin, pathname, searchParams } = new URL(url);
  const names = [...searchParams.keys(), ...fieldsOf(body)];
  return createHash('sha256')
    .update(JSON.stringify([user, method, origin, pathname, names]))
    .digest('hex');
}

function fieldsOf(body: string): readonly string[] {
  try {
    const value = parseJson(body);
    return isObject(value) ? Object.keys(value) : [];
  } catch {
    return [...new URLSearchParams(body).keys()];
  }
}

/**
 * The part of a second for which starts are taken at once: few, so that processes share them evenly, and not too few messages. A start that
 * is not used for so long is lost, so that a process that was held up does not make up for it at once.
 */
const AHEAD_SECONDS = 0.25;
/** For so long a rate that cannot be asked for fails the requests that need it, before it is asked for again. */
const FAILED_MS = 1000;

/** The starts of one rate that a process has been given, for all that it does at once. */
interface Lease {
  /** Returns the moment of the start that this many begin with; `Infinity`: it is being asked for. */
  readonly startOf: (now: number, size: number) => number;
  readonly use: (size: number) => void;
  readonly pauseUntil: (moment: number) => void;
  readonly arrived$: Observable<void>;
}

/** The leases of a process at one session. */
export type Leases = Map<string, Lease>;

/**
 * Returns limits whose rates hold for all processes together.
 *
 * @param own the limits of this process, which also wait for what responses say
 * @example sharedRates(session, createSharedLimits())
 */
export const sharedRates = (session: SharedSession, own: SharedLimits): SharedLimits => {
  const rates = new Map<RateLimit, RateLimit>();
  return {
    ...own,
    rateOf: (plan, baseUrl) => {
      const local = own.rateOf(plan, baseUrl);
      const known = rates.get(local) ?? sharedRate(session, plan, { baseUrl, local });
      rates.set(local, known);
      return known;
    },
  };
};

interface LocalRate {
  readonly baseUrl: string;
  readonly local: RateLimit;
}

function sharedRate(session: SharedSession, { rate, ...plan }: RatePlan, { baseUrl, local }: LocalRate): RateLimit {
  const key = createHash('sha256')
    .update(JSON.stringify([baseUrl, rate, plan]))
    .digest('hex');
  if (rate === undefined)
    return {
      ...local,
      pauseUntil: (until) => {
        local.pauseUntil(until);
        void session.pause({ key, until });
      },
    };
  const lease = session.leases.get(key) ?? leaseOf((count) => session.take({ key, ...rate, count }), rate);
  session.leases.set(key, lease);
  return {
    ...local,
    admitsAt: (now, size = 1) => Math.max(lease.startOf(now, size), local.admitsAt(now, size)),
    start: (now, size = 1) => {
      lease.use(size);
      return local.start(now, size);
    },
    loosened$: merge(local.loosened$, lease.arrived$),
    pauseUntil: (until) => {
      local.pauseUntil(until);
      lease.pauseUntil(until);
      void session.pause({ key, until });
    },
  };
}

/** Asks for starts before the last ones are used, so that none is lost on the way. */
function leaseOf(take: (count: number) => Promise<Starts>, { requests, seconds }: Rate): Lease {
  const count = Math.max(1, Math.floor((requests / seconds) * AHEAD_SECONDS));
  const arrived$ = new Subject<void>();
  let starts: number[] = [];
  let isAsking = false;
  let failure: { readonly error: Error; readonly at: number } | undefined;
  const ask = async (now: number): Promise<void> => {
    isAsking = true;
    failure = undefined;
    try {
      const { from, everyMs, count: given } = await take(count);
      starts.push(...Array.from({ length: given }, (_, at) => from + at * everyMs));
    } catch (error) {
      failure = { error: error instanceof Error ? error : new Error(String(error)), at: now };
    }
    isAsking = false;
    arrived$.next();
  };
  return {
    startOf: (now, size) => {
      starts = starts.filter((start) => start > now - AHEAD_SECONDS * 1000);
      const last = starts[size - 1];
      if (last === undefined && failure !== undefined && now < failure.at + FAILED_MS) throw failure.error;
      if (!isAsking && (last === undefined || starts.length <= count / 2)) void ask(now);
      return last ?? Infinity;
    },
    use: (size) => {
      starts = starts.slice(size);
    },
    pauseUntil: (moment) => {
      starts = starts.filter((start) => start >= moment);
    },
    arrived$,
  };
}
