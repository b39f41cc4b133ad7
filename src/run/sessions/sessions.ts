/** Sessions: what the requests to an API share, either for one run or for all runs of a client. */
import { Subscription, catchError, defer, finalize, tap, throwError } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import type { Dispatcher } from 'undici';
import { awsSigner } from '../../auth/aws';
import { copiedError } from '../../core/errors/errors';
import type { Meter, Report } from '../../core/events';
import type { CredentialSource, CredentialStore, Send, SendTimed } from '../../core/model';
import type { Seal } from '../../core/sealed';
import type { Secrets } from '../../core/secrets/secrets';
import { mayReceiveCredentials } from '../../core/url/address';
import { version } from '../../core/version';
import { decodeLogin } from '../../http/body/decode';
import { cookies } from '../../http/cookies';
import type { Cookies } from '../../http/cookies';
import { createSender } from '../../http/send';
import type { RequestNumbers, Sender } from '../../http/send';
import { createSharedLimits } from '../../http/rates/limit';
import type { SharedLimits } from '../../http/rates/limit';
import type { RequestTuning } from '../../http/rates/request-tuning';
import type { RuleOf } from '../../http/rules';
import { proxiesOf } from '../../http/transport/proxies';
import type { ProxyVariables } from '../../http/transport/proxies';
import { createSshTunnel } from '../../http/transport/ssh-tunnel';
import { createConnections } from '../../http/transport/transport';
import type { Connections } from '../../http/transport/transport';
import type { MiddlewareDefinition } from '../../language/parts/middleware';
import type { Planned } from '../../plan/compile';
import type { HttpPlan, IterationPlan } from '../../plan/plan';
import { sharedLogins, sharedRates } from './shared-session';
import type { SharedSession } from './shared-session';

/** How requests reach the network; by default, by undici's global dispatcher. */
export interface TransportChoice {
  /** Carries the requests: an undici Agent, Pool, ProxyAgent, MockAgent, … */
  readonly dispatcher?: Dispatcher;
  /** Carries the requests instead of undici. */
  readonly fetch?: typeof fetch;
  /** Opens separate connections for the run and closes them at its end, with the connect time-out of the configuration. */
  readonly ownConnections?: boolean;
  /**
   * The proxies of these variables (docs/command.md#proxies), for example `process.env`; connections are then opened for the run alone.
   * `dispatcher`, `fetch` and `sshProxy` do not use them.
   */
  readonly proxies?: ProxyVariables;
  /** Disables the limits of retries that the language does not specify (docs/language/retries.md), unless they are configured. */
  readonly plainRetries?: boolean;
}

/** The options of the sessions of one API. */
export interface SessionsOptions extends Pick<SessionSurroundings, 'secrets' | 'store' | 'renewEarly' | 'scheduler'> {
  readonly transport: TransportChoice;
  readonly settings: SenderSettings;
  /** What other processes share with this one; absent: it is alone. */
  readonly shared?: SharedSession | undefined;
}

/** The sessions at one API. */
export interface Sessions {
  /** Returns the session of an iteration. */
  readonly of: (plan: IterationPlan) => Session;
  /** Closes their connections. */
  readonly close: () => Promise<void>;
}

/** The maximum number of sessions that are kept: each is a user, or another base URL. */
const MOST_KEPT = 100;

/** Makes the sessions of one run: each iteration has its own, and what they share ends with the run. */
export function sessionsOfRun(planned: Planned, options: SessionsOptions): Sessions {
  const { around, close } = surroundingsOf(planned, options);
  return { of: (plan) => createSession(plan, around), close };
}

/**
 * Makes sessions that outlive runs. The same user at the same base URL has one session; if there are more than the maximum, the least
 * recently used one is dropped, and its next user logs in again.
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

/** All iterations have the same section `api`, so the first one decides how connections are made. */
function surroundingsOf({ iterations: [first], sshProxy }: Planned, options: SessionsOptions) {
  const { transport, settings, shared, ...around } = options;
  const tunnel = sshProxy === undefined ? undefined : createSshTunnel(sshProxy);
  const { scheduler } = around;
  const own = createSharedLimits(scheduler);
  const connections =
    first === undefined ? createConnections({}) : connectionsFor(first.http, transport, { tunnel, scheduler });
  return {
    around: {
      ...around,
      settings,
      connections,
      limits: shared === undefined ? own : sharedRates(shared, own),
      ...(shared === undefined ? {} : { shared }),
    },
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

/** Returns the connections that a configuration and its application require. */
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

/** The environment of a session, which outlives it. */
export interface SessionSurroundings {
  readonly connections: Connections;
  readonly limits: SharedLimits;
  /** What other processes share with this one. */
  readonly shared?: SharedSession;
  /** The secret values that all runs of the session know. */
  readonly secrets: Secrets;
  /** Keeps values of logins for later logins. */
  readonly store: CredentialStore;
  /** True if credentials are renewed some time before their end. */
  readonly renewEarly: boolean;
  /**
   * The logins of shared sessions: each continues until it is done, or until this is unsubscribed, since a member that leaves may soon be
   * followed by another. Absent: each session has one member, and a login ends with it.
   */
  readonly logins?: Subscription;
  readonly settings: SenderSettings;
  /** The clock; absent: `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
}

/** The settings of the application for its requests. */
export interface SenderSettings {
  readonly plainRetries?: boolean;
  /** The middleware of the application around requests, the outermost first. */
  readonly middleware: readonly MiddlewareDefinition[];
  /** The folder for responses if the configuration keeps them; absent: none is kept. */
  readonly cacheFolder?: string | undefined;
  /** Encrypts the folder. */
  readonly seal?: Seal | undefined;
}

/** A sender of requests in a session: a run, or the application itself. */
export interface Member {
  /** Its HTTP settings: runs of one client have the rates of their own jobs. */
  readonly http: HttpPlan;
  readonly report: Report;
  /** Counts its requests where nobody listens to every event; absent: each is reported. */
  readonly meter?: Meter;
  readonly secrets: Secrets;
  readonly rules?: RuleOf | undefined;
  /** The tuned settings of its requests. */
  readonly tuned?: readonly RequestTuning[];
  /** Numbers its requests; absent: they have no numbers. */
  readonly numbers?: RequestNumbers;
}

/** A lease of a session, for one member. */
export interface SessionLease {
  /** Sends requests with the credentials of the session. */
  readonly send: Send;
  /** The credential stream of the session; absent: the API needs none. The events of a login go to the member that requested it. */
  readonly source?: CredentialSource | undefined;
  /** Returns how often responses have changed the cookies of requests; absent: no cookies are kept. */
  readonly cookieChanges?: () => number;
  /** Leaves the session. A login that others wait for continues. */
  readonly leave: () => void;
}

/** One user at one API: see {@link createSession}. */
export interface Session {
  readonly join: (member: Member) => SessionLease;
}

interface SessionMember {
  readonly member: Member;
  readonly sender: Sender;
}

/** One request that waits for credentials. */
interface Ask {
  readonly by: SessionMember;
}

/**
 * Returns a session of one user at one API: the runs that join it share one login, one set of cookies and one queue. A single run has a
 * separate session for each iteration; the runs of a client share theirs.
 *
 * A login is sent by the sender of the member that requested it, the first one of several, so that each of its events belongs to one run. In a
 * session that several share it does not end with that run.
 *
 * @param plan what the session is made of: one iteration of any of its runs
 * @example createSession(plan, surroundings).join({ report, secrets }).send(request)
 */
function createSession(plan: IterationPlan, around: SessionSurroundings): Session {
  const { http, authentication } = plan;
  const { baseUrl, credentialHosts } = http;
  const { secrets, logins } = around;
  const getsCredentials = (url: string): boolean => mayReceiveCredentials(url, baseUrl, credentialHosts);
  const jar = http.cookies ? cookies({ getsCredentials, secrets }) : undefined;
  /** The members that wait for credentials, the first one first. */
  const asking = new Set<Ask>();
  /** The member that sends the current login, or sent the last one. */
  let current: SessionMember | undefined;

  const sendLogin: SendTimed = (request) =>
    defer(() => {
      const [first] = asking;
      current = first?.by ?? current;
      if (current === undefined) throw new Error('A login that nobody asked for.');
      return current.sender.logins(request);
    });
  const ofAll = around.shared === undefined ? undefined : sharedLogins(around.shared, plan.user);
  const shared = authentication?.source({
    send: ofAll?.by(sendLogin) ?? sendLogin,
    decode: decodeLogin(secrets),
    report: (event) => current?.member.report(event),
    secrets,
    store: around.store,
    cookies: http.cookies,
    ...(jar === undefined
      ? {}
      : { forgetCookies: jar.forget, hasCookies: jar.hasTrusted, droppedCookies: jar.dropped }),
    renewEarly: around.renewEarly,
    ...(around.scheduler === undefined ? {} : { scheduler: around.scheduler }),
    ...(logins === undefined
      ? {}
      : { loginBegins: (login$) => logins.add(login$.subscribe({ error: () => undefined })) }),
  });

  const source = shared && { ...withOwnErrors(shared), ...(ofAll === undefined ? {} : { isBehind: ofAll.isBehind }) };
  const askedBy = ({ credentials$, invalidate }: CredentialSource, sessionMember: SessionMember): CredentialSource => ({
    credentials$: defer(() => {
      const ask: Ask = { by: sessionMember };
      const leave = (): void => void asking.delete(ask);
      asking.add(ask);
      return credentials$.pipe(tap(leave), finalize(leave));
    }),
    invalidate,
  });

  return {
    join: (member) => {
      const sender = senderOf(member.http, { ...around, jar }, member);
      const sessionMember = { member, sender };
      if (logins === undefined) current = sessionMember;
      const own = source === undefined || logins === undefined ? source : askedBy(source, sessionMember);
      return {
        send: sender.pages(own),
        source: own,
        ...(jar === undefined ? {} : { cookieChanges: jar.changes }),
        leave: () => void sender.close(),
      };
    },
  };
}

/** Jobs and runs that wait for one login fail with separate errors. */
const withOwnErrors = (source: CredentialSource): CredentialSource => ({
  credentials$: source.credentials$.pipe(catchError((error: unknown) => throwError(() => copiedError(error)))),
  invalidate: (credentials, response) => source.invalidate(credentials, response),
});

/** Returns the sender of one member. */
export function senderOf(
  http: HttpPlan,
  { connections, limits, settings, jar, scheduler }: SenderSurroundings,
  { report, meter, secrets, rules, numbers, tuned = [] }: Omit<Member, 'http'>,
): Sender {
  const { plainRetries = false, middleware, cacheFolder: folder, seal } = settings;
  const { aws, cache } = http;
  return createSender({
    connections,
    userAgent: `headwater/${version}`,
    requestTimeoutMs: http.requestTimeoutMilliseconds,
    ...(aws === undefined ? {} : { sign: awsSigner(aws, secrets) }),
    ...(cache === undefined || folder === undefined
      ? {}
      : { cache: { ...cache, folder, ...(seal === undefined ? {} : { seal }) } }),
    ...(jar === undefined ? {} : { cookies: jar }),
    baseUrl: http.baseUrl,
    credentialHosts: http.credentialHosts,
    requestableHosts: http.requestableHosts,
    retry: { ...http.retry, ...(plainRetries ? http.retry.languageLimits : http.retry.limits) },
    limits: { plan: http.limits, shared: limits, tuned },
    ...(rules === undefined ? {} : { ruleOf: rules }),
    middleware,
    ...(numbers === undefined ? {} : { numbers }),
    ...(scheduler === undefined ? {} : { scheduler }),
    report,
    ...(meter === undefined ? {} : { meter }),
    secrets,
  });
}

interface SenderSurroundings extends Pick<SessionSurroundings, 'connections' | 'limits' | 'settings' | 'scheduler'> {
  readonly jar?: Cookies | undefined;
}
