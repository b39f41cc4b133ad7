/** Where runs get their sessions from: of their own, or from a client that keeps them. */
import { Subscription } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import type { Dispatcher } from 'undici';
import { createSharedLimits } from '../../http/rates/shared-limits';
import { proxiesOf } from '../../http/transport/proxies';
import type { ProxyVariables } from '../../http/transport/proxies';
import { createSshTunnel } from '../../http/transport/ssh-tunnel';
import { createConnections } from '../../http/transport/transport';
import type { Connections } from '../../http/transport/transport';
import type { HttpPlan } from '../../plan/http-plan';
import type { IterationPlan } from '../../plan/plan';
import type { Planned } from '../../plan/plan-run';
import { createSession } from './session';
import type { PipelineSettings, Session, SessionSurroundings } from './session';

/** How requests reach the network. Without a choice, undici's global dispatcher carries them. */
export interface TransportChoice {
  /** Carries the requests: an undici Agent, Pool, ProxyAgent, MockAgent, … */
  readonly dispatcher?: Dispatcher;
  /** Carries the requests instead of undici. */
  readonly fetch?: typeof fetch;
  /** Opens connections of the run's own and closes them at its end, with the configuration's connect time-out. */
  readonly ownConnections?: boolean;
  /**
   * Requests go through the proxies that these variables name (docs/command.md#proxies), for example `process.env`; connections are opened for
   * the run alone then. `dispatcher`, `fetch` and `sshProxy` have ways of their own.
   */
  readonly proxies?: ProxyVariables;
  /**
   * Retries without the limits that the language does not have (docs/extensions/retries.md), unless they are
   * configured.
   */
  readonly plainRetries?: boolean;
}

/** What sessions of one API are made with. */
export interface SessionsOptions extends Pick<SessionSurroundings, 'secrets' | 'store' | 'renewEarly' | 'scheduler'> {
  readonly transport: TransportChoice;
  readonly settings: PipelineSettings;
}

/** The sessions at one API. */
export interface Sessions {
  /** The session for an iteration. */
  readonly of: (plan: IterationPlan) => Session;
  /** Closes their connections. */
  readonly close: () => Promise<void>;
}

/** The most sessions that are kept: each is a user, or another base URL. */
const MOST_KEPT = 100;

/** Sessions for one run: each iteration has its own, and what they share ends with the run. */
export function sessionsOfRun(planned: Planned, options: SessionsOptions): Sessions {
  const { around, close } = surroundingsOf(planned, options);
  return { of: (plan) => createSession(plan, around), close };
}

/**
 * Sessions that outlive runs. Those who log in as the same user at the same base URL share one; where there are very many, the one
 * that was asked for least recently is dropped, and its next user logs in anew.
 */
export function sessionsOfClient(planned: Planned, options: SessionsOptions): Sessions {
  const { around, close } = surroundingsOf(planned, options);
  const kept = new Map<string, Session>();
  const logins = new Subscription();
  return {
    of: (plan) => {
      const session = kept.get(plan.user) ?? createSession(plan, { ...around, logins });
      kept.delete(plan.user);
      kept.set(plan.user, session);
      const [oldest = ''] = kept.keys();
      if (kept.size > MOST_KEPT) kept.delete(oldest);
      return session;
    },
    close: () => {
      logins.unsubscribe();
      return close();
    },
  };
}

/** All iterations have the same section `api`, so the first one tells how connections are made. */
function surroundingsOf({ iterations: [first], sshProxy }: Planned, options: SessionsOptions) {
  const { transport, settings, ...around } = options;
  const tunnel = sshProxy === undefined ? undefined : createSshTunnel(sshProxy);
  const { scheduler } = around;
  const connections =
    first === undefined ? createConnections({}) : connectionsFor(first.http, transport, { tunnel, scheduler });
  return {
    around: { ...around, settings, connections, limits: createSharedLimits(scheduler) },
    close: async () => {
      tunnel?.close();
      await connections.close();
    },
  };
}

interface ConnectionSurroundings {
  readonly tunnel: ReturnType<typeof createSshTunnel> | undefined;
  readonly scheduler?: SchedulerLike | undefined;
}

/** The connections that a configuration and its application want. */
export function connectionsFor(
  http: HttpPlan,
  { dispatcher, fetch, proxies, ownConnections = false, plainRetries = false }: TransportChoice,
  { tunnel, scheduler }: ConnectionSurroundings,
): Connections {
  const { caCertificate, clientCertificate, retry } = http;
  const makesConnections = ownConnections || http.connectTimeoutGiven || tunnel !== undefined;
  const { firstConnectionSeconds } = plainRetries ? retry.languageLimits : retry.limits;
  const named = proxies === undefined ? undefined : proxiesOf(proxies);
  return createConnections({
    ...(named === undefined ? {} : { proxies: named }),
    firstConnectionMs: firstConnectionSeconds * 1000,
    ...(makesConnections ? { connectTimeoutMs: http.connectTimeoutMilliseconds } : {}),
    ...(caCertificate === undefined ? {} : { caCertificate }),
    ...(clientCertificate === undefined ? {} : { clientCertificate }),
    ...(tunnel === undefined ? {} : { tunnel }),
    ...(scheduler === undefined ? {} : { scheduler }),
    ...(dispatcher === undefined ? {} : { dispatcher }),
    ...(fetch === undefined ? {} : { fetch }),
  });
}
