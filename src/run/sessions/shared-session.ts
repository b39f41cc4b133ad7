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

/** The latest response to a login request, whichever process has sent it. Generations count them. */
export interface SharedLogin {
  readonly generation: number;
  readonly response: SharedResponse;
}

/** The task to send a login request, for a process that then reports what came. */
interface LoginTask {
  readonly generation: number;
  readonly isOwnTask: true;
}

interface Done {
  readonly key: string;
  readonly generation: number;
}

/** Starts of requests: `count` of them, `everyMs` apart, from a moment in milliseconds since the epoch. */
export interface Starts {
  readonly from: number;
  readonly everyMs: number;
  readonly count: number;
}

interface Asked {
  readonly key: string;
  /** The generation that the process has; 0: none. */
  readonly after: number;
}

/** A session that several processes share. Each of them has its own connection to it. */
export interface SharedSession {
  /** Resolves to a response of a later generation than `after`: that of another process, or the task to get one. */
  readonly login: (ask: Asked) => Promise<SharedLogin | LoginTask>;
  /** Resolves to the latest response: a later one, if this one comes late. */
  readonly loggedIn: (done: Done & { readonly response: SharedResponse }) => Promise<SharedLogin>;
  /** Says that the task is still being done; it has to be called every few seconds. It reports a failure itself, and never rejects. */
  readonly loginGoesOn: (done: Done) => Promise<void>;
  /** Gives the task back. */
  readonly loginFailed: (done: Done) => Promise<void>;
  /** Resolves to whether a login of another process has ended this one, or may do so. It reports a failure itself, and never rejects. */
  readonly isBehind: (ask: Asked) => Promise<boolean>;
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

/** The logins of a user, as a process shares them with others. */
export interface SharedLogins {
  /** Returns what sends login requests: each once for all processes, and again when the credentials of its response have expired or were refused. */
  readonly by: (send: SendTimed) => SendTimed;
  /** Resolves to whether a login of another process has ended the one of this process, or may do so. */
  readonly isBehind: () => Promise<boolean>;
}

/**
 * Returns the logins of a user.
 *
 * @param user distinguishes users of the API
 * @example sharedLogins(session, plan.user).by(sender.logins)
 */
export function sharedLogins(session: SharedSession, user: string): SharedLogins {
  const seen = new Map<string, number>();
  return {
    by: (send) =>
      sendBy<TimedResponse>(async (request, abortion) => {
        const key = keyOf(user, request);
        const received = ({ generation, response: { body, ...others } }: SharedLogin): TimedResponse => {
          seen.set(key, generation);
          return { request, ...others, body: Buffer.from(body, 'base64'), isShared: true };
        };
        const login = await session.login({ key, after: seen.get(key) ?? 0 });
        if ('response' in login) return received(login);
        const done = { key, generation: login.generation };
        let response: TimedResponse | undefined;
        const alive = setInterval(() => void session.loginGoesOn(done), ALIVE_MS);
        try {
          response = await firstValue(send(request), abortion);
        } finally {
          clearInterval(alive);
          if (response === undefined || response.status >= FIRST_ERROR) await session.loginFailed(done);
        }
        const { status, headers, body, sentAt } = response;
        if (status >= FIRST_ERROR) return response;
        const own = { status, headers, sentAt, body: Buffer.from(body).toString('base64') };
        const latest = received(await session.loggedIn({ ...done, response: own }));
        return seen.get(key) === done.generation ? response : latest;
      }),
    isBehind: async () => {
      const behind = await Promise.all([...seen].map(([key, after]) => session.isBehind({ key, after })));
      return behind.includes(true);
    },
  };
}

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
 * The part of a second for which starts are taken at once at most: few, so that processes share them evenly, and not too few messages. A
 * start that is not used for so long is lost, so that a process that was held up does not make up for it at once.
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

/**
 * Asks for starts before the last ones are used, so that none is lost on the way. A process takes no more than it can use, since the others
 * cannot use them: twice as many each time, and once some were lost, as many as it has used, and then a tenth more each time.
 */
function leaseOf(take: (count: number) => Promise<Starts>, { requests, seconds }: Rate): Lease {
  const most = Math.max(1, Math.floor((requests / seconds) * AHEAD_SECONDS));
  const arrived$ = new Subject<void>();
  let starts: number[] = [];
  let [count, growth] = [1, 2];
  let [used, lost] = [0, 0];
  let isAsking = false;
  let failure: { readonly error: Error; readonly at: number } | undefined;
  const ask = async (now: number, size: number): Promise<void> => {
    isAsking = true;
    failure = undefined;
    if (lost > 0) growth = 1.1;
    count = Math.max(size, Math.min(most, lost > 0 ? used : Math.ceil(growth * count)));
    [used, lost] = [0, 0];
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
      const known = starts.length;
      starts = starts.filter((start) => start > now - AHEAD_SECONDS * 1000);
      lost += known - starts.length;
      const last = starts[size - 1];
      if (last === undefined && failure !== undefined && now < failure.at + FAILED_MS) throw failure.error;
      if (!isAsking && (last === undefined || starts.length <= count / 2)) void ask(now, size);
      return last ?? Infinity;
    },
    use: (size) => {
      used += size;
      starts = starts.slice(size);
    },
    pauseUntil: (moment) => {
      starts = starts.filter((start) => start >= moment);
    },
    arrived$,
  };
}
