/** One run: the modules put together, from the plans of its iterations to pages. */
import { catchError, concat, concatMap, defer, finalize, from, map, merge, of, Subject, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Dispatcher } from 'undici';
import { awsSigner } from './auth/aws';
import { faultLine } from './errors';
import type { Fault } from './errors';
import type { Report, RunEvent } from './events';
import type { MiddlewareDefinition } from './http/middleware/define';
import { answers } from './http/answers';
import { decode, decodeLogin } from './http/body/decode';
import { openBody } from './http/body/stream-body';
import { judge } from './http/rules/judge';
import { ruleOf } from './http/rules/rule-of';
import type { RuleOf } from './http/rules/rule-of';
import { createRunRates } from './http/rates/run-rates';
import type { RunRates } from './http/rates/run-rates';
import { createPipeline } from './http/pipeline';
import type { Pipeline } from './http/pipeline';
import { createSshTunnel } from './http/transport/ssh-tunnel';
import type { SshTunnel } from './http/transport/ssh-tunnel';
import { maskedError, maskedEvent } from './masking';
import type { CredentialStore, Cursors, Progress } from './model';
import { mergeInOrderFrom } from './operators';
import type { WindowGate } from './operators';
import type { IterationPlan, RunTimes } from './plan/plan';
import type { HttpPlan } from './plan/http-plan';
import type { Planned } from './plan/plan-run';
import type { Seal } from './sealed';
import { topLevelCall } from './sources/call';
import type { Concurrency } from './sources/concurrency';
import { isPage, runJob } from './sources/job';
import { createEnding } from './run-ending';
import type { EndingOptions } from './run-ending';
import { version } from './version';

/** How requests reach the network. Without a choice, undici's global dispatcher carries them. */
export interface TransportChoice {
  /** Carries the requests: an undici Agent, Pool, ProxyAgent, MockAgent, … */
  readonly dispatcher?: Dispatcher;
  /** Carries the requests instead of undici. */
  readonly fetch?: typeof fetch;
  /** Opens connections of the run's own and closes them at its end, with the configuration's connect time-out. */
  readonly ownConnections?: boolean;
  /**
   * Retries without the limits that the language does not have (docs/extensions/retries.md), unless they are
   * configured.
   */
  readonly plainRetries?: boolean;
}

/** What a run needs beside its plan. */
export interface RunOptions extends EndingOptions {
  readonly concurrency: Concurrency;
  /** Pages that may wait for the consumer, in place of what the configuration says. */
  readonly prefetch?: number | undefined;
  readonly transport: TransportChoice;
  /** The middleware of the application around requests, the outermost first. */
  readonly middleware: readonly MiddlewareDefinition[];
  /** The start of the last successful run in Unix seconds, 0 if there was none. */
  readonly previousStart: number;
  /** The start of the run in Unix seconds, if it is resumed. */
  readonly startedAt?: number | undefined;
  /** Where the calls of the run stand, if it goes on. */
  readonly progress: Progress;
  /** How far jobs had come that ask only for what is new. */
  readonly cursors: Cursors;
  /**
   * Where responses are kept when the configuration asks for it (docs/language/configuration.md#cache); absent:
   * nowhere.
   */
  readonly cacheFolder?: string | undefined;
  /** Encrypts what is kept in it. */
  readonly seal?: Seal | undefined;
  /** What logins give for later ones. */
  readonly store: CredentialStore;
  /** Whether credentials are renewed by a margin before their end. */
  readonly renewEarly: boolean;
  /** Opens when the consumer is ready for another page: when fewer than this number wait for it. */
  readonly gate: WindowGate;
}

/** A run as the stream of its events, pages included; cold. Nothing that it emits or throws holds a secret. */
export function run({ iterations, sshProxy, warnings }: Planned, options: RunOptions): Observable<RunEvent> {
  const { secrets } = options;
  return defer(() => {
    const reported = new Subject<RunEvent>();
    const report: Report = (event) => reported.next(event);
    const tunnel = sshProxy === undefined ? undefined : createSshTunnel(sshProxy);
    const { previousStart, startedAt = Math.floor(Date.now() / 1000) } = options;
    const times: RunTimes = { previousStart, currentStart: startedAt };
    const rates = createRunRates();
    const ending = createEnding(iterations, options);
    const work = concat(
      of<RunEvent>({
        type: 'run.started',
        startedAt: times.currentStart,
        jobs: iterations.reduce((sum, { jobs }) => sum + jobs.length, 0),
      }),
      from(warnings.map(asEvent)),
      from(iterations).pipe(concatMap((plan, at) => runIteration(plan, at, { times, report, tunnel, rates, options }))),
    );
    const over = (): void => {
      tunnel?.close();
      reported.complete();
    };
    return concat(merge(reported, work.pipe(finalize(over))).pipe(tap(ending.hear)), ending.events$);
  }).pipe(
    map((event) => maskedEvent(event, secrets)),
    catchError((error: unknown) => {
      throw maskedError(error, secrets);
    }),
  );
}

const asEvent = (fault: Fault): RunEvent => ({ type: 'warning', code: 'CONFIGURATION', message: faultLine(fault) });

/** What the plans of one run share. */
interface Shared {
  readonly times: RunTimes;
  readonly report: Report;
  readonly tunnel: SshTunnel | undefined;
  readonly rates: RunRates;
  readonly options: RunOptions;
}

/** What the pipelines of one run share. */
interface PipelineSurroundings extends Pick<Shared, 'report' | 'tunnel' | 'rates'> {
  readonly options: Pick<RunOptions, 'transport' | 'secrets' | 'middleware' | 'cacheFolder' | 'seal'>;
}

/** The jobs of one plan, with a transport and credentials of their own. */
function runIteration(plan: IterationPlan, at: number, shared: Shared): Observable<RunEvent> {
  const { times, report, options } = shared;
  return defer(() => {
    const { secrets, concurrency, prefetch = plan.flow.prefetch } = options;
    const { ordered } = plan.flow;
    secrets.add(...plan.secrets);
    const rules = plan.http.rules === undefined ? undefined : ruleOf(plan.http.rules, report);
    const pipeline = pipelineFor(plan.http, rules, shared);
    const source = plan.authentication?.source({
      send: pipeline.logins,
      decode: decodeLogin(secrets),
      report,
      secrets,
      store: options.store,
      cookies: plan.http.cookies,
      forgetCookies: pipeline.forgetCookies,
      renewEarly: options.renewEarly,
    });
    const context = {
      iteration: at,
      send: pipeline.pages(source),
      decode: decode({ ignoreErrors: plan.http.ignoreErrors, contentTypes: plan.http.contentTypes, report, secrets }),
      streams: {
        open: openBody,
        maxRetries: plan.http.retry.maxRetries,
      },
      ...(plan.http.cookies ? { cookieChanges: pipeline.cookieChanges } : {}),
      ...(rules === undefined ? {} : { judge: judge(rules, secrets) }),
      answers: answers(secrets, plan.http.retry.header),
      report,
      secrets,
      times,
      baseUrl: plan.http.baseUrl,
      prefetch,
      ordered,
      concurrency,
      progress: options.progress,
      cursors: options.cursors,
      completeness: options.completeness,
      lenient: options.lenient,
    };
    const jobs$ = mergeInOrderFrom(
      plan.jobs,
      (job, index, gate) => runJob(job, { ...context, gate }, topLevelCall(at, index)),
      {
        concurrency: concurrency.ofIteration(plan),
        ahead: prefetch,
        ordered,
        gate: options.gate,
        counts: isPage,
      },
    );
    return jobs$.pipe(finalize(() => void pipeline.close()));
  });
}

/** The pipeline of one plan. */
export function pipelineFor(
  http: HttpPlan,
  rules: RuleOf | undefined,
  { report, tunnel, rates, options }: PipelineSurroundings,
): Pipeline {
  const { transport, secrets, middleware, cacheFolder: folder, seal } = options;
  const { dispatcher, fetch, ownConnections = false, plainRetries = false } = transport;
  const { caCertificate, clientCertificate, aws, cache } = http;
  const makesConnections = ownConnections || http.connectTimeoutGiven || tunnel !== undefined;
  return createPipeline({
    userAgent: `headwater/${version}`,
    requestTimeoutMs: http.requestTimeoutMilliseconds,
    ...(makesConnections ? { connectTimeoutMs: http.connectTimeoutMilliseconds } : {}),
    ...(caCertificate === undefined ? {} : { caCertificate }),
    ...(clientCertificate === undefined ? {} : { clientCertificate }),
    ...(tunnel === undefined ? {} : { tunnel }),
    ...(dispatcher === undefined ? {} : { dispatcher }),
    ...(fetch === undefined ? {} : { fetch }),
    ...(aws === undefined ? {} : { sign: awsSigner(aws, secrets) }),
    ...(cache === undefined || folder === undefined
      ? {}
      : { cache: { ...cache, folder, ...(seal === undefined ? {} : { seal }) } }),
    cookies: http.cookies,
    baseUrl: http.baseUrl,
    credentialHosts: http.credentialHosts,
    requestableHosts: http.requestableHosts,
    retry: { ...http.retry, ...(plainRetries ? http.retry.languageLimits : http.retry.limits) },
    limits: { plan: http.limits, rates },
    ...(rules === undefined ? {} : { ruleOf: rules }),
    middleware,
    report,
    secrets,
  });
}
