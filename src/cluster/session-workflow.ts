/** The workflow of a session: it keeps one login for all workers, and hands out the starts that rates allow. It runs in the sandbox of Temporal. */
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineUpdate,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { SessionState } from './protocol';
import type { Starts } from '../run/sessions/shared-session';

/** A process that has the task to log in, and is silent for so long, counts as dead. */
const PATIENCE_MS = 10_000;
const IDLE = '30 minutes';

export interface Ask {
  readonly key: string;
  readonly after: number;
}
interface Done {
  readonly key: string;
  readonly generation: number;
}

/** What a session says of a login: its sealed response, that the asker has the task to get one, or that another process has it. */
export type LoginState =
  | { readonly generation: number; readonly sealed: string }
  | { readonly generation: number; readonly isOwnTask: true }
  | { readonly generation: number; readonly isUnderWay: true };

/** Lives as long as workers use it. */
export async function headwaterSession(from: SessionState = { logins: {}, rates: {} }): Promise<void> {
  const logins = new Map(Object.entries(from.logins));
  /** When the task to log in ends, by the key of the login. */
  const tasks = new Map<string, { readonly generation: number; readonly until: number }>();
  /** The moment of the next start of each rate. */
  const rates = new Map(Object.entries(from.rates));
  let uses = 0;

  // Nobody waits here: a process that died meanwhile would get the task all the same.
  setHandler(defineUpdate<LoginState, [Ask]>('login'), ({ key, after }) => {
    uses += 1;
    const known = logins.get(key);
    if (known !== undefined && known.generation > after) return known;
    const task = tasks.get(key);
    if (task !== undefined && task.until > Date.now()) return { generation: task.generation, isUnderWay: true };
    const generation = Math.max(after, known?.generation ?? 0, task?.generation ?? 0) + 1;
    tasks.set(key, { generation, until: Date.now() + PATIENCE_MS });
    return { generation, isOwnTask: true };
  });
  setHandler(defineUpdate<null, [Done]>('loginGoesOn'), ({ key, generation }) => {
    if (tasks.get(key)?.generation === generation) tasks.set(key, { generation, until: Date.now() + PATIENCE_MS });
    return null;
  });
  setHandler(defineUpdate<null, [Done & { readonly sealed: string }]>('loggedIn'), ({ key, generation, sealed }) => {
    if ((logins.get(key)?.generation ?? 0) < generation) logins.set(key, { generation, sealed });
    if (tasks.get(key)?.generation === generation) tasks.delete(key);
    return null;
  });
  setHandler(defineUpdate<null, [Done]>('loginFailed'), ({ key, generation }) => {
    if (tasks.get(key)?.generation === generation) tasks.delete(key);
    return null;
  });
  setHandler(
    defineUpdate<Starts, [{ key: string; requests: number; seconds: number; count: number }]>('take'),
    ({ key, requests, seconds, count }) => {
      uses += 1;
      const everyMs = (seconds * 1000) / requests;
      const begin = Math.max(Date.now(), rates.get(key) ?? 0);
      rates.set(key, begin + count * everyMs);
      return { from: begin, everyMs, count };
    },
  );
  setHandler(defineUpdate<null, [{ key: string; until: number }]>('pause'), ({ key, until }) => {
    rates.set(key, Math.max(rates.get(key) ?? 0, until));
    return null;
  });

  for (;;) {
    const before = uses;
    const isLong = await condition(() => workflowInfo().continueAsNewSuggested, IDLE);
    if (!isLong && uses === before) break;
    if (!isLong) continue;
    await condition(allHandlersFinished);
    await continueAsNew<typeof headwaterSession>({
      logins: Object.fromEntries(logins),
      rates: Object.fromEntries(rates),
    });
  }
  await condition(allHandlersFinished);
}
