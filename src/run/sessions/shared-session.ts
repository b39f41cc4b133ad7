/** What processes that run one configuration together share at its API: logins and rates. */
import { createHash } from 'node:crypto';
import { Subject, merge } from 'rxjs';
import type { SendTimed, TimedResponse, Request } from '../../core/model';
import { isObject } from '../../core/json/objects';
import { parseJson } from '../../core/json/parse';
import { firstValue, sendBy } from '../../http/dispatch';
import type { SharedLimits } from '../../http/rates/limit';
import type { RateLimit } from '../../operators';
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
  /** Says that the task is still being done; it has to be called every few seconds. */
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
  /** Allows no start of a rate before a moment, in milliseconds since the epoch. */
  readonly pause: (ask: { readonly key: string; readonly until: number }) => Promise<void>;
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
        session.loginGoesOn({ key, generation }).catch(() => undefined);
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
  const report = (until: number): void => void session.pause({ key, until }).catch(() => undefined);
  if (rate === undefined)
    return {
      ...local,
      pauseUntil: (moment) => {
        local.pauseUntil(moment);
        report(moment);
      },
    };
  const { requests, seconds } = rate;
  const count = Math.max(1, Math.floor((requests / seconds) * AHEAD_SECONDS));
  const arrived$ = new Subject<void>();
  let starts: number[] = [];
  let isAsking = false;
  let failure: Error | undefined;
  const ask = (): void => {
    if (isAsking) return;
    isAsking = true;
    session.take({ key, requests, seconds, count }).then(
      ({ from, everyMs, count: given }) => {
        starts.push(...Array.from({ length: given }, (_, at) => from + at * everyMs));
        isAsking = false;
        arrived$.next();
      },
      (error: unknown) => {
        failure = error instanceof Error ? error : new Error(String(error));
        isAsking = false;
        arrived$.next();
      },
    );
  };
  return {
    ...local,
    admitsAt: (now, size = 1) => {
      if (failure !== undefined) throw failure;
      starts = starts.filter((start) => start > now - AHEAD_SECONDS * 1000);
      const last = starts[size - 1];
      if (last === undefined) {
        ask();
        return Infinity;
      }
      return Math.max(last, local.admitsAt(now, size));
    },
    start: (now, size = 1) => {
      starts = starts.slice(size);
      return local.start(now, size);
    },
    loosened$: merge(local.loosened$, arrived$),
    pauseUntil: (moment) => {
      local.pauseUntil(moment);
      starts = starts.filter((start) => start >= moment);
      report(moment);
    },
  };
}
