import { defer, identity } from 'rxjs';
import type { Observable } from 'rxjs';
import { checkNames, checkValues } from './check-options';
import type { WrittenDestination } from '../language/configuration/destinations/written';
import { ConfigurationError } from '../core/errors/errors';
import type { Fault } from '../core/errors/errors';
import type { RunEvent } from '../core/events';
import { runWithin } from './extraction-host';
import type { ExtractionHost } from './extraction-host';
import { logEvents } from '../core/log';
import type { Page } from '../core/model';
import type { WindowGate } from '../operators';
import { untilAborted } from '../operators/until-aborted';
import type { OutputPlan } from '../plan/plan';
import type { Planned } from '../plan/plan-run';
import { checkTransport, prepare, withCacheWarning } from './prepare';
import { destinationsOf } from './validate';
import type { Prepared } from './prepare';
import { toldTo } from './run-end';
import { createSeal } from '../core/sealed';
import { credentialStore } from './state/credential-store';
import { cursorsOf } from './state/cursors';
import { previousStartOf } from './state/next-state';
import { chosenJobs } from './streams/chosen-jobs';
import type { ChosenJobs } from './streams/chosen-jobs';
import { decodingOf } from './streams/decoders-of-jobs';
import type { ItemDecoders, ItemOf, ItemOfJob, NoDecoders } from './streams/decoders-of-jobs';
import type { ExtractOptions } from './extract-options';
import { streamsOf } from './streams/streams';
import type { ItemStreams, ResumedRun } from './streams/streams';
import { createTuning } from './tuning/tuning';
import type { TuneSettings } from './tuning/tuning';

export type { ExtractOptions } from './extract-options';

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
  checkNames('extract', options, host === undefined ? [] : ['iterations']);
  checkValues(options);
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

/** The logins that need what earlier ones gave. */
export const loginsOf = ({ iterations }: Planned): readonly string[] =>
  iterations.flatMap(({ authentication }) => authentication?.keeps ?? []);
