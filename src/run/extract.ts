import { asyncScheduler, defer, identity, merge } from 'rxjs';
import type { Observable } from 'rxjs';
import { ConfigurationError } from '../core/errors/errors';
import type { Fault } from '../core/errors/errors';
import type { RunEvent, Tally } from '../core/events';
import { logEvents } from '../core/log';
import type { Page } from '../core/model';
import { createSeal } from '../core/sealed';
import { Secrets } from '../core/secrets/secrets';
import type { RequestTuning } from '../http/rates/request-tuning';
import type { WrittenDestination } from '../language/configuration/destination';
import type { WindowGate } from '../operators';
import { untilAborted } from '../operators/until-aborted';
import type { Planned } from '../plan/compile';
import type { OutputPlan } from '../plan/plan';
import { checkNames, checkValues } from './options';
import type { ExtractOptions } from './options';
import { recorded } from './recording';
import type { Har } from './recording';
import { run } from './run';
import type { RunOptions } from './run';
import { reportingTo } from './run-end';
import type { FailedCalls } from './run-end';
import { sessionsOfRun } from './sessions/sessions';
import type { Sessions, SessionsOptions } from './sessions/sessions';
import { cursorsOf, previousStartOf } from './state/cursors';
import { credentialStore } from './state/kept-credentials';
import { chosenJobs } from './streams/chosen-jobs';
import type { ChosenJobs } from './streams/chosen-jobs';
import { decodingOf } from './streams/decoding';
import type { ItemDecoders, ItemOf, ItemOfJob, NoDecoders } from './streams/decoding';
import { streamsOf } from './streams/streams';
import type { ItemStreams, ResumedRun } from './streams/streams';
import { createTuning } from './tuning';
import type { TuneSettings, Tuning } from './tuning';
import { checkTransport, destinationsOf, prepare, withCacheWarning } from './validate';
import type { Prepared } from './validate';

export type { ExtractOptions } from './options';

/**
 * An extraction, ready to run. Nothing happens before a subscription, and **each subscription is a separate run**: to use several streams
 * of one run, share `events$` (`events$.pipe(share())`) or pass `onEvent`.
 */
export interface Extraction<D extends ItemDecoders = NoDecoders> extends ItemStreams<ItemOf<D>> {
  /**
   * Returns the streams of one job. Each subscription is a run of only this job and its parents, whose items it is called for; neither its
   * children nor other jobs are requested.
   *
   * @param name the `id` of the job; without one, its `dataType`, or else its endpoint
   * @throws RangeError when no job has the name, and for an extraction with `resume`, which belongs to all jobs
   * @example extraction.job('stations').items$.subscribe((station) => console.log(station.name));
   */
  readonly job: <Name extends string>(name: Name | (keyof D & string)) => ItemStreams<ItemOfJob<D, Name>>;
  /**
   * Changes how much runs at once, how far ahead, and how often requests are sent, in current and later runs of this extraction. Whatever
   * is in progress is not interrupted.
   *
   * @param settings for one `job`, or for all of them together; each number may be an Observable of numbers
   * @throws RangeError for an id that no job has, an invalid value, and a setting without effect
   * @example extraction.tune({ job: 'stations', concurrency: 20, rate: 5 });
   */
  readonly tune: (settings: TuneSettings) => void;
  /** Settings that have no effect, deprecated spellings. */
  readonly warnings: readonly Fault[];
  /** The tables of each run, by {@link Page.iteration}. */
  readonly outputs: readonly OutputPlan[];
  /** The destinations that the configuration names (`config.sinks`), as `destinationOf` takes them. */
  readonly sinks: readonly WrittenDestination[];
}

/**
 * Prepares the extraction that a configuration describes (docs/language/README.md): logs in if necessary, requests the pages of each job,
 * and returns the items as streams.
 *
 * @param config the configuration, parsed: `{ api, config }`, or the same under `parameters`
 * @param options concurrency, transport, logger, abort signal, decoders for items
 * @throws ConfigurationError with every fault at once, before any request; RangeError for options
 * @example
 * const extraction = extract({ api: { baseUrl: 'https://api.example' }, config: { jobs: [{ endpoint: 'users' }] } });
 * extraction.items$.subscribe((user) => console.log(user));
 * for await (const user of extraction) console.log(user);
 */
export const extract = <const D extends ItemDecoders = NoDecoders>(
  config: unknown,
  options: ExtractOptions<D> = {},
): Extraction<D> => extractPrepared(prepare(config, options), options);

/** Works like {@link extract}, for a configuration that is already decoded and planned. */
export function extractPrepared<D extends ItemDecoders = NoDecoders>(
  { secrets, fingerprint, ...prepared }: Prepared,
  options: ExtractOptions<D>,
  host?: ExtractionHost,
  watch: RunWatch = watchOf(options, host),
  failedCalls: FailedCalls = 'end the job',
): Extraction<D> {
  checkNames('extract', options, host === undefined ? [] : ['iterations']);
  checkValues(options);
  const { logger, signal, onEvent, counter, state = {}, onCredentials = () => undefined, ...others } = options;
  const { cacheFolder, encryptionKey, prefetch, previousStart = previousStartOf(state), resume, ...more } = others;
  const { concurrency: jobsAtOnce, completeness = 'error', strict = false, lenient = false, ...rest } = more;
  const { items, onInvalid, bigints, onJobError = 'fail', ...further } = rest;
  const { renewEarly = true, components = [], scheduler, record, ...transport } = further;
  const { id, startedAt, progress = new Map(), evidence, owns, pagesHere, shared: session } = resume ?? {};
  checkTransport(prepared.planned, transport);
  const planned = withCacheWarning(prepared.planned, cacheFolder);
  if (strict && planned.warnings.length > 0) throw new ConfigurationError(planned.warnings);
  const decoding = decodingOf(planned.iterations, {
    ...(items === undefined ? {} : { items }),
    ...(onInvalid === undefined ? {} : { onInvalid }),
    ...(bigints === undefined ? {} : { bigints }),
  });
  const store = credentialStore(state, loginsOf(planned), onCredentials);
  const log = logger === undefined ? undefined : logEvents(logger);
  const tuning = createTuning(planned.iterations, { ownsLogins: host === undefined });
  tuning.tune({ concurrency: jobsAtOnce, prefetch });
  const shared = {
    id,
    scheduler,
    previousStart,
    startedAt,
    progress,
    evidence,
    owns,
    pagesHere,
    completeness,
    lenient,
    strict,
    cursors: cursorsOf(state),
    onJobError,
    failedCalls,
    decoding,
  };
  const settings = {
    plainRetries: transport.plainRetries === true,
    middleware: components.filter((part) => part.kind === 'middleware'),
    cacheFolder,
    seal: encryptionKey === undefined ? undefined : createSeal(encryptionKey),
  };
  const sessions = { store, renewEarly, transport, settings, scheduler, shared: session };
  const startedFor =
    (isNeeded?: ChosenJobs['isNeeded']) =>
    (gate: WindowGate, resumed?: ResumedRun, isDetailed = false): Observable<RunEvent> =>
      defer(() =>
        runWithin(host, planned, {
          ...{ secrets, sessions, tuning, record },
          options: {
            ...shared,
            ...resumed,
            isNeeded,
            gate,
            tally: watch.tally,
            isDetailed: isDetailed || watch.isDetailed,
          },
        }),
      ).pipe(
        reportingTo((event) => {
          log?.(event);
          counter?.add(event, (scheduler ?? asyncScheduler).now());
          onEvent?.(event);
          host?.onEvent(event);
        }),
        host?.untilClosed ?? identity,
        untilAborted(signal),
      );
  const job: Extraction<D>['job'] = (name) => {
    if (resume !== undefined) throw new RangeError('job: an extraction with `resume` goes on with all of its jobs');
    const { ids, isNeeded } = chosenJobs(planned.iterations, name, 'job');
    const isOwn = (page: Page): boolean => ids.has(page.job.id);
    const print = (): string => `${fingerprint()} ${[...ids].join(' ')}`;
    return streamsOf({ started: startedFor(isNeeded), isOwn, fingerprint: print, isResumed: false });
  };
  const all = streamsOf<ItemOf<D>>({
    ...{ started: startedFor(), isOwn: () => true, fingerprint, isResumed: resume !== undefined, beginsAt: progress },
  });
  const { warnings } = planned;
  return Object.assign(all, { job, tune: tuning.tune, warnings, ...destinationsOf(planned) });
}

/** How the events of an extraction are watched. */
export interface RunWatch {
  /** True if somebody listens to every event. */
  readonly isDetailed: boolean;
  /** Counts what is not reported as an event. */
  readonly tally?: Tally | undefined;
}

/** Returns how the options of an application watch a run; its log has every event if it has entries for debugging. */
export const watchOf = (
  { onEvent, logger, counter }: Pick<ExtractOptions, 'onEvent' | 'logger' | 'counter'>,
  host: unknown,
): RunWatch => ({
  isDetailed:
    onEvent !== undefined || host !== undefined || (logger !== undefined && logger.isLevelEnabled?.('debug') !== false),
  tally: counter,
});

/** Returns the logins that need values of earlier ones. */
export const loginsOf = ({ iterations }: Planned): readonly string[] =>
  iterations.flatMap(({ authentication }) => authentication?.keeps ?? []);

/** What the extractions of a client share. */
export interface ExtractionHost {
  readonly sessions: Sessions;
  readonly secrets: Secrets;
  readonly tuned: RequestTuning;
  readonly values$: Observable<never>;
  /** Mirrors a stream until the client is closed; then it fails. */
  readonly untilClosed: <T>(source: Observable<T>) => Observable<T>;
  /** Is called with the events of all runs. */
  readonly onEvent: (event: RunEvent) => void;
  /** Is called with events for runs that have ended. */
  readonly afterwards: (event: RunEvent) => void;
}

/** What an extraction knows of a run. */
export interface OwnOfRun {
  /** Values of the configuration that must never be printed. */
  readonly secrets: readonly string[];
  readonly sessions: Omit<SessionsOptions, 'secrets'>;
  readonly tuning: Tuning;
  /** Receives the recording of a run with its own session. */
  readonly record?: ((recording: Har) => void) | undefined;
  readonly options: Omit<RunOptions, 'secrets' | 'sessions' | 'ownsSessions' | 'concurrency' | 'values$' | 'tuned'>;
}

/** Returns one run, in the sessions of a client, or in sessions that end with the run. */
function runWithin(
  host: ExtractionHost | undefined,
  planned: Planned,
  { secrets, sessions, record, tuning: { concurrency, requests, values$ }, options }: OwnOfRun,
): Observable<RunEvent> {
  if (host === undefined) {
    // A recording holds all exchanges until it is masked at the end, so no secret may be forgotten before.
    const own = new Secrets(secrets, undefined, record === undefined ? undefined : Infinity);
    const { settings } = sessions;
    return recorded(record, { secrets: own, middleware: settings.middleware }, ({ middleware }) => {
      const ownSessions = sessionsOfRun(planned, { ...sessions, secrets: own, settings: { ...settings, middleware } });
      const itself = { secrets: own, sessions: ownSessions, ownsSessions: true, tuned: [requests] };
      return run(planned, { ...options, ...itself, concurrency, values$ });
    });
  }
  return run(planned, {
    ...options,
    secrets: new Secrets(secrets, host.secrets),
    sessions: host.sessions,
    ownsSessions: false,
    tuned: [host.tuned, requests],
    concurrency,
    values$: merge(host.values$, values$),
    afterwards: host.afterwards,
  });
}
