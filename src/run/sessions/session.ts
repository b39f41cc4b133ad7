/** What the requests of an API share beside the run that sends them: connections, limits, cookies, and the login. */
import { catchError, defer, finalize, tap, throwError } from 'rxjs';
import type { SchedulerLike, Subscription } from 'rxjs';
import { awsSigner } from '../../auth/aws';
import { copiedError } from '../../core/errors/copied-error';
import type { Report } from '../../core/events';
import { decodeLogin } from '../../http/body/decode';
import { cookies } from '../../http/middleware/cookies';
import type { Cookies } from '../../http/middleware/cookies';
import type { MiddlewareDefinition } from '../../language/parts/middleware';
import type { RequestNumbers } from '../../http/middleware/numbered';
import { createPipeline } from '../../http/pipeline';
import type { Pipeline } from '../../http/pipeline';
import type { RequestTuning } from '../../http/rates/request-tuning';
import type { SharedLimits } from '../../http/rates/shared-limits';
import type { RuleOf } from '../../http/rules/rule-of';
import type { Connections } from '../../http/transport/transport';
import type { CredentialSource, CredentialStore, Send } from '../../core/model';
import type { HttpPlan } from '../../plan/http-plan';
import type { IterationPlan } from '../../plan/plan';
import type { Seal } from '../../core/sealed';
import type { Secrets } from '../../core/secrets/secrets';
import { mayReceiveCredentials } from '../../core/url/origin';
import { version } from '../../core/version';

/** What is around a session, and outlives it. */
export interface SessionSurroundings {
  readonly connections: Connections;
  readonly limits: SharedLimits;
  /** The values that all runs of the session know to be secret. */
  readonly secrets: Secrets;
  /** What logins give for later ones. */
  readonly store: CredentialStore;
  /** Whether credentials are renewed by a margin before their end. */
  readonly renewEarly: boolean;
  /**
   * The logins of sessions that several join: each goes on until it is done, or until this is unsubscribed, since whoever left may
   * be followed by others at once. Absent: each session has one member, and a login ends with it.
   */
  readonly logins?: Subscription;
  readonly settings: PipelineSettings;
  /** Keeps the time; absent: `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
}

/** How the application has requests sent. */
export interface PipelineSettings {
  readonly plainRetries?: boolean;
  /** The middleware of the application around requests, the outermost first. */
  readonly middleware: readonly MiddlewareDefinition[];
  /** Where responses are kept when the configuration asks for it; absent: nowhere. */
  readonly cacheFolder?: string | undefined;
  /** Encrypts what is kept in it. */
  readonly seal?: Seal | undefined;
}

/** Who sends requests in a session: a run, or the application itself. */
export interface Member {
  /** How its requests travel: runs of one client have rates of their own jobs. */
  readonly http: HttpPlan;
  readonly report: Report;
  readonly secrets: Secrets;
  readonly rules?: RuleOf | undefined;
  /** What was tuned for its requests. */
  readonly tuned?: readonly RequestTuning[];
  /** Numbers its requests; absent: nobody asks which is which. */
  readonly numbers?: RequestNumbers;
}

/** A place in a session. */
export interface Seat {
  /** Sends requests with the credentials of the session. */
  readonly send: Send;
  /** The credential stream of the session; absent: the API needs none. What a login tells is told to who asked for it. */
  readonly source?: CredentialSource | undefined;
  /** How often responses have changed the cookies that requests have; absent: none are kept. */
  readonly cookieChanges?: () => number;
  /** Lets go of the session. A login that others wait for goes on. */
  readonly leave: () => void;
}

/** One user at one API: see {@link createSession}. */
export interface Session {
  readonly join: (member: Member) => Seat;
}

interface Seated {
  readonly member: Member;
  readonly pipeline: Pipeline;
}

/** One request that waits for credentials. */
interface Ask {
  readonly by: Seated;
}

/**
 * A session of one user at one API: the runs that join it have one login, one set of cookies and one queue. A run alone
 * has a session of its own for each iteration; the runs of a client share theirs.
 *
 * A login is sent by the pipeline of who asked for it, the first one of several, so that each of its events belongs to
 * one run. In a session that several share it does not end with that run.
 *
 * @param plan what the session is made of: one iteration of any of its runs
 * @example createSession(plan, surroundings).join({ report, secrets }).send(request)
 */
export function createSession(plan: IterationPlan, around: SessionSurroundings): Session {
  const { http, authentication } = plan;
  const { baseUrl, credentialHosts } = http;
  const { secrets, logins } = around;
  const getsCredentials = (url: string): boolean => mayReceiveCredentials(url, baseUrl, credentialHosts);
  const jar = http.cookies ? cookies({ getsCredentials, secrets }) : undefined;
  /** Those who wait for credentials, the first one first. */
  const asking = new Set<Ask>();
  /** Who has the login sent that is under way, or had the last one sent. */
  let sender: Seated | undefined;

  const shared = authentication?.source({
    send: (request) =>
      defer(() => {
        const [first] = asking;
        sender = first?.by ?? sender;
        if (sender === undefined) throw new Error('A login that nobody asked for.');
        return sender.pipeline.logins(request);
      }),
    decode: decodeLogin(secrets),
    report: (event) => sender?.member.report(event),
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

  const source = shared === undefined ? undefined : withOwnErrors(shared);
  const askedBy = ({ credentials$, invalidate }: CredentialSource, seated: Seated): CredentialSource => ({
    credentials$: defer(() => {
      const ask: Ask = { by: seated };
      const leave = (): void => void asking.delete(ask);
      asking.add(ask);
      return credentials$.pipe(tap(leave), finalize(leave));
    }),
    invalidate,
  });

  return {
    join: (member) => {
      const pipeline = pipelineIn(member.http, { ...around, jar }, member);
      const seated = { member, pipeline };
      if (logins === undefined) sender = seated;
      const own = source === undefined || logins === undefined ? source : askedBy(source, seated);
      return {
        send: pipeline.pages(own),
        source: own,
        ...(jar === undefined ? {} : { cookieChanges: jar.changes }),
        leave: () => void pipeline.close(),
      };
    },
  };
}

/** Jobs and runs that wait for one login fail with errors of their own. */
const withOwnErrors = (source: CredentialSource): CredentialSource => ({
  credentials$: source.credentials$.pipe(catchError((error: unknown) => throwError(() => copiedError(error)))),
  invalidate: (credentials, response) => source.invalidate(credentials, response),
});

/** The pipeline of one member. */
export function pipelineIn(
  http: HttpPlan,
  { connections, limits, settings, jar, scheduler }: PipelineSurroundings,
  { report, secrets, rules, numbers, tuned = [] }: Omit<Member, 'http'>,
): Pipeline {
  const { plainRetries = false, middleware, cacheFolder: folder, seal } = settings;
  const { aws, cache } = http;
  return createPipeline({
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
    secrets,
  });
}

interface PipelineSurroundings extends Pick<SessionSurroundings, 'connections' | 'limits' | 'settings' | 'scheduler'> {
  readonly jar?: Cookies | undefined;
}
