import { defer } from 'rxjs';
import type { Observable, SchedulerLike } from 'rxjs';
import type { WrittenDestination } from './config/destinations/written';
import { ConfigurationError } from './errors';
import type { Fault } from './errors';
import type { RunEvent } from './events';
import { runWithin } from './extraction-host';
import type { ExtractionHost } from './extraction-host';
import type { OnJobError } from './job-failures';
import { logEvents } from './log';
import type { Log } from './log';
import type { Part } from './config/parts/parts';
import type { Completeness } from './evidence';
import type { JsonObject, Page, Progress } from './model';
import type { WindowGate } from './operators';
import { untilAborted } from './operators/until-aborted';
import type { OutputPlan } from './plan/plan';
import type { Planned } from './plan/plan-run';
import { checkTransport, destinationsOf, prepare, withCacheWarning } from './prepare';
import type { Prepared } from './prepare';
import type { Har } from './recording/har';
import { toldTo } from './run-end';
import { createSeal } from './sealed';
import type { TransportChoice } from './sessions';
import type { EvidenceTracker } from './sources/completeness/evidence-tracker';
import { credentialStore } from './state/credential-store';
import { cursorsOf } from './state/cursors';
import type { SaveState } from './state/credential-store';
import { previousStartOf } from './state/next-state';
import { chosenJobs } from './streams/chosen-jobs';
import type { ChosenJobs } from './streams/chosen-jobs';
import { decodingOf } from './streams/decoders-of-jobs';
import type { ItemDecoders, ItemOf, ItemOfJob, ItemOptions, NoDecoders } from './streams/decoders-of-jobs';
import { streamsOf } from './streams/streams';
import type { ItemEvent, ItemStreams, ResumedRun } from './streams/streams';
import type { Tunable } from './tunable';
import { createTuning } from './tuning';
import type { TuneSettings } from './tuning';

/** How an extraction runs. Everything is optional. */
export interface ExtractOptions<D extends ItemDecoders = NoDecoders> extends TransportChoice, ItemOptions<D> {
  /**
   * Jobs at once, or `auto`: as many as the API takes; default: `config.concurrency`, which is 1 unless given. Of an
   * Observable each value holds from when it comes, while runs go on.
   */
  readonly concurrency?: Tunable<number | 'auto'>;
  /**
   * Pages that may wait for a consumer that pulls, or drains; default: `config.prefetch`, which is 1 unless given. A job
   * that has a `prefetch` of its own keeps it.
   */
  readonly prefetch?: Tunable<number>;
  /** Where the events of each run are logged; default nowhere. winston's Logger fits. */
  readonly logger?: Log;
  /** Aborts every run: its streams fail with the signal's reason, its sockets close. */
  readonly signal?: AbortSignal;
  /**
   * Unix seconds: when the last successful run started (`time.previousStart`, docs/language/expressions.md#contexts);
   * default: as `state` says, or 0.
   */
  readonly previousStart?: number;
  /**
   * Goes on with a run that was broken off: since when it has run (Unix seconds), and where its calls stand, by the
   * {@link Page.checkpoint} of the last page of each that is safe. Pages up to there are not requested again.
   */
  readonly resume?: {
    readonly startedAt: number;
    readonly progress: Progress;
    /**
     * The id of the run; default: a random one for each run.
     *
     * @internal
     */
    readonly id?: string;
    /**
     * What these pages have told of the completeness of their jobs; without it, only later pages are judged.
     *
     * @internal
     */
    readonly evidence?: EvidenceTracker;
  };
  /**
   * What to do when the run turns out to be incomplete (docs/completeness.md), where neither the configuration nor a job
   * says; default `error`: the streams give all items, and then fail with an `IncompleteError`.
   */
  readonly completeness?: Completeness;
  /**
   * What becomes of a run when one of its jobs fails, after its retries: `fail` ends it; with `continue` the other jobs go on, and
   * the streams fail at the end with a `JobsFailedError` that names each failure. Default `fail`.
   */
  readonly onJobError?: OnJobError;
  /** Whether warnings are errors: those of the configuration at once, those of a run at its end; default false. */
  readonly strict?: boolean;
  /**
   * Folder for the responses that a configuration with `cache` keeps (docs/language/configuration.md#cache); without
   * it, none are kept.
   */
  readonly cacheFolder?: string;
  /** Encrypts what is kept in `cacheFolder`: a string of at least 16 characters. Without a key, responses are readable. */
  readonly encryptionKey?: string;
  /**
   * What the last run left (docs/language/state.md#where-it-is-kept): `time.previousStart`, and what is kept of logins.
   */
  readonly state?: JsonObject;
  /**
   * Takes the state with what a login gave to be kept (docs/extensions/kept-credentials.md), before a request uses that
   * login. It must be stored whether or not the run succeeds; a run whose `onCredentials` fails fails with it.
   */
  readonly onCredentials?: SaveState;
  /**
   * Whether credentials are renewed by a margin before their end (docs/extensions/credentials.md); default: `true`. With
   * `false` only a margin of the configuration counts, as the language has it
   * (docs/language/authentication.md#renewal).
   */
  readonly renewEarly?: boolean;
  /** Keys like others (`pagniation`) and incomplete runs are warnings; default: errors (`MISTAKEN_KEY`, `INCOMPLETE`). */
  readonly lenient?: boolean;
  /**
   * Parts of the language that the application adds, made by `defineFunction` and the like (`headwater/components`). The
   * configuration names them as it names those of Headwater.
   */
  readonly components?: readonly Part[];
  /** Keeps the time of retries, limits, expiry and polling; with `virtualTime()` (docs/testing.md) nobody waits for it. */
  readonly scheduler?: SchedulerLike;
  /** Takes what each run has requested and received, without secrets, when it is over; `replay` runs it again (docs/testing.md). */
  readonly record?: (recording: Har) => void;
  /** Hears the events of every run, whichever of the streams below started it. Must not throw. */
  readonly onEvent?: (event: ItemEvent<ItemOf<D>>) => void;
}

/**
 * A configuration, ready to run. Nothing happens before a subscription, and **each subscription is a run of its own**:
 * to use several streams of one run, share `events$` (`events$.pipe(share())`) or give `onEvent`.
 */
export interface Extraction<D extends ItemDecoders = NoDecoders> extends ItemStreams<ItemOf<D>> {
  /**
   * The streams of one job. Each subscription is a run in which only this job runs, and those above it, whose items it is called
   * for; neither its children nor other jobs are requested.
   *
   * @param name the `id` of the job; of one without, its `dataType`, or else its endpoint
   * @throws RangeError when no job is called so, and for an extraction with `resume`, which belongs to all jobs
   * @example extraction.job('stations').items$.subscribe((station) => console.log(station.name));
   */
  readonly job: <Name extends string>(name: Name | (keyof D & string)) => ItemStreams<ItemOfJob<D, Name>>;
  /**
   * Changes how much runs at once, how far ahead, and how often something is requested, in runs that are under way and in
   * later ones of this extraction. What runs already is not broken off.
   *
   * @param settings for one `job`, or for all of them together; whatever takes a number takes an Observable of numbers
   * @throws RangeError for an id that no job has, a value that cannot be, and a setting that would do nothing
   * @example extraction.tune({ job: 'stations', concurrency: 20, rate: 5 });
   */
  readonly tune: (settings: TuneSettings) => void;
  /** Settings that have no effect, deprecated spellings. */
  readonly warnings: readonly Fault[];
  /** Where the tables of each run belong, by {@link Page.iteration}. */
  readonly outputs: readonly OutputPlan[];
  /** The destinations that the configuration names (`config.sinks`), as `destinationOf` takes them. */
  readonly sinks: readonly WrittenDestination[];
}

/**
 * Prepares the extraction that a configuration describes (docs/language/README.md): logs in where it says so, pages
 * through each job, and gives the items as streams.
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

/** Does as {@link extract}, with a configuration that was decoded and planned before. */
export function extractPrepared<D extends ItemDecoders = NoDecoders>(
  { secrets, fingerprint, ...prepared }: Prepared,
  options: ExtractOptions<D>,
  host?: ExtractionHost,
): Extraction<D> {
  const { logger, signal, onEvent, state = {}, onCredentials = () => undefined, ...others } = options;
  const { cacheFolder, encryptionKey, prefetch, previousStart = previousStartOf(state), resume, ...more } = others;
  const { concurrency: jobsAtOnce, completeness = 'error', strict = false, lenient = false, ...rest } = more;
  const { items, onInvalid, bigints, onJobError = 'fail', ...further } = rest;
  const { renewEarly = true, components = [], scheduler, record, ...transport } = further;
  const { id, startedAt, progress = new Map(), evidence } = resume ?? {};
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
    completeness,
    lenient,
    strict,
    cursors: cursorsOf(state),
    onJobError,
    decoding,
  };
  const settings = {
    plainRetries: transport.plainRetries === true,
    middleware: components.filter((part) => part.kind === 'middleware'),
    cacheFolder,
    seal: encryptionKey === undefined ? undefined : createSeal(encryptionKey),
  };
  const sessions = { store, renewEarly, transport, settings, scheduler };
  const startedFor =
    (isNeeded?: ChosenJobs['isNeeded']) =>
    (gate: WindowGate, resumed?: ResumedRun): Observable<RunEvent> =>
      defer(() =>
        runWithin(host, planned, {
          ...{ secrets, sessions, tuning, record },
          options: { ...shared, ...resumed, isNeeded, gate },
        }),
      ).pipe(
        toldTo((event) => {
          log?.(event);
          onEvent?.(event);
          host?.hear(event);
        }),
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

/** The logins that need what earlier ones gave. */
export const loginsOf = ({ iterations }: Planned): readonly string[] =>
  iterations.flatMap(({ authentication }) => authentication?.keeps ?? []);
