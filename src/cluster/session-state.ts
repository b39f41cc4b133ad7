/** What a session of a cluster knows, and decides. Its workflow keeps it; it has no clock of its own. */
import type { Starts } from '../run/sessions/shared-session';

/** A process that has the task to log in, and is silent for so long, counts as dead. */
const PATIENCE_MS = 10_000;

/** The response to a login, sealed. Each task to log in is a generation. */
export interface Login {
  readonly generation: number;
  readonly sealed: string;
  /** True if a login of an earlier generation may have been sent after it, and may have ended it. */
  readonly isDoubtful?: true;
}

/** The last task to log in, and when it ends. */
interface Task {
  readonly generation: number;
  readonly until: number;
}

/** What a session that is continued as a new execution knows, by the keys of logins and of rates. */
export interface SessionState {
  readonly logins: Readonly<Record<string, Login>>;
  readonly tasks: Readonly<Record<string, Task>>;
  /** The moment of the next start. */
  readonly rates: Readonly<Record<string, number>>;
}

export interface Ask {
  readonly key: string;
  /** The generation that the asker has; 0: none. */
  readonly after: number;
}
interface Done {
  readonly key: string;
  readonly generation: number;
}

/** What a session says of a login: its response, that the asker has the task to get one, or that another process has it. */
export type LoginState =
  Login | { readonly generation: number; readonly isOwnTask: true } | { readonly isUnderWay: true };

/** A session. `now` is in milliseconds since the epoch. */
export interface Session {
  /** Nobody waits here: a process that died meanwhile would get the task all the same. */
  readonly login: (ask: Ask, now: number) => LoginState;
  readonly loginGoesOn: (done: Done, now: number) => void;
  readonly loginFailed: (done: Done) => void;
  /** Takes a login, and returns the latest one: that of a process which was held up comes late, and replaces none. */
  readonly loggedIn: (done: Done & { readonly sealed: string }) => Login;
  /** Returns whether the login that the asker has was replaced, or is about to be, or may have been ended by another one. */
  readonly isBehind: (ask: Ask, now: number) => boolean;
  readonly take: (
    ask: { readonly key: string; readonly requests: number; readonly seconds: number; readonly count: number },
    now: number,
  ) => Starts;
  readonly pause: (ask: { readonly key: string; readonly until: number }) => void;
  readonly state: () => SessionState;
}

/** @example sessionFrom({ logins: {}, tasks: {}, rates: {} }).login({ key: 'me', after: 0 }, Date.now()) // { generation: 1, isOwnTask: true } */
export function sessionFrom(from: SessionState): Session {
  const logins = new Map(Object.entries(from.logins));
  const tasks = new Map(Object.entries(from.tasks));
  const rates = new Map(Object.entries(from.rates));
  const isUnderWay = (key: string, now: number): boolean => (tasks.get(key)?.until ?? 0) > now;
  const goesOnUntil = ({ key, generation }: Done, until: number): void => {
    if (tasks.get(key)?.generation === generation) tasks.set(key, { generation, until });
  };
  return {
    login: ({ key, after }, now) => {
      // A process that logs in has found that the known login is over.
      if (isUnderWay(key, now)) return { isUnderWay: true };
      const known = logins.get(key);
      if (known !== undefined && known.generation > after) return known;
      const generation = Math.max(after, known?.generation ?? 0, tasks.get(key)?.generation ?? 0) + 1;
      tasks.set(key, { generation, until: now + PATIENCE_MS });
      return { generation, isOwnTask: true };
    },
    loginGoesOn: (done, now) => {
      goesOnUntil(done, now + PATIENCE_MS);
    },
    loginFailed: (done) => {
      goesOnUntil(done, 0);
    },
    loggedIn: ({ sealed, ...done }) => {
      goesOnUntil(done, 0);
      const { key, generation } = done;
      const known = logins.get(key);
      const latest: Login =
        known !== undefined && known.generation > generation ? { ...known, isDoubtful: true } : { generation, sealed };
      logins.set(key, latest);
      return latest;
    },
    isBehind: ({ key, after }, now) => {
      const { generation = 0, isDoubtful = false } = logins.get(key) ?? {};
      return isUnderWay(key, now) || generation > after || isDoubtful;
    },
    take: ({ key, requests, seconds, count }, now) => {
      const everyMs = (seconds * 1000) / requests;
      const begin = Math.max(now, rates.get(key) ?? 0);
      rates.set(key, begin + count * everyMs);
      return { from: begin, everyMs, count };
    },
    pause: ({ key, until }) => {
      rates.set(key, Math.max(rates.get(key) ?? 0, until));
    },
    state: () => ({
      logins: Object.fromEntries(logins),
      tasks: Object.fromEntries(tasks),
      rates: Object.fromEntries(rates),
    }),
  };
}
